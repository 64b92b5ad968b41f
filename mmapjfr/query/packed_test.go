package query

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestPacked compares groups that were merged and packed over and over with those that never were.
func TestPacked(t *testing.T) {
	statements := []string{
		"select stackTrace, count(*), sum(duration), last(stackTrace) from * group by stackTrace",
		"select eventThread, p99(duration), avg(duration), set(@type), unique(stackTrace), list(startTime) from * group by eventThread",
		"select @type, min(startTime), max(startTime), stdev(duration), arg_max(eventThread, startTime) from * group by @type",
		"select name, last_batch(value), first(value) from jdk.ActiveSetting group by name",
		"select rate(duration), top_k(stackTrace.topFrame, 3), histogram(duration), diff(startTime) from jdk.*",
		"select startTime, @type from jdk.Thread*",
	}
	for _, name := range []string{"concat-jdk17-jdk25", "jdk25-virtual"} {
		var want [][]string
		for _, most := range []int{math.MaxInt, 10_000, 0} {
			for _, workers := range []int{3, 1}[:longtest.Cases(1, 2)] {
				limited(t, &maxAlive, most)
				limited(t, &mergedAfter, most)
				rec := testRecording(t, name, mmapjfr.Workers(workers))
				var plans []*Plan
				for _, statement := range statements {
					plans = append(plans, testPlan(t, statement, rec, rec))
				}
				found, err := Read(t.Context(), []*mmapjfr.Recording{rec, rec}, plans, ReadOptions{})
				require.NoError(t, err)
				var got [][]string
				packed := 0
				for i, r := range found {
					packed += len(r.packed)
					if plans[i].grouped && i%2 > 0 {
						data, err := r.MarshalBinary()
						require.NoError(t, err)
						r, err = plans[i].Unmarshal(data)
						require.NoError(t, err)
					}
					got = append(got, testRows(t, r.Result()))
				}
				require.Equal(t, most < math.MaxInt, packed > 0)
				if want == nil {
					want = got
				}
				require.Equal(t, want, got, "%s with %d bytes, %d workers", name, most, workers)
			}
		}
	}
}
