package bench_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// files are what the benchmarks read.
func files() []string {
	list := []string{"../testdata/jdk17-profile.jfr", "../testdata/jdk25-profile.jfr", "../testdata/jdk25-cputime.jfr"}
	if file := os.Getenv("JFR_BENCH_FILE"); file != "" {
		list = append(list, file)
	}
	return list
}

// forEach runs a benchmark on every file. The operation handles all of the file
// each time it is called, and returns how many events it handled.
func forEach(b *testing.B, prepare func(b *testing.B, file string) (operation func() int)) {
	for _, file := range files() {
		b.Run(filepath.Base(file), func(b *testing.B) {
			info, err := os.Stat(file)
			require.NoError(b, err)
			operation := prepare(b, file)
			b.SetBytes(info.Size())
			b.ReportAllocs()
			events := 0
			for b.Loop() {
				events += operation()
			}
			if events > 0 {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			}
		})
	}
}

func open(b *testing.B, file string) *mmapjfr.Recording {
	rec, err := mmapjfr.Open(file)
	require.NoError(b, err)
	b.Cleanup(func() { rec.Close() })
	return rec
}

// BenchmarkOpen maps the file and reads the chunk headers.
func BenchmarkOpen(b *testing.B) {
	forEach(b, func(b *testing.B, file string) func() int {
		return func() int {
			rec, err := mmapjfr.Open(file)
			require.NoError(b, err)
			rec.Close()
			return 0
		}
	})
}

// BenchmarkSweep reads the metadata of all chunks and finds all constants.
func BenchmarkSweep(b *testing.B) {
	forEach(b, func(b *testing.B, file string) func() int {
		return func() int {
			rec, err := mmapjfr.Open(file)
			require.NoError(b, err)
			for _, c := range rec.Chunks() {
				require.NoError(b, c.ConstantsErr())
			}
			rec.Close()
			return 0
		}
	})
}

// BenchmarkWalk reads the frames of all events.
func BenchmarkWalk(b *testing.B) {
	forEach(b, func(b *testing.B, file string) func() int {
		rec := open(b, file)
		var buf [256]index.Record
		return func() (events int) {
			for _, c := range rec.Index().Chunks() {
				offset := c.Events()
				for {
					n, next, err := c.Records(offset, math.MaxUint64, buf[:])
					require.NoError(b, err)
					events += n
					if offset = next; n < len(buf) {
						break
					}
				}
			}
			return events
		}
	})
}

// walk goes over the events of a selection and reads what read reads of each.
func walk(b *testing.B, sel *mmapjfr.Selection, read func(mmapjfr.Event)) (events int) {
	cur := sel.Cursor()
	for cur.Next() {
		read(cur.Event())
		events++
	}
	require.NoError(b, cur.Err())
	return events
}

// BenchmarkLayout finds and checks all fields of all events.
func BenchmarkLayout(b *testing.B) {
	forEach(b, func(b *testing.B, file string) func() int {
		sel := open(b, file).Select()
		return func() int { return walk(b, sel, func(mmapjfr.Event) {}) }
	})
}

var (
	ticks = mmapjfr.Path("startTime")
	name  = mmapjfr.Path("eventThread.javaName")
	sink  int64
)

// BenchmarkField reads one number of all events.
func BenchmarkField(b *testing.B) {
	forEach(b, func(b *testing.B, file string) func() int {
		sel := open(b, file).Select()
		return func() int { return walk(b, sel, func(ev mmapjfr.Event) { sink += ev.Int(ticks) }) }
	})
}

// BenchmarkConstant reads a string behind a constant of all events.
func BenchmarkConstant(b *testing.B) {
	forEach(b, func(b *testing.B, file string) func() int {
		sel := open(b, file).Select()
		return func() int { return walk(b, sel, func(ev mmapjfr.Event) { sink += int64(len(ev.Str(name))) }) }
	})
}

// BenchmarkStack walks the stack traces of all events, with the names of their
// methods and classes.
func BenchmarkStack(b *testing.B) {
	forEach(b, func(b *testing.B, file string) func() int {
		sel := open(b, file).Select()
		return func() int {
			return walk(b, sel, func(ev mmapjfr.Event) {
				for f := range ev.StackTrace().Frames() {
					m := f.Method()
					sink += int64(f.Line() + len(m.Name()) + len(m.Class().InternalName()))
				}
			})
		}
	})
}

// BenchmarkEventAt reads events at random offsets.
func BenchmarkEventAt(b *testing.B) {
	for _, file := range files() {
		b.Run(filepath.Base(file), func(b *testing.B) {
			rec := open(b, file)
			var offsets []uint64
			walk(b, rec.Select(), func(ev mmapjfr.Event) {
				if len(offsets) < 1<<16 {
					offsets = append(offsets, ev.Offset())
				}
			})
			rand.Shuffle(len(offsets), func(i, j int) { offsets[i], offsets[j] = offsets[j], offsets[i] })
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				ev, err := rec.EventAt(offsets[i%len(offsets)])
				if err != nil {
					b.Fatal(err)
				}
				sink += int64(ev.Offset())
				i++
			}
		})
	}
}
