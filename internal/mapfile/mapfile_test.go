package mapfile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/mapfile"
)

func writeFile(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestOpen(t *testing.T) {
	want := bytes.Repeat([]byte("some bytes "), 20_000)
	path := writeFile(t, want)
	for _, o := range []mapfile.Options{{}, {Copy: true}, {Copy: true, Magic: "some"}} {
		m, err := mapfile.Open(path, o)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, m.Data()))
		assert.Len(t, want, cap(m.Data()), "nothing can be appended in place")
		assert.Equal(t, int64(len(want)), m.Info().Size())
		if o.Copy {
			assert.False(t, m.IsMapped())
		}
		m.DropPages(0, uint64(len(want)))
		assert.True(t, bytes.Equal(want, m.Data()))
		for range 2 {
			require.NoError(t, m.Close())
			assert.Empty(t, m.Data())
		}
	}
}

// TestOpenStopsAtAnotherMagic: of a file that is something else only the beginning is read.
func TestOpenStopsAtAnotherMagic(t *testing.T) {
	path := writeFile(t, make([]byte, 1<<20))
	m, err := mapfile.Open(path, mapfile.Options{Copy: true, Magic: "FLR\x00"})
	require.NoError(t, err)
	assert.Less(t, len(m.Data()), 1<<20)
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	_, err := mapfile.Open(dir, mapfile.Options{})
	require.ErrorIs(t, err, mapfile.ErrDirectory)
	_, err = mapfile.Open(filepath.Join(dir, "missing"), mapfile.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestNewCallsUnmapOnce(t *testing.T) {
	calls, failed := 0, errors.New("of unmap")
	m := mapfile.New([]byte("bytes"), func() error { calls++; return failed })
	assert.True(t, m.IsMapped())
	require.ErrorIs(t, m.Close(), failed)
	require.NoError(t, m.Close())
	assert.Equal(t, 1, calls)
}

// TestGrowing: what is appended to a file can be read in the map that was there before.
func TestGrowing(t *testing.T) {
	if !mapfile.CanMapGrowing {
		t.Skip("the system cannot map a file beyond its end")
	}
	file, err := os.OpenFile(writeFile(t, []byte("begun")), os.O_RDWR|os.O_APPEND, 0)
	require.NoError(t, err)
	defer file.Close()
	var none *mapfile.Growing
	g, err := none.Reach(file, 2, 3, false)
	require.NoError(t, err)
	m := g.Mapping(2, 3)
	assert.Equal(t, "gun", string(m.Data()))
	_, err = file.WriteString(" and more")
	require.NoError(t, err)
	same, err := g.Reach(file, 2, 12, true)
	require.NoError(t, err)
	assert.Same(t, g, same)
	m = g.Mapping(2, 12)
	assert.Equal(t, "gun and more", string(m.Data()))
	for range 2 {
		require.NoError(t, g.Close())
	}
}
