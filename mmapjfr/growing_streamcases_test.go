package mmapjfr_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func readLive(t testing.TB, r io.Reader, opts ...mmapjfr.Option) *mmapjfr.ChunkStream {
	t.Helper()
	lr, err := engine.ReadChunks(r, opts...)
	require.NoError(t, err)
	return lr
}

// open makes the chunk look as it does where nobody goes back to its header.
func open(chunk []byte) []byte {
	chunk = bytes.Clone(chunk)
	binary.BigEndian.PutUint64(chunk[8:], wire.HeaderLen)
	clear(chunk[16:32])
	chunk[64] = 1
	return chunk
}

// shifted returns lines with other offsets.
func shifted(lines []line, by int) []line {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].offset += uint64(by)
	}
	return lines
}

// sectionsOf tells what errors are about.
func sectionsOf(errs []error) (list []string) {
	for _, err := range errs {
		var at *mmapjfr.FormatError
		if errors.As(err, &at) {
			list = append(list, fmt.Sprintf("%s at %d", at.Section, at.Offset))
		} else {
			list = append(list, err.Error())
		}
	}
	return list
}

// TestReaderOfEachBeginning cuts a recording of two chunks at each byte. What has come is
// delivered, once, and something is said of what is missing.
func TestReaderOfEachBeginning(t *testing.T) {
	forms(t, littleFlushes, func(t *testing.T, b *jfrtest.Builder) {
		for name, make := range map[string]func([]byte) []byte{"finished": bytes.Clone, "open": open} {
			t.Run(name, func(t *testing.T) {
				chunk := make(b.Bytes())
				ends := flushEnds(t, b.Bytes())
				data := append(bytes.Clone(chunk), chunk...)
				lines := linesOf(t, b.Bytes(), 0)
				all := append(lines, shifted(lines, len(chunk))...)
				for _, n := range cutsOf(len(chunk)) {
					got, errs := pipedLines(t, bytes.NewReader(data[:n]))
					sure := len(before(all, uint64(n/len(chunk)*len(chunk))+sureOf(ends, n%len(chunk))))
					require.GreaterOrEqual(t, len(got), sure, "%d bytes", n)
					same(t, all[:sure], got[:sure])
					same(t, placesOf(all[:len(got)]), placesOf(got)) // constants may be missing
					require.LessOrEqual(t, len(errs), 1, "%d bytes: %v", n, errs)
					if name == "open" && sureOf(ends, n%len(chunk)) > 0 {
						require.Equal(t, sure, len(got), "%d bytes", n)
					}
					whole := n%len(chunk) == 0 || name == "open" && slices.ContainsFunc(ends, func(e flushEnd) bool { return n%len(chunk) == int(e.size) })
					if whole {
						require.Empty(t, errs, "%d bytes", n)
						continue
					}
					require.NotEmpty(t, errs, "%d bytes", n)
					err := errors.Join(errs...)
					if name == "finished" || n < wire.HeaderLen {
						require.ErrorIs(t, err, mmapjfr.ErrTruncated, "%d bytes", n)
					} else {
						require.ErrorIs(t, err, mmapjfr.ErrUnfinished, "%d bytes", n)
					}
				}
			})
		}
	})
}

// cutsOf returns where to cut two chunks of that size: at each byte of the first one, and here
// and there in the second.
func cutsOf(size int) (list []int) {
	for n := range 2*size + 1 {
		if n%size > wire.HeaderLen+10 && n%longtest.Cases(17, 1) > 0 {
			continue
		}
		if n < size+wire.HeaderLen+10 || n%9 == 0 || n == 2*size {
			list = append(list, n)
		}
	}
	return list
}

// sureOf returns up to where all that has been flushed is sure to be delivered.
func sureOf(ends []flushEnd, n int) (sure uint64) {
	for _, e := range ends {
		if uint64(n) >= e.size {
			sure = e.size
		}
	}
	return sure
}

// TestReaderOfOpenChunks reads chunks whose headers nobody completes: the next one ends them.
func TestReaderOfOpenChunks(t *testing.T) {
	forms(t, func() *jfrtest.Builder { return flushes(5, 30, "text") }, func(t *testing.T, b *jfrtest.Builder) {
		chunk := b.Bytes()
		other := newSample().Bytes()
		lines, others := linesOf(t, chunk, 0), linesOf(t, other, len64(chunk)*2)
		data := slices.Concat(open(chunk), open(chunk), open(other), open(chunk))
		want := slices.Concat(lines, shifted(lines, len(chunk)), others, shifted(lines, 2*len(chunk)+len(other)))
		for name, read := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "with the end": iotest.DataErrReader,
		} {
			for _, opts := range [][]mmapjfr.Option{nil, {engine.KeepEvents()}} {
				got, errs := pipedLines(t, read(bytes.NewReader(data)), opts...)
				require.Empty(t, errs, name)
				same(t, want, got)
			}
		}
	})
}

func len64(b []byte) int64 { return int64(len(b)) }

// TestReaderWaitsForNothing gives the reader no byte more than a flush has: it must deliver
// that before it asks for another one.
func TestReaderWaitsForNothing(t *testing.T) {
	forms(t, func() *jfrtest.Builder { return flushes(6, 10, "text") }, func(t *testing.T, b *jfrtest.Builder) {
		chunk := b.Bytes()
		ends := flushEnds(t, chunk)
		data := append(open(chunk), open(chunk)...)
		all := linesOf(t, chunk, 0)
		all = append(all, shifted(all, len(chunk))...)
		given := 0
		out := &stepped{t: t, data: data, given: &given}
		lr := readLive(t, out)
		n := 0
		for i := range 2 * len(ends) {
			given = i/len(ends)*len(chunk) + int(ends[i%len(ends)].size)
			live, span, err := engine.ChunkStreamNext(lr)
			require.NoError(t, err)
			w := newWriter(t)
			require.Empty(t, eventsIn(live, span, func(ev mmapjfr.Event) {
				require.Equal(t, all[n], w.line(ev))
				n++
			}))
			require.Equal(t, len(before(all, uint64(given))), n)
		}
		given = -1
		_, _, err := engine.ChunkStreamNext(lr)
		require.ErrorIs(t, err, io.EOF)
	})
}

// A checkpoint can be shorter than the longest head of a frame.
func TestReaderWaitsForNoLongerFrame(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("test.Known", jfrtest.Of("n", "int"))
	b.Metadata(&jfrtest.Metadata{ID: 1})
	b.Emit(typ, start, 1)
	b.Checkpoint(jfrtest.MaskFlush)
	data := open(b.Bytes())
	given := len(data)
	live, _, err := engine.ChunkStreamNext(readLive(t, &stepped{t: t, data: data, given: &given}))
	require.NoError(t, err)
	require.NotNil(t, live)
}

// stepped gives only that many bytes, and fails the test where another one would wait for more.
type stepped struct {
	t     testing.TB
	data  []byte
	done  int
	given *int
}

func (s *stepped) Read(b []byte) (int, error) {
	if *s.given < 0 {
		return 0, io.EOF
	}
	if s.done == *s.given {
		s.t.Fatal("it waits for more than the flush")
	}
	n := copy(b, s.data[s.done:*s.given])
	s.done += n
	return n, nil
}

// TestReaderTellsOfUnknownTypesOnce has events that no metadata describes, in each flush.
func TestReaderTellsOfUnknownTypesOnce(t *testing.T) {
	b := flushes(0, 0, "")
	typ := b.Event("test.Known", jfrtest.Of("n", "int"))
	for i := range 5 {
		b.Emit(typ, start+i, i)
		b.EmitRaw(jfrtest.EventOptions{}, 4000, []byte{1, 2, 3})
		b.EmitRaw(jfrtest.EventOptions{}, 1<<40, []byte{1, 2, 3})
		b.Checkpoint(jfrtest.MaskFlush)
	}
	data := b.Bytes()
	for _, opts := range [][]mmapjfr.Option{nil, {engine.KeepEvents()}} {
		got, errs := pipedLines(t, bytes.NewReader(data), opts...)
		assert.Len(t, got, 5)
		require.Len(t, errs, 2)
		for _, err := range errs {
			require.ErrorIs(t, err, mmapjfr.ErrUnknownType)
		}
	}
}

// A chunk without metadata is reported once, however many events it has.
func TestReaderOfAChunkWithoutMetadata(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("test.Known", jfrtest.Of("n", "int"))
	b.Bare = true
	for i := range 50 {
		b.Emit(typ, start+i, i)
		b.Checkpoint(jfrtest.MaskFlush)
	}
	bare := b.Bytes()
	good := flushes(2, 2, "").Bytes()
	for _, make := range []func([]byte) []byte{bytes.Clone, open} {
		got, errs := pipedLines(t, bytes.NewReader(slices.Concat(make(bare), good)))
		require.Len(t, errs, 1, "%v", sectionsOf(errs))
		require.ErrorIs(t, errs[0], mmapjfr.ErrCorrupt)
		var at *mmapjfr.FormatError
		require.ErrorAs(t, errs[0], &at)
		assert.EqualValues(t, wire.HeaderLen, at.Offset)
		same(t, linesOf(t, good, len64(bare)), got)
	}
}

// What a flush ends before the first metadata waits for it.
func TestReaderWaitsForMetadata(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("test.Known", jfrtest.Of("n", "int"))
	for i := range 3 {
		b.Emit(typ, start+i, i)
		b.Checkpoint(jfrtest.MaskFlush)
	}
	b.Metadata(&jfrtest.Metadata{ID: 1})
	b.Checkpoint(jfrtest.MaskFlush)
	got, errs := pipedLines(t, bytes.NewReader(open(b.Bytes())))
	require.Empty(t, errs)
	same(t, linesOf(t, b.Bytes(), 0), got)
}

// Errors of a broken checkpoint say so, and everything else is read.
func TestReaderOfABrokenCheckpoint(t *testing.T) {
	b := flushes(3, 4, "")
	b.EmitRaw(jfrtest.EventOptions{}, 1, []byte{1}) // a checkpoint that ends inside its head
	b.Emit(b.Lookup("test.Flushed"), start, 9, 0, "after it")
	b.Checkpoint(jfrtest.MaskFlush)
	data, layout := b.Build()
	for _, make := range []func([]byte) []byte{bytes.Clone, open} {
		got, errs := pipedLines(t, bytes.NewReader(make(data)))
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], mmapjfr.ErrCorrupt)
		assert.Equal(t, []string{fmt.Sprintf("checkpoint at %d", layout.Events[len(layout.Events)-2].Offset)}, sectionsOf(errs))
		assert.Contains(t, got[len(got)-1].text, "after it")
		assert.Contains(t, got[len(got)-1].text, "symbol 0", "constants before it are known")
	}
}

// TestReaderHoldsOneFlush reads a long chunk. What is held are the constants, the metadata and
// one flush.
func TestReaderHoldsOneFlush(t *testing.T) {
	n := longtest.Cases(150, 400)
	b := flushesWith(n, 50, "some text that makes a flush larger than its constants are", false)
	data := open(b.Bytes())
	ends := flushEnds(t, b.Bytes())
	constants := ends[0].checkpoint + uint64(wire.HeaderLen) // the metadata, and what the first flush has
	perFlush := uint64(0)
	for _, c := range checkpointsOf(t, b) {
		perFlush += uint64(c.Size) + 16
	}
	lr := readLive(t, bytes.NewReader(data))
	flush, largest := uint64(0), 0
	for range n {
		live, span, err := engine.ChunkStreamNext(lr)
		require.NoError(t, err)
		flush = max(flush, span.To-span.From)
		require.EqualValues(t, span.From, lr.Kept())
		eventsIn(live, span, func(ev mmapjfr.Event) { _ = engine.EventStartTicks(ev) })
		require.LessOrEqual(t, live.Layouts(), 1)
		require.NoError(t, engine.GrowingChunkChunk(live).ConstantsErr())
		require.LessOrEqual(t, engine.GrowingChunkChunk(live).Size(), uint64(lr.Kept())+flush)
		largest = max(largest, lr.Held())
	}
	require.LessOrEqual(t, uint64(lr.Kept()), constants+perFlush)
	require.Less(t, lr.Kept(), len(data)/3)
	assert.LessOrEqual(t, largest, 3*(lr.Kept()+int(flush)))
}

func checkpointsOf(t testing.TB, b *jfrtest.Builder) []jfrtest.CheckpointSpan {
	t.Helper()
	_, l := b.Build()
	return l.Checkpoints
}

// The types that the newest metadata describes come and go.
func TestLiveDescribed(t *testing.T) {
	b := jfrtest.NewChunk()
	basic := b.Classes()
	one, two := b.Event("test.One"), b.Event("test.Two")
	sets := [][]*jfrtest.Class{{one}, {one, two}, nil, {two}, {}}
	for i, set := range sets {
		if set != nil {
			b.Metadata(&jfrtest.Metadata{ID: int64(i), Classes: append(slices.Clone(basic), set...)})
		}
		b.Emit(one, start+i)
		b.Checkpoint(jfrtest.MaskFlush)
	}
	data := open(b.Bytes())
	for _, opts := range [][]mmapjfr.Option{nil, {engine.KeepEvents()}} {
		lr := readLive(t, bytes.NewReader(data), opts...)
		offset := uint64(0)
		var want []string
		for _, set := range sets {
			live, _, err := engine.ChunkStreamNext(lr)
			require.NoError(t, err)
			types, err := engine.GrowingChunkNewestTypes(live)
			require.NoError(t, err)
			var got []string
			for _, typ := range types {
				got = append(got, typ.Name())
			}
			if set == nil {
				require.Equal(t, offset, engine.GrowingChunkMetadataOffset(live), "the same metadata")
			} else {
				require.NotEqual(t, offset, engine.GrowingChunkMetadataOffset(live))
				want = nil
				for _, typ := range set {
					want = append(want, typ.Name)
				}
			}
			offset = engine.GrowingChunkMetadataOffset(live)
			require.Equal(t, want, got)
		}
	}
}
