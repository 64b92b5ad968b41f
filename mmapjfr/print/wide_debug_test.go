//go:build jfrdebug

package print_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestRowsOfManyFieldsAreBounded: a row of twice as many fields takes twice the steps.
func TestRowsOfManyFieldsAreBounded(t *testing.T) {
	for _, s := range jfrtest.Sizes {
		switch s.Name {
		case "fields", "texts of an event", "structs of an event", "constants of an event":
		default:
			continue
		}
		steps := func(n int) uint64 {
			rec := opentest.Bytes(t, s.Build(n), mmapjfr.Workers(1))
			before := wire.Steps()
			require.NoError(t, print.Write(t.Context(), io.Discard, []*mmapjfr.Recording{rec}, print.Options{Format: print.CSV}))
			return wire.Steps() - before
		}
		few, many := steps(300), steps(1200)
		assert.Less(t, many, 6*few, "%s: %d steps for 300", s.Name, few)
	}
}
