package mmapjfr_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// choice is a selection, and what it is to be, event by event.
type choice struct {
	name    string
	filters []mmapjfr.Filter
	wants   func(ev mmapjfr.Event) bool
}

// and combines choices.
func and(list ...choice) choice {
	c := choice{wants: func(ev mmapjfr.Event) bool {
		return !slices.ContainsFunc(list, func(c choice) bool { return !c.wants(ev) })
	}}
	for _, other := range list {
		c.name += " " + other.name
		c.filters = append(c.filters, other.filters...)
	}
	return c
}

func between(from, to time.Time) choice {
	return choice{
		fmt.Sprintf("between %d and %d", from.UnixNano(), to.UnixNano()),
		[]mmapjfr.Filter{mmapjfr.Between(from, to)},
		func(ev mmapjfr.Event) bool {
			at := ev.Start()
			return !at.IsZero() && (from.IsZero() || !at.Before(from)) && (to.IsZero() || at.Before(to))
		},
	}
}

func ofType(names ...string) choice {
	return choice{
		"of " + strings.Join(names, ","),
		[]mmapjfr.Filter{mmapjfr.Types(names...)},
		func(ev mmapjfr.Event) bool { return slices.Contains(names, ev.Type().Name()) },
	}
}

// threadOf returns the thread that an event is of, found one field after the other.
func threadOf(ev mmapjfr.Event) mmapjfr.Thread {
	values := map[string]mmapjfr.Value{}
	first := ""
	for f, v := range ev.Fields() {
		if f.Type().Name() == "java.lang.Thread" && !f.IsArray() {
			values[f.Name()] = v
			first = cmp.Or(first, f.Name())
		}
	}
	for _, name := range []string{"eventThread", "sampledThread", "thread", first} {
		if v, ok := values[name]; ok {
			return v.Thread()
		}
	}
	return mmapjfr.Thread{}
}

func inThreads(names ...string) choice {
	return choice{
		"in " + strings.Join(names, ","),
		[]mmapjfr.Filter{mmapjfr.Threads(names...)},
		func(ev mmapjfr.Event) bool {
			t := threadOf(ev)
			return !t.IsZero() && (slices.Contains(names, t.JavaName()) || slices.Contains(names, t.OSName()))
		},
	}
}

func threadIDs(ids ...int64) mmapjfr.Filter {
	return mmapjfr.ThreadsFunc(func(t mmapjfr.Thread) bool { return slices.Contains(ids, t.JavaThreadID()) })
}

func inThreadIDs(ids ...int64) choice {
	return choice{
		fmt.Sprint("in ", ids),
		[]mmapjfr.Filter{threadIDs(ids...)},
		func(ev mmapjfr.Event) bool {
			t := threadOf(ev)
			return !t.IsZero() && slices.Contains(ids, t.JavaThreadID())
		},
	}
}

// choices makes many of them for a recording.
func choices(t *testing.T, data []byte, seed uint64) (list []choice) {
	rec := openBytes(t, data)
	r := rand.New(rand.NewPCG(seed, 3))
	types, threads, ids, times := map[string]bool{}, map[string]bool{}, map[int64]bool{}, []time.Time{}
	for ev, err := range rec.Events() {
		if err != nil {
			continue
		}
		types[ev.Type().Name()] = true
		if th := threadOf(ev); !th.IsZero() {
			threads[th.JavaName()], ids[th.JavaThreadID()] = true, true
			threads[th.OSName()] = true
		}
		if !ev.Start().IsZero() {
			times = append(times, ev.Start())
		}
	}
	if len(times) == 0 {
		times = append(times, rec.Start())
	}
	pick := func() time.Time { return times[r.IntN(len(times))] }
	interval := func() choice {
		from, to := pick(), pick()
		if to.Before(from) {
			from, to = to, from
		}
		switch r.IntN(6) {
		case 0:
			return between(from, time.Time{})
		case 1:
			return between(time.Time{}, to)
		case 2:
			return between(from, from)
		case 3:
			return between(from, from.Add(time.Nanosecond))
		case 4:
			return between(from, from.Add(time.Duration(r.IntN(100_000))))
		}
		return between(from, to)
	}
	names := slices.Sorted(mapKeys(types))
	if len(names) == 0 {
		names = append(names, "jdk.ExecutionSample")
	}
	for _, name := range names[:min(8, len(names))] {
		list = append(list, ofType(name))
	}
	list = append(list, ofType(names...), ofType("no.such.Type"))
	for range 12 {
		list = append(list, interval())
	}
	list = append(list, between(time.Time{}, time.Time{}), between(time.Unix(0, 0), time.Unix(1, 0)))
	if len(threads) > 0 {
		owners, numbers := slices.DeleteFunc(slices.Sorted(mapKeys(threads)), func(s string) bool { return s == "" }), slices.Sorted(mapKeys(ids))
		for range 4 {
			one := inThreads(owners[r.IntN(len(owners))])
			two := inThreadIDs(numbers[r.IntN(len(numbers))], numbers[r.IntN(len(numbers))])
			list = append(list, one, two, and(one, two), and(one, interval()), and(two, interval(), ofType(names[r.IntN(len(names))])))
		}
		list = append(list, inThreads("no such thread"), inThreadIDs(-77))
	}
	return append(list, and(interval(), interval()), and(interval(), ofType(names[0], names[len(names)-1])))
}

func mapKeys[K comparable](m map[K]bool) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestSelectionsAreThoseOfEachEvent compares selections, by cursor and in
// parallel, before and after blocks have been cut, with what is left when each
// event is looked at.
func TestSelectionsAreThoseOfEachEvent(t *testing.T) {
	check := func(t *testing.T, data []byte) {
		whole := openBytes(t, data)
		events, faults := walk(t, whole.Select())
		list := choices(t, data, uint64(len(data)))
		list = list[:min(len(list), longtest.Cases(12, len(list)))]
		for i, c := range list {
			rec := openBytes(t, data)
			if i%3 == 0 {
				rec = whole
			}
			var want []uint64
			for _, ev := range events {
				if c.wants(ev) {
					want = append(want, ev.Offset())
				}
			}
			sel := rec.Select(c.filters...)
			for turn := range 3 {
				got, errs := walk(t, sel)
				require.Equal(t, want, offsetsOf2(got), "%s, turn %d", c.name, turn)
				if len(faults) == 0 {
					require.Empty(t, errs, c.name)
				}
				var mu sync.Mutex
				var many []uint64
				err := sel.Parallel(context.Background(), func(_ int, ev mmapjfr.Event) error {
					mu.Lock()
					defer mu.Unlock()
					many = append(many, ev.Offset())
					return nil
				})
				if len(faults) == 0 {
					require.NoError(t, err, c.name)
				}
				slices.Sort(many)
				require.Equal(t, want, many, "%s in parallel, turn %d", c.name, turn)
			}
		}
	}
	t.Run("long", func(t *testing.T) { check(t, longFile()) })
	corpus(t, func(t *testing.T, name string, data []byte) {
		if isOld(name) {
			t.Skip("of a version that is not read")
		}
		if !longtest.Enabled() && len(data) > 160_000 {
			t.Skip("takes long")
		}
		check(t, data)
	})
}

// TestSelectionsFindSomething makes sure that the choices above are no empty ones.
func TestSelectionsFindSomething(t *testing.T) {
	found := 0
	rec := openBytes(t, longFile())
	list := choices(t, longFile(), uint64(len(longFile())))
	for _, c := range list {
		if events, _ := walk(t, rec.Select(c.filters...)); len(events) > 0 {
			found++
		}
	}
	assert.Greater(t, found, len(list)/2)
}

// TestSelectionsPassOverBlocks spoils the bytes in the middle of blocks in which
// no wanted event lies, once blocks have been cut: a selection does not look at
// them.
func TestSelectionsPassOverBlocks(t *testing.T) {
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(jfrtest.MaskFlush)
	a := cp.Add("java.lang.Thread", 1, "os-a", 1, "a", 1, 0, false)
	z := cp.Add("java.lang.Thread", 2, "os-z", 2, "z", 2, 0, false)
	one := b.Event("test.One", jfrtest.EventThread(), jfrtest.Of("n", "long"))
	two := b.Event("test.Two", jfrtest.EventThread(), jfrtest.Of("n", "long"))
	for n := range 60_000 {
		class, thread := one, a
		if n%20_000 == 7000 {
			class = two
		}
		if n > 50_000 {
			thread = z
		}
		b.Emit(class, start+int64(n)*1000, thread, int64(n)<<40)
	}
	data := b.Bytes()
	whole := openBytes(t, data)
	at := whole.Start().Add(20 * time.Millisecond)
	for _, filters := range [][]mmapjfr.Filter{
		{mmapjfr.Types("test.Two")},
		{mmapjfr.Between(at, at.Add(time.Millisecond))},
		{mmapjfr.Threads("z")},
		{threadIDs(2), mmapjfr.Between(at, time.Time{}), mmapjfr.Types("test.*")},
	} {
		data := slices.Clone(data)
		rec := openBytes(t, data)
		sel := rec.Select(filters...)
		for range 2 {
			walk(t, sel) // so that blocks are cut
		}
		want, errs := walk(t, sel)
		require.Empty(t, errs)
		require.NotEmpty(t, want)
		const block = 64 << 10
		keep := map[uint64]bool{}
		for _, ev := range want {
			keep[ev.Offset()/block] = true
		}
		spoiled := 0
		for i := uint64(1); i < uint64(len(data)/block); i++ {
			if !keep[i] {
				spoiled++
				clear(data[i*block+block/4 : i*block+block/2])
			}
		}
		require.Greater(t, spoiled, 5)
		_, errs = walk(t, openBytes(t, data).Select())
		require.NotEmpty(t, errs, "the test itself")
		again, errs := walk(t, sel)
		assert.Empty(t, errs)
		assert.Equal(t, offsetsOf2(want), offsetsOf2(again))
	}
}

func TestSelectionsThatCannotBeRight(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	for want, f := range map[string]mmapjfr.Filter{
		"a selection by thread names none":        mmapjfr.Threads(),
		"a selection by thread has an empty name": mmapjfr.Threads("a", ""),
	} {
		events, errs := walk(t, rec.Select(f))
		assert.Empty(t, events)
		require.Len(t, errs, 1)
		require.EqualError(t, errs[0], want)
		require.EqualError(t, rec.Select(f).Parallel(context.Background(), func(int, mmapjfr.Event) error {
			assert.Fail(t, "an event")
			return nil
		}), want)
	}
}

// TestTimesNobodyCanTell selects by times that nanoseconds since 1970 do not reach.
func TestTimesNobodyCanTell(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	n := len(all(t, rec))
	early, late := time.Date(1, 2, 3, 4, 5, 6, 7, time.UTC), time.Date(2900, 1, 1, 0, 0, 0, 0, time.UTC)
	count := func(from, to time.Time) int {
		events, errs := walk(t, rec.Select(mmapjfr.Between(from, to)))
		require.Empty(t, errs)
		return len(events)
	}
	assert.Equal(t, n, count(early, late))
	assert.Zero(t, count(late, late.Add(1)))
	assert.Zero(t, count(early, early.Add(1)))
	assert.Zero(t, count(time.Time{}, early))
	assert.Zero(t, count(late, time.Time{}))
	assert.Zero(t, count(rec.End(), rec.Start()))
}

// TestThreadIsThatOfThePath has Event.Thread and the filter agree with the path @thread for
// all types that there are.
func TestThreadIsThatOfThePath(t *testing.T) {
	path := mmapjfr.Path("@thread")
	for _, name := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-virtual.jfr"} {
		rec := openFile(t, name)
		of, about := map[int64]int{}, 0
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			thread := ev.Get(path).Thread()
			require.Equal(t, thread.Key(), ev.Thread().Key(), ev.Type().Name())
			require.Equal(t, threadOf(ev).Key(), thread.Key(), ev.Type().Name())
			if id := thread.JavaThreadID(); id > 0 {
				of[id]++
			}
			if ev.Type().Name() == "jdk.ThreadAllocationStatistics" && !thread.IsZero() {
				about++
			}
		}
		assert.Equal(t, name != "jdk25-virtual.jfr", about > 0, name)
		for id, want := range of {
			n := 0
			for ev, err := range rec.Select(threadIDs(id)).Events() {
				require.NoError(t, err)
				assert.Equal(t, id, ev.Thread().JavaThreadID())
				n++
			}
			assert.Equal(t, want, n, "%s: thread %d", name, id)
		}
	}
}
