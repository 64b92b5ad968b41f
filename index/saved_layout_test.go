package index_test

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// reading reads a saved index by what SAVED.md says, and nothing else.
type reading struct {
	t testing.TB
	b []byte
}

func (r *reading) bytes(n int) []byte {
	r.t.Helper()
	require.LessOrEqual(r.t, n, len(r.b))
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reading) u64() uint64 { r.t.Helper(); return le.Uint64(r.bytes(8)) }
func (r *reading) u32() uint32 { r.t.Helper(); return le.Uint32(r.bytes(4)) }
func (r *reading) u16() uint16 { r.t.Helper(); return le.Uint16(r.bytes(2)) }

// eight returns as many numbers.
func (r *reading) eight(n int) (list []uint64) {
	r.t.Helper()
	for range n {
		list = append(list, r.u64())
	}
	return list
}

func crc(parts ...[]byte) uint32 {
	return crc32.Checksum(slices.Concat(parts...), crc32.MakeTable(crc32.Castagnoli))
}

// TestSavedLayout decodes a saved index by hand.
func TestSavedLayout(t *testing.T) {
	b := jfrtest.NewEmptyChunk()
	for _, name := range []string{"byte", "int", "long"} {
		b.Class(name)
	}
	text := b.Class(jfrtest.StringClass)
	thread := b.Class("java.lang.Thread", jfrtest.Of("name", jfrtest.StringClass))
	often := b.Event("Often", jfrtest.Const("eventThread", "java.lang.Thread"))
	often.ID = 5000 // rows are in the order of the numbers, not of the metadata
	rare := b.Event("Rare")
	var offsets []int
	for i := range 20 {
		b.Emit(often, 1000+i, 7)
		if i%10 == 3 {
			offsets = append(offsets, b.Emit(rare, 2000+i))
		}
	}
	old := b.EmitRaw(jfrtest.EventOptions{}, 999, nil)
	cp := b.Checkpoint(jfrtest.MaskFlush)
	for i := range 5 {
		cp.Add("java.lang.Thread", 7+i, "thread")
	}
	cp.Add(jfrtest.StringClass, int64(1)<<40, "far")
	cp.Add(jfrtest.StringClass, int64(-1), "farther")
	chunk, layout := b.Build()
	threads, texts := thread.ID, text.ID
	data := join(setState(chunk, 9), chunk)
	saved := savedIndex(t, data)

	header := &reading{t, saved[:40]}
	assert.Equal(t, "MJFRIDX\x00", string(header.bytes(8)))
	assert.Equal(t, uint32(4), header.u32(), "version")
	assert.Equal(t, uint32(2), header.u32(), "chunks")
	assert.Equal(t, uint64(len(data)), header.u64())
	assert.Equal(t, uint64(1_600_000_000_123_456_789), header.u64())
	assert.Equal(t, uint32(65536), header.u32())
	assert.Equal(t, uint32(2048), header.u32())

	trailer := &reading{t, saved[len(saved)-24:]}
	directoryAt := trailer.u64()
	assert.Equal(t, uint64(len(saved)-24-2*128), directoryAt)
	assert.Equal(t, uint64(len(saved)), trailer.u64())
	directory := saved[directoryAt : len(saved)-24]
	assert.Equal(t, crc(saved[:40], directory, saved[len(saved)-24:len(saved)-8]), trailer.u32())
	assert.Equal(t, "MJFR", string(trailer.bytes(4)))

	d := &reading{t, directory}
	assert.Equal(t, []uint64{0, uint64(len(chunk))}, d.eight(2))
	assert.Equal(t, data[:68], d.bytes(68))
	assert.Equal(t, make([]byte, 44), d.bytes(44), "nothing is saved of a chunk that grows")
	assert.Equal(t, []uint64{uint64(len(chunk)), uint64(len(chunk))}, d.eight(2))
	assert.Equal(t, chunk[:68], d.bytes(68))
	assert.Equal(t, crc(chunk), d.u32(), "samples are all of a small chunk")
	at := d.eight(4)
	assert.Equal(t, uint64(40), at[0])
	assert.Equal(t, at[0]+at[1], at[2])
	assert.Equal(t, directoryAt, at[2]+at[3])
	blocks, constants := saved[at[0]:at[0]+at[1]], saved[at[2]:at[2]+at[3]]
	assert.Equal(t, crc(blocks), d.u32())
	assert.Equal(t, crc(constants), d.u32())

	s := &reading{t, blocks}
	assert.Equal(t, []uint64{23, 1, 2, 1, 2}, s.eight(5), "events, blocks, classes, others, kept")
	assert.Equal(t, uint64(0), s.u64(), "ordinals")
	assert.Equal(t, uint64(1)<<63, s.u64(), "least: of what is not described it is not known")
	assert.Equal(t, uint64(math.MaxInt64), s.u64())
	assert.Equal(t, []uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64}, s.eight(3), "types and threads")
	size := func(events ...int) (n uint64) {
		for _, i := range events {
			n += uint64(layout.Events[i].Size)
		}
		return n
	}
	assert.Equal(t, uint64(rare.ID), s.u64())
	assert.Equal(t, []uint64{2, size(offsets...)}, s.eight(2))
	assert.Equal(t, []uint32{2, 0}, []uint32{s.u32(), s.u32()})
	assert.Equal(t, uint64(often.ID), s.u64())
	assert.Equal(t, []uint64{20, 20 * size(0)}, s.eight(2))
	assert.Equal(t, []uint32{0, 1}, []uint32{s.u32(), s.u32()}, "more than 16 are not kept")
	assert.Equal(t, []uint64{999, 1, size(old)}, s.eight(3))
	assert.Equal(t, uint16(68), s.u16(), "first")
	for range 31 {
		assert.Equal(t, uint16(math.MaxUint16), s.u16())
	}
	assert.Equal(t, make([]byte, 64), s.bytes(64), "nth")
	for _, i := range offsets {
		assert.Equal(t, uint32(layout.Events[i].Offset), s.u32())
	}
	assert.Empty(t, s.b)

	k := &reading{t, constants}
	point := layout.Checkpoints[0]
	assert.Equal(t, []uint64{uint64(point.Offset), 1, 2, 2}, k.eight(4), "newest, checkpoints, pools, tables")
	assert.Equal(t, uint64(point.Offset), k.u64())
	assert.Equal(t, []uint32{uint32(point.Size), 0, 2}, []uint32{k.u32(), k.u32(), k.u32()})
	assert.Equal(t, []byte{jfrtest.MaskFlush, 0, 0, 0}, k.bytes(4))
	pools := constantsOf(t, newIndex(t, chunk).Chunks()[0]).Pools()
	for i, n := range []uint64{5, 2} {
		assert.Equal(t, []uint64{uint64(pools[i].Type), pools[i].Offset, n, pools[i].Size}, k.eight(4))
	}
	c := newIndex(t, chunk).Chunks()[0]
	where := func(class int64, key int64) uint64 {
		types := typesOf(t, c)
		at, ok := constantsOf(t, c).Lookup(types.ByID(schema.TypeID(class)), key)
		require.True(t, ok)
		return at
	}
	first, last := int64(1)<<40, int64(-1)
	rows := [][]uint64{{uint64(texts), 0, 2, 2, 1}, {uint64(threads), 7, 5, 5, 0}}
	if threads < texts {
		slices.Reverse(rows)
	}
	for _, row := range rows {
		assert.Equal(t, row, k.eight(5))
	}
	for _, row := range rows {
		if row[4] == 0 {
			for key := range int64(5) {
				assert.Equal(t, uint32(where(threads, 7+key)), k.u32())
			}
			assert.Zero(t, k.u32(), "up to a multiple of eight")
			continue
		}
		keys := k.eight(2)
		assert.ElementsMatch(t, []uint64{uint64(first), uint64(last)}, keys, "keys")
		assert.Equal(t, []uint32{uint32(where(texts, int64(keys[0]))), uint32(where(texts, int64(keys[1])))}, []uint32{k.u32(), k.u32()})
	}
	assert.Empty(t, k.b)
}

// TestSavedColumnsOfBlocks decodes what the columns say of events that are described.
func TestSavedColumnsOfBlocks(t *testing.T) {
	b := jfrtest.NewEmptyChunk()
	for _, name := range []string{"byte", "int", "long", jfrtest.StringClass} {
		b.Class(name)
	}
	b.Class("java.lang.Thread", jfrtest.Of("name", jfrtest.StringClass))
	b.Event("Never")
	text := b.Event("Text", jfrtest.Const("eventThread", "java.lang.Thread"), jfrtest.Of("text", jfrtest.StringClass))
	b.Emit(text, 5000, 7, "first")
	b.Emit(text, 4000, 9, jfrtest.UTF8(string(make([]byte, index.BlockSize))))
	b.Emit(text, 6000, int64(1)<<62+11, "last")
	data, layout := b.Build()
	blocks, _ := index.Sections(savedIndex(t, data), 0)
	s := &reading{t, blocks}
	assert.Equal(t, []uint64{3, 2, 1, 0, 3}, s.eight(5))
	bit := func(key uint64) uint64 { return 1 << (key * 0x9E3779B97F4A7C15 >> 58) }
	assert.Equal(t, []uint64{0, 2}, s.eight(2), "ordinals")
	assert.Equal(t, []uint64{4000, 6000}, s.eight(2), "least")
	assert.Equal(t, []uint64{5000, 6000}, s.eight(2), "greatest")
	assert.Equal(t, []uint64{2, 0, 2, 0}, s.eight(4), "types")
	assert.Equal(t, []uint64{bit(7) | bit(9), bit(1<<62 + 11)}, s.eight(2), "threads")
	s.bytes(32)
	first := make([]uint16, 64)
	for i := range first {
		first[i] = s.u16()
	}
	last := int(layout.Events[2].Offset)
	assert.Equal(t, uint16(68), first[0])
	assert.Equal(t, uint16(last%2048), first[last/2048])
	assert.Equal(t, make([]byte, 128), s.bytes(128), "nth")
}

// TestSavedVersion fails when anything about saved indexes changes, also what the
// bits of a column stand for: then the version has to go up, and these sums with
// it.
func TestSavedVersion(t *testing.T) {
	index.SetMultiplier(t, 0x9E3779B97F4A7C15) // which the order of keys depends on
	for name, want := range map[string]string{
		"jdk25-kinds":        "59e1a6f7a6fe0b8c045cb5e2b6dcea6707a0cb82721e46029fffcedce236ee64",
		"jdk17-chunks":       "10a153db0680b54915d9892b883a1d560621ef0d6f8469f19926c844838b6692",
		"concat-jdk25-jdk25": "bd556b808290cb673112499214926f09e2eac3868a1247334acdd81289435c83",
	} {
		saved := savedIndex(t, testdata(t, name))
		assert.Equal(t, uint32(4), le.Uint32(saved[8:]))
		assert.Equal(t, want, fmt.Sprintf("%x", sha256.Sum256(saved)), name)
	}
}
