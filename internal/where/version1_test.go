package where_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/where"
)

// TestMatchesInVersion1 compares conditions on the events of a recording in formats 1.0 and
// 2.1, which call methods, stack traces and the like by other names.
func TestMatchesInVersion1(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk17-profile.jfr")
	require.NoError(t, err)
	matching := func(data []byte, condition string) (ordinals []uint64) {
		rec := opentest.Bytes(t, data)
		c, err := where.Parse(condition)
		require.NoError(t, err, condition)
		filter, err := c.Filter(types(t, rec))
		require.NoError(t, err, condition)
		for ev, err := range rec.Select(filter).Events() {
			require.NoError(t, err)
			ordinals = append(ordinals, ev.Ordinal())
		}
		return ordinals
	}
	old := jfrtest.Version1(data)
	for _, condition := range []string{
		"stackTrace ~ 'Loaders'", "stackTrace.frames[0].method ~ 'gen'", "eventThread = main", "loadedClass ~ 'gen'",
		"definingClassLoader ~ app", "stackTrace.frames[0] ~ 'gen'", "state = STATE_RUNNABLE", "thread.group = main", "gcId = 2",
	} {
		want := matching(data, condition)
		assert.NotEmpty(t, want, condition)
		assert.Equal(t, want, matching(old, condition), condition)
	}
}
