package main

import (
	"math"
	"os"
	"path/filepath"
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
