package mapfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/mapfile"
)

// TestCopiesNoOtherFile copies no bytes but those of the file that was mapped.
func TestCopiesNoOtherFile(t *testing.T) {
	data := []byte("0123456789")
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	m, err := mapfile.Open(path, mapfile.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	copied := func(m mapfile.Mapping, path string) string {
		var out bytes.Buffer
		n, err := m.CopyTo(&out, path, 2, 5)
		require.NoError(t, err)
		require.Equal(t, out.Len(), int(n))
		return out.String()
	}
	if runtime.GOOS == "linux" {
		assert.Equal(t, "23456", copied(m, path))
	}
	assert.Empty(t, copied(m, path+".missing"))
	assert.Empty(t, copied(mapfile.New(data, nil), path))
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
	assert.Empty(t, copied(m, path), "it was changed")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, data, 0o600))
	assert.Empty(t, copied(m, path), "it was replaced")
}

// TestReadAhead advises the system about bytes that are there, and about none beyond the end.
func TestReadAhead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, make([]byte, 20<<20), 0o600))
	m, err := mapfile.Open(path, mapfile.Options{})
	require.NoError(t, err)
	for from := uint64(0); from < 24<<20; from += 1 << 20 {
		m.ReadAhead(from, from+1<<20)
	}
	require.NoError(t, m.Close())
	m.ReadAhead(0, 20<<20)
}
