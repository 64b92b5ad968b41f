package query_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestWrongPlans has statements that cannot be planned, and what errors say.
func TestWrongPlans(t *testing.T) {
	rec := open(t, "jdk25-empty")
	types, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	require.NoError(t, err)
	for _, tt := range []struct{ statement, says string }{
		{"select pth from FileRead", "line 1, character 8: no event type of the statement has a field pth; did you mean path?"},
		{"select count(*) from FileRed", "no event type is called FileRed; did you mean jdk.FileRead"},
		{"select count(*)\nfrom CPULoad where jvmUser > abc", "line 2, character 20: jvmUser is a number, and abc is not"},
		{"from jdk.* during GarbageCollection as g (nofield > 1) select count(*)", "no event type that is selected has a field nofield"},
		{"select count(*) from CPULoad during GarbageCollection as g where g.duration > 1ms",
			"has a field g.duration; conditions on g stand in parentheses after it, as in GarbageCollection AS g (duration > 1ms)"},
		{"select count(*) from CPULoad during GarbageCollection as g where x.duration > 1ms", "; conditions on g stand in parentheses"},
		{"select count(*) from CPULoad during GarbageCollection as jvmUser where jvmUser.duration > 1ms", "; conditions on jvmUser stand in parentheses"},
		{"select count(*) from CPULoad during GarbageCollection as g where jvmUsr > 1", "has a field jvmUsr; did you mean jvmUser?"},
		{"select count(*) from CPULoad where jvmUser > 1 ms", "jvmUser is a number, and 1ms is not"},
		{"select g from CPULoad during GarbageCollection as g", "no event type of the statement has a field g; fields of GarbageCollection begin with g."},
		{"select x.name from CPULoad during GarbageCollection as g", "it has startTime, jvmUser, jvmSystem, machineTotal; fields of GarbageCollection begin with g."},
		{"select g.nam from CPULoad during GarbageCollection as g", "GarbageCollection, which is looked up as g, has no field nam; did you mean name?"},
		{"select eventThread.javaName from ThreadPark during CPULoad as eventThread", "CPULoad, which is looked up as eventThread, has no field javaName"},
		{"select duration + bytesRead from FileRead", "cannot compute a length of time + an amount of data"},
		{"select count(*) from FileRead where duration > 99999999999999h", "character 37: 99999999999999h is too large; the longest time is 106751d"},
		{"select count(*) from FileRead where bytesRead > 1e999", "1e999 is too large; the greatest number is 1.79e308"},
		{"select sum(path) from FileRead", "needs numbers; got text"},
		{"select path from FileRead limit -1", "LIMIT takes a whole number of rows; got -1"},
		{"select path from FileRead limit 1.5", "LIMIT takes a whole number of rows; got 1.5"},
		{"select path from FileRead limit x", "LIMIT takes a whole number of rows; got x"},
		{"select path from FileRead limit 99999999999999999999", "LIMIT 99999999999999999999 is too large; without LIMIT there are all rows"},
		{"select path from FileRead where count(*) > 3", "character 33: WHERE tests single events; put conditions on count in HAVING"},
		{"select path from FileRead where path = 'a' and lower (path) = 'b'", "character 48: WHERE compares fields; put conditions on lower in HAVING"},
		{"select distinct path from FileRead", "character 8: DISTINCT is not supported; use GROUP BY"},
		{"select count(distinct path) from FileRead", "character 14: DISTINCT is not supported"},
		{"select sum(path, path) from FileRead", "SUM takes 1 argument; got 2"},
		{"select top_k(path) from FileRead", "TOP_K takes 2 arguments; got 1"},
		{"select time() from FileRead", "TIME takes 1 argument; got 0"},
		{"select lower(*) from FileRead", "LOWER takes 1 argument; got *"},
		{"select path from FileRead as a, FileWrite as a", "there are two event types called a; give one of them another name"},
		{"select path from FileRead order by 2", "the columns are numbered from 1 to 1"},
		{"select " + strings.Repeat("a.", 100_000) + "b from CPULoad", "more than 200 steps"},
		{"select count(*) from CPULoad where jvmUser in (1" + strings.Repeat(",1", 100_000) + ")", "more than 10000 values"},
	} {
		st, err := query.Parse(tt.statement, query.Options{})
		if err == nil {
			_, err = st.Plan(types, query.Options{})
		}
		assert.ErrorContains(t, err, tt.says, "%.80s", tt.statement)
	}
}

// TestCheckOfAllFields: no event types are known yet, so SELECT * has no columns.
func TestCheckOfAllFields(t *testing.T) {
	st, err := query.Parse("select * from NoSuchThing group by name", query.Options{})
	require.NoError(t, err)
	assert.NoError(t, st.Check(query.Options{}))
}

// TestLabelsOfSeveral: a label in the plural gets no second s, except in the JDK's views, which have one.
func TestLabelsOfSeveral(t *testing.T) {
	rec := open(t, "jdk25-profile")
	const statement = "select list(stackTrace.frames), list(state) from ExecutionSample"
	for jdk, want := range map[bool][]string{
		false: {"Stack Frames", "Thread States"},
		true:  {"Stack Framess", "Thread States"},
	} {
		st, err := query.Parse(statement, query.Options{})
		require.NoError(t, err)
		types, err := rec.Types()
		require.NoError(t, err)
		p, err := st.Plan(types, query.Options{JDK: jdk})
		require.NoError(t, err)
		found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, []*query.Plan{p}, query.ReadOptions{})
		require.NoError(t, err)
		var titles []string
		for _, c := range found[0].Result().Columns {
			titles = append(titles, c.Title)
		}
		assert.Equal(t, want, titles)
	}
}

// TestMissingFields has fields of event types that no recording has: columns of null, in any expression.
func TestMissingFields(t *testing.T) {
	rec := open(t, "jdk25-profile")
	p := plan(t, "select B.foo, sum(B.foo), p99(B.x.y), max(B.foo) - max(A.bytesRead), round(-B.foo), coalesce(B.foo, count(*)) "+
		"from FileRead as A, NoSuchThing as B having not B.foo or B.foo > 10ms and sum(B.foo) < 3", rec)
	found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, []*query.Plan{p}, query.ReadOptions{})
	require.NoError(t, err)
	var titles []string
	result := found[0].Result()
	for _, c := range result.Columns {
		titles = append(titles, c.Title)
	}
	assert.Equal(t, []string{"foo", "Total foo", "P99 y"}, titles[:3])
	n := 0
	for row, err := range result.Rows {
		require.NoError(t, err)
		for _, v := range row[:5] {
			assert.True(t, v.IsNull())
		}
		assert.Positive(t, row[5].Int())
		n++
	}
	assert.Equal(t, 1, n)
}

// TestCancelled ends a statement early.
func TestCancelled(t *testing.T) {
	rec := open(t, "jdk25-profile")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := query.Read(ctx, []*mmapjfr.Recording{rec}, []*query.Plan{plan(t, "select count(*) from jdk.*", rec)}, query.ReadOptions{})
	assert.ErrorIs(t, err, context.Canceled)
}
