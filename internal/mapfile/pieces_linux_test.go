package mapfile_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMeasuredOfACutFile: pages beyond the end of a file that was cut are not there.
func TestMeasuredOfACutFile(t *testing.T) {
	path, m := mapped(t, 33<<20)
	p := m.OpenPieces(path)
	require.NotNil(t, p)
	defer p.Close()
	for _, size := range []int64{20 << 20, 1 << 20, 0} {
		require.NoError(t, os.Truncate(path, size))
		assert.False(t, p.Begin(0, 33<<20).Reads())
	}
}
