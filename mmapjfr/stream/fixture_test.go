package stream_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// file returns the path of a recording in testdata.
func file(name string) string { return filepath.Join("..", "..", "testdata", name) }

// recordings returns the paths of recordings in testdata.
func recordings(t testing.TB) []string { return longtest.Recordings(t) }

// writer makes lines of events, with all of their fields.
type writer struct {
	p   *print.Printer
	buf []byte
}

func newWriter(t testing.TB) *writer {
	t.Helper()
	p, err := print.NewPrinter(print.Options{Format: print.NDJSON, StackDepth: math.MaxInt})
	require.NoError(t, err)
	return &writer{p: p}
}

func (w *writer) line(ev mmapjfr.Event) string {
	w.buf = w.p.Append(w.buf[:0], ev)
	return string(w.buf)
}

// begin is when the first of the chunks of [chunk] begins.
var begin = time.Unix(0, 1_700_000_000_000_000_000)

// at is the time at which event n of [chunk] ends, for the chunk with that number.
func at(number, n int) time.Time {
	return begin.Add(time.Duration(number)*time.Second + time.Duration(n)*time.Microsecond)
}

// chunk returns a chunk of events of the type test.Tick with these values of n, flush by
// flush. Event n ends n microseconds after the chunk began. The chunk with the next number
// begins a second later.
func chunk(number int, flushes ...[]int) *jfrtest.Builder {
	b := jfrtest.NewChunk()
	b.Header.StartNanos = begin.UnixNano() + int64(number)*int64(time.Second)
	b.Header.StartTicks += int64(number) * int64(time.Second)
	tick := b.Event("test.Tick", jfrtest.Of("n", "long"))
	for _, events := range flushes {
		flush(b, tick, number, events...)
	}
	return b
}

// flush adds events and a flush to a chunk that [chunk] has begun.
func flush(b *jfrtest.Builder, tick *jfrtest.Class, number int, events ...int) {
	for _, n := range events {
		b.Emit(tick, ticks(b, n), n)
	}
	b.Metadata(&jfrtest.Metadata{ID: int64(number + 1)})
	last := 0
	if len(events) > 0 {
		last = events[len(events)-1]
	}
	b.Checkpoint(jfrtest.MaskFlush).Start = ticks(b, last)
}

// ticks returns the time of event n in a chunk by its clock.
func ticks(b *jfrtest.Builder, n int) int64 { return b.Header.StartTicks + int64(n)*1000 }

// written writes bytes to a new file and returns its path.
func written(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// concat returns the bytes of chunks one after the other.
func concat(chunks ...*jfrtest.Builder) []byte {
	data, _ := jfrtest.Concat(chunks...)
	return data
}

// openFile returns the stream of a file. Errors that no handler of the test takes fail it.
func openFile(t testing.TB, path string) *stream.Stream {
	t.Helper()
	s, err := stream.OpenFile(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() }) // it never fails
	return s
}

var fieldN = mmapjfr.Path("n")

// note is what a stream has called handlers with.
type note struct {
	events  []int // n of each; -1 for a flush
	errs    []error
	flushes int
	closed  int
}

// noting makes a stream note what it delivers.
func noting(s *stream.Stream) *note {
	n := new(note)
	s.OnEvent(func(ev mmapjfr.Event) error {
		n.events = append(n.events, int(ev.Int(fieldN)))
		return nil
	})
	s.OnFlush(func() error {
		n.flushes++
		n.events = append(n.events, -1)
		return nil
	})
	s.OnError(func(err error) { n.errs = append(n.errs, err) })
	s.OnClose(func() { n.closed++ })
	return n
}

// delivered runs a stream to its end and returns what it delivers. Errors fail the test.
func delivered(t testing.TB, s *stream.Stream) []int {
	t.Helper()
	n := noting(s)
	require.NoError(t, s.Start(t.Context()))
	require.Empty(t, n.errs)
	require.Equal(t, 1, n.closed)
	return n.events
}
