package query

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestMergedAfter compares groups of parts of a chunk, merged over and over, with those of whole chunks.
func TestMergedAfter(t *testing.T) {
	statements := []string{
		"select stackTrace, count(*), sum(duration), last(stackTrace) from * group by stackTrace",
		"select eventThread, p99(duration), avg(duration), set(@type), unique(stackTrace), list(startTime) from * group by eventThread",
		"select @type, min(startTime), max(startTime), stdev(duration), arg_max(eventThread, startTime) from * group by @type",
		"select name, last_batch(value), first(value) from jdk.ActiveSetting group by name",
		"select rate(duration), top_k(stackTrace.topFrame, 3), histogram(duration), diff(startTime) from jdk.*",
		"select startTime, @type from jdk.Thread*",
	}
	rec := testRecording(t, "concat-jdk17-jdk25", mmapjfr.Workers(3))
	var plans []*Plan
	for _, statement := range statements {
		plans = append(plans, testPlan(t, statement, rec, rec))
	}
	read := func(events int) (rows [][]string) {
		limited(t, &mergedAfter, events)
		found, err := Read(t.Context(), []*mmapjfr.Recording{rec, rec}, plans, ReadOptions{})
		require.NoError(t, err)
		for _, r := range found {
			rows = append(rows, testRows(t, r.Result()))
		}
		return rows
	}
	require.Equal(t, read(math.MaxInt), read(0))
}
