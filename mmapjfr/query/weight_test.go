package query_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestWeights compares what samples weigh with profiles, by method on top and by kind.
func TestWeights(t *testing.T) {
	recs := map[string]*mmapjfr.Recording{"of two samplers": twoSamplers(t)}
	for _, name := range []string{"jdk17-profile", "jdk25-profile", "jdk25-kinds", "jdk25-cputime", "jdk25-oldobjects", "concat-jdk17-jdk25"} {
		recs[name] = open(t, name)
	}
	for _, name := range []string{"async-profiler", "wall", "dd-trace-java", "nativemem"} {
		if rec := openShared(t, name); rec != nil {
			recs[name] = rec
		}
	}
	compared := make(map[string]int)
	for name, rec := range recs {
		for _, kind := range profile.Kinds() {
			p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{kind.Name}})
			require.NoError(t, err)
			from, method := sampled(p, rec, kind.Name), "stackTrace.topFrame.method.name"
			if len(from) == 0 {
				continue
			}
			if _, err := plannedOf([]*mmapjfr.Recording{rec}, "select stackTrace from "+from[0]); err != nil || kind.Name == "gc" {
				method = "null" // the stacks of gc are made of fields
			}
			if kind.Name == "trace" {
				method = "method.name" // its stack is that of the caller
			}
			want := byMethod(p, kind, method != "null")
			for _, statement := range []string{ // what is summed up, and what is decoded by row
				"select %s as method, sum(@weight.%s) from %s group by method",
				"select %s as method, @weight.%s from %s",
			} {
				statement = fmt.Sprintf(statement, method, kind.Name, strings.Join(from, ", "))
				got := make(map[string]int64)
				for row, err := range run(t, statement, rec).Result().Rows {
					require.NoError(t, err)
					if n := row[1].Int(); !row[1].IsNull() && n != 0 {
						got[row[0].String()] += n
					}
				}
				assert.Equal(t, want, got, "%s: %s", name, statement)
			}
			compared[kind.Name]++
		}
	}
	for _, kind := range []string{"cpu", "running", "wall", "native", "alloc", "live", "lock", "park", "io", "gc", "exceptions"} {
		assert.NotZero(t, compared[kind], kind)
	}
}

// sampled returns the event types of a recording whose events count in a profile.
func sampled(p *profile.Profile, rec *mmapjfr.Recording, kind string) (names []string) {
	notes := strings.Join(p.Notes(), "\n")
	for _, name := range profile.Events(kind) {
		if _, ok := rec.Type(name); ok && !strings.Contains(notes, name+" is left out") && name != "jdk.CPUTimeSamplesLost" {
			names = append(names, name)
		}
	}
	return names
}

// byMethod returns what samples weigh by the method on top, if methods matter.
func byMethod(p *profile.Profile, kind profile.Kind, methods bool) map[string]int64 {
	sums := make(map[string]int64)
	for s := range p.Samples() {
		method := query.Value{}.String()
		for _, f := range p.Stack(s.Stack) {
			if methods {
				method = f.Method.Name
			}
			break
		}
		if n := s.Values[kind.Main()]; n != 0 {
			sums[method] += n
		}
	}
	return sums
}

// openShared opens a recording of another producer, which are beside the project; nil if they are not there.
func openShared(t *testing.T, name string) *mmapjfr.Recording {
	f, err := os.Open("../../../shared/recordings/" + name + ".jfr.gz")
	if err != nil {
		return nil
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	return rec
}

// twoSamplers returns a recording as async-profiler writes it when it samples processor time and wall-clock
// time at once, with another interval in each of its two chunks, and some samples of Datadog's profiler.
func twoSamplers(t *testing.T) *mmapjfr.Recording {
	var data []byte
	for _, interval := range []string{"10000000", "4000000"} {
		b := jfrtest.NewChunk()
		text := func(name string) jfrtest.Field { return jfrtest.Of(name, jfrtest.StringClass) }
		setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), text("name"), text("value"))
		sample := b.Event("jdk.ExecutionSample", text("state"))
		for name, value := range map[string]string{"event": "cpu", "interval": interval, "wall": "50000000"} {
			b.Emit(setting, 1, int64(1), name, value)
		}
		for i, state := range []string{"STATE_DEFAULT", "STATE_SLEEPING", "STATE_RUNNABLE", "STATE_DEFAULT", "STATE_DEFAULT"} {
			b.Emit(sample, 1_000_000*(i+1), state)
		}
		data = append(data, b.Bytes()...)
	}
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	assert.Equal(t, []string{"10 | 200ms | 42ms"}, texts(t, run(t, "select sum(@weight), sum(@weight.wall), sum(@weight.cpu) from ExecutionSample", rec).Result()))
	return rec
}

// TestDatadogWeights weighs samples of Datadog's profiler, which say how many they stand for.
func TestDatadogWeights(t *testing.T) {
	b := jfrtest.NewChunk()
	weight := jfrtest.Of("weight", "float")
	setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	cpu, wall := b.Event("datadog.ExecutionSample", weight), b.Event("datadog.MethodSample", weight)
	object := b.Event("datadog.ObjectSample", weight, jfrtest.Of("size", "long"))
	b.Emit(setting, 1, cpu.ID, "interval", "9000000")
	b.Emit(setting, 1, wall.ID, "interval", "50000000")
	b.Emit(cpu, 2, float32(2))
	b.Emit(wall, 3, float32(3))
	b.Emit(object, 4, float32(2.5), int64(100))
	rec := opentest.Bytes(t, b.Bytes())
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	for kind, want := range map[string]int64{"cpu": 18e6, "wall": 150e6, "alloc": 250} {
		from := sampled(p, rec, kind)
		for _, statement := range []string{"select sum(@weight) from %s", "select @weight from %s"} {
			for row, err := range run(t, fmt.Sprintf(statement, from[0]), rec).Result().Rows {
				require.NoError(t, err)
				assert.Equal(t, want, row[0].Int(), "%s: %s", kind, statement)
			}
		}
		for s := range p.Samples() {
			if s.Kind.Name == kind {
				assert.Equal(t, want, s.Values[s.Kind.Main()], kind)
			}
		}
	}
}

// TestNoWeight asks for the weight of events that are no samples.
func TestNoWeight(t *testing.T) {
	rec := open(t, "jdk25-profile")
	for statement, want := range map[string]string{
		"select @weight from jdk.CPULoad":                           "query, line 1, character 8: jdk.CPULoad events are no samples",
		"select @weight.wall from jdk.FileRead":                     "query, line 1, character 8: jdk.FileRead events are no samples of the kind wall",
		"select @weight.bananas from ExecutionSample":               "query, line 1, character 8: there is no profile type bananas",
		"select sum(@weight) from FileRead, ObjectAllocationSample": "",
	} {
		_, err := plannedOf([]*mmapjfr.Recording{rec}, statement)
		assert.ErrorContains(t, err, want)
	}
	assert.Equal(t, []string{"0"}, texts(t, run(t, "select count(@weight) from CPULoad, ExecutionSample where @type = 'jdk.CPULoad'", rec).Result()))
}

// TestWeightsOfStream weighs the samples of a stream by the settings that came before.
func TestWeightsOfStream(t *testing.T) {
	s, err := stream.OpenFile("../../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.SetFollow(false))
	const statement = "select sum(@weight) from ExecutionSample"
	st, err := query.Parse(statement, query.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"ExecutionSample", "jdk.ActiveSetting"}, st.EventTypes())
	var sum time.Duration
	err = st.Follow(t.Context(), s, time.Nanosecond, query.Options{}, func(w query.Window) error {
		for row := range w.Result.Rows {
			sum += row[0].Timespan()
		}
		return nil
	})
	require.NoError(t, err)
	for row := range run(t, statement, open(t, "jdk25-profile")).Result().Rows {
		assert.Equal(t, row[0].Timespan(), sum)
	}
}

// TestErrorsCountOnce counts errors once, of a recording and of a stream, in which the first event of each class comes before the one
// that says that it is an error.
func TestErrorsCountOnce(t *testing.T) {
	rec := open(t, "jdk17-profile")
	sum := func(r *query.Result, column int) (n int64) {
		for row, err := range r.Rows {
			require.NoError(t, err)
			n += row[column].Int()
		}
		return n
	}
	for name, column := range map[string]int{"exceptions-by-class": 1, "exceptions-by-site": 1, "exceptions-over-time": 2} {
		v, ok := views.Find(name)
		require.True(t, ok)
		st, err := v.Statement(nil, query.Options{})
		require.NoError(t, err)
		assert.EqualValues(t, 15, sum(run(t, st.String(), rec).Result(), column), name)
	}
	s, err := stream.OpenFile("../../testdata/jdk17-profile.jfr")
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.SetFollow(false))
	st, err := query.Parse("select sum(@weight) from JavaExceptionThrow", query.Options{})
	require.NoError(t, err)
	n := int64(0)
	require.NoError(t, st.Follow(t.Context(), s, time.Nanosecond, query.Options{}, func(w query.Window) error {
		n += sum(w.Result, 0)
		return nil
	}))
	assert.EqualValues(t, 6+2, n)
}

// TestDivisibleStatements says of which statements ranges of a recording can be read by themselves.
func TestDivisibleStatements(t *testing.T) {
	for text, want := range map[string]bool{
		"select count(*), sum(duration), p99(duration), first(startTime), list(@thread) from jdk.* group by eventType.name": true,
		"select time(1s), rate() from CPULoad where machineTotal > 10% group by 1":                                          true,
		"select sum(@weight) from FileRead, ThreadPark":                                                                     true,
		"select sum(e.@weight) from profiler.Malloc as e":                                                                   true,
		"select max(gc), sum(weight) from my.Sample":                                                                        true,
		"select startTime from FileRead":                                                                                    false,
		"select sum(@weight) from *":                                                                                        false,
		"select sum(@weight.leak) from profiler.Malloc":                                                                     false,
		"select sum(weight) from ObjectAllocationSample":                                                                    false,
		"select avg(1 + a.weight) from jdk.Object* as a":                                                                    false,
		"select count(*) from ExecutionSample during ThreadPark as p":                                                       false,
		"select sum(duration) from ThreadPark within test.Request as r group by r.name":                                     false,
		"select count(*) from FileRead asof CPULoad as l group by l.machineTotal":                                           false,
		"select gcId, count(*) from GCPhasePause group by 1":                                                                false,
		"select h.gcId, count(*) from GCHeapSummary as h group by all":                                                      false,
		"select address, count(*) from ThreadPark group by address":                                                         false,
		"select address, count(*) from threadpark group by address":                                                         false,
		"select address, count(*) from my.Event group by address":                                                           true,
	} {
		st, err := query.Parse(text, query.Options{})
		require.NoError(t, err, text)
		assert.Equal(t, want, st.IsDivisible(), text)
	}
}

// TestRawWeights says what sums of raw weights have in them, where a sample weighs what was allocated before the recording.
func TestRawWeights(t *testing.T) {
	const heavy = "1 sample includes what its thread allocated before the recording"
	program := profiletest.Allocating{Old: 12_000, Long: 300, Chunks: 1, Threads: 1, Every: 5, Earlier: []int{0}}
	recorded := func() *mmapjfr.Recording {
		data, _, _ := program.Recording(rand.New(rand.NewPCG(1, 1)))
		rec := opentest.Bytes(t, data)
		return rec
	}
	rec := recorded()
	const raw, known = heavy + "; this table includes it, sum(@weight) and mjfr profile do not", heavy + "; it counts as an average sample"
	for statement, want := range map[string][]string{
		"select sum(weight) from ObjectAllocationSample":                           {raw},
		"select eventThread, 2 * avg(weight + 1) as x from * group by eventThread": {raw},
		"select sum(weight), sum(@weight) from ObjectAllocationSample":             {known},
		"select max(weight), count(*) from ObjectAllocationSample":                 nil,
		"select weight from ObjectAllocationSample":                                nil,
		"select count(*) from ActiveRecording":                                     nil,
	} {
		assert.Equal(t, want, run(t, statement, rec).Result().Notes, statement)
	}
	st, err := query.Parse("select sum(weight) from ObjectAllocationSample", query.Options{JDK: true})
	require.NoError(t, err)
	types, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	require.NoError(t, err)
	plan, err := st.Plan(types, query.Options{JDK: true})
	require.NoError(t, err)
	found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, []*query.Plan{plan}, query.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{raw}, found[0].Result().Notes, "a view of the JDK has its rows and the note")
	program.Threads, program.Every, program.Statistics = 2, 1, true
	assert.Equal(t, []string{"2 samples include what their threads allocated before the recording; that is left out, as jdk.ThreadAllocationStatistics says how much it is"},
		run(t, "select sum(@weight) from ObjectAllocationSample", recorded()).Result().Notes)
}
