package print_test

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestMethodsInPlace prints frames whose methods are no constants: each has its own method.
func TestMethodsInPlace(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	content, err := jfrtest.NewContent(data, 2)
	require.NoError(t, err)
	names := regexp.MustCompile(`[\w.$/]+\(`)
	for _, format := range []print.Format{print.NDJSON, print.JSON} {
		printed := func(shape jfrtest.Shape) []string {
			rec := opentest.Bytes(t, content.As(shape))
			var out bytes.Buffer
			require.NoError(t, print.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, print.Options{Format: format, Order: print.ByFile, StackDepth: 64}))
			return slices.Sorted(slices.Values(names.FindAllString(out.String(), -1))) // fields have another order
		}
		assert.Equal(t, printed(jfrtest.Shape{}), printed(jfrtest.Shape{Seed: 3})) // which puts the methods in place
	}
}
