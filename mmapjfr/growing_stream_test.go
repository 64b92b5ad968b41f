package mmapjfr_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// line is an event as a test compares it: where it lies, and all of its fields.
type line struct {
	offset uint64
	text   string
}

// writer makes lines of events.
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

func (w *writer) line(ev mmapjfr.Event) line {
	w.buf = w.p.Append(w.buf[:0], ev)
	return line{ev.Offset(), string(w.buf)}
}

// eventsIn calls f with the events in a part of a live chunk, and returns what is wrong.
func eventsIn(l *mmapjfr.GrowingChunk, span mmapjfr.ByteRange, f func(mmapjfr.Event)) (errs []error) {
	var recs [16]index.EventHeader
	for at := span.From; at < span.To; {
		n, next, err := engine.ChunkIndex(engine.GrowingChunkChunk(l)).ReadHeaders(at, span.To, recs[:])
		for _, rec := range recs[:n] {
			if !rec.IsEvent() {
				continue
			}
			ev, err := engine.GrowingChunkEvent(l, rec, math.MaxUint64)
			if err != nil {
				errs = append(errs, err)
			}
			if !ev.IsZero() {
				f(ev)
			}
		}
		if err != nil {
			return append(errs, err)
		}
		at = next
	}
	return errs
}

// mappedLines returns the events of a file that is mapped, and what is wrong with it.
func mappedLines(t testing.TB, data []byte) (lines []line, errs []error) {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data)
	if err != nil {
		return nil, []error{err}
	}
	w := newWriter(t)
	for ev, err := range rec.Events() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		lines = append(lines, w.line(ev))
	}
	return lines, errs
}

// pipedLines returns the events that come out of r, and what is wrong with it.
func pipedLines(t testing.TB, r io.Reader, opts ...mmapjfr.Option) (lines []line, errs []error) {
	t.Helper()
	lr, err := engine.ReadChunks(r, opts...)
	require.NoError(t, err)
	var last *mmapjfr.GrowingChunk
	var w *writer
	for {
		live, span, err := engine.ChunkStreamNext(lr)
		if live != nil {
			if live != last || engine.GrowingChunkChunk(live) != engine.GrowingChunkChunk(last) {
				w, last = newWriter(t), live
			}
			// The printer keeps texts of constants by where they lie, which they keep.
			errs = append(errs, eventsIn(live, span, func(ev mmapjfr.Event) { lines = append(lines, w.line(ev)) })...)
		}
		if errors.Is(err, io.EOF) {
			return lines, errs
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
}

// TestReaderGivesWhatAMapGives reads all recordings as a stream, in pieces that cut
// everything.
func TestReaderGivesWhatAMapGives(t *testing.T) {
	corpus(t, func(t *testing.T, name string, data []byte) {
		if isOld(name) {
			_, errs := pipedLines(t, bytes.NewReader(data))
			require.NotEmpty(t, errs)
			require.ErrorIs(t, errs[0], mmapjfr.ErrUnsupported)
			return
		}
		want, wantErrs := mappedLines(t, data)
		for how, r := range map[string]io.Reader{
			"whole":  bytes.NewReader(data),
			"halves": iotest.HalfReader(bytes.NewReader(data)),
		} {
			got, errs := pipedLines(t, r)
			require.Equal(t, len(want), len(got), "%s: %v; mapped: %v", how, errs, wantErrs)
			if name == "flush_incremental_metadata.jfr" {
				// An early build wrote it, which flushed events before their stack traces.
				same(t, placesOf(want), placesOf(got))
				continue
			}
			for i := range want {
				requireAsFlushed(t, want[i], got[i])
			}
			require.Equal(t, len(withoutEnds(wantErrs)), len(errs), "%s: %v; mapped: %v", how, errs, wantErrs)
		}
	})
}

// requireAsFlushed compares an event with what it was when its flush had come. Virtual
// machines write the class loaders of jdk.ClassLoaderStatistics after that: there, and
// nowhere else, constants may not be known yet.
func requireAsFlushed(t testing.TB, want, got line) {
	t.Helper()
	if want == got {
		return
	}
	require.Contains(t, want.text, `"@type":"jdk.ClassLoaderStatistics"`)
	require.Equal(t, withoutLoaders(want.text), withoutLoaders(got.text))
	require.Contains(t, got.text, `oader":null`)
}

var loaders = regexp.MustCompile(`"(classLoader|parentClassLoader)":(null|\{[^}]*\})`)

func withoutLoaders(text string) string { return loaders.ReplaceAllString(text, `"$1":?`) }

// withoutEnds returns errors without those of chunks that end with a flush, but were not
// finished: of what arrives piece by piece this is no error.
func withoutEnds(errs []error) (others []error) {
	for _, err := range errs {
		if !strings.Contains(err.Error(), "it ends with its last flush") {
			others = append(others, err)
		}
	}
	return others
}
