package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestLeastNumbers are numbers in fields that are no times, in SQL as in mjfr query.
func TestLeastNumbers(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("x.N", jfrtest.Of("n", "long"), jfrtest.Of("u", "long").With(jfrtest.Mark("jdk.jfr.Unsigned")), jfrtest.Of("t", "long").With(jfrtest.Note("jdk.jfr.Timespan", "NANOSECONDS")))
	for i, n := range []int64{math.MinInt64, 5, 7, math.MinInt64} {
		b.Emit(typ, int64(i), n, []int64{math.MinInt64, 5, -1, math.MinInt64}[i], n)
	}
	data, _ := b.Build()
	file := filepath.Join(t.TempDir(), "least.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	for _, statement := range []string{
		"select count(n), min(n), max(n), avg(n), count(u), min(u), max(u), count(t), min(t), max(t), avg(t) from N",
		"select n, count(*), min(u) from N group by n order by n", "select u, count(*) from N group by u order by u", "select u from N where n < 0 order by u",
	} {
		want := rowsOf(t, asks(t, "query", "--csv", statement, file), true)
		require.NotEmpty(t, want)
		for name, program := range programs(t) {
			assert.Equal(t, want, rowsOf(t, program(t, "--csv", file, statement), true), "%s: %s", name, statement)
		}
	}
}

// TestNamesOfSeveralTypes are errors that name the types.
func TestNamesOfSeveralTypes(t *testing.T) {
	b := jfrtest.NewChunk()
	for i, name := range []string{"x.GCPhasePause", "jdk.GCPhasePause", "y.FileRead", "FileRead", "x.Other", "y.OTHER"} {
		b.Emit(b.Event(name, jfrtest.Of("n", "int")), int64(i), i)
	}
	data, _ := b.Build()
	file := filepath.Join(t.TempDir(), "several.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	const which = `GCPhasePause is the name of 2 event types; write one of them with its package: "jdk.GCPhasePause", "x.GCPhasePause"`
	for name, program := range programs(t) {
		got := program(t, "--csv", file, `select a.n, b.n, c.n, d.n from jdk.GCPhasePause a, x.GCPhasePause b, FileRead c, "y.FileRead" d`)
		assert.Equal(t, [][]string{{"1", "0", "3", "2"}}, rowsOf(t, got, true), name)
	}
	for _, statement := range []string{"from GCPhasePause", "from jfr('" + file + "', 'GCPhasePause')", "from events('gcphasepause')"} {
		_, said, code := execute(t, "", file, statement)
		assert.Equal(t, 2, code, statement)
		assert.Contains(t, strings.ReplaceAll(said, "gcphasepause is", "GCPhasePause is"), which, statement)
	}
	_, said, _ := execute(t, "", file, "from Other")
	assert.Contains(t, said, `Other is the name of 2 event types; write one of them with its package: "x.Other", "y.OTHER"`)
	assert.Equal(t, "3", count(t, file, "select n from jfr('"+file+"', 'fileread')"))
}

// TestHostileNames runs statements over a recording that tries to give commands to the shell of duckdb.
func TestHostileNames(t *testing.T) {
	canary := filepath.ToSlash(filepath.Join(t.TempDir(), "canary"))
	command := "\n.shell touch " + canary + "\n.output |touch " + canary + "\n--"
	names := []string{"", "_stacks", "._stacks", "a.Same", "A.same", "duckdb_tables"}
	for _, n := range []int{0, 1, 100, 298, 1024, 4096} {
		names = append(names, "T\x00"+strings.Repeat("B", n)+"\" AS SELECT 1;"+command)
	}
	b := jfrtest.NewChunk()
	for i, name := range names {
		typ := b.Event(name, jfrtest.Of("n", "int"), jfrtest.Of("", "int"), jfrtest.Of("v\x00a", "int"), jfrtest.Of("v\x00b", "int"), jfrtest.Of("x\x00"+strings.Repeat("B", 150)+"\" WHERE false);"+command, "int"))
		b.Emit(typ.Annotate(jfrtest.Note("jdk.jfr.Label", command)), int64(i), i, 7, 8, 9, 10)
	}
	data, _ := b.Build()
	file := filepath.Join(t.TempDir(), "hostile.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	for name, program := range programs(t) {
		assert.Equal(t, 1+5+6+2+6, strings.Count(program(t, "--csv", file, "show tables"), "\n"), name)
		for i, table := range []string{".", "._stacks", ".._stacks", "a.Same_", "A.same", "duckdb_tables_"} {
			got := rowsOf(t, program(t, "--csv", file, `select n, ".", "v%00a", "v%00b" from "`+table+`"`), true)
			if i == 3 || i == 4 {
				got[0][0] = fmt.Sprint(i) // which of the two has its own name does not matter
			}
			assert.Equal(t, [][]string{{fmt.Sprint(i), "7", "8", "9"}}, got, "%s: %s", name, table)
		}
		assert.NoFileExists(t, canary, name)
	}
}
