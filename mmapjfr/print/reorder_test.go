package print_test

import (
	"cmp"
	"container/heap"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// crowded makes a chunk of many events, in any order, of which many are as early as
// others, in three threads and in none; some enclose others.
func crowded() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	for key := 1; key <= 3; key++ {
		b.Constant("java.lang.Thread", key, nil, 7, fmt.Sprint("t", key), key, 0, false)
	}
	request := b.Event("test.Request", jfrtest.Duration(), jfrtest.EventThread(),
		jfrtest.Of("id", "int").With(mark("jdk.jfr.Contextual")), jfrtest.Of("other", "int"))
	work := b.Event("test.Work", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Of("n", "int"))
	tick := b.Event("test.Tick", jfrtest.Of("n", "int"))
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 600 {
		start, length, thread := 1_000_000+r.IntN(200), r.IntN(20), r.IntN(4)
		switch r.IntN(8) {
		case 0:
			b.Emit(request, start, length*5, thread, n, 0)
		case 1:
			b.Emit(tick, start, n)
		default:
			b.Emit(work, start, length, thread, n)
		}
	}
	return b
}

func openChunk(t *testing.T, b *jfrtest.Builder) *mmapjfr.Recording {
	return opentest.Bytes(t, b.Bytes())
}

// waiting is what a window that works as the JDK's holds: a heap of moments.
type waiting []moment

type moment struct {
	nanos int64
	rank  int // 0 for a beginning
	event mmapjfr.Event
	opens bool
	shuts bool
}

func (w waiting) Len() int { return len(w) }
func (w waiting) Less(i, j int) bool {
	return w[i].nanos < w[j].nanos || w[i].nanos == w[j].nanos && w[i].rank < w[j].rank
}
func (w waiting) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w *waiting) Push(m any)   { *w = append(*w, m.(moment)) }
func (w *waiting) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}

// inWindow says what a window of that size makes of a recording, slowly.
func inWindow(rec *mmapjfr.Recording, size int) (lines []string) {
	var w waiting
	open := make(map[int64][]mmapjfr.Event)
	next := func() {
		m := heap.Pop(&w).(moment)
		thread := m.event.Thread().Key()
		switch {
		case m.opens && thread != 0:
			open[thread] = append(open[thread], m.event)
		case m.shuts && thread != 0:
			var left []mmapjfr.Event
			for _, ev := range open[thread] {
				if ev.Offset() != m.event.Offset() {
					left = append(left, ev)
				}
			}
			open[thread] = left
		case !m.opens && !m.shuts:
			var context []mmapjfr.Event
			if m.event.Type().Name() != "test.Request" && thread != 0 {
				context = open[thread]
			}
			lines = append(lines, line(m.event, context))
		}
	}
	for ev := range rec.Events() {
		ev = ev.Detached()
		if ev.Type().Name() == "test.Request" {
			heap.Push(&w, moment{ev.StartNanos(), 0, ev, true, false})
			heap.Push(&w, moment{engine.EventEndNanos(ev), 1, ev, false, true})
		}
		heap.Push(&w, moment{engine.EventEndNanos(ev), 1, ev, false, false})
		for len(w) > size {
			next()
		}
	}
	for len(w) > 0 {
		next()
	}
	return lines
}

func line(ev mmapjfr.Event, context []mmapjfr.Event) string {
	var b strings.Builder
	fmt.Fprint(&b, ev, " in")
	for _, c := range context {
		fmt.Fprint(&b, " ", c)
	}
	return b.String()
}

// TestSorted compares with all events sorted at once, and a sorter that is too small with a window whose events
// leave it a quarter at a time.
func TestSorted(t *testing.T) {
	one := opentest.File(t, filepath.Join("..", "..", "testdata", "concat-jdk17-jdk25.jfr"))
	recs := []*mmapjfr.Recording{openChunk(t, crowded()), openChunk(t, crowded()), one}
	var all []mmapjfr.Event
	for _, rec := range recs {
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			all = append(all, ev.Detached())
		}
	}
	chunks := make(map[mmapjfr.Chunk]int)
	for _, ev := range all {
		if _, ok := chunks[ev.Chunk()]; !ok {
			chunks[ev.Chunk()] = len(chunks)
		}
	}
	start, length := mmapjfr.Path("startTime"), mmapjfr.Path("duration")
	compare := func(a, b mmapjfr.Event) int {
		return cmp.Or(cmp.Compare(engine.EventEndNanos(a), engine.EventEndNanos(b)), cmp.Compare(chunks[a.Chunk()], chunks[b.Chunk()]),
			cmp.Compare(a.Int(start)+a.Int(length), b.Int(start)+b.Int(length)), cmp.Compare(a.Offset(), b.Offset()))
	}
	for _, size := range []int{0, 1, 7, 100, 1000, len(all), 2 * len(all), 5 * len(all)} {
		want, batch := []mmapjfr.Event(nil), max(size/4, 1)
		var waiting []mmapjfr.Event
		for rest := all; len(rest) > 0; {
			n := min(batch, len(rest))
			waiting, rest = append(waiting, rest[:n]...), rest[n:]
			slices.SortFunc(waiting, compare)
			if out := len(waiting) - size + size/4; n == batch && out > 0 {
				want, waiting = append(want, waiting[:out]...), slices.Clone(waiting[out:])
			}
		}
		got, err := print.Sorted(t.Context(), recs, size)
		require.NoError(t, err)
		require.Equal(t, append(want, waiting...), got, size)
	}
}

// What encloses an event is shown as it was when the event was handed on, also after
// other events have begun and ended.
func TestContextStays(t *testing.T) {
	rec := openChunk(t, crowded())
	o := print.Options{}
	var at []string
	shown, err := print.InWindow(t.Context(), rec, 50, o)
	require.NoError(t, err)
	enclosed := 0
	for _, s := range shown {
		enclosed += len(s.Context)
		at = append(at, line(s.Event, s.Context))
	}
	require.Greater(t, enclosed, 500)
	assert.Equal(t, inWindow(rec, 50), at)
}

// TestWindowIsThatOfTheJDK asks a JDK, where there is one, about the crowd.
func TestWindowIsThatOfTheJDK(t *testing.T) {
	home := longtest.JDK25(t)
	b := crowded()
	path := filepath.Join(t.TempDir(), "crowd.jfr")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	rec := openChunk(t, b)
	for _, events := range []string{"*", "Work", "Tick,Request"} {
		want, refusal, err := oracle.Verbatim(t.Context(), home, path, "print", "--events", events)
		require.NoError(t, err)
		require.Empty(t, refusal)
		said.Same(t, want, writtenOf(t, rec, print.Options{Filters: []mmapjfr.Filter{mmapjfr.Types(strings.Split(events, ",")...)}}))
	}
}

func TestContextOfWhatIsWanted(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Constant("java.lang.Thread", 1, nil, 7, "main", 1, 0, false)
	request := b.Event("test.Request", jfrtest.Duration(), jfrtest.EventThread(),
		jfrtest.Of("size", "long").With(mark("jdk.jfr.Contextual"), bytesUnit), jfrtest.Of("other", "int"))
	work := b.Event("test.Work", jfrtest.EventThread())
	b.Emit(work, 1_000_001, 1)
	b.Emit(request, 1_000_000, 5, 1, 2048, 0)
	const want = "test.Work {\n  Context: Request.size = 2.0 kB\n  startTime = 22:13:20.000 (2023-11-14)\n" +
		"  eventThread = \"main\" (javaThreadId = 1)\n}\n\n"
	rec := openChunk(t, b)
	o := print.Options{Filters: []mmapjfr.Filter{mmapjfr.Types("Work")}}
	assert.Equal(t, want, string(writtenOf(t, rec, o)))
	o = print.Options{Where: func(ev mmapjfr.Event) bool { return ev.Type().Name() == "test.Work" }}
	assert.Equal(t, want, string(writtenOf(t, rec, o)), "an enclosing event need not be selected")
	o = print.Options{Filters: []mmapjfr.Filter{mmapjfr.Types("Work")}, Format: print.Exact}
	assert.Contains(t, string(writtenOf(t, rec, o)), "Context: Request.size = 2048 bytes\n")
}

// TestContextAcrossRecordings has the event that encloses in the second of two.
func TestContextAcrossRecordings(t *testing.T) {
	part := func(emit func(b *jfrtest.Builder, request, work *jfrtest.Class)) *mmapjfr.Recording {
		b := jfrtest.NewChunk()
		b.Constant("java.lang.Thread", 1, nil, 7, "main", 1, 0, false)
		emit(b, b.Event("test.Request", jfrtest.Duration(), jfrtest.EventThread(),
			jfrtest.Of("name", jfrtest.StringClass).With(mark("jdk.jfr.Contextual"))),
			b.Event("test.Work", jfrtest.EventThread()))
		return openChunk(t, b)
	}
	first := part(func(b *jfrtest.Builder, _, work *jfrtest.Class) { b.Emit(work, 1_000_001, 1) })
	second := part(func(b *jfrtest.Builder, request, _ *jfrtest.Class) { b.Emit(request, 1_000_000, 5, 1, "r") })
	var out strings.Builder
	require.NoError(t, print.Write(t.Context(), &out, []*mmapjfr.Recording{first, second}, print.Options{}))
	assert.Contains(t, out.String(), "test.Work {\n  Context: Request.name = \"r\"\n")
}
