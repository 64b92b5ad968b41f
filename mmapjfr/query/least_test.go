package query_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestLeastNumbers counts, sums up, groups and compares Long.MIN_VALUE and 2^63 as the numbers that they are: the
// aggregates of JDK 25 do. As lengths of time and points in time they are null.
func TestLeastNumbers(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("x.N", jfrtest.Of("k", jfrtest.StringClass), jfrtest.Of("n", "long"), jfrtest.Of("u", "long").With(jfrtest.Mark("jdk.jfr.Unsigned")),
		jfrtest.Of("t", "long").With(jfrtest.Note("jdk.jfr.Timespan", "NANOSECONDS")), jfrtest.Of("ticks", "long").With(jfrtest.Note("jdk.jfr.Timespan", "TICKS")),
		jfrtest.Of("at", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")))
	for i, n := range []int64{math.MinInt64, 5, 7, math.MinInt64} {
		b.Emit(typ, int64(i), []string{"a", "a", "b", "c"}[i], n, []int64{math.MinInt64, 5, -1, math.MinInt64}[i], n, n, n)
	}
	data, _ := b.Build()
	rec := opentest.Bytes(t, data)
	types, err := rec.Types()
	require.NoError(t, err)
	ask := func(statement string, o query.Options) (rows []string) {
		st, err := query.Parse(statement, o)
		require.NoError(t, err, statement)
		plan, err := st.Plan(types, o)
		require.NoError(t, err, statement)
		found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, []*query.Plan{plan}, query.ReadOptions{})
		require.NoError(t, err, statement)
		for row, err := range found[0].Result().Rows {
			require.NoError(t, err, statement)
			var cells []string
			for _, v := range row {
				cells = append(cells, v.String())
			}
			rows = append(rows, strings.Join(cells, " | "))
		}
		return rows
	}
	for statement, want := range map[string][]string{
		"select count(n), min(n), max(n), unique(n), diff(n) from x.N":             {"4 | -9223372036854775808 | 7 | 3 | 0"},
		"select sum(n) as a, avg(n) as b, median(n) as c from x.N":                 {"-1.8446744073709552E19 | -4.611686018427388E18 | -4.611686018427388E18"},
		"select sum(n) as a from x.N where k != 'c'":                               {"-9223372036854775796"},
		"select n, count(*) as c from x.N group by n order by n":                   {"-9223372036854775808 | 2", "5 | 1", "7 | 1"},
		"select u, count(*) as c from x.N group by u order by u":                   {"5 | 1", "9223372036854775808 | 2", "18446744073709551615 | 1"},
		"select count(u), min(u), max(u), sum(u), diff(u) from x.N where k >= 'b'": {"2 | 9223372036854775808 | 18446744073709551615 | 2.7670116110564327E19 | -9223372036854775807"},
		"select k, last(n) from x.N group by k order by k":                         {"a | 5", "b | 7", "c | -9223372036854775808"},
		"select k, arg_min(k, n), set(n) from x.N group by k order by k limit 1":   {"a | a | -9223372036854775808, 5"},
		"select k from x.N where n is null or u is null":                           nil,
		"select n, n + 1 as m from x.N order by n, k limit 1":                      {"-9223372036854775808 | -9223372036854775807"},
		"select count(t), min(t), count(ticks), count(at) from x.N":                {"2 | 5ns | 2 | 2"},
		"select k from x.N where t is null and ticks is null and at is null":       {"a", "c"},
		"select diff(n) from x.N where k = 'a'":                                    {""},
	} {
		assert.Equal(t, want, ask(statement, query.Options{}), statement)
	}

	// To the JDK's views all numbers have a sign, and the least one is shown as missing, but it counts.
	assert.Equal(t, []string{"4 | -9223372036854775808 | 5 | -4.611686018427388E18"}, ask("SELECT COUNT(u), MIN(u), MAX(u), AVG(n) FROM x.N", query.Options{JDK: true}))
	assert.Empty(t, query.AppendNumber(nil, query.NewValue(int64(math.MinInt64)), mmapjfr.NoUnit, false, -1))
}
