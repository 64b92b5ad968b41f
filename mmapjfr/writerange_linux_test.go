package mmapjfr_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestWriteRange writes chunks to files, which the system copies, and to memory, while nothing happens, another file has
// the recording's name, and the file has been cut.
func TestWriteRange(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	write := map[string]func(t *testing.T, c mmapjfr.Chunk, from, to uint64) ([]byte, error){
		"memory": func(_ *testing.T, c mmapjfr.Chunk, from, to uint64) ([]byte, error) {
			var b bytes.Buffer
			_, err := engine.ChunkWriteRange(c, struct{ io.Writer }{&b}, from, to)
			return b.Bytes(), err
		},
		"file": func(t *testing.T, c mmapjfr.Chunk, from, to uint64) ([]byte, error) {
			f, err := os.Create(filepath.Join(t.TempDir(), "out"))
			require.NoError(t, err)
			_, err = io.WriteString(f, "before")
			require.NoError(t, err)
			n, err := engine.ChunkWriteRange(c, f, from, to)
			require.NoError(t, f.Close())
			all, readErr := os.ReadFile(f.Name())
			require.NoError(t, readErr)
			assert.Len(t, all, len("before")+int(n))
			return all[len("before"):], err
		},
	}
	for name, do := range write {
		t.Run(name, func(t *testing.T) {
			w := openWritten(t, data)
			check := func() {
				for _, c := range w.rec.Chunks() {
					for _, r := range [][2]uint64{{0, c.Size()}, {68, c.Size() + 1}, {c.Size(), c.Size() + 1}, {c.Size() + 1, 2 * c.Size()}, {9, 70_009}, {70_009, 9}} {
						is, err := do(t, c, r[0], r[1])
						require.NoError(t, err)
						to := min(r[1], c.Size())
						assert.True(t, bytes.Equal(is, engine.ChunkBytes(c)[min(r[0], to):to]), "%v, %v", c, r)
					}
				}
			}
			check()
			require.NoError(t, os.Rename(w.path, w.path+".old"))
			require.NoError(t, os.WriteFile(w.path, otherRecording(t, data), 0o600))
			check()
			require.NoError(t, os.Truncate(w.path+".old", 8192))
			_, err := do(t, w.rec.Chunks()[0], 0, w.rec.Chunks()[0].Size())
			require.ErrorIs(t, err, mmapjfr.ErrTruncated)
			require.NoError(t, w.rec.Close())
			_, err = do(t, w.rec.Chunks()[0], 0, w.rec.Chunks()[0].Size())
			require.ErrorIs(t, err, mmapjfr.ErrClosed)
		})
	}
}
