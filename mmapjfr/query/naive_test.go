package query_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestAgainstNaive compares aggregates of random fields by random groups with those of a reader that
// keeps all values.
func TestAgainstNaive(t *testing.T) {
	for _, name := range []string{"jdk17-profile", "jdk25-profile", "jdk25-chunks", "jdk25-cputime", "jdk25-virtual"} {
		t.Run(name, func(t *testing.T) {
			rec := open(t, name)
			types, err := rec.Types()
			require.NoError(t, err)
			random := rand.New(rand.NewPCG(18, 1))
			for _, typ := range types {
				numbers, groups := fieldsOf(typ)
				if !typ.IsEvent() || strings.HasPrefix(typ.Name(), "jdk.Active") || len(numbers) == 0 || len(groups) == 0 {
					continue
				}
				number, group := numbers[random.IntN(len(numbers))], groups[random.IntN(len(groups))]
				statement := fmt.Sprintf("SELECT `%s`, COUNT(*), COUNT(`%[2]s`), SUM(`%[2]s`), AVG(`%[2]s`), MIN(`%[2]s`), MAX(`%[2]s`), "+
					"MEDIAN(`%[2]s`), P90(`%[2]s`), STDEV(`%[2]s`), UNIQUE(`%[2]s`) FROM %[3]s GROUP BY `%[1]s`", group, number, typ.Name())
				assert.Equal(t, naive(t, rec, typ, number, group), answer(t, rec, statement), statement)
			}
		})
	}
}

// fieldsOf returns fields of numbers, and fields to group by.
func fieldsOf(t mmapjfr.Type) (numbers, groups []string) {
	for _, f := range t.Fields() {
		switch f.Type().Name() {
		case "byte", "short", "int", "long", "float", "double":
			if !f.IsArray() && !f.Unit().IsTimestamp() && !f.IsUnsigned() {
				numbers = append(numbers, f.Name())
			}
		case "java.lang.String", "java.lang.Thread", "java.lang.Class", "boolean", "jdk.types.Method":
			groups = append(groups, f.Name())
		}
	}
	return numbers, groups
}

// answer returns the rows of a statement, sorted, as texts.
func answer(t *testing.T, rec *mmapjfr.Recording, statement string) (rows []string) {
	for row, err := range run(t, statement, rec).Result().Rows {
		require.NoError(t, err)
		cells := []string{row[0].String()}
		for _, v := range row[1:] {
			cells = append(cells, number(v.Float()))
		}
		rows = append(rows, strings.Join(cells, " | "))
	}
	slices.Sort(rows)
	return rows
}

func number(f float64) string {
	if math.IsNaN(f) {
		return "-"
	}
	return fmt.Sprintf("%.6g", f)
}

// run returns what a statement finds in recordings.
func run(t testing.TB, statement string, recs ...*mmapjfr.Recording) *query.Partial {
	found, err := query.Read(context.Background(), recs, []*query.Plan{plan(t, statement, recs...)}, query.ReadOptions{})
	require.NoError(t, err)
	return found[0]
}

func plan(t testing.TB, statement string, recs ...*mmapjfr.Recording) *query.Plan {
	p, err := plannedOf(recs, statement)
	require.NoError(t, err, statement)
	return p
}

func plannedOf(recs []*mmapjfr.Recording, statement string) (*query.Plan, error) {
	types, err := mmapjfr.EventTypes(recs)
	if err != nil {
		return nil, err
	}
	st, err := query.Parse(statement, query.Options{})
	if err != nil {
		return nil, err
	}
	return st.Plan(types, query.Options{})
}

var open = opentest.File

func naive(t *testing.T, rec *mmapjfr.Recording, typ mmapjfr.Type, field, by string) (rows []string) {
	pathField, pathBy := mmapjfr.Path(field), mmapjfr.Path(by)
	values, counts, isSpan := make(map[string][]float64), make(map[string]int), false
	for ev, err := range rec.Select(mmapjfr.Types(typ.Name())).Events() {
		require.NoError(t, err)
		key := ""
		if v := ev.Get(pathBy); v.Kind() == mmapjfr.KindBool {
			key = fmt.Sprint(v.Bool())
		} else {
			key = textOf(v)
		}
		counts[key]++
		f, ok := 0.0, true
		switch v := ev.Get(pathField); x := v.Any().(type) {
		case int64:
			f, ok = float64(x), true
		case float64:
			f = x
		default:
			f, ok, isSpan = float64(v.Duration()), v.Duration() != mmapjfr.NoDuration && v.Kind() != mmapjfr.KindNone, true
		}
		if ok && !math.IsNaN(f) {
			values[key] = append(values[key], f)
		}
	}
	for key, n := range counts {
		rows = append(rows, strings.Join(append([]string{nameOf(key)}, statistics(n, values[key], isSpan)...), " | "))
	}
	slices.Sort(rows)
	return rows
}

// statistics returns COUNT(*), COUNT, SUM, AVG, MIN, MAX, MEDIAN, P90, STDEV and UNIQUE of values. Lengths
// of time are whole nanoseconds: averages are rounded and percentiles truncated, as in the JDK's views.
func statistics(rows int, list []float64, isSpan bool) (out []string) {
	sum, squares, distinct := 0.0, 0.0, make(map[float64]bool)
	for _, f := range list {
		sum += f
		distinct[f] = true
	}
	n := float64(len(list))
	for _, f := range list {
		squares += (f - sum/n) * (f - sum/n)
	}
	slices.Sort(list)
	all := []float64{float64(rows), n, math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), float64(len(distinct))}
	if len(list) > 0 {
		copy(all[2:], []float64{sum, sum / n, list[0], list[len(list)-1], percentile(list, 0.5), percentile(list, 0.9), math.Sqrt(squares / n)})
	}
	for i, f := range all {
		if average := i == 3 || i == 8; isSpan && average {
			f = math.Round(f)
		} else if isSpan {
			f = math.Trunc(f)
		}
		out = append(out, number(f))
	}
	return out
}

func percentile(list []float64, share float64) float64 {
	at := float64(len(list)+1) * share
	i := int(at) - 1
	switch {
	case i < 0:
		return list[0]
	case i+1 >= len(list):
		return list[len(list)-1]
	}
	return list[i] + (at-math.Floor(at))*(list[i+1]-list[i])
}

// TestMergedInAnyOrder checks that partial results of recordings, which have also been bytes, are
// merged in any order to the rows of all recordings at once, whatever the number of workers.
func TestMergedInAnyOrder(t *testing.T) {
	const statement = `SELECT eventType.label AS t, eventThread, COUNT(*), SUM(duration), AVG(duration), STDEV(duration), MEDIAN(duration), FIRST(stackTrace.topFrame),
		LAST(stackTrace.topFrame), ARG_MAX(eventThread, duration), LIST(startTime), SET(stackTrace.topFrame), TOP_K(stackTrace.topFrame, 3), UNIQUE(duration), HISTOGRAM(duration)
		FROM jdk.Thread*, FileRead, JavaMonitorEnter GROUP BY t, eventThread`
	names := []string{"jdk25-profile", "jdk25-chunks", "jdk25-flushed", "jdk25-virtual"}
	var recs, alone []*mmapjfr.Recording
	for _, name := range names {
		recs, alone = append(recs, open(t, name)), append(alone, open(t, name, mmapjfr.Workers(1)))
	}
	want := texts(t, run(t, statement, recs...).Result())
	require.NotEmpty(t, want)
	assert.Equal(t, want, texts(t, run(t, statement, alone...).Result()), "one worker")
	p := plan(t, statement, recs...)
	random := rand.New(rand.NewPCG(18, 2))
	for range 3 {
		sum := p.NewPartial()
		random.Shuffle(len(recs), func(i, j int) { recs[i], recs[j] = recs[j], recs[i] })
		for _, rec := range recs {
			found, err := query.Read(context.Background(), []*mmapjfr.Recording{rec}, []*query.Plan{p}, query.ReadOptions{})
			require.NoError(t, err)
			data, err := found[0].MarshalBinary()
			require.NoError(t, err)
			read, err := p.Unmarshal(data)
			require.NoError(t, err)
			sum.Merge(read)
		}
		assert.Equal(t, want, texts(t, sum.Result()))
	}
}

func texts(t *testing.T, r *query.Result) (rows []string) {
	for row, err := range r.Rows {
		require.NoError(t, err)
		var cells []string
		for _, v := range row {
			cells = append(cells, cmp.Or(v.String(), "-"))
		}
		rows = append(rows, strings.Join(cells, " | "))
	}
	return rows
}
