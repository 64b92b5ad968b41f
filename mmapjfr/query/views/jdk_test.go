package views_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/query/table"
	"github.com/mmapjfr/jfr/mmapjfr/query/views"
)

// apart are views that differ. jfr knows event types only from the first chunk, counts each event twice
// if two types have its name, tells an empty label from none, and reads all chunks by the clock of the
// first.
var apart = map[string][]string{
	"jdk17-chunks.jfr":       {"events-by-count", "events-by-name", "recording"},
	"jdk25-chunks.jfr":       {"events-by-count", "events-by-name", "recording"},
	"jdk17-profile.jfr":      {"events-by-count", "events-by-name", "recording"},
	"jdk25-profile.jfr":      {"events-by-count", "events-by-name", "recording"},
	"jdk17-kinds.jfr":        {"events-by-count", "events-by-name"},
	"jdk25-kinds.jfr":        {"events-by-count", "events-by-name"},
	"concat-jdk17-jdk25.jfr": {"events-by-count", "events-by-name", "recording"},
	"concat-jdk25-jdk25.jfr": {"recording"},
}

// TestViewsAreThoseOfTheJDK shows all views of each recording as jfr view all-views does.
func TestViewsAreThoseOfTheJDK(t *testing.T) {
	for i, q := range said.ViewQuestions() {
		if q.Words[0] != "all-views" || !longtest.Every(i, 2) {
			continue
		}
		kept := said.View(t, q.Recording, q.Words...)
		if kept.Refusal != "" {
			continue
		}
		t.Run(q.Recording, func(t *testing.T) {
			rec, err := mmapjfr.OpenBytes(said.Recording(t, q.Recording))
			require.NoError(t, err)
			defer rec.Close()
			want, got := byView(t, string(kept.Out)), shown(t, rec)
			for _, v := range standard() {
				if strings.HasPrefix(want[v.Name], "Can't find") || slices.Contains(apart[q.Recording], v.Name) {
					continue // the JDK shows nothing if a field or a type is missing
				}
				said.Same(t, []byte(want[v.Name]), []byte(got[v.Name]))
			}
		})
	}
}

func standard() (list []*views.View) {
	for _, v := range views.All() {
		if v.IsStandard() {
			list = append(list, v)
		}
	}
	return list
}

// byView divides the output of all-views: views begin with an empty line or with what is missing.
func byView(t *testing.T, text string) map[string]string {
	parts := make(map[string]string)
	list := standard()
	name, begin, at := "", 0, 0
	cut := func(next string, end int) {
		if name != "" {
			parts[name] = text[begin:end]
		}
		name, begin = next, end
	}
	previous := 0
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSuffix(strings.TrimSpace(line), " (Experimental)")
		if len(list) > 0 {
			switch v := list[0]; {
			case trimmed == v.Label, trimmed == "No events found for '"+v.Label+"'.":
				cut(v.Name, previous)
				list = list[1:]
			case trimmed == "Missing event found for "+v.Name:
				list = list[1:]
				cut(v.Name, strings.LastIndex(text[:at], "Can't find"))
			}
		}
		previous = at
		at += len(line)
	}
	cut("", len(text))
	require.Empty(t, list)
	return parts
}

// shown shows the views of a recording.
func shown(t *testing.T, rec *mmapjfr.Recording) map[string]string {
	types, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	require.NoError(t, err)
	var plans []*query.Plan
	var planned []*views.View
	for _, v := range standard() {
		st, err := v.Statement(nil, query.Options{})
		require.NoError(t, err)
		if plan, err := st.Plan(types, query.Options{JDK: true}); err == nil {
			plans, planned = append(plans, plan), append(planned, v)
		}
	}
	found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, plans, query.ReadOptions{})
	require.NoError(t, err)
	parts := make(map[string]string)
	for i, v := range planned {
		var b bytes.Buffer
		w := table.New(&b, table.Options{})
		r := found[i].Result()
		r.Title, r.Form = v.Label, v.Form
		require.NoError(t, w.Write(r))
		require.NoError(t, w.Close())
		parts[v.Name] = b.String()
	}
	return parts
}

// TestEventsByCountDiffersByTypesAlone explains the two recordings of JDK 25 in which the counts of the JDK differ: it
// counts an event once for each type of its name, and leaves out types that only chunks after the first have.
func TestEventsByCountDiffersByTypesAlone(t *testing.T) {
	for _, file := range []string{"jdk25-profile.jfr", "jdk25-chunks.jfr"} {
		rec, err := mmapjfr.OpenBytes(said.Recording(t, file))
		require.NoError(t, err)
		defer rec.Close()
		first, err := rec.Chunks()[0].Types()
		require.NoError(t, err)
		named := make(map[string]int) // types of the first chunk without a label, which share a row
		for _, typ := range first {
			if typ.IsEvent() && typ.Label() == "" {
				named[typ.Name()]++
			}
		}
		ours, theirs := 0, 0
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			if ev.Type().Label() == "" {
				ours++
				theirs += named[ev.Type().Name()]
			}
		}
		require.NotEqual(t, ours, theirs)
		require.Equal(t, ours, countOfUnlabeled(t, shown(t, rec)["events-by-count"]), file)
		kept := said.View(t, file, "all-views")
		require.Equal(t, theirs, countOfUnlabeled(t, byView(t, string(kept.Out))["events-by-count"]), file)
	}
}

// countOfUnlabeled returns the count in the row of types without a label.
func countOfUnlabeled(t *testing.T, text string) int {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "N/A" {
			n, err := strconv.Atoi(words[1])
			require.NoError(t, err)
			return n
		}
	}
	require.Fail(t, "no row of types without a label", text)
	return 0
}
