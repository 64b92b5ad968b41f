package query_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestPlansTakeNoTimeByTheTypes: a statement that names a type allocates the same, whether there are few or many others.
func TestPlansTakeNoTimeByTheTypes(t *testing.T) {
	st, err := query.Parse("SELECT * FROM T1", query.Options{})
	require.NoError(t, err)
	allocated := func(n int) uint64 {
		b := jfrtest.NewChunk()
		for i := range n {
			b.Event(fmt.Sprint("test.T", i), jfrtest.Of("a", "long"))
		}
		rec := opentest.Bytes(t, b.Bytes())
		types, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
		require.NoError(t, err)
		index := query.NewTypeIndex(types)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			_, err = st.PlanWith(index, query.Options{})
			require.NoError(t, err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(100) // what is made once
	few, many := allocated(100), allocated(2000)
	assert.Less(t, many, 2*few+10_000)
}
