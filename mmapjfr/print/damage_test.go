package print_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// threaded builds a chunk with more events than are rendered together, each with a thread.
func threaded() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	b.Constant("java.lang.Thread", 1, nil, 7, "main", 1, 0, false)
	ty := b.Event("test.Work", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Of("n", "int"))
	for n := range 80 {
		b.Emit(ty, 1_000_000+n*37%80, n%7, 1, n)
	}
	return b
}

// partlyDamaged builds a recording in which the constants of the chunks 1 and 3 are damaged:
// the newest checkpoint of one leads out of the chunk, and the other has a pool of an unknown
// class. It returns what is to be said of that.
func partlyDamaged(t *testing.T) (data []byte, want []string) {
	t.Helper()
	chain, later, pool := threaded(), threaded(), threaded()
	later.Header.StartNanos++ // it is another chunk
	chain.ForceCheckpointOffset = new(int64(1 << 40))
	pool.Checkpoint(0).PoolID(4711).Count = new(int64(1))
	data, _ = jfrtest.Concat(threaded(), chain, later, pool)
	rec := opentest.Bytes(t, data)
	for i, c := range rec.Chunks() {
		if err := c.ConstantsErr(); i%2 == 1 {
			require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
			want = append(want, err.Error())
		} else {
			require.NoError(t, err)
		}
	}
	return data, want
}

// reportedBy returns what is reported of a recording that has just been opened while do prints it,
// and what is printed.
func reportedBy(t *testing.T, data []byte, o print.Options, do func(ctx context.Context, w *bytes.Buffer, recs []*mmapjfr.Recording, o print.Options) error) (reported []string, out string) {
	t.Helper()
	rec := opentest.Bytes(t, data)
	o.OnError = func(of *mmapjfr.Recording, err error) {
		assert.Same(t, rec, of)
		reported = append(reported, err.Error())
	}
	var w bytes.Buffer
	require.NoError(t, do(t.Context(), &w, []*mmapjfr.Recording{rec}, o))
	return reported, w.String()
}

func write(ctx context.Context, w *bytes.Buffer, recs []*mmapjfr.Recording, o print.Options) error {
	return print.Write(ctx, w, recs, o)
}

// TestDamagedConstantsAreReportedOnce prints a recording again and again, in every format and
// order: what is wrong with the constants of a chunk is reported once, in the order of the file,
// and all the rest is printed, each time alike.
func TestDamagedConstantsAreReportedOnce(t *testing.T) {
	data, want := partlyDamaged(t)
	for f := print.Text; f <= print.TSV; f++ {
		for _, order := range []print.Order{print.ByTime, print.ByFile} {
			o := print.Options{Format: f, Order: order, Workers: 3}
			first := ""
			for run := range longtest.Cases(4, 20) {
				reported, out := reportedBy(t, data, o, write)
				require.Equal(t, want, reported, "format %d, order %d, run %d", f, order, run)
				if first == "" {
					first = out
				}
				require.Equal(t, first, out)
			}
			if f == print.NDJSON || f == print.CSV || f == print.TSV {
				assert.Equal(t, 240, strings.Count(first, "main"), "those of three chunks that have their thread")
			}
		}
	}
}

// TestDamagedConstantsOfSomeEvents: a condition that asks for constants has them reported
// though nothing is printed, and where nothing needs them nothing is reported.
func TestDamagedConstantsOfSomeEvents(t *testing.T) {
	data, want := partlyDamaged(t)
	thread, n := mmapjfr.Path("@thread"), mmapjfr.Path("n")
	never := func(ev mmapjfr.Event) bool { return ev.Str(thread) == "nobody" }
	for _, order := range []print.Order{print.ByTime, print.ByFile} {
		for _, c := range []struct {
			name string
			o    print.Options
			want []string
		}{
			{"no event is wanted", print.Options{Where: never}, want},
			{"no constant is wanted", print.Options{Format: print.CSV, Fields: []string{"n"}}, nil},
			{"events of the last chunk", print.Options{Format: print.NDJSON, Order: print.ByFile, Tail: 10}, want[1:]},
			{"up to the second chunk", print.Options{Format: print.NDJSON, Order: print.ByFile, Limit: 100}, want[:1]},
			{"the last column", print.Options{Format: print.TSV, Fields: []string{"n", "@thread"}, Limit: 300}, want},
			{"by n", print.Options{Format: print.XML, Where: func(ev mmapjfr.Event) bool { return ev.Int(n) > 70 }}, want},
		} {
			if c.o.Order != print.ByFile {
				c.o.Order = order
			}
			for range 5 {
				reported, _ := reportedBy(t, data, c.o, write)
				assert.Equal(t, c.want, reported, c.name)
			}
		}
	}
}

// TestEachReportsDamagedConstants, also if it ends early.
func TestEachReportsDamagedConstants(t *testing.T) {
	data, want := partlyDamaged(t)
	thread := mmapjfr.Path("@thread")
	for _, o := range []print.Options{{}, {Order: print.ByFile}, {Limit: 310}, {Tail: 310}} {
		reported, out := reportedBy(t, data, o, func(ctx context.Context, w *bytes.Buffer, recs []*mmapjfr.Recording, o print.Options) error {
			return print.Each(ctx, recs, o, func(ev mmapjfr.Event) error {
				w.WriteString(ev.Str(thread))
				return nil
			})
		})
		assert.Equal(t, want, reported)
		assert.Contains(t, out, "main")
	}
}

// TestPrinterOfDamagedConstants: the iteration that events come from reports it.
func TestPrinterOfDamagedConstants(t *testing.T) {
	data, want := partlyDamaged(t)
	rec := opentest.Bytes(t, data)
	p, err := print.NewPrinter(print.Options{Format: print.NDJSON})
	require.NoError(t, err)
	var out []byte
	var reported []string
	for ev, err := range rec.Events() {
		if err != nil {
			reported = append(reported, err.Error())
			continue
		}
		out = p.Append(out, ev)
	}
	assert.Equal(t, want, reported)
	assert.Equal(t, 320, bytes.Count(out, []byte("\n")))
}
