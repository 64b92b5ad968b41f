package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestColumnsOfFloatsStay: a column is valid until the function that got the batch
// returns, also when it asks for another one.
func TestColumnsOfFloatsStay(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.Of("user", "float"), jfrtest.Of("system", "float"), jfrtest.Of("total", "double"))
	b.Emit(ty, start, float32(1), float32(2), 3.0)
	b.Emit(ty, start, float32(10), float32(20), 30.0)
	rec, _ := openBuilt(t, b)
	asked := 0
	require.NoError(t, engine.SelectionBatches(rec.Select(), t.Context(), func(_ int, b *mmapjfr.Batch) error {
		user, system, total := engine.BatchFloats(b, mmapjfr.Path("user")), engine.BatchFloats(b, mmapjfr.Path("system")), engine.BatchFloats(b, mmapjfr.Path("total"))
		assert.Equal(t, []float64{1, 10}, user)
		assert.Equal(t, []float64{2, 20}, system)
		assert.Equal(t, []float64{3, 30}, total)
		asked++
		return nil
	}))
	assert.Equal(t, 1, asked)
}
