//go:build jfrdebug

package where_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestStacksOfManyMethodsAreBounded: a stack of twice as many methods takes twice the steps.
func TestStacksOfManyMethodsAreBounded(t *testing.T) {
	steps := func(n int) uint64 {
		for _, s := range jfrtest.Sizes {
			if s.Name != "frames" {
				continue
			}
			rec := opentest.Bytes(t, s.Build(n), mmapjfr.Workers(1))
			c, err := where.Parse("stackTrace ~ Foo")
			require.NoError(t, err)
			before := wire.Steps()
			for ev, err := range rec.Events() {
				require.NoError(t, err)
				assert.False(t, c.Matches(ev))
			}
			return wire.Steps() - before
		}
		t.Fatal("there is no such size")
		return 0
	}
	few, many := steps(500), steps(2000)
	assert.Less(t, many, 6*few, "%d steps for 500 frames", few)
}
