package stream_test

import (
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// line is an event as tests compare it.
type line struct {
	offset uint64
	text   string
}

// segment is what a stream delivers together.
type segment struct {
	lines []line
	errs  []error
}

// segments returns what a stream delivers, flush by flush. What is after the last flush
// is the last segment.
func segments(t testing.TB, s *stream.Stream) []segment {
	t.Helper()
	w := newWriter(t)
	all := make([]segment, 1)
	last := func() *segment { return &all[len(all)-1] }
	s.OnEvent(func(ev mmapjfr.Event) error {
		last().lines = append(last().lines, line{ev.Offset(), w.line(ev)})
		return nil
	})
	s.OnError(func(err error) { last().errs = append(last().errs, err) })
	s.OnFlush(func() error { all = append(all, segment{}); return nil })
	require.NoError(t, s.Start(t.Context()))
	return all
}

func linesIn(segments []segment) (lines []line) {
	for _, s := range segments {
		lines = append(lines, s.lines...)
	}
	return lines
}

func errsIn(segments []segment) (errs []error) {
	for _, s := range segments {
		errs = append(errs, s.errs...)
	}
	return errs
}

// end is what the order of a segment goes by.
type end struct {
	line
	segment int
	ticks   int64
}

// flushedTogether returns the events of a file by when they are to be delivered.
func flushedTogether(t testing.TB, path string) []line {
	t.Helper()
	rec, err := mmapjfr.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, rec.Close()) }()
	w := newWriter(t)
	number := 0
	var ends []end
	for _, c := range rec.Chunks() {
		ix := engine.ChunkIndex(c)
		data := ix.Data()
		var one [1]index.EventHeader
		for offset := ix.FirstEvent(); offset < uint64(len(data)); {
			n, next, err := ix.ReadHeaders(offset, uint64(len(data)), one[:])
			require.NoError(t, err)
			offset = next
			switch r := one[0]; {
			case n == 0:
			case r.IsEvent():
				ev, err := rec.EventAtOffset(c.Offset() + r.Offset)
				require.NoError(t, err)
				ends = append(ends, end{line{ev.Offset(), w.line(ev)}, number, engine.EventEndTicks(ev)})
			case r.Type == schema.CheckpointID:
				cur := wire.NewCursor(data[:r.End()], int(r.Body()), ix.IntEncoding())
				cur.Long()
				cur.Long()
				cur.Long()
				if cur.Byte()&index.CheckpointFlush != 0 {
					number++
				}
			}
		}
		number++
	}
	slices.SortStableFunc(ends, func(a, b end) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.ticks, b.ticks))
	})
	lines := make([]line, len(ends))
	for i, e := range ends {
		lines[i] = e.line
	}
	return lines
}

func TestFilesOrdered(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := openFile(t, path)
			require.NoError(t, s.SetFollow(false))
			got := segments(t, s)
			assert.Empty(t, errsIn(got))
			want := flushedTogether(t, path)
			assert.Len(t, want, len(linesIn(got)))
			if len(want) > 0 { // of nothing one may be nil
				assert.Equal(t, want, linesIn(got))
			}
			assert.Empty(t, got[len(got)-1].lines, "there is a flush after the last event")
		})
	}
}

// By end, not by start; equal ends in the order of the file; no order between flushes.
func TestOrder(t *testing.T) {
	b := chunk(0)
	span := b.Event("test.Span", jfrtest.Duration(), jfrtest.Of("n", "long"))
	emit := func(n int, start, duration int64) { b.Emit(span, b.Header.StartTicks+start, duration, n) }
	emit(1, 10, 90)
	emit(2, 20, 10)
	emit(3, 25, 5)
	emit(4, 30, 0)
	emit(5, 99, 0)
	b.Checkpoint(jfrtest.MaskFlush)
	emit(6, 5, 50)
	emit(7, 1, 2)
	b.Metadata(&jfrtest.Metadata{ID: 1})
	b.Checkpoint(jfrtest.MaskFlush)
	path := written(t, b.Bytes())
	assert.Equal(t, []int{2, 3, 4, 5, 1, -1, 7, 6, -1}, delivered(t, openFile(t, path)))
	s := openFile(t, path)
	require.NoError(t, s.SetOrdered(false))
	assert.Equal(t, []int{1, 2, 3, 4, 5, -1, 6, 7, -1}, delivered(t, s))
}

// A part of a chunk that no flush ends counts as flushed at its end.
func TestChunksWithoutFlushes(t *testing.T) {
	b := chunk(0)
	for _, n := range []int{3, 1, 2} {
		b.Emit(b.Lookup("test.Tick"), ticks(b, n), n)
	}
	c := chunk(1, []int{4})
	c.Emit(c.Lookup("test.Tick"), ticks(c, 5), 5)
	path := written(t, concat(b, c, chunk(2, []int{})))
	assert.Equal(t, []int{1, 2, 3, -1, 4, -1, 5, -1, -1}, delivered(t, openFile(t, path)))
}

func TestOpenFileFails(t *testing.T) {
	_, err := stream.OpenFile(filepath.Join(t.TempDir(), "none.jfr"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = stream.OpenFile(t.TempDir())
	require.ErrorContains(t, err, "OpenRepository")
	_, err = stream.OpenRepository(file("jdk25-kinds.jfr"))
	require.ErrorContains(t, err, "OpenFile")
	_, err = stream.OpenRepository(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestFilesThatAreNoRecordings(t *testing.T) {
	stream.SetSilence(t, -1) // nobody writes to them
	text := make([]byte, 100)
	copy(text, "this is no recording")
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty":  {nil, mmapjfr.ErrEmpty},
		"text":   {text, mmapjfr.ErrNotRecording},
		"header": {chunk(0).Bytes()[:30], mmapjfr.ErrTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			s := openFile(t, written(t, c.data))
			n := noting(s)
			err := errors.Join(append(n.errs, s.Start(t.Context()))...)
			require.ErrorIs(t, errors.Join(append(n.errs, err)...), c.want)
			assert.Empty(t, n.events)
			assert.Equal(t, 1, n.closed)
		})
	}
}

// What cannot be read is reported in its place, and the rest is delivered.
func TestDamagedFiles(t *testing.T) {
	stream.SetSilence(t, -1)
	t.Run("junk between", func(t *testing.T) {
		data := slices.Concat(chunk(0, []int{1}).Bytes(), make([]byte, 5), chunk(1, []int{2}).Bytes(), make([]byte, 3))
		s := openFile(t, written(t, data))
		n := noting(s)
		s.OnError(func(error) { n.events = append(n.events, -2) })
		require.NoError(t, s.Start(t.Context()))
		assert.Equal(t, []int{1, -1, -2, 2, -1, -2}, n.events)
		for _, err := range n.errs {
			assert.ErrorIs(t, err, mmapjfr.ErrTrailing)
		}
	})
	t.Run("cut", func(t *testing.T) {
		b := chunk(0)
		b.MetadataFirst = true
		tick := b.Lookup("test.Tick")
		b.Emit(tick, ticks(b, 1), 1)
		b.Checkpoint(jfrtest.MaskFlush)
		b.Emit(tick, ticks(b, 2), 2)
		b.Checkpoint(jfrtest.MaskFlush).Unlinked = true
		data, layout := b.Build()
		data = data[:layout.Checkpoints[0].End()]
		s := openFile(t, written(t, data))
		n := noting(s)
		require.NoError(t, s.Start(t.Context()))
		assert.Equal(t, []int{1, -1}, n.events)
		require.Len(t, n.errs, 1)
		assert.ErrorIs(t, n.errs[0], mmapjfr.ErrTruncated)
	})
	t.Run("frame", func(t *testing.T) {
		b := chunk(0, []int{1})
		b.Insert([]byte{0})
		flush(b, b.Lookup("test.Tick"), 0, 2)
		s := openFile(t, written(t, concat(b, chunk(1, []int{3}))))
		n := noting(s)
		require.NoError(t, s.Start(t.Context()))
		assert.Equal(t, []int{1, -1, -1, 3, -1}, n.events)
		require.Len(t, n.errs, 1)
		assert.ErrorIs(t, n.errs[0], mmapjfr.ErrCorrupt)
	})
	t.Run("type", func(t *testing.T) {
		b := chunk(0)
		b.EmitRaw(jfrtest.EventOptions{}, 999, []byte{1, 2, 3})
		b.EmitRaw(jfrtest.EventOptions{}, 999, []byte{1, 2, 3})
		flush(b, b.Lookup("test.Tick"), 0, 2)
		s := openFile(t, written(t, b.Bytes()))
		n := noting(s)
		require.NoError(t, s.Start(t.Context()))
		assert.Equal(t, []int{2, -1}, n.events)
		require.Len(t, n.errs, 1, "once for each type")
		assert.ErrorIs(t, n.errs[0], mmapjfr.ErrUnknownType)
	})
	t.Run("event", func(t *testing.T) {
		b := chunk(0)
		b.EmitRaw(jfrtest.EventOptions{}, b.Lookup("test.Tick").ID, nil)
		flush(b, b.Lookup("test.Tick"), 0, 2)
		for _, ordered := range []bool{true, false} {
			s := openFile(t, written(t, b.Bytes()))
			require.NoError(t, s.SetOrdered(ordered))
			n := noting(s)
			require.NoError(t, s.Start(t.Context()))
			assert.Equal(t, []int{2, -1}, n.events)
			require.Len(t, n.errs, 1)
		}
	})
	t.Run("layout", func(t *testing.T) {
		b := chunk(0)
		odd := b.Event("test.Odd", jfrtest.Field{Name: "x", ClassID: 4711})
		for range 3 {
			b.EmitRaw(jfrtest.EventOptions{}, odd.ID, []byte{1, 2, 3})
		}
		flush(b, b.Lookup("test.Tick"), 0, 2)
		for _, ordered := range []bool{true, false} {
			s := openFile(t, written(t, b.Bytes()))
			require.NoError(t, s.SetOrdered(ordered))
			n := noting(s)
			require.NoError(t, s.Start(t.Context()))
			assert.Equal(t, []int{2, -1}, n.events)
			require.Len(t, n.errs, 3, "as of a recording")
		}
	})
	t.Run("no metadata", func(t *testing.T) {
		bad := chunk(0, []int{1, 2, 3})
		bad.ForceMetadataOffset = new(int64(math.MaxInt32))
		s := openFile(t, written(t, concat(bad, chunk(1, []int{4}))))
		n := noting(s)
		require.NoError(t, s.Start(t.Context()))
		assert.Equal(t, []int{-1, 4, -1}, n.events)
		require.Len(t, n.errs, 1, "of all that cannot be read for the same reason")
	})
}
