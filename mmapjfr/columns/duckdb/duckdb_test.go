package duckdb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/query/views"
)

func catalog(t testing.TB, paths ...string) *duckdb.Catalog {
	t.Helper()
	var recs []*mmapjfr.Recording
	for _, path := range paths {
		rec, err := mmapjfr.Open("../../../testdata/" + path)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, rec.Close()) })
		recs = append(recs, rec)
	}
	c, err := duckdb.NewCatalog(recs, columns.Options{})
	require.NoError(t, err)
	return c
}

func TestStatements(t *testing.T) {
	for script, want := range map[string][]string{
		"":                               nil,
		" ; ;; -- nothing ;\n ; /* ; */": nil,
		"select 1":                       {"select 1"},
		"select 1; select 2 ;":           {"select 1", "select 2"},
		"select ';', \";\", 'a''b;'; x":  {"select ';', \";\", 'a''b;'", "x"},
		"select $$;$$; y":                {"select $$;$$", "y"},
		"select $a$ ; $$ ; $a$; z":       {"select $a$ ; $$ ; $a$", "z"},
		`select e'\';' ; a`:              {`select e'\';'`, "a"},
		"select $1; b":                   {"select $1", "b"},
		"-- a ; b\nselect 1 -- ;":        {"-- a ; b\nselect 1 -- ;"},
		"select 'has no end ; ":          {"select 'has no end ;"},
		"select \"has no end ; ":         {"select \"has no end ;"},
		"select /* has no end ; ":        {"select /* has no end ;"},
		"select $a$ has no end ; ":       {"select $a$ has no end ;"},
		"\xff;\xc3":                      {"\xff", "\xc3"},
	} {
		assert.Equal(t, want, duckdb.Statements(script), script)
	}
	assert.True(t, duckdb.IsComplete("select 1; -- more"))
	assert.True(t, duckdb.IsComplete(" "))
	assert.False(t, duckdb.IsComplete("select ';"))
	for _, s := range []string{"select 1", "/* a */ FROM x", "(select 1)", "with a as (select 1) from a", "values (1)", "table x", "show tables", "describe x", "Summarize x", "pivot x on y"} {
		d := duckdb.Describe(s)
		assert.True(t, strings.HasPrefix(d, "DESCRIBE"), s)
		assert.Contains(t, d, "\n"+s)
		assert.Equal(t, 1, strings.Count(d[:strings.Index(d, s)], "\n"), "the statement begins with the second line")
	}
	for _, s := range []string{"create table x as select 1", "", "'select'", `"from"`, "insert into x from y", "explain select 1", "pragma version"} {
		assert.Empty(t, duckdb.Describe(s), s)
		assert.Equal(t, strings.HasPrefix(s, "explain"), duckdb.IsExplain(s), s)
	}
	assert.Equal(t, []duckdb.Statement{{"-- a ; b\nselect\n1", 2}, {"x", 4}, {"y", 4}}, duckdb.Split("\n-- a ; b\nselect\n1; \tx;;y ;\n-- the end"))
}

func TestEndless(t *testing.T) {
	for statement, want := range map[string]int{
		"select 'a'": -1, "select 'a": 7, "select 'a''": 7, "select 'a'''": -1, `select "a`: 7, `select "a"`: -1, `select "a"""`: -1, `x e'a\'`: 2, `x e'a\\'`: -1, `x E'\''`: -1, "x E'": 2,
		"select $$a": 7, "select $$a$$": -1, "select $b$a$$": 7, "select $b$a$b$": -1, "a /* b": 2, "a /* b */": -1, "a /*": 2, "a /*/": 2, "a -- b 'c": -1, "$1": -1, "'": 0, `"`: 0,
	} {
		what, at := duckdb.Endless(statement)
		if what == "" {
			at = -1
		}
		assert.Equal(t, want, at, statement)
	}
	for statement, want := range map[string]string{`select E'..\'..', '\', e'\\'`: `select E'..''..', '\', e'\\'`, `e'\`: `e'\`, `e'\''`: `e''''`, "'a'": "'a'"} {
		assert.Equal(t, want, duckdb.Plain(statement))
	}
}

func FuzzStatements(f *testing.F) {
	f.Add("select $a$ ; $$ ; $a$; e'\\' /* \"")
	f.Fuzz(func(t *testing.T, script string) {
		bytes := 0
		for _, s := range duckdb.Statements(script) {
			bytes += len(s)
		}
		assert.LessOrEqual(t, bytes, len(script))
		duckdb.IsComplete(script)
		duckdb.Describe(script)
		duckdb.Endless(script)
		assert.Len(t, duckdb.Plain(script), len(script))
	})
}

// TestNeeded looks for tables in all places where a name can stand.
func TestNeeded(t *testing.T) {
	c := catalog(t, "jdk25-profile.jfr")
	for script, want := range map[string]string{
		"select 1":                                "",
		"from jdk.GCPhasePause":                   "jdk.GCPhasePause",
		`from "jdk.GCPhasePause"`:                 "jdk.GCPhasePause",
		"FROM GCPHASEPAUSE":                       "jdk.GCPhasePause",
		`from jdk."GCPhasePause"`:                 "jdk.GCPhasePause",
		`from "jdk" . gcphasepause, FileRead`:     "jdk.FileRead jdk.GCPhasePause",
		"select (select max(x) from CPULoad) y":   "jdk.CPULoad",
		"with FileRead as (select 1) from a":      "jdk.FileRead", // more than it reads
		"from 'FileRead'":                         "jdk.FileRead",
		"from query_table($$jdk.FileRead$$)":      "jdk.FileRead",
		"-- FileRead\n select /* CPULoad */ 1":    "",
		"select FileReader, xFileRead, FileRead_": "",
		"from main.FileRead":                      "jdk.FileRead",
		"from _stacks, _threads":                  "_stacks _threads",
		"select has_frame(stack_id, 'x')":         "_stacks",
		"select since_last_gc(1)":                 "_recording jdk.GarbageCollection",
		"select gc_id_after(1)":                   "_recording jdk.GarbageCollection",
		`from "exception-by-site"`:                "_stacks jdk.JavaErrorThrow jdk.JavaExceptionThrow",
		`from "gc"`:                               "jdk.GCHeapSummary jdk.GarbageCollection jdk.OldGarbageCollection jdk.YoungGarbageCollection",
		`from "HOT-METHODS"`:                      "jdk.ExecutionSample",
		`from "gen.Stacks$Here", "Stacks$Here"`:   "gen.Stacks$Here",
		`from Stacks$Here`:                        "gen.Stacks$Here",
	} {
		var got []string
		need := c.Needed(script)
		for _, table := range need.Tables {
			got = append(got, table.Name)
		}
		assert.Equal(t, want, strings.Join(got, " "), script)
	}
	assert.Equal(t, "jdk.FileRead", c.Table("fileread").Name)
	assert.Equal(t, "jdk.FileRead", c.Table("JDK.FileRead").Name)
	assert.Nil(t, c.Table("nothing"))
	assert.Contains(t, c.Like("FileRaed"), "FileRead")
}

// TestViews has views for all but those that the page says, and each needs tables that are there.
func TestViews(t *testing.T) {
	c := catalog(t, "jdk25-profile.jfr")
	var missing, others []string
	for _, v := range c.Views() {
		if v.Err != nil {
			if of, _ := views.Find(v.Name); of.IsStandard() {
				missing = append(missing, v.Name)
			} else if errors.Is(v.Err, query.ErrNoSQL) {
				others = append(others, v.Name)
			}
			continue
		}
		assert.NotEmpty(t, c.Needed(duckdb.Quote(v.Name)).Tables, v.Name)
		assert.NotContains(t, v.SQL, ";", v.Name)
	}
	assert.ElementsMatch(t, []string{"active-settings", "events-by-count", "events-by-name", "recording"}, missing)
	assert.ElementsMatch(t, []string{"hot-threads", "hot-lines", "allocation-rate", "allocation-by-package", "sampled-allocation-by-site", "sampled-allocation-by-class", "tlab-allocation-by-site", "tlab-allocation-by-class", "lock-convoys", "exceptions-over-time", "exceptions-by-class", "exceptions-by-message", "exceptions-by-site"}, others)
	assert.Len(t, c.All().Views, 104)
	old := catalog(t, "jdk17-profile.jfr")
	assert.Error(t, old.View("cpu-time-hot-methods").Err, "JDK 17 has no such events")
	assert.NoError(t, old.View("Hot-Methods").Err)
	assert.Nil(t, old.View("nothing"))
}

// TestHostileNames makes a script in which no name and no text of a recording begins a line, whatever it has, and in which no two
// tables have one name.
func TestHostileNames(t *testing.T) {
	const command = "\n.shell touch canary\n--"
	b := jfrtest.NewChunk()
	for i, name := range []string{"", "_stacks", "._stacks", "A.same", "a.same", "a.Same_", "duckdb_tables", "x.sqlite_master", "a.", "jdk.FileRead", "q\" AS SELECT 1;" + command, "n\x00" + strings.Repeat("B", 298) + "\" WHERE false);" + command, "');" + command} {
		typ := b.Event(name, jfrtest.Of("", "int"), jfrtest.Of("a\x00b\" WHERE false);"+command, "int").With(jfrtest.Note("jdk.jfr.Label", "it's\x00"+command)), jfrtest.Of("path", jfrtest.StringClass), jfrtest.Of("bytesRead", "long"))
		b.Emit(typ.Annotate(jfrtest.Note("jdk.jfr.Label", "l'\r"+command)), int64(i), i, 1, "p", int64(2))
	}
	b.Class("jdk.GarbageCollection", jfrtest.Of("n", "int")).SuperType = "jdk.jfr.Event"
	data, _ := b.Build()
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	defer func() { assert.NoError(t, rec.Close()) }()
	c, err := duckdb.NewCatalog([]*mmapjfr.Recording{rec}, columns.Options{Labels: []string{"l" + command}})
	require.NoError(t, err)
	own, err := views.Read(strings.NewReader("view: mine\nselect eventType.label, path from FileRead where path = 'a'\n"), "own.views")
	require.NoError(t, err)
	require.NoError(t, c.AddViews(own, nil))
	require.NoError(t, c.View("mine").Err)
	made := make(map[string]bool)
	sql := c.SQL(c.All(), func(t *columns.Table) string { return "read_parquet(" + duckdb.Text(t.Name+command) + ")" })
	for line := range strings.Lines(sql) {
		assert.Regexp(t, `^(SET|CREATE|FROM|GROUP|HAVING|ORDER|LIMIT|SELECT|WITH|WHEN|ELSE|END|\)| |--|\n)`, line)
		assert.Negative(t, strings.IndexFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r < ' ' }), "%q", line)
		if name, found := strings.CutPrefix(line, "CREATE VIEW \""); found {
			name, _, _ = strings.Cut(`"`+name, " AS ")
			assert.False(t, made[strings.ToLower(name)], name)
			made[strings.ToLower(name)] = true
		}
	}
	for _, name := range []string{`"."`, `"._stacks"`, `".._stacks"`, `"_stacks"`, `"a.same__"`, `"a.same_"`, `"a.same"`, `"duckdb_tables_"`, `"x.sqlite_master"`, `"a."`, `"fileread"`} {
		assert.True(t, made[name], name)
	}
	assert.False(t, made[`"sqlite_master"`] || made[`""`])
	assert.NotContains(t, sql, "heap_at_gc", "no event type has it")
	assert.NotContains(t, sql, "last_gc_before", "the type has no start")
	assert.NotContains(t, sql, "gc_id_before", "the type has no start")
}

// TestSQL makes tables before what reads them, and quotes what a recording calls its types and columns.
func TestSQL(t *testing.T) {
	c := catalog(t, "jdk17-kinds.jfr", "jdk25-kinds.jfr")
	sql := c.SQL(c.All(), func(t *columns.Table) string {
		if t.Name == "jdk.CPULoad" {
			return ""
		}
		return "read_parquet(" + duckdb.Text("it's "+t.Name) + ")"
	})
	assert.Contains(t, sql, `CREATE VIEW "jdk.FileRead" AS FROM read_parquet('it''s jdk.FileRead');`)
	assert.Contains(t, sql, `CREATE VIEW "jdk.CPULoad" AS FROM (SELECT CAST(NULL AS TIMESTAMP WITH TIME ZONE) AS "start_time", CAST(NULL AS BIGINT) AS "start_ns", CAST(NULL AS DOUBLE) AS "jvmUser"`)
	assert.Contains(t, sql, `CREATE VIEW IF NOT EXISTS "gen"."Dynamic" AS FROM main."gen.Dynamic";`)
	position := func(part string) int { return strings.Index(sql, part) }
	assert.Less(t, position(`CREATE VIEW "jdk.ExecutionSample"`), position("CREATE MACRO jdk_quantile("))
	assert.Less(t, position("CREATE MACRO jdk_quantile("), position(`CREATE VIEW "hot-methods"`))
	some := c.All()
	some.Only([]string{"jdk.FileRead", "_stacks"})
	require.Len(t, some.Tables, 2)
	sql = c.SQL(some, func(t *columns.Table) string { return "made(" + t.Name + ")" })
	assert.Contains(t, sql, `CREATE VIEW "jdk.FileRead" AS FROM made(jdk.FileRead);`)
	assert.Contains(t, sql, `CREATE VIEW "jdk.CPULoad" AS FROM (SELECT CAST(NULL`)
	assert.Contains(t, sql, `CREATE VIEW "hot-methods"`)
	assert.Equal(t, `"a""b"`, duckdb.Quote(`a"b`))
	assert.Equal(t, "VARCHAR[]", duckdb.TypeOf(&columns.Column{Kind: columns.List, Element: columns.Text}))
}
