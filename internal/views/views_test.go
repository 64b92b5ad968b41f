package views_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestAll parses all views of the package.
func TestAll(t *testing.T) {
	standard := 0
	names := make(map[string]bool)
	for _, v := range views.All() {
		st, err := v.Statement(nil, query.Options{})
		require.NoError(t, err)
		again, err := query.Parse(st.String(), query.Options{})
		require.NoError(t, err, v.Name)
		assert.Equal(t, st.String(), again.String(), v.Name)
		assert.False(t, names[v.Name], v.Name)
		names[v.Name] = true
		assert.NotEqual(t, v.Name, v.Label)
		assert.NotEmpty(t, v.Description, v.Name)
		assert.Contains(t, []string{"jvm", "environment", "application"}, v.Section, v.Name)
		assert.LessOrEqual(t, len(v.Description), 100, v.Name)
		if v.IsStandard() {
			standard++
		}
	}
	assert.Equal(t, 83, standard)
	v, ok := views.Find("Hot-Methods")
	require.True(t, ok)
	assert.Equal(t, "Java Methods that Execute the Most", v.Label)
	_, ok = views.Find("cold-methods")
	assert.False(t, ok)
}

func TestRead(t *testing.T) {
	list, err := views.Read(strings.NewReader("\ufeff-- mine\r\n\nview: a\r\ntitle: The First: one\nshown: form\n\nfrom A\r\nselect x;\n"+
		"view: b\nabout: text\nfrom ${type}\nwhere x > ${least=10ms} and y != ${name=a b}\nselect time(${step=-1.5s}), ${least}\n-- end\n"), "my.views")
	require.NoError(t, err)
	require.Len(t, list, 2)
	a, b := list[0], list[1]
	assert.Equal(t, "The First: one", a.Label)
	assert.True(t, a.Form)
	assert.False(t, a.IsStandard())
	assert.Equal(t, "b", b.Label)
	assert.Equal(t, "text", b.Description)
	assert.Equal(t, []views.Parameter{{"type", "", true}, {"least", "10ms", false}, {"name", "a b", false}, {"step", "-1.5s", false}}, b.Parameters)

	for _, c := range []struct {
		values map[string]string
		want   string
		err    string
	}{
		{map[string]string{"type": "jdk.*"}, "SELECT time(-1.5s), 10ms FROM jdk.* WHERE x > 10ms && y != 'a b'", ""},
		{map[string]string{"type": "B", "name": "it's\n\\", "least": "1s"}, `SELECT time(-1.5s), 1s FROM B WHERE x > 1s && y != 'it\'s\n\\'`, ""},
		{map[string]string{"type": "A; FROM B"}, `SELECT time(-1.5s), 10ms FROM 'A; FROM B' WHERE x > 10ms && y != 'a b'`, ""},
		{map[string]string{"type": "A--"}, `SELECT time(-1.5s), 10ms FROM 'A--' WHERE x > 10ms && y != 'a b'`, ""},
		{nil, "", "view b: the parameter type needs a value"},
		{map[string]string{"typ": "A"}, "", "view b has no parameter typ; did you mean type?"},
		{map[string]string{"type": "A", "step": "1parsec"}, "", "my.views, line 13, character 13: view b: 1parsec is not a number; its unit can be ns us ms s m h d, B kB MB GB TB, or %"},
	} {
		st, err := b.Statement(c.values, query.Options{})
		if c.err != "" {
			assert.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, st.String())
	}
	_, err = a.Statement(map[string]string{"x": "1"}, query.Options{})
	assert.EqualError(t, err, "view a has no parameters, and so no x")
}

// TestParametersInText has parameters in quotes and in comments.
func TestParametersInText(t *testing.T) {
	list, err := views.Read(strings.NewReader("view: a\nfrom A -- ${no b}\nwhere x = 'it\\'s ${name=me}' or y = \"<${name}>\" select z"), "f")
	require.NoError(t, err)
	assert.Equal(t, []views.Parameter{{Name: "name", Default: "me"}}, list[0].Parameters)
	for _, value := range []string{"me", "it's", `a" or 1 = 1 or "`, `\`, "${name}", "-- x\n"} {
		st, err := list[0].Statement(map[string]string{"name": value}, query.Options{})
		require.NoError(t, err, value)
		quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`, "\n", `\n`).Replace(value)
		want, err := query.Parse(`select z from A where x = 'it\'s `+quoted+`' or y = "<`+quoted+`>"`, query.Options{})
		require.NoError(t, err)
		assert.Equal(t, want.String(), st.String())
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"from A":                         "f, line 1: a view begins with a line such as view: my-view",
		"view:\nfrom A":                  "f, line 1: the name of the view is missing",
		"view: a b\nfrom A":              "f, line 1: the name of a view has no spaces; its title can have some",
		"view: a\n":                      "f, line 2: the view a has no statement",
		"view: a\nfrom A\nview: A":       "f, line 3: there is a view A already, in line 1",
		"view: a\ntitel: b\nfrom A":      "f, line 2: unknown titel: in a view; did you mean title?",
		"view: a\ntitle: b\ntitle: c":    "f, line 3: title: is there twice, in line 2, too",
		"view: a\nshown: list\nfrom A":   `f, line 2: a view is shown as form or table, and not as "list"`,
		"view: a\n\n\nfrom A\n  selct b": "f, line 5, character 3: view a: unknown clause selct; did you mean SELECT?",
		"view: a\nfrom ${a=1}, ${a=2}":   "f, line 2: the parameter a has two defaults, 1 and 2",
		"view: a\nfrom ${a=${b}}":        "f, line 2: the default of the parameter a cannot hold another parameter",
		"view: a\nfrom ${a b}":           `f, line 2: "a b" is not a parameter name; write ${threshold=10ms}`,
		"view: a\nabout: \xff\nfrom A":   "f, line 2: this is not UTF-8",
		strings.Repeat("\n", 17<<20):     "f: a file of views can have at most 16 MB",
		manyViews():                      "f, line 20001: there are more than 10000 views",
	} {
		_, err := views.Read(strings.NewReader(text), "f")
		assert.EqualError(t, err, want)
	}
	list, err := views.Read(strings.NewReader("-- nothing\n"), "f")
	require.NoError(t, err)
	assert.Empty(t, list)
}

func manyViews() string {
	var b strings.Builder
	for i := range 10_001 {
		b.WriteString("view: v" + strings.Repeat("x", i%7) + string(rune('一'+i)) + "\nfrom A\n")
	}
	return b.String()
}

func FuzzRead(f *testing.F) {
	f.Add("view: a\ntitle: b\nfrom ${type=A} where x > ${y=1}", "1 2")
	f.Fuzz(func(t *testing.T, text, value string) {
		list, err := views.Read(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		for _, v := range list {
			values := make(map[string]string)
			for _, p := range v.Parameters {
				values[p.Name] = value
			}
			if st, err := v.Statement(values, query.Options{}); err == nil {
				_, err = query.Parse(st.String(), query.Options{})
				assert.NoError(t, err)
			}
		}
	})
}

// TestOwnViews shows the views that the JDK does not have. Those of other producers need a
// recording of theirs.
func TestOwnViews(t *testing.T) {
	rec := opentest.File(t, "../../testdata/jdk25-profile.jfr")
	types, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	require.NoError(t, err)
	var plans []*query.Plan
	var names []string
	for _, v := range views.All() {
		st, err := v.Statement(nil, query.Options{})
		require.NoError(t, err)
		plan, err := st.Plan(types, query.Options{})
		switch {
		case v.IsStandard():
		case err != nil:
			assert.Regexp(t, `^(wall-clock-|live-objects|native-(allocations|leaks|locks)|profiler-|process-samples|datadog-|sql-|urls-)`, v.Name, err)
			assert.Regexp(t, `no event type is called (profiler|datadog)\.|has a field (sql|url)`, err.Error(), v.Name)
		default:
			plans, names = append(plans, plan), append(names, v.Name)
		}
	}
	assert.Greater(t, len(plans), 25)
	found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, plans, query.ReadOptions{})
	require.NoError(t, err)
	for i, name := range names {
		n := 0
		for _, err := range found[i].Result().Rows {
			require.NoError(t, err, name)
			n++
		}
		if n == 0 {
			assert.Regexp(t, `^(container-|virtual-|pinned-|native-memory-|lock-convoys|longest-)`, name)
		}
	}
}

// TestPausesByCauseAreOfOneThing looks at columns of garbage collections with several pauses: none
// is above the longest.
func TestPausesByCauseAreOfOneThing(t *testing.T) {
	v, ok := views.Find("gc-pauses-by-cause")
	require.True(t, ok)
	st, err := v.Statement(nil, query.Options{})
	require.NoError(t, err)
	for _, aggregate := range []string{"median", "p90", "p99", "max", "sum"} {
		assert.Contains(t, strings.ToLower(st.String()), aggregate+"(sumofpauses)")
	}
	assert.NotContains(t, st.String(), "longestPause")
}
