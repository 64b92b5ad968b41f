package bench_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	ticks = mmapjfr.Path("startTime")
	name  = mmapjfr.Path("eventThread.javaName")
)

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

// counter is a number that no other worker's is near.
type counter struct {
	n int
	_ [56]byte
}

func total(counters []counter) (n int) {
	for i := range counters {
		n += counters[i].n
		counters[i].n = 0
	}
	return n
}

// BenchmarkLayout finds and checks all fields of all events, in the order of the
// file by a cursor, and in parallel.
func BenchmarkLayout(b *testing.B) {
	variants := []variant{{"cursor", func(b *testing.B, file string) func() int {
		sel := open(b, file).Select()
		return func() int { return walk(b, sel, func(mmapjfr.Event) {}) }
	}}}
	measure(b, append(variants, byWorkers(func(b *testing.B, file string, workers int) func() int {
		sel := open(b, file, mmapjfr.Workers(workers)).Select()
		counters := make([]counter, workers)
		return func() int {
			require.NoError(b, sel.Parallel(context.Background(), func(worker int, _ mmapjfr.Event) error {
				counters[worker].n++
				return nil
			}))
			return total(counters)
		}
	})...)...)
}

// BenchmarkReadAll decodes every field of all events: one by one, each as the
// value that it is, and in columns.
func BenchmarkReadAll(b *testing.B) {
	variants := []variant{{"values", func(b *testing.B, file string) func() int {
		sel := open(b, file).Select()
		return func() int {
			return walk(b, sel, func(ev mmapjfr.Event) {
				for _, v := range ev.Fields() {
					sink += int64(v.Kind()) + engine.ValueKey(v) + v.Int()
				}
			})
		}
	}}}
	measure(b, append(variants, byWorkers(func(b *testing.B, file string, workers int) func() int {
		sel := open(b, file, mmapjfr.Workers(workers)).Select()
		readers := make([]columns, workers)
		for i := range readers {
			readers[i].paths = make(map[mmapjfr.Type][]*mmapjfr.FieldPath)
		}
		return func() (events int) {
			require.NoError(b, engine.SelectionBatches(sel, context.Background(), func(worker int, batch *mmapjfr.Batch) error {
				readers[worker].read(batch)
				return nil
			}))
			for i := range readers {
				events += readers[i].events
				readers[i].events = 0
			}
			return events
		}
	})...)...)
}

// columns reads all columns of batches: numbers, where constants lie, strings.
type columns struct {
	paths  map[mmapjfr.Type][]*mmapjfr.FieldPath
	events int
	sum    int64
}

func (c *columns) read(batch *mmapjfr.Batch) {
	paths, ok := c.paths[engine.BatchType(batch)]
	if !ok {
		for _, f := range engine.BatchType(batch).Fields() {
			paths = append(paths, mmapjfr.Path(f.Name()))
		}
		c.paths[engine.BatchType(batch)] = paths
	}
	for _, p := range paths {
		if places := engine.BatchConstants(batch, p); places != nil {
			for _, at := range places {
				c.sum += at
			}
			continue
		}
		for _, n := range engine.BatchInts(batch, p) {
			c.sum += n
		}
		for _, s := range engine.BatchStrings(batch, p) {
			c.sum += int64(len(s))
		}
		for _, f := range engine.BatchFloats(batch, p) {
			c.sum += int64(f)
		}
	}
	c.events += engine.BatchLen(batch)
}

// byFrequency returns the names of the types of which there are events, the
// rarest first.
func byFrequency(b *testing.B, rec *mmapjfr.Recording) []string {
	counts := make(map[string]int)
	walk(b, rec.Select(), func(ev mmapjfr.Event) { counts[ev.Type().Name()]++ })
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(a, b)) })
	return names
}

// BenchmarkOneField reads one number of all events of the type of which there are
// most: by a cursor, and in columns on all processors.
func BenchmarkOneField(b *testing.B) {
	measure(b,
		variant{"cursor", func(b *testing.B, file string) func() int {
			rec := open(b, file)
			names := byFrequency(b, rec)
			sel := rec.Select(mmapjfr.Types(names[len(names)-1]))
			return func() int { return walk(b, sel, func(ev mmapjfr.Event) { sink += ev.Int(ticks) }) }
		}},
		variant{"columns", func(b *testing.B, file string) func() int {
			rec := open(b, file)
			names := byFrequency(b, rec)
			sel := rec.Select(mmapjfr.Types(names[len(names)-1]))
			return func() int {
				n, err := engine.FoldBatches(context.Background(), sel, func(n *int, batch *mmapjfr.Batch) error {
					for range engine.BatchInts(batch, ticks) {
						*n++
					}
					return nil
				}, func(n, next *int) { *n += *next })
				require.NoError(b, err)
				return n
			}
		}})
}

// BenchmarkRareType reads the events of the type of which there are fewest: all
// that opening takes included, or when the recording is open and has blocks.
func BenchmarkRareType(b *testing.B) {
	read := func(b *testing.B, rec *mmapjfr.Recording, name string) int {
		return walk(b, rec.Select(mmapjfr.Types(name)), func(ev mmapjfr.Event) { sink += ev.Int(ticks) })
	}
	measure(b,
		variant{"open-no-index", func(b *testing.B, file string) func() int {
			name := byFrequency(b, open(b, file))[0]
			return func() int {
				rec, err := mmapjfr.Open(file)
				require.NoError(b, err)
				defer rec.Close()
				return read(b, rec, name)
			}
		}},
		variant{"open-saved-index", func(b *testing.B, file string) func() int {
			file, opt := withIndex(b, file)
			name := byFrequency(b, open(b, file, opt))[0]
			return func() int {
				rec, err := mmapjfr.Open(file, opt)
				require.NoError(b, err)
				defer rec.Close()
				return read(b, rec, name)
			}
		}},
		variant{"blocks", func(b *testing.B, file string) func() int {
			rec := open(b, file)
			name := byFrequency(b, rec)[0]
			for _, c := range engine.RecordingIndex(rec).Chunks() {
				c.BuildBlocks(0)
			}
			return func() int { return read(b, rec, name) }
		}})
}

// BenchmarkTimeRange reads the events of a hundredth of the time, in the middle.
func BenchmarkTimeRange(b *testing.B) {
	measure(b, variant{"blocks", func(b *testing.B, file string) func() int {
		rec := open(b, file)
		length := rec.End().Sub(rec.Start())
		from := rec.Start().Add(length / 2)
		sel := rec.Select(mmapjfr.Between(from, from.Add(length/100+time.Microsecond)))
		read := func() int { return walk(b, sel, func(ev mmapjfr.Event) { sink += ev.Int(ticks) }) }
		read()
		return read
	}})
}

// BenchmarkEventAt reads events at random offsets, one each time.
func BenchmarkEventAt(b *testing.B) {
	measure(b, variant{"random", func(b *testing.B, file string) func() int {
		rec := open(b, file)
		var offsets []uint64
		for _, n := range randomly(b, rec) {
			ev, err := rec.EventByOrdinal(n)
			require.NoError(b, err)
			offsets = append(offsets, ev.Offset())
		}
		i := 0
		return func() int {
			ev, err := rec.EventAtOffset(offsets[i%len(offsets)])
			if err != nil {
				b.Fatal(err)
			}
			sink += int64(ev.Size())
			i++
			return 1
		}
	}})
}

// BenchmarkEventN reads events by random ordinals, one each time.
func BenchmarkEventN(b *testing.B) {
	measure(b, variant{"random", func(b *testing.B, file string) func() int {
		rec := open(b, file)
		ordinals := randomly(b, rec)
		i := 0
		return func() int {
			ev, err := rec.EventByOrdinal(ordinals[i%len(ordinals)])
			if err != nil {
				b.Fatal(err)
			}
			sink += int64(ev.Size())
			i++
			return 1
		}
	}})
}

// randomly returns ordinals of events in no order.
func randomly(b *testing.B, rec *mmapjfr.Recording) []uint64 {
	events := uint64(0)
	for _, c := range engine.RecordingIndex(rec).Chunks() {
		events += c.BuildBlocks(0).Events()
	}
	require.NotZero(b, events)
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]uint64, 1<<14)
	for i := range list {
		list[i] = r.Uint64N(events)
	}
	return list
}

// BenchmarkStack walks the stack traces of all events, with the names of their
// methods and classes.
func BenchmarkStack(b *testing.B) {
	measure(b, variant{"names", func(b *testing.B, file string) func() int {
		sel := open(b, file).Select()
		return func() int {
			return walk(b, sel, func(ev mmapjfr.Event) {
				for f := range ev.StackTrace().Frames() {
					m := f.Method()
					sink += int64(f.Line() + len(m.Name()) + len(engine.ClassInternalName(m.Class())))
				}
			})
		}
	}})
}

// BenchmarkStrings reads a constant's string of all events: one that is kept, one that
// aliases the file, and one that must be kept first.
func BenchmarkStrings(b *testing.B) {
	measure(b,
		variant{"cursor", func(b *testing.B, file string) func() int {
			sel := open(b, file).Select()
			return func() int { return walk(b, sel, func(ev mmapjfr.Event) { sink += int64(len(ev.Str(name))) }) }
		}},
		variant{"views", func(b *testing.B, file string) func() int {
			sel := open(b, file).Select()
			return func() int { return walk(b, sel, func(ev mmapjfr.Event) { sink += int64(len(ev.StrView(name))) }) }
		}},
		variant{"opened anew", func(b *testing.B, file string) func() int {
			return func() int {
				sel := open(b, file).Select()
				return walk(b, sel, func(ev mmapjfr.Event) { sink += int64(len(ev.Str(name))) })
			}
		}})
}
