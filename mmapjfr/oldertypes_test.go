package mmapjfr_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestSelectionWhileOlderTypesAreRead selects events that only older metadata describes, while
// other readers find that metadata and build blocks: all readers must get all of the events.
func TestSelectionWhileOlderTypesAreRead(t *testing.T) {
	data := forgetful().Bytes()
	count := func(rec *mmapjfr.Recording, filter mmapjfr.Filter) (n int64) {
		for _, err := range rec.Select(filter).Events() {
			require.NoError(t, err)
			n++
		}
		return n
	}
	names := map[string]int64{}
	for ev, err := range openBytes(t, data).Events() {
		require.NoError(t, err)
		names[ev.Type().Name()]++
	}
	require.NotEmpty(t, names)
	for range longtest.Cases(60, 300) {
		rec := openBytes(t, data)
		for name, want := range names {
			var wrong atomic.Int64
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if count(rec, mmapjfr.Types(name)) != want {
						wrong.Add(1)
					}
				})
			}
			wg.Wait()
			require.Zero(t, wrong.Load(), name)
		}
	}
}
