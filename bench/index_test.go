package bench_test

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// copyOf copies a file to where an index may be saved beside it.
func copyOf(b *testing.B, file string) string {
	in, err := os.Open(file)
	require.NoError(b, err)
	defer in.Close()
	path := filepath.Join(b.TempDir(), filepath.Base(file))
	out, err := os.Create(path)
	require.NoError(b, err)
	_, err = io.Copy(out, in)
	require.NoError(b, err)
	require.NoError(b, out.Close())
	return path
}

// withIndex returns a copy of a file that has a saved index if it is large enough, and the option that uses it.
func withIndex(b *testing.B, file string) (string, mmapjfr.Option) {
	file = copyOf(b, file)
	opt := mmapjfr.SavedIndexes(b.TempDir())
	long := time.Now().Add(-time.Hour)
	require.NoError(b, os.Chtimes(file, long, long))
	rec, err := mmapjfr.Open(file, opt)
	require.NoError(b, err)
	rec.EventCount()
	require.NoError(b, rec.Close())
	return file, opt
}

// BenchmarkOpen maps the file and reads the chunk headers; with a saved index it
// maps that, too, and compares the two.
func BenchmarkOpen(b *testing.B) {
	again := func(b *testing.B, file string, opts ...mmapjfr.Option) func() int {
		return func() int {
			rec, err := mmapjfr.Open(file, opts...)
			require.NoError(b, err)
			rec.Close()
			return 0
		}
	}
	measure(b,
		variant{"no-index", func(b *testing.B, file string) func() int { return again(b, file) }},
		variant{"saved-index", func(b *testing.B, file string) func() int {
			file, opt := withIndex(b, file)
			return again(b, file, opt)
		}},
	)
}

// BenchmarkSweep reads the metadata of all chunks and finds all constants.
func BenchmarkSweep(b *testing.B) {
	measure(b, byWorkers(func(b *testing.B, file string, workers int) func() int {
		data := engine.RecordingIndex(open(b, file))
		return func() int {
			x, err := index.New(data.Data())
			require.NoError(b, err)
			_ = index.Sweep(context.Background(), x.Chunks(), workers, nil)
			return 0
		}
	})...)
}

// BenchmarkWalk reads the frames of all events: one by one, or to count them and
// their bytes by type.
func BenchmarkWalk(b *testing.B) {
	variants := []variant{{"frames", func(b *testing.B, file string) func() int {
		rec := open(b, file)
		var buf [256]index.EventHeader
		return func() (events int) {
			for _, c := range engine.RecordingIndex(rec).Chunks() {
				for offset, more := c.FirstEvent(), true; more; {
					n, next, err := c.ReadHeaders(offset, math.MaxUint64, buf[:])
					require.NoError(b, err)
					events += n
					offset, more = next, n == len(buf)
				}
			}
			return events
		}
	}}}
	measure(b, append(variants, byWorkers(func(b *testing.B, file string, workers int) func() int {
		x := engine.RecordingIndex(open(b, file))
		return func() (events int) {
			for _, c := range x.CountEvents(b.Context(), workers, nil) {
				for _, n := range c.Counts {
					events += int(n.Events)
				}
			}
			return events
		}
	})...)...)
}

// BenchmarkBlocks cuts the events of all chunks into blocks.
func BenchmarkBlocks(b *testing.B) {
	measure(b, byWorkers(func(b *testing.B, file string, workers int) func() int {
		data := engine.RecordingIndex(open(b, file))
		return func() (events int) {
			x, err := index.New(data.Data())
			require.NoError(b, err)
			for _, c := range x.Chunks() {
				events += int(c.BuildBlocks(workers).Events())
			}
			return events
		}
	})...)
}
