package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	names "github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// TestConditionsOfViews evaluates generated conditions on all fields of all recordings by SQL, as views of users have them, and by
// package where: for the same events.
func TestConditionsOfViews(t *testing.T) {
	tried, refused := 0, 0
	for _, path := range recordingsOf(t) {
		rec, err := mmapjfr.Open(path)
		require.NoError(t, err)
		g := &conditionsOf{t: t, rand: rand.New(rand.NewPCG(5, 6)), recs: []*mmapjfr.Recording{rec}}
		g.catalog, _ = names.NewCatalog(g.recs, columns.Options{})
		g.generate()
		tried, refused = tried+len(g.statements), refused+g.refused
		if len(g.statements) > 0 {
			t.Run(filepath.Base(path), func(t *testing.T) {
				out := answer(t, "--ndjson", path, strings.Join(g.statements, ";\n"))
				lines := strings.Split(strings.TrimSpace(out), "\n")
				require.Len(t, lines, len(g.statements))
				for i, line := range lines {
					assert.Equal(t, g.want[i], line, g.conditions[i])
				}
			})
		}
		require.NoError(t, rec.Close())
	}
	t.Logf("%d conditions, %d have no SQL", tried, refused)
	assert.Greater(t, tried, 4000)
}

// conditionsOf makes conditions that fit recordings.
type conditionsOf struct {
	t       testing.TB
	rand    *rand.Rand
	recs    []*mmapjfr.Recording
	catalog *names.Catalog
	refused int

	conditions, statements, want []string
}

// generate makes conditions for all event types with events.
func (g *conditionsOf) generate() {
	types, _ := mmapjfr.EventTypes(g.recs)
	for i, typ := range types {
		if slices.ContainsFunc(types[:i], func(o mmapjfr.Type) bool { return o.Name() == typ.Name() }) {
			continue
		}
		var events []mmapjfr.Event
		for ev, err := range g.recs[0].Select(mmapjfr.Types(typ.Name())).Events() {
			if err == nil {
				events = append(events, ev)
			}
		}
		if len(events) == 0 {
			continue
		}
		for _, field := range g.fieldsOf(typ) {
			if lacksValues(field, events) {
				continue
			}
			for range 1 + g.rand.IntN(2) {
				one := g.comparison(typ, field, events)
				if g.rand.IntN(4) == 0 {
					one += []string{" AND ", " OR "}[g.rand.IntN(2)] + g.comparison(typ, field, events)
				}
				if g.rand.IntN(4) == 0 {
					one = "NOT (" + one + ")"
				}
				g.add(typ, one, events)
			}
		}
	}
}

// lacksValues reports whether tables have null in place of values of a field: lengths of time without end, infinite numbers, and
// times that nanoseconds cannot express.
func lacksValues(field string, events []mmapjfr.Event) bool {
	path, err := mmapjfr.ParsePath(field)
	return err != nil || slices.ContainsFunc(events, func(ev mmapjfr.Event) bool {
		v := ev.Get(path)
		f, _ := v.Field()
		switch {
		case v.Kind() == mmapjfr.KindNone:
			return false
		case f.Unit().IsTimespan():
			return v.Duration() == mmapjfr.Forever || v.Duration() == math.MinInt64+1
		case f.Unit().IsTimestamp():
			return !v.Time().IsZero() && (v.Time().Year() < 1678 || v.Time().Year() > 2261)
		}
		return math.IsInf(v.Float(), 0)
	})
}

// fieldsOf returns the fields that columns of a type show, and such as are computed.
func (g *conditionsOf) fieldsOf(typ mmapjfr.Type) []string {
	list, seen := []string{"@thread", "@duration", "@start", "@type", "@top", "stackTrace"}, make(map[string]bool)
	for _, table := range g.catalog.Tables {
		if table.Name != typ.Name() {
			continue
		}
		for _, c := range table.Columns {
			if c.Field != "" && !seen[c.Field] {
				seen[c.Field] = true
				list = append(list, c.Field, c.Field+".name", c.Field+".javaName", c.Field+".javaThreadId", c.Field+".osThreadId")
				if before, _, ok := strings.Cut(c.Field, "."); ok && !seen[before] {
					seen[before] = true
					list = append(list, before)
				}
			}
		}
	}
	return list
}

// add adds a condition, unless it fits no field.
func (g *conditionsOf) add(typ mmapjfr.Type, text string, events []mmapjfr.Event) {
	condition, err := where.Parse(text)
	if err != nil || !condition.CanMatch(typ) || strings.Contains(text, "Lambda") || strings.Contains(text, "0x00") { // stacks are the same whatever the address of a hidden class is
		return
	}
	st, err := query.Parse("from `" + typ.Name() + "` where " + text + " select startTime as s")
	require.NoError(g.t, err, text)
	types, _ := mmapjfr.EventTypes(g.recs)
	plan, err := st.Plan(types, query.Options{})
	if err != nil {
		return
	}
	sql, err := plan.DuckDB(func(typ mmapjfr.Type) (name string, list []query.SQLColumn) {
		if table := g.catalog.Named(columns.TableName(typ)); table != nil {
			for _, c := range table.Columns {
				list = append(list, query.SQLColumn{Name: c.Name, Field: c.Field})
			}
			name = g.catalog.NameOf(table)
		}
		return name, list
	})
	if errors.Is(err, query.ErrNoSQL) {
		g.refused++
		return
	}
	require.NoError(g.t, err, text)
	n, sum := 0, int64(0)
	for _, ev := range events {
		if condition.Matches(ev) {
			n, sum = n+1, sum+ev.Start().UnixMicro()%1000003
		}
	}
	g.conditions = append(g.conditions, typ.Name()+": "+text+"\n"+sql)
	g.statements = append(g.statements, "SELECT count(*) AS n, CAST(coalesce(sum(epoch_us(s) % 1000003), 0) AS BIGINT) AS s FROM ("+sql+")")
	g.want = append(g.want, fmt.Sprintf(`{"n":%d,"s":%d}`, n, sum))
}

// comparison returns a comparison of a field with a value that it has in one of the events, or nearly.
func (g *conditionsOf) comparison(typ mmapjfr.Type, field string, events []mmapjfr.Event) string {
	quoted := "`" + field + "`" // it can be a word of the language
	if g.rand.IntN(8) == 0 {
		return quoted + []string{" IS NULL", " IS NOT NULL", " = null", " != null"}[g.rand.IntN(4)]
	}
	path, err := mmapjfr.ParsePath(field)
	if err != nil {
		return ""
	}
	value := func() (string, bool) { return g.literal(events[g.rand.IntN(len(events))].Get(path)) }
	text, isText := value()
	switch k := g.rand.IntN(10); {
	case k == 0:
		other, _ := value()
		third, _ := value()
		return quoted + []string{"", " NOT"}[g.rand.IntN(2)] + " IN (" + text + ", " + other + ", " + third + ")"
	case k == 1:
		other, _ := value()
		return quoted + []string{"", " NOT"}[g.rand.IntN(2)] + " BETWEEN " + text + " AND " + other
	case isText && k < 5:
		return quoted + []string{"", " NOT"}[g.rand.IntN(2)] + " LIKE " + quoteText(g.like(unquoteText(text)))
	case isText && k < 8:
		return quoted + []string{" ~ ", " !~ "}[g.rand.IntN(2)] + quoteText(g.pattern(unquoteText(text)))
	}
	return quoted + []string{" = ", " != ", " < ", " <= ", " > ", " >= "}[g.rand.IntN(6)] + text
}

func quoteText(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

func unquoteText(quoted string) (text string) {
	_ = json.Unmarshal([]byte(quoted), &text)
	return text
}

// like returns a pattern of LIKE for a part of a text.
func (g *conditionsOf) like(text string) string {
	text = strings.NewReplacer("%", `\%`, "_", `\_`).Replace(text)
	runes := []rune(text)
	if len(runes) == 0 {
		return "%"
	}
	i := g.rand.IntN(len(runes))
	return []string{"%" + string(runes[i:]), string(runes[:i]) + "%", string(runes[:i]) + "_" + string(runes[i+1:]), "%" + string(runes[i:]) + "%",
		strings.ToUpper(text), text, string(runes[:i/2]) + "%" + string(runes[i:])}[g.rand.IntN(7)]
}

// pattern returns a regular expression for a part of a text.
func (g *conditionsOf) pattern(text string) string {
	runes := []rune(text)
	if len(runes) == 0 {
		return "^$"
	}
	i := g.rand.IntN(len(runes))
	j := i + g.rand.IntN(len(runes)-i) + 1
	part := regexp.QuoteMeta(string(runes[i:j]))
	return []string{part, "^" + part, part + "$", "(?i)" + strings.ToUpper(part), "^[^" + regexp.QuoteMeta(string(runes[i:i+1])) + "]*$", `\b` + part + ".*"}[g.rand.IntN(6)]
}

// literal returns a value as conditions have it, or one that is near, and whether it is a text in quotes.
func (g *conditionsOf) literal(v mmapjfr.Value) (text string, quoted bool) {
	if v.Kind() == mmapjfr.KindArray && v.Len() > 0 {
		v = v.Index(g.rand.IntN(v.Len()))
	}
	f, _ := v.Field()
	near := int64(g.rand.IntN(3) - 1)
	switch k := v.Kind(); {
	case k == mmapjfr.KindNone:
		return []string{"0", "1", `"main"`, "10ms", "true", `"2026-11-21 00:49:20"`}[g.rand.IntN(6)], false
	case f.Unit().IsTimespan():
		return strconv.FormatInt(max(int64(v.Duration()), math.MinInt64+9)+near, 10) + "ns", false
	case f.Unit().IsTimestamp():
		return quoteText(v.Time().Add(time.Duration(near)).Truncate([]time.Duration{1, time.Microsecond}[g.rand.IntN(2)]).UTC().Format(time.RFC3339Nano)), false
	case k == mmapjfr.KindBool:
		return strconv.FormatBool(v.Bool()), false
	case k == mmapjfr.KindFloat || k == mmapjfr.KindDouble:
		return []string{strconv.FormatFloat(v.Float(), 'g', -1, 64), strconv.FormatFloat(v.Float(), 'g', -1, 32), strconv.FormatFloat(v.Float()*100, 'g', -1, 64) + "%"}[g.rand.IntN(3)], false
	case k == mmapjfr.KindChar:
		return quoteText(string(rune(v.Int()))), true
	case k == mmapjfr.KindString:
		return quoteText(v.Str()), true
	case k != mmapjfr.KindStruct && f.IsUnsigned():
		return strconv.FormatUint(v.Uint(), 10), false
	case k != mmapjfr.KindStruct:
		return []string{strconv.FormatInt(v.Int()+near, 10), "0x" + strconv.FormatUint(v.Uint(), 16), strconv.FormatInt(v.Int(), 10) + ".5"}[g.rand.IntN(3)], false
	}
	text = v.Str()
	if st := v.StackTrace(); !st.IsZero() && st.Len() > 0 {
		frame := st.Frame(g.rand.IntN(st.Len()))
		text = frame.Method().Signature()
		if g.rand.IntN(3) == 0 {
			text = frame.Value().Str()
		}
	}
	if name, _, ok := strings.Cut(text, "("); ok && g.rand.IntN(2) == 0 {
		text = name
	}
	if text == "" {
		text = v.Get(mmapjfr.Path("name")).Str()
	}
	return quoteText(text), true
}
