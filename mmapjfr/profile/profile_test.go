package profile_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// recordings are recordings of testdata with samples of many kinds.
var recordings = []string{"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-kinds.jfr", "jdk25-cputime.jfr", "jdk25-oldobjects.jfr", "jdk25-virtual.jfr", "jdk17-chunks.jfr", "concat-jdk17-jdk25.jfr"}

var open = opentest.File

// read returns the profile of recordings of testdata.
func read(t *testing.T, o profile.Options, names ...string) *profile.Profile {
	t.Helper()
	var recs []*mmapjfr.Recording
	for _, name := range names {
		recs = append(recs, open(t, name))
	}
	p, err := profile.Read(t.Context(), recs, o)
	require.NoError(t, err)
	return p
}

// sums returns all that a profile has but times, as text: the sums of each kind by stack and labels.
func sums(p *profile.Profile) map[string][]int64 {
	all := make(map[string][]int64)
	for s := range p.Samples() {
		key := fmt.Sprintf("%s %+v", s.Kind.Name, p.Labels(s.Labels))
		for _, f := range p.Stack(s.Stack) {
			key += fmt.Sprintf(" %v:%d:%v", f.Method, f.Line, f.Kind)
		}
		if all[key] == nil {
			all[key] = make([]int64, len(s.Values))
		}
		for i, n := range s.Values {
			all[key][i] += n
		}
	}
	return all
}

func doubled(p *profile.Profile) map[string][]int64 {
	all := sums(p)
	for _, values := range all {
		for i := range values {
			values[i] *= 2
		}
	}
	return all
}

// TestWorkers reads with different numbers of workers. The profiles are the same to the byte.
func TestWorkers(t *testing.T) {
	for _, name := range recordings {
		var want []byte
		for _, workers := range []int{1, 3, 2, 8}[:longtest.Cases(2, 4)] {
			p, err := profile.Read(t.Context(), []*mmapjfr.Recording{open(t, name, mmapjfr.Workers(workers))}, profile.Options{})
			require.NoError(t, err)
			if data := bytesOf(t, p); want == nil {
				want = data
			} else {
				require.Equal(t, want, data, "%s with %d workers", name, workers)
			}
		}
	}
}

// TestMerge merges the profiles of recordings in several orders.
func TestMerge(t *testing.T) {
	want := read(t, profile.Options{}, recordings...)
	for range longtest.Cases(1, 3) {
		slices.Reverse(recordings)
		p := profile.New()
		for _, i := range []int{3, 0, 5, 1, 2, 7, 4, 6} {
			p.Merge(read(t, profile.Options{}, recordings[i]))
		}
		require.Equal(t, bytesOf(t, want), bytesOf(t, p))
	}
}

// TestParts reads the time of a recording in pieces. Merged they are the whole.
func TestParts(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	recs := []*mmapjfr.Recording{rec}
	whole, err := profile.Read(t.Context(), recs, profile.Options{Kinds: []string{"cpu", "alloc", "lock"}})
	require.NoError(t, err)
	p := profile.New()
	const pieces = 7
	step := rec.Duration()/pieces + 1
	for i := range pieces {
		from := rec.Start().Add(time.Duration(i) * step)
		piece, err := profile.Read(t.Context(), recs, profile.Options{
			Kinds: []string{"cpu", "alloc", "lock"}, Filters: []mmapjfr.Filter{mmapjfr.Between(from, from.Add(step))},
		})
		require.NoError(t, err)
		p.Merge(piece)
	}
	assert.Equal(t, sums(whole), sums(p))
}

// naive is a kind as somebody would count it who reads events one by one.
var naive = map[string]struct {
	events []string
	values []func(mmapjfr.Event) int64
}{
	"alloc": {[]string{"jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"}, []func(mmapjfr.Event) int64{count, func(ev mmapjfr.Event) int64 {
		return ev.Int(mmapjfr.Path("tlabSize")) + outside(ev)*ev.Int(mmapjfr.Path("allocationSize"))
	}}},
	"lock": {[]string{"jdk.JavaMonitorEnter"}, []func(mmapjfr.Event) int64{count, nanos}},
	"park": {[]string{"jdk.ThreadPark"}, []func(mmapjfr.Event) int64{count, nanos}},
	"io": {[]string{"jdk.FileRead", "jdk.FileWrite", "jdk.SocketRead", "jdk.SocketWrite", "jdk.FileForce"}, []func(mmapjfr.Event) int64{count, func(ev mmapjfr.Event) int64 {
		return ev.Int(mmapjfr.Path("bytesRead")) + ev.Int(mmapjfr.Path("bytesWritten"))
	}, nanos}},
	"gc":     {[]string{"jdk.GarbageCollection"}, []func(mmapjfr.Event) int64{count, func(ev mmapjfr.Event) int64 { return int64(ev.Timespan(mmapjfr.Path("sumOfPauses"))) }}},
	"native": {[]string{"jdk.NativeMethodSample"}, []func(mmapjfr.Event) int64{count}},
	"cpu":    {[]string{"jdk.CPUTimeSample"}, []func(mmapjfr.Event) int64{count, func(ev mmapjfr.Event) int64 { return int64(ev.Timespan(mmapjfr.Path("samplingPeriod"))) }}},
	"live":   {[]string{"jdk.OldObjectSample"}, []func(mmapjfr.Event) int64{count, func(ev mmapjfr.Event) int64 { return ev.Int(mmapjfr.Path("objectSize")) }}},
}

func count(mmapjfr.Event) int64    { return 1 }
func nanos(ev mmapjfr.Event) int64 { return int64(ev.Duration()) }

func outside(ev mmapjfr.Event) int64 {
	if ev.Type().SimpleName() == "ObjectAllocationOutsideTLAB" {
		return 1
	}
	return 0
}

// TestNaive compares the sums by innermost method with those of a reader that takes one event
// after the other.
func TestNaive(t *testing.T) {
	compared := 0
	for _, name := range recordings {
		rec := open(t, name)
		for kind, n := range naive {
			want := make(map[string][]int64)
			for ev, err := range rec.Select(mmapjfr.Types(n.events...)).Events() {
				require.NoError(t, err)
				method := "gc"
				if kind != "gc" {
					method = ev.StackTrace().Frame(0).Method().Name()
				}
				if want[method] == nil {
					want[method] = make([]int64, len(n.values))
				}
				for i, f := range n.values {
					want[method][i] += f(ev)
				}
			}
			if len(want) == 0 {
				continue
			}
			compared++
			p := read(t, profile.Options{Kinds: []string{kind}}, name)
			got := make(map[string][]int64)
			for s := range p.Samples() {
				method := ""
				for _, f := range p.Stack(s.Stack) {
					method = f.Method.Name
					break
				}
				if kind == "gc" {
					method = kind
				}
				if got[method] == nil {
					got[method] = make([]int64, len(n.values))
				}
				for i := range n.values {
					got[method][i] += s.Values[i]
				}
			}
			assert.Equal(t, want, got, "%s of %s", kind, name)
		}
	}
	assert.Greater(t, compared, 15)
}

// TestTimes keeps the samples of lengths of time apart. They are where a reader finds them that takes
// one event after the other, and add up to the profile without times.
func TestTimes(t *testing.T) {
	for i, name := range recordings {
		without := sums(read(t, profile.Options{}, name))
		for j, length := range []time.Duration{1, 20 * time.Millisecond, time.Hour} {
			if !longtest.Every(i+j, 3) {
				continue
			}
			want := make(map[int64]int64)
			for ev, err := range open(t, name).Select(mmapjfr.Types(naive["park"].events...)).Events() {
				require.NoError(t, err)
				want[ev.StartNanos()/int64(length)*int64(length)] += nanos(ev)
			}
			p := read(t, profile.Options{Times: length}, name)
			got := make(map[int64]int64)
			for s := range p.Samples() {
				if s.Kind.Name == "park" {
					got[s.Time] += s.Values[1]
				}
			}
			assert.Equal(t, want, got, "%s by %v", name, length)
			assert.Equal(t, without, sums(p), "%s by %v", name, length)
			assert.True(t, profiles.HasTimes(p))

			two, err := profile.Read(t.Context(), []*mmapjfr.Recording{open(t, name, mmapjfr.Workers(3))}, profile.Options{Times: length})
			require.NoError(t, err)
			require.Equal(t, bytesOf(t, p), bytesOf(t, two), "%s by %v", name, length)
			q := profile.New()
			require.NoError(t, q.UnmarshalBinary(bytesOf(t, p)))
			require.Equal(t, bytesOf(t, p), bytesOf(t, q))
			q.Merge(two)
			require.Equal(t, doubled(p), sums(q))
			require.Equal(t, profiles.Stacks(p), profiles.Stacks(q))
		}
	}
}

// TestPeriods takes the time of a sample from the settings.
func TestPeriods(t *testing.T) {
	for name, want := range map[string]int64{"jdk17-profile.jfr": 10e6, "jdk25-profile.jfr": 10e6} {
		for s := range read(t, profile.Options{Kinds: []string{"cpu"}}, name).Samples() {
			require.Equal(t, want, s.Values[1]/s.Values[0], name)
		}
	}
}

// TestBetterSource counts the allocations of a chunk once, although two events tell of them.
func TestBetterSource(t *testing.T) {
	p := read(t, profile.Options{}, "jdk25-profile.jfr")
	assert.True(t, slices.ContainsFunc(p.Notes(), func(s string) bool {
		return strings.HasPrefix(s, "alloc: jdk.ObjectAllocationSample is left out")
	}), p.Notes())
}

// TestErrorsCountOnce reads the three events of each error. Where the JVM recorded none of errors alone, as in the second chunk here,
// nothing says which exceptions are errors.
func TestErrorsCountOnce(t *testing.T) {
	var data []byte
	for chunk := range 2 {
		b := jfrtest.NewChunk()
		class := jfrtest.Of("thrownClass", jfrtest.StringClass)
		thrown, failed := b.Event("jdk.JavaExceptionThrow", class), b.Event("jdk.JavaErrorThrow", class)
		for i := range 10 {
			b.Emit(thrown, i, "MyError")
			if chunk == 0 {
				b.Emit(failed, i, "MyError")
			}
			if i%2 == 0 { // the JVM leaves out some
				b.Emit(thrown, i, "MyError")
				b.Emit(thrown, i, "MyException")
			}
		}
		data = append(data, b.Bytes()...)
	}
	made := opentest.Bytes(t, data)
	real := opentest.File(t, "../../testdata/jdk17-profile.jfr")
	for rec, want := range map[*mmapjfr.Recording]map[string]int64{
		made: {"MyError": 10 + 15, "MyException": 10},
		real: {
			"java.lang.StackOverflowError": 1, "java.lang.NoSuchMethodError": 8,
			"java.net.SocketTimeoutException": 1, "java.lang.IllegalStateException": 5,
		},
	} {
		for _, o := range []profile.Options{{}, {Kinds: []string{"exceptions"}}} {
			p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, o)
			require.NoError(t, err)
			got := make(map[string]int64)
			for s := range p.Samples() {
				if s.Kind.Name == "exceptions" {
					got[p.Labels(s.Labels).Class] += s.Values[0]
				}
			}
			assert.Equal(t, want, got)
			assert.NotContains(t, strings.Join(p.Notes(), "\n"), "exceptions: ")
		}
	}
}

// TestCalledMethods has the methods that were called from stacks at the end of these.
func TestCalledMethods(t *testing.T) {
	rec := opentest.Bytes(t, jfrtest.Shapely().Bytes())
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"trace"}})
	require.NoError(t, err)
	calls := make(map[string]int64)
	for s := range p.Samples() {
		var names []string
		for _, f := range p.Stack(s.Stack) {
			names = append(names, f.Method.Name)
		}
		calls[strings.Join(names, " ")] += s.Values[0]
	}
	assert.Equal(t, map[string]int64{"run": 2, "work work run": 2, "run wait0 work run": 1, "work run [truncated]": 1}, calls)
}

// TestLeftOver counts the samples of the better source only if they are more than a few that are left
// over from another time.
func TestLeftOver(t *testing.T) {
	const ms = int64(time.Millisecond)
	const note = "cpu: jdk.CPUTimeSample is left out of chunks that have hardly any; jdk.ExecutionSample measures the same there"
	for name, c := range map[string]struct {
		every, until, lost int64 // of CPUTimeSample, in ms
		want               int64
		notes              []string
	}{
		"one lost":          {4, 6000, 1, 6000 * ms, []string{"cpu: 1 sample is missing, as jdk.CPUTimeSamplesLost says"}},
		"left over":         {10, 20, 1, 6000 * ms, []string{note}},
		"lost":              {10, 20, 200, 8 * ms, []string{"cpu: 200 samples are missing, as jdk.CPUTimeSamplesLost says"}},
		"a busy machine":    {60, 6000, 0, 400 * ms, nil},
		"a part of a chunk": {4, 1000, 0, 1000 * ms, nil},
	} {
		b := jfrtest.NewChunk()
		exact := b.Event("jdk.CPUTimeSample", jfrtest.Of("samplingPeriod", "long"))
		lost := b.Event("jdk.CPUTimeSamplesLost", jfrtest.Of("lostSamples", "int"))
		rough := b.Event("jdk.ExecutionSample")
		setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
		b.Emit(setting, 1, rough.ID, "interval", "10000000") // of async-profiler
		for at := int64(0); at < 6000; at += 10 {
			b.Emit(rough, at*ms)
		}
		for at := int64(0); at < c.until; at += c.every {
			b.Emit(exact, at*ms, 4*ms)
		}
		b.Emit(lost, 6000*ms, c.lost)
		rec, err := mmapjfr.OpenBytes(b.Bytes())
		require.NoError(t, err)
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"cpu"}})
		require.NoError(t, err)
		got := int64(0)
		for s := range p.Samples() {
			got += s.Values[1]
		}
		assert.Equal(t, c.want, got, name)
		for _, note := range c.notes {
			assert.Contains(t, p.Notes(), note)
		}
		assert.Equal(t, c.lost > 0 && name != "left over", len(p.Warnings()) > 0, p.Warnings())
	}
}

// TestEventKind makes a profile of any event.
func TestEventKind(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Events: []profile.EventKind{{"jdk.JavaMonitorWait", "duration"}}})
	require.NoError(t, err)
	require.Equal(t, profile.Nanoseconds, p.Kinds()[0].Values[1].Unit)
	events, total := int64(0), int64(0)
	for ev := range rec.Select(mmapjfr.Types("jdk.JavaMonitorWait")).Events() {
		events, total = events+1, total+int64(ev.Duration())
	}
	for s := range p.Samples() {
		events, total = events-s.Values[0], total-s.Values[1]
	}
	assert.Zero(t, events)
	assert.Zero(t, total)
	_, err = profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Events: []profile.EventKind{{"jdk.JavaMonitorWait", "length"}}})
	require.ErrorIs(t, err, mmapjfr.ErrNoField)
	_, err = profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"cpus"}})
	require.ErrorIs(t, err, profile.ErrKind)
}

// TestLostSamples counts samples that could not be recorded.
func TestLostSamples(t *testing.T) {
	p := read(t, profile.Options{Kinds: []string{"cpu"}}, "jdk25-cputime.jfr")
	assert.Contains(t, p.Notes(), "cpu: 2 samples are missing, as jdk.CPUTimeSamplesLost says")
	p.Merge(p.Choose(profile.Choice{}))
	assert.Contains(t, p.Notes(), "cpu: 4 samples are missing, as jdk.CPUTimeSamplesLost says")
	p.Merge(read(t, profile.Options{Kinds: []string{"alloc"}}, "jdk25-profile.jfr")) // whose notes are no warnings
	assert.Equal(t, []string{"cpu: 4 samples are missing, as jdk.CPUTimeSamplesLost says"}, p.Warnings())
}

// TestReadCancelled ends with the cause.
func TestReadCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := fmt.Errorf("enough")
	cancel(cause)
	_, err := profile.Read(ctx, []*mmapjfr.Recording{open(t, "jdk25-profile.jfr")}, profile.Options{})
	require.ErrorIs(t, err, cause)
}

// TestKindsAreOfTheRecording lists the kinds in their order.
func TestKindsAreOfTheRecording(t *testing.T) {
	var names []string
	for _, k := range read(t, profile.Options{}, "jdk25-profile.jfr").Kinds() {
		names = append(names, k.Name)
	}
	assert.Equal(t, []string{"running", "native", "alloc", "live", "lock", "park", "exceptions", "io", "gc"}, names)
	assert.Len(t, slices.Collect(maps.Keys(naive)), 8)
}

// TestPaths adds up what was read and written by file and by address.
func TestPaths(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	want := make(map[string]int64)
	for ev := range rec.Select(mmapjfr.Types(profile.Events("io")...)).Events() {
		place := ev.Str(mmapjfr.Path("path"))
		if place == "" {
			place = fmt.Sprintf("%s:%d", ev.Str(mmapjfr.Path("host")), ev.Int(mmapjfr.Path("port")))
		}
		want[place]++
	}
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"io"}, Paths: true})
	require.NoError(t, err)
	got := make(map[string]int64)
	for _, row := range p.Top(profile.Column{Kind: &p.Kinds()[0]}, profile.ByPath, profile.Names{}) {
		got[row.Name] = row.Self
	}
	assert.Equal(t, want, got)
	assert.Greater(t, len(got), 3)
	without := read(t, profile.Options{Kinds: []string{"io"}}, "jdk25-profile.jfr")
	for s := range without.Samples() {
		require.Empty(t, without.Labels(s.Labels).Class, "unless asked for")
	}
}

// TestNoThreadName makes one row of virtual threads, which mostly have no name.
func TestNoThreadName(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	for id := range int64(3) {
		for _, name := range []string{"", "main"} {
			p.Add(k.Name, 0, p.AddLabels(profile.Labels{Thread: name, ThreadID: id}), 1, 10)
		}
	}
	assert.Equal(t, []profile.TopRow{{"main", 30, 30}, {"(threads without a name)", 20, 20}, {"(none)", 10, 10}},
		p.Top(profile.Column{Kind: &k, Value: 1}, profile.ByThread, profile.Names{}))
}

// TestAddresses names a host by its address where it has no name.
func TestAddresses(t *testing.T) {
	b := jfrtest.NewChunk()
	read := b.Event("jdk.SocketRead", jfrtest.Of("host", jfrtest.StringClass), jfrtest.Of("address", jfrtest.StringClass), jfrtest.Of("port", "int"))
	b.Emit(read, 1, "db", "10.0.0.1", 5432)
	b.Emit(read, 2, "", "10.0.0.1", 80)
	b.Emit(read, 3, "", "::1", 80)
	b.Emit(read, 4, "", "", 0)
	rec, err := mmapjfr.OpenBytes(b.Bytes())
	require.NoError(t, err)
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Paths: true})
	require.NoError(t, err)
	var names []string
	for _, row := range p.Top(profile.Column{Kind: &p.Kinds()[0]}, profile.ByObject, profile.Names{}) {
		names = append(names, row.Name)
	}
	assert.Equal(t, []string{"(none)", "10.0.0.1:80", "[::1]:80", "db:5432"}, names)
}

// TestTimeIsGuaranteed tells samples that stand for a time from those that the JVM takes of a few threads at a time, and from
// those that async-profiler takes of something else.
func TestTimeIsGuaranteed(t *testing.T) {
	for name, c := range map[string]struct {
		settings []string // by name
		want     map[string][]int64
	}{
		"of the JVM":        {[]string{"period", "20 ms"}, map[string][]int64{"running": {8}}},
		"without settings":  {nil, map[string][]int64{"running": {8}}},
		"of async-profiler": {[]string{"interval", "5000000", "event", "cpu"}, map[string][]int64{"cpu": {8, 40_000_000}}},
		"its usual one":     {[]string{"interval", "0", "event", "itimer"}, map[string][]int64{"cpu": {8, 80_000_000}}},
		"an old version":    {[]string{"interval", "5000000"}, map[string][]int64{"cpu": {8, 40_000_000}}},
		"cache misses":      {[]string{"interval", "1000", "event", "cache-misses"}, map[string][]int64{"running": {8}}},
		"calls of a method": {[]string{"event", "com.acme.Request.run"}, map[string][]int64{"running": {8}}},
		"beside the JVM":    {[]string{"period", "20 ms", "interval", "5000000", "event", "cpu"}, map[string][]int64{"cpu": {8, 40_000_000}}},
	} {
		b := jfrtest.NewChunk()
		sample := b.Event("jdk.ExecutionSample", jfrtest.Of("state", jfrtest.StringClass))
		setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
		for i := 0; i < len(c.settings); i += 2 {
			b.Emit(setting, 1, sample.ID, c.settings[i], c.settings[i+1])
		}
		for at := range int64(8) {
			b.Emit(sample, 1_000_000*at, "STATE_RUNNABLE")
		}
		rec, err := mmapjfr.OpenBytes(b.Bytes())
		require.NoError(t, err)
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
		require.NoError(t, err)
		got := make(map[string][]int64)
		for s := range p.Samples() {
			got[s.Kind.Name] = slices.Clone(s.Values)
		}
		assert.Equal(t, c.want, got, name)
		assert.Empty(t, p.Warnings(), name)
		p, err = profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Grafana: true})
		require.NoError(t, err)
		assert.Equal(t, c.want["running"] != nil, slices.ContainsFunc(p.Warnings(), func(note string) bool {
			return strings.Contains(note, "estimate")
		}), name)
	}
}

// TestHardlyRecorded puts samples of running threads before those of processor time of which there are hardly any.
func TestHardlyRecorded(t *testing.T) {
	for n, want := range map[int64]string{1: "running", 50: "cpu"} {
		p := profile.New()
		for _, k := range profile.Kinds()[:2] {
			p.AddKind(k)
		}
		p.Add("cpu", 0, p.AddLabels(profile.Labels{}), n, 10*n)
		p.Add("running", 0, p.AddLabels(profile.Labels{}), 100)
		assert.Equal(t, want, p.Kinds()[0].Name)
	}
}

// TestUnknownSizes counts objects whose sizes the JVM does not record.
func TestUnknownSizes(t *testing.T) {
	for name, want := range map[string]int{"jdk17-profile.jfr": 0, "jdk25-profile.jfr": 1} {
		p := read(t, profile.Options{Kinds: []string{"live"}}, name)
		k := p.Kinds()[0]
		assert.Equal(t, want, p.Main(&k), name)
		assert.Equal(t, want == 0, slices.Contains(p.Notes(), "live: no sizes were recorded, so that objects are counted"), name)
	}
}

// TestRecorded has the kinds of the samples of recordings, without those that other settings would make of the same events.
func TestRecorded(t *testing.T) {
	for _, name := range []string{"jdk25-profile.jfr", "jdk25-cputime.jfr", "jdk17-profile.jfr"} {
		rec := open(t, name)
		has := make(map[string]bool)
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			has[ev.Type().Name()] = true
		}
		got, want := weigh.Recorded(t.Context(), []*mmapjfr.Recording{rec}, func(event string) bool { return has[event] }), read(t, profile.Options{}, name).Kinds()
		require.True(t, slices.EqualFunc(got, want, func(a weigh.Kind, b profile.Kind) bool { return a.Name == b.Name && a.Name != "wall" }), name)
	}
}
