package query

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/guardpage"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func testRecording(t testing.TB, name string, opts ...mmapjfr.Option) *mmapjfr.Recording {
	rec, err := mmapjfr.Open(filepath.Join("..", "..", "testdata", name+".jfr"), opts...)
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	return rec
}

func testPlan(t testing.TB, statement string, recs ...*mmapjfr.Recording) *Plan {
	types, err := mmapjfr.EventTypes(recs)
	require.NoError(t, err)
	st, err := Parse(statement, Options{})
	require.NoError(t, err, statement)
	p, err := st.Plan(types, Options{})
	require.NoError(t, err, statement)
	return p
}

func testRows(t testing.TB, r *Result) (rows []string) {
	for row, err := range r.Rows {
		require.NoError(t, err)
		rows = append(rows, fmt.Sprint(row))
	}
	return rows
}

// everything uses every aggregate.
const everything = `SELECT eventThread, count(*), count(duration), sum(duration), avg(duration), stdev(duration), min(duration), max(eventThread), median(duration), p99(duration),
	histogram(duration), first(duration), last(duration), diff(startTime), last_batch(startTime), unique(eventThread), set(eventThread), list(duration), top_k(duration, 3),
	arg_max(eventThread, duration), arg_min(startTime, duration), rate(*), rate(duration), sum(seconds(duration)), stdev(seconds(duration)), stackTrace.topFrame
	FROM jdk.Thread*, JavaMonitorEnter, gen.* GROUP BY eventThread`

// limited sets a limit for a test.
func limited(t *testing.T, limit *int, n int) {
	before := *limit
	*limit = n
	t.Cleanup(func() { *limit = before })
}

// TestAddedAndWorkers compares events that are added one by one with those that are read by several workers.
func TestAddedAndWorkers(t *testing.T) {
	for _, statement := range []string{everything, "SELECT startTime, duration, eventThread FROM jdk.Thread* ORDER BY duration DESC, eventThread LIMIT 7"} {
		var want []string
		for _, workers := range []int{1, 2, 3, 8} {
			rec := testRecording(t, "jdk25-chunks", mmapjfr.Workers(workers))
			p := testPlan(t, statement, rec)
			found, err := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{})
			require.NoError(t, err)
			rows := testRows(t, found[0].Result())
			if want == nil {
				want = rows
				added := p.NewPartial()
				for ev, err := range rec.Events() {
					require.NoError(t, err)
					added.Add(ev)
				}
				added.SetSpan(rec.Start(), rec.End())
				assert.Equal(t, want, testRows(t, added.Result()), "events one by one")
				assert.Equal(t, want, testRows(t, added.Result()), "a second time")
			}
			assert.Equal(t, want, rows, "%d workers", workers)
		}
	}
}

// TestDamagedPartials checks that bytes which are damaged are an error or another result, and never a panic.
func TestDamagedPartials(t *testing.T) {
	rec := testRecording(t, "jdk25-chunks")
	p := testPlan(t, everything, rec)
	found, err := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{})
	require.NoError(t, err)
	data, err := found[0].MarshalBinary()
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(18, 4))
	for range 400 {
		bad := slices.Clone(data)
		for range 1 + random.IntN(3) {
			bad[random.IntN(len(bad))] = byte(random.IntN(256))
		}
		use(p, bad[:len(bad)-random.IntN(2)*random.IntN(len(bad))])
	}
}

// use reads a partial result and does with it all that can be done.
func use(p *Plan, data []byte) {
	r, err := p.Unmarshal(data)
	if err != nil {
		return
	}
	sum := p.NewPartial()
	sum.Merge(r)
	for range sum.Result().Rows {
	}
}

// TestDeepBytes reads lists in lists, which must not need more stack than there is.
func TestDeepBytes(t *testing.T) {
	rec := testRecording(t, "jdk25-chunks")
	p := testPlan(t, "select list(eventThread) from jdk.ThreadStart", rec)
	data, err := p.NewPartial().MarshalBinary()
	require.NoError(t, err)
	c := &coder{b: []byte(partialMagic)}
	text := p.signature()
	c.string(&text)
	deep := append(slices.Clone(c.b), 0, 0, 0, 1)
	for range 1 << 20 {
		deep = append(deep, byte(List), 0, 0, 0, 0, 1)
	}
	_, err = p.Unmarshal(deep)
	assert.ErrorIs(t, err, ErrPartial)
	_, err = p.Unmarshal(data)
	assert.NoError(t, err)
}

func FuzzUnmarshal(f *testing.F) {
	rec := testRecording(f, "jdk25-chunks")
	p := testPlan(f, everything, rec)
	found, err := Read(f.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{})
	require.NoError(f, err)
	data, err := found[0].MarshalBinary()
	require.NoError(f, err)
	f.Add(data[len(partialMagic):])
	f.Fuzz(func(_ *testing.T, data []byte) { use(p, append([]byte(partialMagic), data...)) })
}

// TestTooMuch checks that statements which would keep too much end with an error that says what to do.
func TestTooMuch(t *testing.T) {
	rec := testRecording(t, "jdk25-profile")
	limited(t, &maxKept, 20_000)
	limited(t, &maxRows, 50)
	limited(t, &maxJoined, 5)
	for _, statement := range []string{
		"select startTime, count(*) from jdk.* group by startTime",
		"select stackTrace, count(*) from jdk.* group by stackTrace",
		"select list(startTime) from jdk.*", "select set(startTime) from jdk.*", "select unique(startTime) from jdk.*", "select p99(startTime) from jdk.*",
		"select startTime from jdk.* order by startTime", "select startTime from jdk.* order by startTime limit 9223372036854775807",
		"select count(*) from jdk.* asof jdk.ExecutionSample",
	} {
		p := testPlan(t, statement, rec)
		_, err := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{OnError: func(*mmapjfr.Recording, error) { t.Error("not of the recording") }})
		if len(p.joins) == 0 && !p.grouped {
			assert.NoError(t, err, "rows can be read again")
		} else {
			assert.ErrorIs(t, err, ErrTooMuch, statement)
		}
		if len(p.joins) == 0 {
			r := p.NewPartial()
			for ev := range rec.Events() {
				r.Add(ev)
			}
			assert.ErrorIs(t, r.Err(), ErrTooMuch, statement)
		}
	}
	p := testPlan(t, "select count(*) from jdk.ThreadStart during jdk.ClassLoad", rec)
	r := p.NewPartial()
	for ev := range rec.Events() {
		r.Add(ev)
	}
	assert.ErrorContains(t, r.Err(), "need recordings")
}

// TestSlices reads rows in slices of different sizes, and compares them with those that are kept at once.
func TestSlices(t *testing.T) {
	limited(t, &pruneAt, 1)
	for _, statement := range []string{
		"SELECT * FROM jdk.Thread* ORDER BY startTime", "SELECT startTime, @type FROM * ORDER BY startTime", // types without a time, too
		"SELECT eventThread, duration, startTime FROM jdk.* ORDER BY startTime DESC", "SELECT startTime FROM jdk.* WHERE duration > 1us ORDER BY startTime LIMIT 777",
		"SELECT duration, eventThread FROM jdk.* WHERE duration > 0 ORDER BY duration DESC, eventThread.javaName, startTime",
		"SELECT name, value FROM jdk.BooleanFlag ORDER BY name DESC", "SELECT E.stackTrace.topFrame, E.startTime FROM jdk.ExecutionSample AS E ORDER BY E.stackTrace.topFrame",
		"SELECT G.gcId, T.startTime, T.eventThread FROM jdk.Thread* AS T ASOF jdk.GarbageCollection AS G ORDER BY T.startTime",
	} {
		for _, name := range []string{"jdk17-flushed", "concat-jdk17-jdk25"} {
			for _, asJDK := range []bool{false, true} {
				var want, wantAll []string
				for _, parts := range []int{0, 2, 9} {
					for _, workers := range []int{3, 1}[:longtest.Cases(1, 2)] {
						if limited(t, &maxSlice, 1<<20); parts > 0 {
							limited(t, &maxSlice, 1+len(want)/parts)
						}
						rec := testRecording(t, name, mmapjfr.Workers(workers))
						p := testPlan(t, statement, rec)
						p.o.JDK = asJDK
						found, err := Read(t.Context(), []*mmapjfr.Recording{rec, rec}, []*Plan{p}, ReadOptions{})
						require.NoError(t, err, statement)
						result := found[0].Result()
						got, all := testRows(t, result), []string(nil)
						if result.All != nil {
							all = testRows(t, &Result{Rows: result.All, Columns: result.Columns})
							slices.Sort(all)
						}
						if want == nil {
							want, wantAll = got, all
							if isLimited := p.st.limit >= 0; isLimited && asJDK {
								require.Len(t, got, min(p.st.limit, len(all)))
							} else {
								require.Equal(t, isLimited, result.All == nil)
								require.True(t, isLimited || len(got) == len(all))
							}
						}
						require.Equal(t, want, got, "%s of %s in slices of %d, %d workers", statement, name, maxSlice, workers)
						require.Equal(t, wantAll, all)
					}
				}
			}
		}
	}
}

func TestLimitOfAll(t *testing.T) {
	rec := testRecording(t, "jdk25-profile")
	p := testPlan(t, "select startTime from jdk.* order by startTime limit 9223372036854775807", rec)
	found, err := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{})
	require.NoError(t, err)
	assert.NotEmpty(t, testRows(t, found[0].Result()))
}

// TestJoins compares joins with a search through all events.
func TestJoins(t *testing.T) {
	rec := testRecording(t, "jdk25-profile")
	var all []mmapjfr.Event
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		all = append(all, ev.Detached())
	}
	for _, join := range []string{"during jdk.GCPhasePause", "during jdk.ClassLoad", "within jdk.ClassLoad", "asof jdk.CPULoad", "asof jdk.ClassLoad"} {
		for _, of := range []string{"jdk.ClassLoad", "jdk.GCPhasePauseLevel1", "jdk.ThreadPark", "jdk.GCPhasePause"} {
			p := testPlan(t, "select startTime, g.startTime from "+of+" "+join+" as g order by startTime, 2", rec)
			found, err := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{})
			require.NoError(t, err)
			mode, by, _ := strings.Cut(join, " ")
			var want, got []string
			for _, ev := range all {
				if ev.Type().Name() == of {
					want = append(want, naiveJoin(all, ev, mode, by)...)
				}
			}
			for row, err := range found[0].Result().Rows {
				require.NoError(t, err)
				got = append(got, row[0].String()+" "+row[1].String())
			}
			slices.Sort(want)
			slices.Sort(got)
			assert.Equal(t, want, got, "%s %s", of, join)
		}
	}
}

func naiveJoin(all []mmapjfr.Event, ev mmapjfr.Event, mode, by string) []string {
	var best mmapjfr.Event
	for _, o := range all {
		fits := o.Type().Name() == by && o.Offset() != ev.Offset()
		switch mode {
		case "during":
			fits = fits && o.StartNanos() <= engine.EventEndNanos(ev) && engine.EventEndNanos(o) >= ev.StartNanos()
		case "within":
			fits = fits && o.StartNanos() <= ev.StartNanos() && engine.EventEndNanos(o) >= engine.EventEndNanos(ev) && !ev.Thread().IsZero() && o.Thread().Key() == ev.Thread().Key()
		case "asof":
			fits = fits && o.StartNanos() <= ev.StartNanos()
		}
		if fits && (best.IsZero() || o.StartNanos() > best.StartNanos() || o.StartNanos() == best.StartNanos() && o.Offset() > best.Offset()) {
			best = o
		}
	}
	at := func(e mmapjfr.Event) string { return Value{kind: Timestamp, num: uint64(e.StartNanos())}.String() }
	switch {
	case !best.IsZero():
		return []string{at(ev) + " " + at(best)}
	case mode == "asof":
		return []string{at(ev) + " "}
	}
	return nil
}

// TestEndTree compares the search for ends with a loop.
func TestEndTree(t *testing.T) {
	random := rand.New(rand.NewPCG(18, 5))
	for n := range 40 {
		events := make([]joinedEvent, n)
		for i := range events {
			events[i].end = random.Int64N(20)
		}
		tree := newEndTree(events)
		for i := -1; i < n; i++ {
			for ended := range int64(21) {
				want := i
				for want >= 0 && events[want].end < ended {
					want--
				}
				require.Equal(t, want, tree.last(i, ended))
			}
		}
	}
}

// TestExactSums compares sums and squares with those of package big.
func TestExactSums(t *testing.T) {
	random := rand.New(rand.NewPCG(18, 6))
	for range 50 {
		var parts [3]exactSum
		want := new(big.Float).SetPrec(4000)
		for range 200 {
			f := math.Float64frombits(random.Uint64())
			if math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			parts[random.IntN(3)].add(f)
			want.Add(want, big.NewFloat(f))
			n := random.Uint64() >> random.IntN(64)
			parts[random.IntN(3)].addIntSquare(n)
			square := new(big.Int).SetUint64(n)
			want.Add(want, new(big.Float).SetInt(square.Mul(square, square)))
		}
		parts[0].merge(&parts[1])
		parts[0].merge(&parts[2])
		assert.Zero(t, want.Cmp(parts[0].big()))
	}
	s := sumState{a: &aggregate{kind: deviation}}
	s.grow(1)
	for _, n := range []int64{1 << 60, 1<<60 + 2} { // whose squares have no place in a float64
		s.addSquare(s.at(&s.squares, 0), Int, n)
		s.ints[0].add(n)
		s.n[0]++
	}
	assert.Equal(t, 1.0, s.deviation(0))
}

// TestPercentilesBeyond checks the error of percentiles of more distinct values than are kept, and that it does
// not depend on how results came together.
func TestPercentilesBeyond(t *testing.T) {
	limited(t, &maxDistinct, 5000)
	random := rand.New(rand.NewPCG(18, 7))
	var list []float64
	a := &aggregate{kind: quantile, share: 0.9}
	whole, parts := &distributionState{a: a}, []*distributionState{{a: a}, {a: a}, {a: a}}
	for _, s := range append(parts, whole) {
		s.grow(1)
	}
	for range 20_000 {
		f := math.Exp(20 * random.NormFloat64() / 4)
		list = append(list, f)
		whole.addOne(&whole.groups[0], f)
		part := parts[random.IntN(3)]
		part.addOne(&part.groups[0], f)
	}
	whole.settle()
	sum := &distributionState{a: a}
	sum.grow(1)
	for _, s := range parts {
		sum.merge(s, []uint32{0}, nil)
	}
	assert.True(t, whole.over && sum.over)
	slices.Sort(list)
	for _, share := range []float64{0.001, 0.5, 0.9, 0.999} {
		got, _ := whole.groups[0].quantile(share)
		same, _ := sum.groups[0].quantile(share)
		assert.Equal(t, got, same)
		at := share * float64(len(list)+1)
		i := int(at) - 1
		assert.InEpsilon(t, list[i]+(at-math.Floor(at))*(list[i+1]-list[i]), got, 0.004)
	}
}

// TestDamagedRecordings reads recordings that are damaged: what can be read is in the result, and the damage is an
// error.
func TestDamagedRecordings(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("..", "..", "testdata", "jdk25-profile.jfr"))
	require.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(cut, whole[:len(whole)*2/3], 0o600))
	rec, err := mmapjfr.Open(cut)
	if err == nil {
		defer rec.Close()
		types, _ := rec.Types()
		st, err := Parse("select @type, count(*) from * as e asof * as c (duration > 1ms) group by @type", Options{})
		require.NoError(t, err)
		if p, err := st.Plan(types, Options{}); err == nil {
			_, err = Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{})
			assert.NotErrorIs(t, err, ErrTooMuch)
		}
	}
	for _, program := range jfrtest.Programs(20, 18) {
		rec, err := mmapjfr.OpenBytes(jfrtest.GenerateFaulty(program))
		if err != nil {
			continue
		}
		types, _ := rec.Types()
		for _, statement := range []string{"select * from *", "select @type, count(*), first(@start), max(duration) from * as e during * as d group by @type", "select @type, stackTrace.topFrame from * order by @start"} {
			st, err := Parse(statement, Options{})
			require.NoError(t, err)
			p, err := st.Plan(types, Options{})
			if err != nil {
				continue
			}
			found, _ := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{})
			for range found[0].Result().Rows {
			}
		}
		rec.Close()
	}
}

// TestClosedAndCancelled reads recordings that are closed, before and after, and with contexts that are cancelled.
func TestClosedAndCancelled(t *testing.T) {
	for _, statement := range []string{"select startTime, eventThread from jdk.*", "select startTime, eventThread from jdk.* order by startTime", "select eventThread, count(*) from jdk.* group by eventThread",
		"select count(*) from jdk.* during jdk.ClassLoad"} {
		rec := testRecording(t, "jdk25-profile")
		p := testPlan(t, statement, rec)
		found, err := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{})
		require.NoError(t, err)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err = Read(cancelled, []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{}); !p.isStreamed() {
			assert.ErrorIs(t, err, context.Canceled, statement)
		}
		require.NoError(t, rec.Close())
		if !guardpage.Enabled { // builds that check themselves panic
			for range found[0].Result().Rows {
			}
		}
		if _, err = Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{}); !p.isStreamed() {
			assert.ErrorIs(t, err, mmapjfr.ErrClosed, statement)
		}
	}
}

// TestManyTerms checks that statements of many terms are an error, soon.
func TestManyTerms(t *testing.T) {
	for _, part := range []string{"1+", "-", "(", "abs(", "duration,", "not "} {
		_, err := Parse("select "+strings.Repeat(part, 1_000_000/len(part))+"1 from jdk.CPULoad", Options{})
		assert.Error(t, err, part)
		_, err = Parse("select 1 from jdk.CPULoad where "+strings.Repeat("a > 1 or "+strings.TrimSuffix(part, ","), 10_000)+"b", Options{})
		_ = err // it need not be one, but soon
	}
}

// TestHistogram checks the texts of histograms: units, zero and negative numbers.
func TestHistogram(t *testing.T) {
	s := &distributionState{a: &aggregate{kind: histogram}}
	s.grow(1)
	for _, f := range []float64{-3, 0, 0, 1, 1500, 3 << 20} {
		s.addOne(&s.groups[0], f)
	}
	s.settle()
	d := &s.groups[0]
	assert.Equal(t, "-4..-2 1, 0..0 2, 1..2 1, 1024..2048 1, 2097152..4194304 1", d.histogram(shape{kind: Int}).String())
	assert.Contains(t, d.histogram(shape{kind: Int, unit: mmapjfr.Bytes}).String(), "2.0 MB..4.0 MB 1")
	assert.Contains(t, d.histogram(shape{kind: Timespan}).String(), "1.024µs..2.048µs 1")
}

// TestRates checks what rates are taken over: recordings, a length that is set, steps of time, and all
// recordings of results that are merged.
func TestRates(t *testing.T) {
	rec := testRecording(t, "jdk25-profile")
	rate := func(statement string, o ReadOptions) []float64 {
		p := testPlan(t, statement, rec)
		found, err := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, o)
		require.NoError(t, err)
		data, err := found[0].MarshalBinary()
		require.NoError(t, err)
		part, err := p.Unmarshal(data)
		require.NoError(t, err)
		sum := p.NewPartial()
		sum.Merge(part)
		var rates []float64
		for row := range sum.Result().Rows {
			rates = append(rates, row[0].Float()/row[1].Float())
		}
		require.NotEmpty(t, rates)
		return rates
	}
	const statement = "select rate(*), count(*) from jdk.ThreadStart"
	for _, r := range rate(statement, ReadOptions{}) {
		assert.InEpsilon(t, 1/rec.End().Sub(rec.Start()).Seconds(), r, 1e-9)
	}
	for _, r := range rate(statement, ReadOptions{To: rec.Start().Add(4 * time.Second)}) {
		assert.InEpsilon(t, 0.25, r, 1e-9)
	}
	p := testPlan(t, statement, rec)
	for row := range p.NewPartial().Result().Rows {
		assert.True(t, row[0].IsNull(), "of no time")
	}
}

// TestRatesOfSteps has events every 10 ms: each step has their rate, also one that the recording or the selection cuts.
func TestRatesOfSteps(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Header.StartNanos += 3_700_000_000
	b.Header.DurationNanos = 26_400_000_000
	ty := b.Event("test.Tick")
	for i := range int64(2640) {
		b.Emit(ty, b.Header.StartTicks+i*10_000_000)
	}
	rec := opentest.Bytes(t, b.Bytes())
	p := testPlan(t, "select rate(*) from Tick group by time(10s)", rec)
	for _, bounds := range [][2]time.Duration{{0, 26_400 * time.Millisecond}, {5 * time.Second, 20 * time.Second}} {
		from, to := rec.Start().Add(bounds[0]), rec.Start().Add(bounds[1])
		found, err := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{Filters: []mmapjfr.Filter{mmapjfr.Between(from, to)}, From: from, To: to})
		require.NoError(t, err)
		n := 0
		for row := range found[0].Result().Rows {
			assert.InEpsilon(t, 100, row[0].Float(), 1e-9)
			n++
		}
		assert.Greater(t, n, 1)
	}
}

// TestPackages are those of classes, also of hidden ones, whose names go on after a point.
func TestPackages(t *testing.T) {
	for name, want := range map[string]string{
		"java.lang.String": "java.lang", "byte[]": "", "java.lang.String[][]": "java.lang", "String": "", ".main": "", "": "", "a.B.c(Object, d.E)": "a", "B.c(int)": "", "c()": "",
		"a.b.C$$Lambda.0x00007f042c007a08": "a.b", "a.b.C$$Lambda+0x00007f042c007a08.360062456": "a.b", "a.b.C$$Lambda.0x00007f042c007a08.run()": "a.b", "a.b.C$$Lambda/0x000000008001.run(int)": "a.b",
	} {
		assert.Equal(t, want, packageOf(name), name)
	}
	assert.Equal(t, "C.run(int)", simpleName("a.b.C.run(int)"))
}

// TestLongTextOfManyEvents groups events that all have the same long text. It is read once for a chunk.
func TestLongTextOfManyEvents(t *testing.T) {
	const length = 300_000
	b := jfrtest.NewChunk()
	text := b.Constant("java.lang.String", 7, strings.Repeat("x", length))
	ty := b.Event("test.Text", jfrtest.Of("n", "int"), jfrtest.Const("text", "java.lang.String"))
	for i := range 400 {
		b.Emit(ty, 1_000_000+i, i, text)
	}
	rec := opentest.Bytes(t, b.Bytes(), mmapjfr.Workers(1))
	p := testPlan(t, "select n, last(text) from Text group by n", rec)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := Read(t.Context(), []*mmapjfr.Recording{rec}, []*Plan{p}, ReadOptions{})
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.NotNil(t, found[0])

	vs := values{}
	long := textValue(strings.Repeat("x", length))
	n := vs.raw(long)
	vs.key = nil
	require.Equal(t, n, vs.raw(long))
	require.Nil(t, vs.key, "it is not hashed again")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100*length))
}
