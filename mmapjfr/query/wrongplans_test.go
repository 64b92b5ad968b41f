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
		{"select count(*) from FileRed", "no event type is called FileRed; did you mean FileRead"},
		{"select count(*)\nfrom CPULoad where jvmUser > abc", "line 2, character 20: jvmUser is a number, and abc is not"},
		{"from jdk.* during GarbageCollection as g (nofield > 1) select count(*)", "no event type that is selected has a field nofield"},
		{"select duration + bytesRead from FileRead", "a length of time + an amount of data makes no sense"},
		{"select sum(path) from FileRead", "needs numbers, and not text"},
		{"select path from FileRead limit -1", "LIMIT takes a whole number of rows, and not -1"},
		{"select path from FileRead limit 1.5", "LIMIT takes a whole number of rows, and not 1.5"},
		{"select path from FileRead limit x", "LIMIT takes a whole number of rows, and not x"},
		{"select path from FileRead limit 99999999999999999999", "LIMIT 99999999999999999999 is too large; without LIMIT there are all rows"},
		{"select path from FileRead where count(*) > 3", "character 33: WHERE is about single events; conditions on count stand in HAVING"},
		{"select path from FileRead where path = 'a' and lower (path) = 'b'", "character 48: WHERE compares fields; conditions on lower stand in HAVING"},
		{"select distinct path from FileRead", "character 8: there is no DISTINCT; GROUP BY gives each value once"},
		{"select count(distinct path) from FileRead", "character 14: there is no DISTINCT"},
		{"select sum(path, path) from FileRead", "SUM takes 1 argument, and not 2"},
		{"select top_k(path) from FileRead", "TOP_K takes 2 arguments, and not 1"},
		{"select time() from FileRead", "TIME takes 1 argument, and not 0"},
		{"select lower(*) from FileRead", "LOWER takes 1 argument, and not *"},
		{"select path from FileRead as a, FileWrite as a", "there are two event types called a; give one of them another name"},
		{"select path from FileRead order by 2", "the columns are numbered from 1 to 1"},
		{"select " + strings.Repeat("a.", 100_000) + "b from CPULoad", "more than 200 steps"},
		{"select count(*) from CPULoad where jvmUser in (1" + strings.Repeat(",1", 100_000) + ")", "more than 10000 values"},
	} {
		st, err := query.Parse(tt.statement)
		if err == nil {
			_, err = st.Plan(types, query.Options{})
		}
		assert.ErrorContains(t, err, tt.says, "%.80s", tt.statement)
	}
}

// TestCancelled ends a statement early.
func TestCancelled(t *testing.T) {
	rec := open(t, "jdk25-profile")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := query.Read(ctx, []*mmapjfr.Recording{rec}, []*query.Plan{plan(t, "select count(*) from jdk.*", rec)}, query.ReadOptions{})
	assert.ErrorIs(t, err, context.Canceled)
}
