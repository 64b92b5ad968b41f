package duckdb

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// TestNamed looks for tables in all places where a name can stand.
func TestNamed(t *testing.T) {
	tables := []string{"_stacks", "_threads", "a.", "gen.Stacks$Here", "jdk.CPULoad", "jdk.FileRead", "jdk.GCPhasePause", "x.Größe", "x.my type"}
	names := Names(tables)
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
		"select FileReader, xFileRead, FileRead_": "",
		"-- it's\nfrom main.FileRead":             "jdk.FileRead",
		"from _stacks, _threads":                  "_stacks _threads",
		"select top_frame, has_frame(x, 'y')":     "_stacks",
		"select top_frame, stack_id":              "",
		`from "gen.Stacks$Here"`:                  "gen.Stacks$Here",
		"from GRÖSSE, größe":                      "x.Größe",
		`from "my type"`:                          "x.my type",
		"show tables":                             strings.Join(tables, " "),
		"select 1 from information_schema.tables": strings.Join(tables, " "),
	} {
		var got []string
		for i, is := range Named(script, names) {
			if is && (tables[i] != "a." || want == strings.Join(tables, " ")) { // a name without a word is always there
				got = append(got, tables[i])
			}
		}
		assert.Equal(t, want, strings.Join(got, " "), script)
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, []Name{
		{"_stacks", ""}, {"._stacks", ""}, {"A.same", ""}, {"a.same__", "same__"}, {"a.Same_", "Same_"}, {"duckdb_tables_", ""}, {"x.sqlite_master", ""},
		{"a.", ""}, {"jdk.FileRead", "FileRead"}, {"b.Request", ""}, {"c.d.Request", ""}, {"same", ""},
	}, Names([]string{"_stacks", "._stacks", "A.same", "a.same", "a.Same_", "duckdb_tables", "x.sqlite_master", "a.", "jdk.FileRead", "b.Request", "c.d.Request", "same"}))
}

// TestHostileNames makes a script in which no name of a recording begins a line, and in which no two tables have one name.
func TestHostileNames(t *testing.T) {
	const command = "\n.shell touch canary\n--"
	b := jfrtest.NewChunk()
	for i, name := range []string{"", "_stacks", "._stacks", "A.same", "a.same", "a.Same_", "duckdb_tables", "x.sqlite_master", "a.", "jdk.FileRead", "q\" AS SELECT 1;" + command, "n\x00" + strings.Repeat("B", 298) + "\" WHERE false);" + command, "');" + command} {
		typ := b.Event(name, jfrtest.Of("", "int"), jfrtest.Of("a\x00b\" WHERE false);"+command, "int"), jfrtest.Of("path", jfrtest.StringClass))
		b.Emit(typ.Annotate(jfrtest.Note("jdk.jfr.Label", "l'\r"+command)), int64(i), i, 1, "p")
	}
	data, _ := b.Build()
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	defer func() { assert.NoError(t, rec.Close()) }()
	tables, err := columns.Tables([]*mmapjfr.Recording{rec}, columns.Options{Labels: []string{"l" + command}})
	require.NoError(t, err)
	var list []Table
	var all []string
	for _, t := range tables {
		all = append(all, t.Name)
	}
	for i, name := range Names(all) {
		list = append(list, Table{name, Empty(tables[i])}, Table{name, Parquet(all[i], "/tmp/it's"+command+"/[a]*.parquet")})
	}
	script := Script(list)
	for line := range strings.Lines(script) {
		assert.Regexp(t, `^(SET|CREATE|WHEN|ELSE|END|  |--|\n)`, line)
		assert.Negative(t, strings.IndexFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r < ' ' }), "%q", line)
	}
	made := make(map[string]int)
	for line := range strings.Lines(script) {
		if name, is := strings.CutPrefix(line, "CREATE OR REPLACE VIEW "); is {
			name, _, _ = strings.Cut(name, " AS FROM ")
			made[strings.ToLower(name)]++
		}
	}
	for name, n := range made {
		assert.Equal(t, 2, n, name)
	}
	assert.Contains(t, script, `read_parquet('/tmp/it''s' || chr(10) || '.shell touch canary' || chr(10) || '--/[[]a][*].parquet', hive_partitioning = false)`)
}

func TestScript(t *testing.T) {
	file := func(name string) Table { return Table{Names([]string{name})[0], Parquet(name, name+".parquet")} }
	script := Script([]Table{file("jdk.FileRead"), file("com.example.Request")})
	assert.True(t, strings.HasPrefix(script, `SET TimeZone = 'UTC';
CREATE OR REPLACE VIEW "jdk.FileRead" AS FROM read_parquet('jdk.FileRead.parquet', hive_partitioning = false);
CREATE SCHEMA IF NOT EXISTS "jdk";
CREATE OR REPLACE VIEW "jdk"."FileRead" AS FROM main."jdk.FileRead";
CREATE OR REPLACE VIEW "FileRead" AS FROM main."jdk.FileRead";
CREATE OR REPLACE VIEW "com.example.Request" AS FROM read_parquet('com.example.Request.parquet', hive_partitioning = false);
CREATE OR REPLACE VIEW "Request" AS FROM main."com.example.Request";
`), script)
	assert.Contains(t, script, "MACRO p99(x)")
	assert.NotContains(t, script, "MACRO frames", "no table has stacks")
	assert.Contains(t, Script([]Table{file("_stacks")}), "MACRO frames")
	assert.Equal(t, "(SELECT DISTINCT * FROM read_parquet(['a', 'b'], union_by_name = true, hive_partitioning = false))", Parquet("_stacks", "a", "b"))
	assert.Equal(t, "VARCHAR[]", TypeOf(&columns.Column{Kind: columns.List, Element: columns.Text}))
}
