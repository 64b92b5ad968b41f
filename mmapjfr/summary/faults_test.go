package summary_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// TestManyFaultsAreComparedByText: twice as many faults take twice the memory to tell those that are known.
func TestManyFaultsAreComparedByText(t *testing.T) {
	allocated := func(n int) uint64 {
		for _, s := range jfrtest.Sizes {
			if s.Name != "headers of chunks in garbage" {
				continue
			}
			rec := opentest.Bytes(t, s.Build(n), mmapjfr.Workers(1))
			sum, err := summary.Count(t.Context(), []*mmapjfr.Recording{rec}, nil)
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			require.NoError(t, sum.ReadPools(t.Context(), nil))
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		t.Fatal("there is no such size")
		return 0
	}
	allocated(10)
	few, many := allocated(50), allocated(200)
	assert.Less(t, many, 7*few)
}
