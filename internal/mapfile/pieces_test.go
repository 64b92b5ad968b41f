package mapfile_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/mapfile"
)

// mapped returns a file of random bytes that is mapped.
func mapped(t *testing.T, size int) (path string, m mapfile.Mapping) {
	t.Helper()
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data)
	path = filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	m, err := mapfile.Open(path, mapfile.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return path, m
}

// TestPieces reads what is in the map, and nothing beyond its end.
func TestPieces(t *testing.T) {
	path, m := mapped(t, 100_000)
	p := m.OpenPieces(path)
	require.NotNil(t, p)
	defer p.Close()
	assert.False(t, p.Begin(0, 100_000).Reads(), "few bytes are read from the map")
	mapfile.Force(mapfile.ByRead)
	defer mapfile.Force(mapfile.Measured)
	pass := p.Begin(0, 100_000)
	require.True(t, pass.Reads())
	for range 100 {
		from := rand.IntN(100_000)
		dst := make([]byte, 1+rand.IntN(100_000-from))
		require.True(t, pass.Read(dst, uint64(from)))
		require.Equal(t, m.Data()[from:from+len(dst)], dst)
	}
	assert.False(t, pass.Read(make([]byte, 2), 99_999))
	mapfile.Force(mapfile.ByMap)
	assert.False(t, p.Begin(0, 100_000).Reads())
}

// TestPiecesOfAnotherFile reads no bytes but those that were mapped.
func TestPiecesOfAnotherFile(t *testing.T) {
	path, m := mapped(t, 10)
	assert.Nil(t, m.OpenPieces(path+".missing"))
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
	assert.Nil(t, m.OpenPieces(path), "it was changed")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, m.Data(), 0o600))
	assert.Nil(t, m.OpenPieces(path), "it was replaced")
	memory := mapfile.New([]byte("bytes"), nil)
	assert.Nil(t, memory.OpenPieces(path))
	var none *mapfile.Pieces
	assert.Nil(t, none.Begin(0, 1<<40))
	require.NoError(t, none.Close())
}

// TestChoice chooses as three machines would, by what they take for two MiB: bare metal, a virtual machine
// whose fresh pages are dear, and one whose file is on a disk.
func TestChoice(t *testing.T) {
	path, m := mapped(t, 10)
	p := m.OpenPieces(path)
	defer p.Close()
	for _, c := range []struct {
		name        string
		touch, read time.Duration
		reads, cold bool
	}{
		{"bare metal", 60 * time.Microsecond, 200 * time.Microsecond, false, false},
		{"dear pages", 1300 * time.Microsecond, 240 * time.Microsecond, true, false},
		{"about the same", 200 * time.Microsecond, 190 * time.Microsecond, false, false},
		{"disk", 21 * time.Millisecond, 14 * time.Millisecond, true, true},
		{"disk with a fast map", 14 * time.Millisecond, 14 * time.Millisecond, false, true},
		{"cannot be read", 0, 0, false, false},
	} {
		pass := p.Choose(c.touch, c.read)
		assert.Equal(t, c.reads, pass.Reads(), c.name)
		assert.Equal(t, c.cold, pass.IsCold(), c.name)
		pass.Reaches(0, 1<<40)
	}
}

// TestMeasured measures, and goes on as it does for parts of the file.
func TestMeasured(t *testing.T) {
	path, m := mapped(t, 33<<20)
	p := m.OpenPieces(path)
	defer p.Close()
	whole := p.Begin(0, 33<<20)
	require.NotNil(t, whole)
	assert.Same(t, whole, p.Begin(5, 100))
	assert.NotSame(t, whole, p.Begin(0, 33<<20), "pages may have come to the map")
}
