package mmapjfr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFilesAreMapped fails if the way to the bytes of the map is lost, for
// instance because golang.org/x/exp/mmap looks different inside: everything
// would still work, but read whole files into memory.
func TestFilesAreMapped(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	require.True(t, rec.Mapped())
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	assert.Contains(t, string(maps), "jdk25-profile.jfr")
	require.NoError(t, rec.Close())
	assert.False(t, rec.Mapped())
	assert.Zero(t, mapsOf(t, "jdk25-profile.jfr"))
}

// mapsOf returns how often a file is mapped.
func mapsOf(t *testing.T, name string) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return strings.Count(string(maps), name)
}
