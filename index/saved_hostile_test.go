package index_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// driveSaved asks all there is to ask of an index that somebody may have made up.
// It checks that answers lie inside the recording.
func driveSaved(t testing.TB, x *index.Index) {
	t.Helper()
	for _, c := range x.Chunks() {
		size := uint64(len(c.Data()))
		b := c.Blocks()
		require.LessOrEqual(t, b.Events(), size)
		require.Equal(t, (size+index.BlockSize-1)/index.BlockSize, uint64(b.Len()))
		var frame [4]index.EventHeader
		for block := range b.Len() {
			b.Times(block)
			offset, _ := b.Begin(block)
			_, _, _ = c.ReadHeaders(offset, math.MaxUint64, frame[:])
		}
		for offset := uint64(0); offset < size+2; offset += 1 + size/512 {
			if rec, _, err := c.EventAt(offset); err == nil {
				require.Equal(t, offset, rec.Offset)
				require.LessOrEqual(t, rec.End(), size)
			}
		}
		for n := uint64(0); n < b.Events()+2; n += 1 + size/512 {
			if rec, ok := c.EventN(n); ok {
				require.LessOrEqual(t, rec.End(), size)
			}
		}
		k, err := c.Constants()
		if err != nil {
			continue
		}
		for _, cp := range k.Checkpoints() {
			require.LessOrEqual(t, cp.Offset+uint64(cp.Size), size)
			_ = k.Pools()[cp.FirstPool : cp.FirstPool+cp.Pools]
		}
		for _, p := range k.Pools() {
			_ = c.Data()[p.Offset : p.Offset+p.Size]
			require.LessOrEqual(t, p.Count, p.Size)
		}
		types, err := c.AllTypes()
		require.NoError(t, err)
		for _, class := range types.Types {
			b.Count(class)
			offsets, _ := b.Offsets(class)
			require.True(t, slices.IsSorted(offsets))
			for _, at := range offsets {
				require.Less(t, uint64(at), size)
				_, _, _ = c.ReadHeaders(uint64(at), math.MaxUint64, frame[:1])
			}
			n := 0
			k.All(class, func(key int64, offset uint64) bool {
				require.Less(t, offset, size)
				k.Lookup(class, key)
				n++
				return true
			})
			require.Equal(t, k.Len(class), n)
			for _, key := range []int64{math.MinInt64, -1, 0, 1, 2, 1 << 20, 1 << 40, math.MaxInt64} {
				if at, ok := k.Lookup(class, key); ok {
					require.Less(t, at, size)
				}
			}
		}
		_, _ = k.Bytes(), b.Bytes()
	}
}

// hostileNumbers are what somebody could write where a number stands.
var hostileNumbers = []uint64{
	0, 1, 2, 7, 15, 16, 31, 64, 1 << 16, 1<<16 - 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64,
	math.MaxUint64 - 7, math.MaxUint64/8 + 1, math.MaxUint64 / 32, 1 << 40, 1<<61 + 1, 1<<60 + 1,
}

// TestHostileNumbers writes such numbers, with checksums to match, in every place
// of a small saved index, and in some of a larger one.
func TestHostileNumbers(t *testing.T) {
	step := 8
	if !longtest.Enabled() || raceEnabled {
		step = 8 * 31
	}
	for _, raw := range []bool{false, true} {
		hostileNumbersIn(t, join(tiny(raw).Bytes(), small(1).Bytes()), step)
	}
	everyForm(t, func(t *testing.T, data []byte) { hostileNumbersIn(t, data, 97*step) })
}

func hostileNumbersIn(t *testing.T, data []byte, step int) {
	t.Helper()
	saved := savedIndex(t, data)
	for at := 0; at+8 <= len(saved); at += step {
		was := le.Uint64(saved[at:])
		for _, v := range append(hostileNumbers, was+1, was-1, was+1<<32, was-1<<32, was^1<<32, was<<1, was>>1) {
			bad := slices.Clone(saved)
			le.PutUint64(bad[at:], v)
			index.FixSums(bad)
			x := newIndex(t, data)
			if err := x.Load(bad, stampOf(data)); err != nil {
				require.ErrorIs(t, err, index.ErrSavedIndex)
				continue
			}
			driveSaved(t, x)
		}
	}
}

// TestWrongKeys: no key is there twice, and each has a constant.
func TestWrongKeys(t *testing.T) {
	b := jfrtest.NewEmptyChunk()
	b.Class("byte")
	text := b.Class(jfrtest.StringClass)
	cp := b.Checkpoint(0)
	for key := range 3 {
		cp.Add(text.Name, int64(key)<<40, "far")
	}
	data := b.Bytes()
	saved := savedIndex(t, data)
	require.NoError(t, loaded(t, data, saved).Chunks()[0].CheckSaved())
	for name, change := range map[string]func(tb savedTable){
		"twice":       func(tb savedTable) { copy(tb.keys[8:16], tb.keys[:8]) },
		"no constant": func(tb savedTable) { clear(tb.low[4:8]); le.PutUint64(tb.row[16:], 2) },
		"no entry":    func(tb savedTable) { clear(tb.low); le.PutUint64(tb.row[16:], 0) },
	} {
		t.Run(name, func(t *testing.T) {
			bad := slices.Clone(saved)
			_, constants := index.Sections(bad, 0)
			tables := tablesOf(constants)
			require.Len(t, tables, 1)
			require.Len(t, tables[0].keys, 3*8)
			change(tables[0])
			notUsed(t, data, bad)
		})
	}
}

// TestKeysThatMeet: a saved index cannot choose where keys belong, so it cannot make looking for
// each key take forever.
func TestKeysThatMeet(t *testing.T) {
	index.SetMultiplier(t, 0xD1342543DE82EF95) // keys that meet under one multiplier are spread by another
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(0)
	keys := index.Colliding(1000)
	for _, key := range keys {
		cp.Add("jdk.types.Symbol", int64(key), "symbol")
	}
	data := b.Bytes()
	saved := savedIndex(t, data)
	index.SetMultiplier(t, 0x9E3779B97F4A7C15)
	k := constantsOf(t, loaded(t, data, saved).Chunks()[0])
	require.True(t, k.Saved())
	require.Less(t, k.Longest("jdk.types.Symbol"), uint64(100))
}

// TestNthStaysInItsBlock: where a saved index says that there are more events in a
// block than there are, the search ends with the block.
func TestNthStaysInItsBlock(t *testing.T) {
	data, _, _ := large(t)
	saved := savedIndex(t, data)
	blocks, _ := index.Sections(saved, 0)
	const at = 40 + 8*2 // the numbers before block 2
	ordinal := le.Uint64(blocks[at:])
	le.PutUint64(blocks[at:], ordinal/2+1)
	index.FixSums(saved)
	c := loaded(t, data, saved).Chunks()[0]
	_, ok := c.EventN(ordinal / 2)
	assert.True(t, ok)
	_, ok = c.EventN(ordinal - 1)
	assert.False(t, ok)
	require.True(t, c.Blocks().Saved())
}

// notUsed checks that the part of the only chunk is not used.
func notUsed(t *testing.T, data, saved []byte) {
	t.Helper()
	index.FixSums(saved)
	x := loaded(t, data, saved)
	require.ErrorIs(t, x.Chunks()[0].CheckSaved(), index.ErrSavedIndex)
	driveSaved(t, x)
	require.False(t, x.Chunks()[0].Blocks().Saved() && constantsOf(t, x.Chunks()[0]).Saved())
}

// TestSectionsOfAnotherLength: of a chunk without any events there is least that
// could show it.
func TestSectionsOfAnotherLength(t *testing.T) {
	for name, data := range map[string][]byte{"no event": small(0).Bytes(), "many": small(40).Bytes(), "some": tiny(false).Bytes()} {
		t.Run(name, func(t *testing.T) {
			saved := savedIndex(t, data)
			entry := len(saved) - index.SavedTrailerLen - index.SavedEntryLen
			for _, at := range []int{entry + 96, entry + 112} {
				size := le.Uint64(saved[at:])
				for n := uint64(8); n <= size; n += 8 {
					bad := slices.Clone(saved)
					le.PutUint64(bad[at:], size-n)
					if n == size {
						continue // then that part was not saved
					}
					notUsed(t, data, bad)
				}
			}
			// Longer, by what is the next section or was put in.
			bad := slices.Clone(saved)
			le.PutUint64(bad[entry+96:], le.Uint64(saved[entry+96:])+8)
			notUsed(t, data, bad)
			notUsed(t, data, withMore(saved, make([]byte, 8)))
		})
	}
}

// withMore adds bytes to the constants of the last chunk.
func withMore(saved, more []byte) []byte {
	entry := len(saved) - index.SavedTrailerLen - index.SavedEntryLen
	directory := int(le.Uint64(saved[len(saved)-index.SavedTrailerLen:]))
	size := le.Uint64(saved[entry+112:])
	saved = join(saved[:directory], more, saved[directory:])
	entry += len(more)
	le.PutUint64(saved[entry+112:], size+uint64(len(more)))
	trailer := saved[len(saved)-index.SavedTrailerLen:]
	le.PutUint64(trailer, uint64(directory+len(more)))
	le.PutUint64(trailer[8:], uint64(len(saved)))
	return saved
}

// TestCountsThatContradict: they are no danger, but they are wrong.
func TestCountsThatContradict(t *testing.T) {
	data := small(40).Bytes()
	saved := savedIndex(t, data)
	const class = 40 + 48
	for name, change := range map[string]func(blocks []byte){
		"one event more":     func(b []byte) { le.PutUint64(b, 41) },
		"one of a class":     func(b []byte) { le.PutUint64(b[class+8:], 41) },
		"more than bytes":    func(b []byte) { le.PutUint64(b, 1<<40); le.PutUint64(b[class+8:], 1<<40) },
		"bytes of a class":   func(b []byte) { le.PutUint64(b[class+16:], 1<<40) },
		"kept and too many":  func(b []byte) { le.PutUint32(b[class+28:], 0) },
		"a class of another": func(b []byte) { le.PutUint64(b[class:], 12345) },
	} {
		t.Run(name, func(t *testing.T) {
			bad := slices.Clone(saved)
			blocks, _ := index.Sections(bad, 0)
			require.Equal(t, uint64(40), le.Uint64(blocks[class+8:]))
			change(blocks)
			notUsed(t, data, bad)
		})
	}
	t.Run("another checkpoint", func(t *testing.T) {
		data := tiny(false).Bytes()
		saved := savedIndex(t, data)
		_, constants := index.Sections(saved, 0)
		le.PutUint64(constants, le.Uint64(constants)-1)
		notUsed(t, data, saved)
	})
	t.Run("one constant more", func(t *testing.T) {
		data := tiny(false).Bytes()
		saved := savedIndex(t, data)
		_, constants := index.Sections(saved, 0)
		row := tablesOf(constants)[0].row
		le.PutUint64(row[16:], le.Uint64(row[16:])+1)
		notUsed(t, data, saved)
	})
	for name, change := range map[string]func(offsets []byte){
		"twice":         func(b []byte) { le.PutUint32(b[4:], le.Uint32(b)) },
		"in the header": func(b []byte) { le.PutUint32(b, 67) },
		"after the end": func(b []byte) { le.PutUint32(b[4:], 1<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			data := small(2).Bytes()
			saved := savedIndex(t, data)
			blocks, _ := index.Sections(saved, 0)
			change(blocks[len(blocks)-8:])
			notUsed(t, data, saved)
		})
	}
}

// savedTable is a table of a section of constants.
type savedTable struct {
	row             []byte
	flags           uint64
	keys, low, high []byte
}

// tablesOf finds the tables by what SAVED.md says.
func tablesOf(b []byte) (list []savedTable) {
	checkpoints, pools, tables := le.Uint64(b[8:]), le.Uint64(b[16:]), le.Uint64(b[24:])
	rows := b[32+24*checkpoints+32*pools:]
	rest := rows[40*tables:]
	take := func(n uint64) (part []byte) {
		part = rest[:n]
		rest = rest[(n+7)/8*8:]
		return part
	}
	for i := range tables {
		row := rows[40*i:][:40]
		room := le.Uint64(row[24:])
		tb := savedTable{row: row, flags: le.Uint64(row[32:])}
		if tb.flags&1 != 0 {
			tb.keys = take(8 * room)
		}
		tb.low = take(4 * room)
		if tb.flags&2 != 0 {
			tb.high = take(room)
		}
		list = append(list, tb)
	}
	return list
}

// FuzzLoad loads anything as the saved index of a recording that has something of
// everything, with the checksums made right.
func FuzzLoad(f *testing.F) {
	data := join(tiny(false).Bytes(), tiny(true).Bytes())
	saved := savedIndex(f, data)
	f.Add(saved)
	f.Add(saved[:len(saved)/2])
	f.Add(savedIndex(f, tiny(false).Bytes()))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, saved []byte) {
		saved = slices.Clone(saved) // what was handed in must not be changed
		index.FixSums(saved)
		x := newIndex(t, data)
		if err := x.Load(saved, stampOf(data)); err != nil {
			require.ErrorIs(t, err, index.ErrSavedIndex)
			return
		}
		driveSaved(t, x)
	})
}
