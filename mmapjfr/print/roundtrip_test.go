package print_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestNamesCanBeGivenBack takes events of every type, and gives each name that NDJSON and
// CSV write to --fields, to a path and to a condition, there with the value as it is printed:
// the column has that value, and the condition holds for the event.
func TestNamesCanBeGivenBack(t *testing.T) {
	names := []string{"jdk25-kinds.jfr", "jdk25-oldobjects.jfr", "jdk17-strings.jfr"}
	each := 2
	if longtest.Enabled() {
		names, each = readable(t), 20
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			rec := open(t, name)
			byType := make(map[string][]mmapjfr.Event)
			for ev, err := range rec.Events() {
				if typ := ev.Type().Name(); err == nil && len(byType[typ]) < each {
					byType[typ] = append(byType[typ], ev.Detached())
				}
			}
			for typ, events := range byType {
				giveBack(t, rec, typ, events)
			}
		})
	}
}

func giveBack(t *testing.T, rec *mmapjfr.Recording, typ string, events []mmapjfr.Event) {
	t.Helper()
	o := print.Options{
		Format: print.NDJSON, StackDepth: math.MaxInt, Order: print.ByFile, Limit: len(events),
		Filters: []mmapjfr.Filter{mmapjfr.TypesFunc(func(t mmapjfr.Type) bool { return t.Name() == typ })},
	}
	lines := bytes.Split(bytes.TrimSpace(writtenOf(t, rec, o)), []byte("\n"))
	require.Len(t, lines, len(events))
	columns := make([]map[string]any, len(lines))
	all := make(map[string]bool)
	for i, line := range lines {
		var fields map[string]any
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		require.NoError(t, dec.Decode(&fields))
		columns[i] = make(map[string]any)
		flatten("", fields, columns[i])
		for name := range columns[i] {
			all[name] = true
		}
	}
	o.Format, o.Fields = print.CSV, slices.Sorted(maps.Keys(all))
	rows := readCSV(t, writtenOf(t, rec, o))
	require.Equal(t, o.Fields, rows[0])
	for i, ev := range events {
		for j, name := range o.Fields {
			value, ok := columns[i][name]
			if !ok {
				continue // it is in another object of this place
			}
			_, _, err := ev.Type().Resolve(mmapjfr.Path(name))
			require.NoError(t, err)
			cell := ""
			if list, ok := value.([]any); ok {
				for _, e := range list {
					requireKept(t, ev, name, e)
				}
				continue
			} else if value != nil {
				cell = fmt.Sprint(value)
			}
			require.Equal(t, cell, rows[i+1][j], typ+"."+name)
			requireKept(t, ev, name, value)
		}
	}
	o.Fields = nil
	rows = readCSV(t, writtenOf(t, rec, o))
	for i, ev := range events {
		for j, name := range rows[0] {
			cell := rows[i+1][j]
			v := ev.Get(mmapjfr.Path(name))
			require.True(t, ev.Has(mmapjfr.Path(name)))
			if v.Kind() == mmapjfr.KindArray || v.Kind() == mmapjfr.KindStruct && strings.HasPrefix(cell, "{") {
				continue // its elements, or what is in it, can be asked for
			}
			if cell == "" && v.Kind() != mmapjfr.KindString && (v.Kind() != mmapjfr.KindStruct || v.StackTrace().Len() > 0) {
				requireKept(t, ev, name, nil)
			} else if v.StackTrace().Len() > 0 || v.Type().Name() != "jdk.types.StackTrace" {
				requireKept(t, ev, name, cell)
			}
		}
	}
}

// flatten puts what is in objects, inside one another, under paths.
func flatten(at string, value any, into map[string]any) {
	if strings.Count(at, ".") > 5 {
		return // one object leads to the next
	}
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			flatten(strings.TrimPrefix(at+"."+name, "."), inner, into)
		}
	case []any:
		for i, inner := range v {
			if _, ok := inner.(map[string]any); ok {
				flatten(fmt.Sprintf("%s[%d]", at, i), inner, into)
			}
		}
		if len(v) > 0 && into[at+"[0]"] == nil {
			into[at] = slices.DeleteFunc(slices.Clone(v), func(e any) bool { _, is := e.(map[string]any); return is })
		}
	default:
		into[at] = v
	}
}

// requireKept compares a field with what is printed of it.
func requireKept(t *testing.T, ev mmapjfr.Event, name string, printed any) {
	t.Helper()
	text := "null"
	if printed != nil {
		text = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(fmt.Sprint(printed)) + "'"
	}
	text = "`" + name + "` = " + text
	c, err := where.Parse(text)
	require.NoError(t, err)
	_, err = c.Filter([]mmapjfr.Type{ev.Type()})
	require.NoError(t, err)
	require.True(t, c.Matches(ev), "%s: %s", ev, text)
}
