package profile_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// allocated returns the bytes of a profile of allocations.
func allocated(t *testing.T, rec *mmapjfr.Recording, o profile.Options) (sum int64) {
	t.Helper()
	o.Kinds = []string{"alloc"}
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, o)
	require.NoError(t, err)
	for s := range p.Samples() {
		sum += s.Values[1]
	}
	return sum
}

// inOrder returns the events of a recording as a stream has them.
func inOrder(t *testing.T, rec *mmapjfr.Recording) (events []mmapjfr.Event) {
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		events = append(events, ev.Detached())
	}
	slices.SortStableFunc(events, func(a, b mmapjfr.Event) int { return int(a.StartNanos() - b.StartNanos()) })
	return events
}

// streamed returns what the samples of recordings weigh in a stream of one after the other.
func streamed(t *testing.T, recs ...*mmapjfr.Recording) (sum int64) {
	t.Helper()
	w := weigh.NewWeights()
	of, ok := weigh.WeightOf("jdk.ObjectAllocationSample", "alloc")
	require.True(t, ok)
	for _, rec := range recs {
		for _, ev := range inOrder(t, rec) {
			if w.Add(ev); ev.Type().Name() == "jdk.ObjectAllocationSample" {
				sum += w.Weigher(of, ev.Chunk(), ev.Type()).Event(ev)
			}
		}
	}
	return sum
}

// TestAllocated compares what samples weigh with what threads allocated while samples were taken, in JVMs of all kinds.
func TestAllocated(t *testing.T) {
	for _, p := range profiletest.AllocatingPrograms() {
		for seed := range uint64(longtest.Cases(1, 30)) {
			data, written, right := p.Recording(rand.New(rand.NewPCG(seed, 1)))
			rec, err := mmapjfr.OpenBytes(data)
			require.NoError(t, err)
			got, live := allocated(t, rec, profile.Options{}), streamed(t, rec)
			t.Logf("%-45s written %5d MB, right %4d, profile %4d, stream %4d", p.Name, written/1e6, right/1e6, got/1e6, live/1e6)
			off := 0.1
			if p.Every > 50 {
				off = 0.3 // a first sample is one of a few
			}
			assert.InEpsilon(t, right, got, off, fmt.Sprint(p.Name, seed))
			assert.InEpsilon(t, right, live, off, fmt.Sprint(p.Name, seed, " as a stream"))
			require.NoError(t, rec.Close())
		}
	}
}

// TestAllocatedByEachJVM joins recordings of two JVMs of one host, whose threads have the same numbers, in several orders.
func TestAllocatedByEachJVM(t *testing.T) {
	var chunks [2][][]byte
	var recs []*mmapjfr.Recording
	want, live := int64(0), int64(0)
	for i := range chunks {
		p := profiletest.Allocating{Old: 12_000, Long: 3000, Chunks: 2, Threads: 6 - 3*i, Every: 5, Earlier: []int{0}, PID: 1 + i}
		data, _, _ := p.Recording(rand.New(rand.NewPCG(1, uint64(i))))
		rec := opentest.Bytes(t, data)
		want, live = want+allocated(t, rec, profile.Options{}), live+streamed(t, rec)
		recs = append(recs, rec)
		for _, c := range rec.Chunks() {
			chunks[i] = append(chunks[i], data[c.Offset():][:c.Size()])
		}
	}
	assert.InEpsilon(t, live, streamed(t, recs...), 0.01)
	a, b := chunks[0], chunks[1]
	for _, order := range [][][]byte{{a[0], a[1], b[0], b[1]}, {b[0], b[1], a[0], a[1]}, {a[0], b[0], a[1], b[1]}, {b[1], a[1], a[0], b[0]}} {
		rec := opentest.Bytes(t, slices.Concat(order...))
		assert.Equal(t, want, allocated(t, rec, profile.Options{}))
	}
}

// TestAllocatedInDumps reads dumps of a JVM that begin together, in every order: they have what the longest has.
func TestAllocatedInDumps(t *testing.T) {
	for i, p := range profiletest.AllocatingPrograms() {
		if i%longtest.Cases(4, 1) != 0 {
			continue
		}
		p.Chunks, p.PID = 3, 7
		data, _, _ := p.Recording(rand.New(rand.NewPCG(4, uint64(i))))
		whole := opentest.Bytes(t, data)
		want := allocated(t, whole, profile.Options{})
		var ends []uint64
		for _, c := range whole.Chunks() {
			ends = append(ends, c.Offset()+c.Size())
		}
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {2, 2, 0}} {
			var recs []*mmapjfr.Recording
			for _, n := range order {
				rec := opentest.Bytes(t, data[:ends[n]])
				recs = append(recs, rec)
			}
			engine.CountOnce(recs...)
			got := int64(0)
			for _, rec := range recs {
				got += allocated(t, rec, profile.Options{})
			}
			assert.InEpsilon(t, want, got, 0.01, "%s %v: heavy samples count as others of their file do", p.Name, order)
		}
	}
}

// TestAllocatedInCopies compares copies and slices with the recording, or a range of it.
func TestAllocatedInCopies(t *testing.T) {
	files := make(map[string][]byte)
	for i, p := range profiletest.AllocatingPrograms() {
		if i%longtest.Cases(8, 1) != 0 {
			continue
		}
		files[p.Name], _, _ = p.Recording(rand.New(rand.NewPCG(2, 3)))
	}
	for _, name := range []string{"jdk25-profile", "jdk17-profile"}[:longtest.Cases(1, 2)] {
		data, err := os.ReadFile("../../testdata/" + name + ".jfr")
		require.NoError(t, err)
		files[name] = data
	}
	for name, data := range files {
		rec := opentest.Bytes(t, data)
		start, end := rec.Start(), rec.End()
		at := func(share float64) time.Time { return start.Add(time.Duration(share * float64(end.Sub(start)))) }
		for what, plan := range map[string]rewrite.Plan{
			"anew": {Anew: true}, "joined": {Join: true}, "one clock": {OneClock: true}, "converted": {Convert: true, Wide: true},
			"samples": {Filters: []mmapjfr.Filter{mmapjfr.Types("jdk.ObjectAllocationSample")}},
			"begin":   {To: at(0.5)}, "soon": {From: at(0.1), To: at(0.6)}, "middle": {From: at(0.4), To: at(0.8)}, "end": {From: at(0.5)},
		} {
			plan.Context = true
			var out bytes.Buffer
			_, err := rewrite.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, &plan)
			require.NoError(t, err, "%s %s", name, what)
			made, err := mmapjfr.OpenBytes(out.Bytes())
			require.NoError(t, err)
			o := profile.Options{Filters: plan.Filters}
			if !plan.From.IsZero() || !plan.To.IsZero() {
				o.Filters = append(o.Filters, mmapjfr.Between(plan.From, plan.To))
			}
			want, got := allocated(t, rec, o), allocated(t, made, profile.Options{})
			if plan.From.IsZero() && plan.To.IsZero() {
				assert.Equal(t, want, got, "%s %s", name, what)
			}
			// Heavy samples count as others of the file do.
			assert.InEpsilon(t, want, got, 0.035, "%s %s", name, what)
			require.NoError(t, made.Close())
		}
	}
}

// TestAllocatedCases reads recordings of JVMs: of virtual threads, and of a JVM that had allocated for a minute.
func TestAllocatedCases(t *testing.T) {
	for name, want := range map[string]int64{"va-small": 18_880, "first-allocation-sample": 1351} {
		f, err := os.Open("../../../shared/cases/" + name + ".jfr.gz")
		if err != nil {
			t.Skip("the files of shared are not there")
		}
		defer f.Close()
		r, err := gzip.NewReader(f)
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		rec := opentest.Bytes(t, data)
		assert.Equal(t, want, allocated(t, rec, profile.Options{})/1e6, name)
		assert.InEpsilon(t, want, streamed(t, rec)/1e6, 0.15, name)
	}
}

// TestStatisticsBeforeSamples has a thread for each case: of several statistics the first one counts, if it is of the first round
// and comes before the sample, and no sample was taken before.
func TestStatisticsBeforeSamples(t *testing.T) {
	const start, ms, usual = 1_000_000, int64(time.Millisecond), 100
	b := jfrtest.NewChunk()
	b.Header.DurationNanos = 5000 * ms
	cp := b.Checkpoint(jfrtest.MaskFlush)
	sample := b.Event("jdk.ObjectAllocationSample", jfrtest.EventThread(), jfrtest.Of("weight", "long"))
	statistic := b.Event("jdk.ThreadAllocationStatistics", jfrtest.Const("thread", "java.lang.Thread"), jfrtest.Of("allocated", "long"))
	thread := func(n int) jfrtest.Constant {
		return cp.Add("java.lang.Thread", int64(n), "os", int64(n), "a", int64(n), 0, false)
	}
	busy := thread(100)
	for i := range int64(30) {
		b.Emit(sample, start+i*100*ms, busy, int64(usual))
	}
	type told struct{ at, allocated int64 }
	cases := []struct {
		name string
		at   int64 // of the sample, which weighs 9000
		told []told
		want int64
	}{
		{"before", 1500, []told{{500, 7000}}, 2000},
		{"the first one", 2500, []told{{500, 5000}, {900, 6000}, {2000, 7000}, {3000, 9500}}, 4000},
		{"all of it", 1500, []told{{500, 9000}}, 0},
		{"nothing", 1500, []told{{500, 0}}, 9000},
		{"after", 450, []told{{500, 9000}}, usual},
		{"more than the sample", 1500, []told{{500, 9001}}, usual},
		{"a later round", 2500, []told{{2000, 7000}}, usual},
		{"none", 1500, nil, usual},
	}
	for n, c := range cases {
		own := thread(n + 1)
		b.Emit(sample, start+c.at*ms, own, int64(9000))
		for _, one := range c.told {
			b.Emit(statistic, start+one.at*ms, own, one.allocated)
		}
	}
	rec := opentest.Bytes(t, b.Bytes())
	of, ok := weigh.WeightOf("jdk.ObjectAllocationSample", "alloc")
	require.True(t, ok)
	known, live := weigh.ReadWeights(t.Context(), rec, []weigh.Weight{of}), weigh.NewWeights()
	for _, ev := range inOrder(t, rec) {
		live.Add(ev)
		n := ev.Get(mmapjfr.Path("eventThread")).Thread().JavaThreadID()
		if n < 1 || int(n) > len(cases) {
			continue
		}
		c := cases[n-1]
		assert.Equal(t, c.want, known.Weigher(of, ev.Chunk(), ev.Type()).Event(ev), c.name)
		assert.Equal(t, c.want, live.Weigher(of, ev.Chunk(), ev.Type()).Event(ev), c.name+" in a stream")
	}
	assert.Equal(t, weigh.Heavy{Known: 3, Usual: 4}, known.Heavy([]weigh.Weight{of}))
}
