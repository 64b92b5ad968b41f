package query_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// naiveRow is an event as a source takes it: its fields by name, with and without the alias of the
// source. Values are nil, bool, int64, float64, time.Duration, time.Time or string.
type naiveRow map[string]any

// expression is a random expression: its text, and its value of an event, or of the events of a group.
type expression struct {
	text string
	of   func(group []naiveRow) any
	// fraction says that numbers are in floating point: a column has one kind, whichever value a row takes.
	fraction bool
}

// fractions returns a number in floating point.
func fractions(text string, of func(group []naiveRow) any) expression {
	return expression{text, func(e []naiveRow) any {
		if n, ok := of(e).(int64); ok {
			return float64(n)
		}
		return of(e)
	}, true}
}

// generator makes random statements about some event types.
type generator struct {
	*rand.Rand
	sources               int
	numbers, spans, texts []string // fields
	fractions             []string // those of the numbers in floating point
}

func newGenerator(random *rand.Rand, aliases []string, types []mmapjfr.Type) *generator {
	g := &generator{Rand: random, sources: len(types)}
	for i, t := range types {
		for _, f := range t.Fields() {
			if strings.HasPrefix(t.Name(), "jdk.Active") {
				continue // numbers of event types, whose labels are shown, and times without end
			}
			name := aliases[i] + ".`" + f.Name() + "`"
			switch f.Type().Name() {
			case "byte", "short", "int", "long", "float", "double":
				switch {
				case f.IsArray() || f.IsUnsigned() || f.Unit().IsTimestamp():
				case f.Unit().IsTimespan():
					g.spans = append(g.spans, name)
					if f.Name() == "duration" {
						g.spans = append(g.spans, "duration")
					}
				case f.Unit() == mmapjfr.NoUnit:
					g.numbers = append(g.numbers, name)
					if c := f.Type().Name(); c == "float" || c == "double" {
						g.fractions = append(g.fractions, name)
					}
				}
			case "java.lang.String", "java.lang.Thread", "java.lang.Class":
				g.texts = append(g.texts, name)
			}
		}
	}
	g.texts = append(g.texts, "@type")
	return g
}

func (g *generator) one(list []string) string { return list[g.IntN(len(list))] }

func field(name string) expression {
	key := strings.ReplaceAll(name, "`", "")
	return expression{text: name, of: func(group []naiveRow) any { return group[0][key] }}
}

// number returns a number without a unit, of one event.
func (g *generator) number(depth int) expression {
	if len(g.numbers) == 0 || depth > 3 {
		n := g.Int64N(1000) - 10
		return expression{text: fmt.Sprintf("(%d + 0)", n), of: func([]naiveRow) any { return n }} // a number alone is that of a column
	}
	switch g.IntN(7) {
	case 0:
		return g.arithmetic(g.number(depth+1), g.number(depth+1))
	case 1:
		d := g.span(depth + 1)
		return fractions("seconds("+d.text+")", func(e []naiveRow) any {
			if v, ok := d.of(e).(time.Duration); ok {
				return float64(v) / 1e9
			}
			return nil
		})
	case 2:
		x, y := g.number(depth+1), g.number(depth+1)
		either := expression{text: "coalesce(" + x.text + ", " + y.text + ")", of: func(e []naiveRow) any { return first(x.of(e), y.of(e)) }}
		if x.fraction || y.fraction {
			return fractions(either.text, either.of)
		}
		return either
	}
	x := field(g.one(g.numbers))
	x.fraction = slices.Contains(g.fractions, x.text)
	return x
}

func first(a, b any) any {
	if a == nil {
		return b
	}
	return a
}

func (g *generator) arithmetic(x, y expression) expression {
	op := g.one([]string{"+", "-", "*", "/"})
	fraction := x.fraction || y.fraction || op == "/"
	return expression{"(" + x.text + " " + op + " " + y.text + ")", func(e []naiveRow) any {
		l, r := x.of(e), y.of(e)
		if l == nil || r == nil {
			return nil
		}
		f, h := asFloat(l), asFloat(r)
		f = map[string]float64{"+": f + h, "-": f - h, "*": f * h, "/": f / h}[op]
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0) || !fraction && math.Abs(f) >= 1<<63:
			return nil
		case !fraction:
			a, b := l.(int64), r.(int64)
			return map[string]int64{"+": a + b, "-": a - b, "*": a * b}[op]
		}
		return f + 0 // no minus 0
	}, fraction}
}

// span returns a length of time of one event.
func (g *generator) span(depth int) expression {
	n := g.Int64N(50) + 1
	if len(g.spans) == 0 {
		return expression{text: fmt.Sprintf("%dms", n), of: func([]naiveRow) any { return time.Duration(n) * time.Millisecond }}
	}
	x := field(g.one(g.spans))
	switch {
	case depth > 3:
	case g.IntN(5) == 0:
		return expression{text: fmt.Sprintf("(%s + %dms)", x.text, n), of: func(e []naiveRow) any { return plus(x.of(e), time.Duration(n)*time.Millisecond) }}
	case g.IntN(5) == 0:
		return expression{text: fmt.Sprintf("coalesce(%s, %dus)", x.text, n), of: func(e []naiveRow) any { return first(x.of(e), time.Duration(n)*time.Microsecond) }}
	case g.IntN(5) == 0:
		return expression{text: fmt.Sprintf("bucket(%s, %dus)", x.text, n), of: func(e []naiveRow) any {
			d, ok := x.of(e).(time.Duration)
			if !ok {
				return nil
			}
			width := time.Duration(n) * time.Microsecond
			return time.Duration(math.Floor(float64(d)/float64(width))) * width
		}}
	}
	return x
}

func plus(x any, d time.Duration) any {
	if x, ok := x.(time.Duration); ok {
		return x + d
	}
	return nil
}

func (g *generator) word() expression {
	x := field(g.one(g.texts))
	if g.IntN(4) > 0 {
		return x
	}
	return expression{text: "upper(" + x.text + ")", of: func(e []naiveRow) any {
		if s, ok := x.of(e).(string); ok {
			return strings.ToUpper(nameOf(s))
		}
		return nil
	}}
}

// any returns an expression of any kind, of one event.
func (g *generator) any() expression {
	return [](func() expression){func() expression { return g.number(0) }, func() expression { return g.span(0) }, g.word}[g.IntN(3)]()
}

// aggregate returns an expression of a group.
func (g *generator) aggregate() expression {
	x := g.number(0)
	if g.IntN(2) == 0 {
		x = g.span(0)
	}
	names := []string{"count(*)", "count", "sum", "avg", "min", "max", "median", "p90", "stdev", "unique", "diff", "arg_max", "top_k", "list", "set"}
	if g.sources == 1 {
		names = append(names, "first", "last") // of events of types that have the field
	}
	name := g.one(names)
	y := g.word()
	switch name {
	case "count(*)":
		return expression{text: name, of: func(e []naiveRow) any { return int64(len(e)) }}
	case "arg_max":
		return expression{text: "arg_max(" + y.text + ", " + x.text + ")", of: func(e []naiveRow) any { return argMax(e, y, x) }}
	case "top_k":
		return expression{text: "top_k(" + y.text + ", 2)", of: func(e []naiveRow) any { return topTwo(valuesOf(e, y)) }}
	case "list":
		return expression{text: "list(" + y.text + ")", of: func(e []naiveRow) any { return joined(valuesOf(e, y)) }}
	case "set":
		return expression{text: "set(" + y.text + ")", of: func(e []naiveRow) any { return joined(distinct(valuesOf(e, y))) }}
	}
	return expression{text: name + "(" + x.text + ")", of: func(e []naiveRow) any { return aggregated(name, e, x) }}
}

// aggregated returns a simple aggregate of numbers or lengths of time.
func aggregated(name string, e []naiveRow, x expression) any {
	list := valuesOf(e, x)
	switch name {
	case "count":
		return int64(len(list))
	case "unique":
		return int64(len(distinct(list)))
	}
	if len(e) == 0 {
		return nil
	}
	switch name {
	case "first":
		return x.of(e[:1])
	case "last":
		return x.of(e[len(e)-1:])
	}
	if len(list) == 0 {
		return nil
	}
	var floats []float64
	isSpan, total := false, exactly(0)
	for _, v := range list {
		_, isSpan = v.(time.Duration)
		floats = append(floats, asFloat(v))
		total.Add(total, exactly(asFloat(v)))
	}
	n := exactly(float64(len(list)))
	average, squares := exactly(0).Quo(total, n), exactly(0)
	for _, f := range floats {
		from := exactly(f)
		from.Sub(from, average)
		squares.Add(squares, from.Mul(from, from))
	}
	float := func(f *big.Float) float64 { rounded, _ := f.Float64(); return rounded }
	difference := floats[len(floats)-1] - floats[0]
	slices.Sort(floats)
	f := map[string]float64{"sum": float(total), "avg": float(average), "min": floats[0], "max": floats[len(floats)-1], "median": percentile(floats, 0.5),
		"p90": percentile(floats, 0.9), "stdev": math.Sqrt(float(squares.Quo(squares, n))), "diff": difference}[name]
	switch {
	case isSpan && (name == "avg" || name == "stdev"):
		return time.Duration(math.Round(f))
	case isSpan:
		return time.Duration(f)
	}
	return f
}

// exactly returns a number with 1,000 bits: sums lose none of them. Squares of times in seconds differ in the last
// few digits alone.
func exactly(f float64) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(f) }

func asFloat(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	case time.Duration:
		return float64(v)
	}
	return math.NaN()
}

func valuesOf(e []naiveRow, x expression) (list []any) {
	for i := range e {
		if v := x.of(e[i : i+1]); v != nil {
			list = append(list, v)
		}
	}
	return list
}

// distinct returns the different values of a list.
func distinct(list []any) (out []any) {
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func argMax(e []naiveRow, y, x expression) any {
	var best, at any
	for i := range e {
		if v := x.of(e[i : i+1]); v != nil && (best == nil || asFloat(v) > asFloat(best)) {
			best, at = v, y.of(e[i:i+1])
		}
	}
	return at
}

func topTwo(list []any) any {
	n := make(map[any]int)
	for _, v := range list {
		n[v]++
	}
	top := distinct(list)
	slices.SortStableFunc(top, func(a, b any) int { return cmp.Compare(n[b], n[a]) })
	return joined(top[:min(2, len(top))])
}

func shown(list []any) (texts []string) {
	for _, v := range list {
		texts = append(texts, shownOne(v))
	}
	return texts
}

// joined returns the text of a list, by which lists are ordered.
func joined(list []any) string { return strings.Join(shown(list), ", ") }

// shownOne returns a value as text, with as many digits as sums of floating point numbers in any order have. They
// are digits of another number than the value, times pi, as values often lie in the middle between two numbers of
// few digits.
func shownOne(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case string:
		return nameOf(v)
	case bool:
		return fmt.Sprint(v)
	}
	f := asFloat(v)
	if math.Abs(f) < 1e-12 {
		f = 0
	}
	rounded, _ := strconv.ParseFloat(fmt.Sprintf("%.7g", f*math.Pi), 64)
	return fmt.Sprintf("%.9g", rounded/math.Pi)
}

// TestMeaning asks what people ask who know another SQL.
func TestMeaning(t *testing.T) {
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(jfrtest.MaskFlush)
	request := b.Event("test.Request", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Of("status", "int"), jfrtest.Of("bytes", "long"),
		jfrtest.Of("share", "double"), jfrtest.Of("size", "long").With(jfrtest.Mark("jdk.jfr.Unsigned")))
	for i, share := range []float64{0.5, math.Inf(1), 0.25} {
		thread := cp.Add("java.lang.Thread", int64(i+1), "", 0, "worker", 7+i, 0, true)
		b.Emit(request, int64(2_000_000_000-i*500_000_000), int64(1000), thread, 200+i%2, int64(10*(i+1)), share, int64(-1))
	}
	rec, err := mmapjfr.OpenBytes(b.Bytes())
	require.NoError(t, err)
	defer rec.Close()
	for statement, want := range map[string][]string{
		"unique(eventThread), unique(eventThread.javaName), unique(@thread)": {"3 | 1 | 3"},
		"eventThread, count(*) group by eventThread":                         {"worker | 1", "worker | 1", "worker | 1"},
		"eventThread, count(*) group by eventThread.javaName":                {"worker | 3"},
		"status as bytes, sum(bytes) group by status":                        {"201 | 20", "200 | 40"},
		"bytes as status, count(*) group by status order by 2 desc":          {"10 | 2", "20 | 1"},
		"status, count(*) group by 1":                                        {"201 | 1", "200 | 2"},
		"time(1s), count(*) group by 1":                                      {"0 | 1", "1 | 2"},
		"count(share), max(share), sum(share), avg(share), stdev(share)":     {"2 | 0.5 | 0.75 | 0.375 | 0.125"},
		"share, count(share), last(share) group by share order by share":     {"0.25 | 1 | 0.25", "0.5 | 1 | 0.5", "Infinity | 0 | -"},
		"sum(share / 0), sum(share * (0 - 1))":                               {"- | -0.75"},
		"count(size), max(size), sum(size), max(size + 1), avg(size / 2)":    {"3 | 18446744073709551615 | 5.5340232221128655E19 | - | 9.223372036854776E18"},
	} {
		var got []string
		for row, err := range run(t, "from test.Request select "+statement, rec).Result().Rows {
			require.NoError(t, err)
			var cells []string
			for _, v := range row {
				switch v.Kind() {
				case query.Timestamp:
					cells = append(cells, fmt.Sprintf("%d", v.Time().Sub(rec.Start().Truncate(time.Second))/time.Second))
				case query.Null:
					cells = append(cells, "-")
				default:
					cells = append(cells, v.String())
				}
			}
			got = append(got, strings.Join(cells, " | "))
		}
		assert.Equal(t, want, got, statement)
	}
	for statement, want := range map[string]string{
		"status, count(*) group by 3":                  "line 1, character 52: GROUP BY 3: the columns are numbered from 1 to 2",
		"status, count(*) group by 2":                  "GROUP BY 2: column 2 is an aggregate of groups",
		"status during test.Request as r (r.none > 1)": "none",
	} {
		_, err := plannedOf([]*mmapjfr.Recording{rec}, "from test.Request select "+statement)
		assert.ErrorContains(t, err, want)
	}
	_, err = plannedOf([]*mmapjfr.Recording{rec}, "from test.Request during test.Request as r (r.bytes > 10) select status")
	require.NoError(t, err)
}

// TestCountOfNull counts null as the JDK's views do, and not otherwise.
func TestCountOfNull(t *testing.T) {
	b := jfrtest.NewChunk()
	shares, other := b.Event("test.Share", jfrtest.Of("share", "double")), b.Event("test.Other", jfrtest.Of("n", "int"))
	b.Emit(shares, 1, 0.5)
	b.Emit(shares, 2, math.NaN())
	b.Emit(other, 3, 7)
	rec, err := mmapjfr.OpenBytes(b.Bytes())
	require.NoError(t, err)
	defer rec.Close()
	recs := []*mmapjfr.Recording{rec}
	types, err := mmapjfr.EventTypes(recs)
	require.NoError(t, err)
	for isJDK, want := range map[bool]string{true: "[3 2]", false: "[3 1]"} {
		st, err := query.Parse("select count(*), count(share) from test.*", query.Options{})
		require.NoError(t, err)
		p, err := st.Plan(types, query.Options{JDK: isJDK})
		require.NoError(t, err)
		found, err := query.Read(t.Context(), recs, []*query.Plan{p}, query.ReadOptions{})
		require.NoError(t, err)
		for row, err := range found[0].Result().Rows {
			require.NoError(t, err)
			assert.Equal(t, want, fmt.Sprint([]int64{row[0].Int(), row[1].Int()}))
		}
	}
}

// TestStacksOfMethods groups stack traces by their methods for the JDK's views, and by lines, too, otherwise.
func TestStacksOfMethods(t *testing.T) {
	rec := open(t, "jdk25-profile")
	recs := []*mmapjfr.Recording{rec}
	types, err := mmapjfr.EventTypes(recs)
	require.NoError(t, err)
	byMethod, byLine := make(map[string]int64), make(map[string]bool)
	for ev, err := range rec.Select(mmapjfr.Types("jdk.ObjectAllocationSample")).Events() {
		require.NoError(t, err)
		methods, lines := "", ""
		for f := range ev.StackTrace().Frames() {
			name := f.Method().Class().String() + "." + f.Method().Name() + engine.MethodDescriptor(f.Method())
			methods += name + " "
			lines += fmt.Sprint(name, ":", f.Line(), " ")
		}
		byMethod[methods]++
		byLine[lines] = true
	}
	require.Greater(t, len(byLine), len(byMethod))
	for isJDK, want := range map[bool]int{true: len(byMethod), false: len(byLine)} {
		st, err := query.Parse("select stackTrace, count(*) as n from ObjectAllocationSample group by stackTrace order by n desc", query.Options{})
		require.NoError(t, err)
		p, err := st.Plan(types, query.Options{JDK: isJDK})
		require.NoError(t, err)
		found, err := query.Read(t.Context(), recs, []*query.Plan{p}, query.ReadOptions{})
		require.NoError(t, err)
		groups, most := 0, int64(0)
		for row, err := range found[0].Result().Rows {
			require.NoError(t, err)
			groups++
			most = max(most, row[1].Int())
		}
		assert.Equal(t, want, groups, "JDK: %v", isJDK)
		if isJDK {
			assert.Equal(t, slices.Max(slices.Collect(maps.Values(byMethod))), most)
		}
	}
}

// statementsSeed is a flag: tests of each change are the same every time, and .ci/long draws another number.
var statementsSeed = flag.Uint64("statements.seed", 3, "which random statements are tested")

// TestRandomStatements compares statements of random shape with an evaluator that holds all events as Go
// values.
func TestRandomStatements(t *testing.T) {
	for _, name := range []string{"jdk17-profile", "jdk25-profile", "jdk25-chunks", "jdk25-virtual"} {
		t.Run(name, func(t *testing.T) {
			rec := open(t, name)
			events := eventsByType(t, rec)
			random := rand.New(rand.NewPCG(18, *statementsSeed))
			for range longtest.Cases(25, 5000) {
				compareRandom(t, rec, events, random)
			}
		})
	}
}

func compareRandom(t *testing.T, rec *mmapjfr.Recording, events map[string][]mmapjfr.Event, random *rand.Rand) {
	var types []mmapjfr.Type
	for _, n := range slices.Sorted(func(yield func(string) bool) {
		for n := range events {
			if !yield(n) {
				return
			}
		}
	}) {
		types = append(types, events[n][0].Type())
	}
	random.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
	types = types[:1+random.IntN(2)]
	if random.IntN(6) == 0 {
		types = []mmapjfr.Type{types[0], types[0]}
	}
	aliases := []string{"A", "B"}[:len(types)]
	g := newGenerator(random, aliases, types)
	var rows []naiveRow
	var from []string
	for i, typ := range types {
		from = append(from, typ.Name()+" as "+aliases[i])
		for _, ev := range events[typ.Name()] {
			rows = append(rows, rowOf(ev, aliases[i], i))
		}
	}
	slices.SortStableFunc(rows, func(a, b naiveRow) int {
		return cmp.Or(a["#chunk"].(time.Time).Compare(b["#chunk"].(time.Time)), cmp.Compare(a["#end"].(int64), b["#end"].(int64)),
			cmp.Compare(a["#offset"].(uint64), b["#offset"].(uint64)), cmp.Compare(a["#source"].(int), b["#source"].(int)))
	})
	statement, want := g.statement(strings.Join(from, ", "), rows)
	var got []string
	r := run(t, statement, rec).Result()
	for row, err := range r.Rows {
		require.NoError(t, err)
		var cells []any
		for _, v := range row {
			cells = append(cells, goValue(v))
		}
		got = append(got, strings.Join(shown(cells), " | "))
	}
	require.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"), "seed %d: %s", *statementsSeed, statement)
}

// statement returns a random statement and its rows.
func (g *generator) statement(from string, rows []naiveRow) (string, []string) {
	text := "from " + from
	if slices.Contains(g.spans, "duration") && g.IntN(2) == 0 {
		f, n := field("duration"), g.IntN(2000)
		text += fmt.Sprintf(" where duration > %dus", n)
		rows = slices.DeleteFunc(slices.Clone(rows), func(r naiveRow) bool {
			d, ok := f.of([]naiveRow{r}).(time.Duration)
			return !ok || d <= time.Duration(n)*time.Microsecond
		})
	}
	var outputs []expression
	var groups [][]naiveRow
	if g.IntN(3) == 0 {
		for range 1 + g.IntN(4) {
			outputs = append(outputs, g.any())
		}
		for i := range rows {
			groups = append(groups, rows[i:i+1])
		}
		return g.finish(text, outputs, groups)
	}
	keys := []expression{g.any(), g.word()}[:g.IntN(3)]
	outputs = append(outputs, keys...)
	for range 1 + g.IntN(4) {
		outputs = append(outputs, g.aggregate())
	}
	groups = grouped(rows, keys)
	if len(keys) > 0 {
		text += " group by " + strings.Join(textsOf(keys), ", ")
	}
	if n := g.IntN(5); g.IntN(3) == 0 && len(keys) > 0 {
		text += fmt.Sprintf(" having count(*) > %d", n)
		groups = slices.DeleteFunc(groups, func(e []naiveRow) bool { return len(e) <= n })
	}
	return g.finish(text, outputs, groups)
}

func grouped(rows []naiveRow, keys []expression) (groups [][]naiveRow) {
	if len(keys) == 0 {
		return [][]naiveRow{rows}
	}
	number := make(map[string]int)
	for i, r := range rows {
		key := ""
		for _, k := range keys {
			key += fmt.Sprintf("%T %[1]v\x00", k.of(rows[i:i+1]))
		}
		n, ok := number[key]
		if !ok {
			n = len(groups)
			number[key] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], r)
	}
	return groups
}

func textsOf(list []expression) (texts []string) {
	for _, e := range list {
		texts = append(texts, e.text)
	}
	return texts
}

// finish adds what is selected, the order of all columns, and a limit.
func (g *generator) finish(text string, outputs []expression, groups [][]naiveRow) (string, []string) {
	var order []string
	desc := make([]bool, len(outputs))
	for i := range outputs {
		order = append(order, fmt.Sprint(i+1))
		if desc[i] = g.IntN(2) == 0; desc[i] {
			order[i] += " desc"
		}
	}
	text += " select " + strings.Join(textsOf(outputs), ", ") + " order by " + strings.Join(order, ", ")
	var cells [][]any
	for _, e := range groups {
		var row []any
		for _, o := range outputs {
			row = append(row, o.of(e))
		}
		cells = append(cells, row)
	}
	slices.SortStableFunc(cells, func(a, b []any) int {
		for i := range a {
			if c := compareCells(a[i], b[i]); c != 0 && desc[i] {
				return -c
			} else if c != 0 {
				return c
			}
		}
		return 0
	})
	if g.IntN(3) == 0 {
		n := g.IntN(10)
		text += fmt.Sprintf(" limit %d", n)
		cells = cells[:min(n, len(cells))]
	}
	var want []string
	for _, row := range cells {
		want = append(want, strings.Join(shown(row), " | "))
	}
	return text, want
}

func compareCells(a, b any) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(map[bool]int{true: 1}[a != nil], map[bool]int{true: 1}[b != nil])
	default:
		if a, ok := a.(string); ok {
			return strings.Compare(nameOf(a), nameOf(b.(string)))
		}
	}
	return cmp.Compare(asFloat(a), asFloat(b))
}

func eventsByType(t *testing.T, rec *mmapjfr.Recording) map[string][]mmapjfr.Event {
	events := make(map[string][]mmapjfr.Event)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		events[ev.Type().Name()] = append(events[ev.Type().Name()], ev.Detached())
	}
	return events
}

// rowOf returns the fields of an event that a source takes.
func rowOf(ev mmapjfr.Event, alias string, source int) naiveRow {
	row := naiveRow{"@type": ev.Type().Name(), "#chunk": ev.Chunk().Start(), "#end": engine.EventEndTicks(ev), "#offset": ev.Offset(), "#source": source}
	for _, f := range ev.Type().Fields() {
		v := ev.Get(mmapjfr.Path(f.Name()))
		var x any
		switch {
		case f.IsArray() || v.Kind() == mmapjfr.KindNone:
		case f.Unit().IsTimespan():
			if v.Duration() != mmapjfr.NoDuration {
				x = v.Duration()
			}
		default:
			switch of := v.Any().(type) {
			case int64:
				x = of
			case float64:
				if x = of; math.IsNaN(of) {
					x = nil
				}
			default:
				x = textOf(v)
			}
		}
		row[alias+"."+f.Name()] = x
		row[f.Name()] = x
	}
	return row
}

// textOf returns the text of a value. That of a thread has its number after a zero byte, which nameOf cuts off:
// threads of one name are different ones.
func textOf(v mmapjfr.Value) string {
	text := v.Str()
	if t := v.Thread(); v.Kind() == mmapjfr.KindStruct && !t.IsZero() {
		text += fmt.Sprint("\x00", cmp.Or(t.JavaThreadID(), t.OSThreadID()))
	}
	return text
}

func nameOf(text string) string {
	name, _, _ := strings.Cut(text, "\x00")
	return name
}

// goValue returns a value of a result as a Go value, or the text of a list.
func goValue(v query.Value) any {
	switch v.Kind() {
	case query.Null:
		return nil
	case query.List:
		var list []any
		for _, e := range v.Elements() {
			list = append(list, goValue(e))
		}
		return joined(list)
	case query.Bool:
		return v.Bool()
	case query.Int:
		return v.Int()
	case query.Float:
		return v.Float()
	case query.Timespan:
		return v.Timespan()
	}
	return v.String()
}
