package mmapjfr_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestReaderPassesOverJunk puts what is no recording between chunks.
func TestReaderPassesOverJunk(t *testing.T) {
	forms(t, func() *jfrtest.Builder { return flushes(2, 3, "") }, func(t *testing.T, b *jfrtest.Builder) {
		chunk := b.Bytes()
		lines := linesOf(t, chunk, 0)
		old := bytes.Clone(chunk)
		old[5] = 0
		half := bytes.Clone(chunk[:60])
		for name, c := range map[string]struct {
			parts [][]byte
			want  []error // what is wrong in the end
			n     int     // chunks that can be read
		}{
			"nothing":        {nil, nil, 0},
			"text":           {[][]byte{[]byte("this is no recording")}, []error{mmapjfr.ErrNotRecording}, 0},
			"before":         {[][]byte{[]byte("junk"), chunk}, []error{mmapjfr.ErrNotRecording}, 1},
			"magics before":  {[][]byte{bytes.Repeat([]byte("FLR\x00"), 40), chunk}, []error{mmapjfr.ErrUnsupported}, 1},
			"letters before": {[][]byte{[]byte("FFLFLR"), chunk}, []error{mmapjfr.ErrNotRecording}, 1},
			"between":        {[][]byte{chunk, make([]byte, 100_000), chunk}, []error{mmapjfr.ErrTrailing}, 2},
			"after":          {[][]byte{chunk, []byte("junk")}, []error{mmapjfr.ErrTrailing}, 1},
			"one byte":       {[][]byte{chunk, {'F'}}, []error{mmapjfr.ErrTruncated}, 1},
			"half a header":  {[][]byte{chunk, half}, []error{mmapjfr.ErrTruncated}, 1},
			"old version":    {[][]byte{chunk, old, chunk}, []error{mmapjfr.ErrUnsupported}, 2},
		} {
			t.Run(name, func(t *testing.T) {
				var data []byte
				var want []line
				for _, part := range c.parts {
					if bytes.Equal(part, chunk) {
						want = append(want, shifted(lines, len(data))...)
					}
					data = append(data, part...)
				}
				got, errs := pipedLines(t, iotest.HalfReader(bytes.NewReader(data)))
				same(t, want, got)
				require.Len(t, errs, len(c.want), "%v", sectionsOf(errs))
				for i := range errs {
					assert.ErrorIs(t, errs[i], c.want[i])
				}
			})
		}
	})
}

// TestReaderGoesOnBehindDamage damages a frame. Where the chunk ends is known, if its header
// says so; if not, the copies of headers inside it are no chunks.
func TestReaderGoesOnBehindDamage(t *testing.T) {
	forms(t, func() *jfrtest.Builder { return flushes(4, 5, "") }, func(t *testing.T, b *jfrtest.Builder) {
		chunk, layout := b.Build()
		next := shifted(linesOf(t, chunk, 0), len(chunk))
		at := layout.Events[7].Offset
		for name, size := range map[string][]byte{
			"zero": {0, 0, 0, 0}, "less than its head": {1, 0, 0, 0}, "4 GiB": {0xff, 0xff, 0xff, 0xff, 0x0f}, "beyond the chunk": {0xff, 0x7f},
			"eternal": bytes.Repeat([]byte{0xff}, 9),
		} {
			for form, make := range map[string]func([]byte) []byte{"finished": bytes.Clone, "open": open} {
				t.Run(name+"/"+form, func(t *testing.T) {
					bad := make(chunk)
					copy(bad[at:], size)
					data := slices.Concat(bad, chunk)
					took := mallocBytes(func() {
						got, errs := pipedLines(t, bytes.NewReader(data))
						require.NotEmpty(t, errs)
						require.GreaterOrEqual(t, len(got), 5, "what came before")
						if form == "finished" {
							require.Len(t, errs, 1, "%v", sectionsOf(errs))
							require.ErrorIs(t, errs[0], mmapjfr.ErrCorrupt)
							same(t, next, got[len(got)-len(next):])
						} else if len(errs) == 1 && errors.Is(errs[0], mmapjfr.ErrCorrupt) && !bytes.Equal(bad[at:at+1], []byte{0xff}) {
							same(t, next, got[len(got)-len(next):])
						}
						for _, l := range got[5:] {
							require.True(t, l.offset < uint64(at) || l.offset >= uint64(len(chunk)), "an event at %d", l.offset)
						}
					})
					assert.Less(t, took, uint64(64<<20), "it takes memory for what there is")
				})
			}
		}
	})
}

// A profiler that was killed says that its chunk has 1 GiB. What was joined to it is found.
func TestReaderOfAChunkThatWasNeverCompleted(t *testing.T) {
	forms(t, func() *jfrtest.Builder { return flushesWith(1, 20, "text", false) }, func(t *testing.T, b *jfrtest.Builder) {
		chunk := b.Bytes()
		killed := bytes.Clone(chunk)
		binary.BigEndian.PutUint64(killed[8:], 1<<30)
		lines := linesOf(t, chunk, 0)
		got, errs := pipedLines(t, bytes.NewReader(slices.Concat(killed, chunk)))
		require.Len(t, errs, 1, "%v", sectionsOf(errs))
		require.ErrorIs(t, errs[0], mmapjfr.ErrCorrupt)
		same(t, append(lines, shifted(lines, len(chunk))...), got)
		got, errs = pipedLines(t, bytes.NewReader(killed))
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], mmapjfr.ErrTruncated)
		same(t, lines, got)
	})
}

// mallocBytes returns how many bytes f allocates.
func mallocBytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A size is no reason to take memory before the bytes are there.
func TestReaderTakesMemoryForWhatComes(t *testing.T) {
	b := flushes(1, 2, "")
	chunk := open(b.Bytes())
	frame := []byte{0xf0, 0xff, 0xff, 0xff, 0x0f, 0x70} // nearly 4 GiB
	data := slices.Concat(chunk, frame, make([]byte, 1000))
	took := mallocBytes(func() {
		_, errs := pipedLines(t, bytes.NewReader(data))
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], mmapjfr.ErrUnfinished)
	})
	assert.Less(t, took, uint64(8<<20))
	huge := bytes.Clone(b.Bytes())
	binary.BigEndian.PutUint64(huge[8:], math.MaxUint64)
	lines := linesOf(t, b.Bytes(), 0)
	got, errs := pipedLines(t, bytes.NewReader(append(b.Bytes(), huge...)))
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], mmapjfr.ErrTruncated, "its end would lie before its beginning")
	same(t, append(lines, shifted(lines, len(huge))...), got)
}

// TestReaderThatFails fails after each number of bytes, in two ways. The error comes once, and
// nothing after it.
func TestReaderThatFails(t *testing.T) {
	chunk := littleFlushes().Bytes()
	failed := errors.New("the connection is gone")
	for name, make := range map[string]func([]byte) []byte{"finished": bytes.Clone, "open": open} {
		t.Run(name, func(t *testing.T) {
			data := slices.Concat(make(chunk), make(chunk))
			lines := linesOf(t, chunk, 0)
			all := placesOf(append(lines, shifted(lines, len(chunk))...))
			for _, n := range cutsOf(len(chunk)) {
				for _, r := range []io.Reader{
					io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(failed)),
					io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(&mmapjfr.FormatError{Err: failed, Section: "event"})),
					&failsOnce{data: data[:n], rest: data[n:], err: failed},
				} {
					got, errs := pipedLines(t, r)
					require.Len(t, errs, 1, "%d bytes: %v", n, errs)
					require.ErrorIs(t, errs[0], failed)
					require.NotErrorIs(t, errs[0], io.EOF)
					same(t, all[:len(got)], placesOf(got))
				}
			}
		})
	}
	lr := readLive(t, iotest.ErrReader(failed))
	_, _, err := engine.ChunkStreamNext(lr)
	require.Equal(t, failed, err)
	for range 3 {
		_, _, err = engine.ChunkStreamNext(lr)
		require.Equal(t, io.EOF, err)
	}
	lr = readLive(t, idle{})
	_, _, err = engine.ChunkStreamNext(lr)
	require.ErrorIs(t, err, io.ErrNoProgress)
	_, _, err = engine.ChunkStreamNext(lr)
	require.Equal(t, io.EOF, err)
}

// idle reads nothing, without an error.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// failsOnce fails between two pieces, and would go on after that.
type failsOnce struct {
	data, rest []byte
	err        error
}

func (f *failsOnce) Read(b []byte) (int, error) {
	if len(f.data) == 0 && f.err != nil {
		err := f.err
		f.data, f.err = f.rest, nil
		return 0, err
	}
	if len(f.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, f.data)
	f.data = f.data[n:]
	return n, nil
}

// TestReaderOfJoinedAfterACut joins a recording to one whose end is missing, cut at many bytes.
// The event that is cut hides the header of the second recording. All of that is read, as it
// is from a file.
func TestReaderOfJoinedAfterACut(t *testing.T) {
	for name, builder := range map[string]func() *jfrtest.Builder{
		"flushes": func() *jfrtest.Builder { return flushes(3, 4, "text") },
		"none":    func() *jfrtest.Builder { return flushesWith(1, 12, "some longer text", false) },
	} {
		forms(t, builder, func(t *testing.T, b *jfrtest.Builder) {
			chunk := b.Bytes()
			lines := linesOf(t, chunk, 0)
			for form, make := range map[string]func([]byte) []byte{"finished": bytes.Clone, "open": open} {
				t.Run(name+"/"+form, func(t *testing.T) {
					first := make(chunk)
					cuts := []int{247, 727} // with these, misread events end where the third recording begins
					for n := 70; n < len(chunk); n += longtest.Cases(307, 3) {
						cuts = append(cuts, n)
					}
					for _, n := range cuts {
						if n >= len(chunk) {
							continue
						}
						if bytes.HasPrefix(chunk[n:], []byte(wire.Magic)) {
							continue // the second header stands where the copy stood, and looks like it
						}
						data := slices.Concat(first[:n], chunk, chunk)
						want := placesOf(append(shifted(lines, n), shifted(lines, n+len(chunk))...))
						for _, r := range []io.Reader{bytes.NewReader(data), iotest.DataErrReader(bytes.NewReader(data))} {
							got, errs := pipedLines(t, r)
							require.True(t, slices.Equal(want, placesOf(behind(got, n))), "%d bytes: %v", n, errs)
							if form == "finished" {
								require.NotEmpty(t, errs, "%d bytes", n)
								mapped, _ := mappedLines(t, data)
								require.Subset(t, placesOf(got), placesOf(mapped), "%d bytes: %v", n, errs)
							}
						}
					}
				})
			}
		})
	}
}

// after returns the lines of events at an offset or after it.
func behind(lines []line, offset int) []line { return lines[len(before(lines, uint64(offset))):] }

// TestReaderSearchesALittle has many headers inside of events, none of which begins a chunk.
func TestReaderSearchesALittle(t *testing.T) {
	chunk := open(flushesWith(1, 1, "", false).Bytes())
	event := slices.Concat([]byte{0xff, 0xff, 0xff, 0x7f, 0x70}, bytes.Repeat(chunk[:68], 20_000))
	began := time.Now()
	_, errs := pipedLines(t, bytes.NewReader(slices.Concat(chunk, event)))
	require.NotEmpty(t, errs)
	assert.Less(t, time.Since(began), time.Minute)
}
