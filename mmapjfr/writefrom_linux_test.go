package mmapjfr_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestWriteFrom writes chunks to files, which the system copies, and to memory, while nothing happens, another file has
// the recording's name, and the file has been cut.
func TestWriteFrom(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	write := map[string]func(t *testing.T, c mmapjfr.Chunk, from uint64) ([]byte, error){
		"memory": func(_ *testing.T, c mmapjfr.Chunk, from uint64) ([]byte, error) {
			var b bytes.Buffer
			_, err := c.WriteFrom(struct{ io.Writer }{&b}, from)
			return b.Bytes(), err
		},
		"file": func(t *testing.T, c mmapjfr.Chunk, from uint64) ([]byte, error) {
			f, err := os.Create(filepath.Join(t.TempDir(), "out"))
			require.NoError(t, err)
			_, err = io.WriteString(f, "before")
			require.NoError(t, err)
			n, err := c.WriteFrom(f, from)
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
					for _, from := range []uint64{0, 68, c.Size(), c.Size() + 1} {
						is, err := do(t, c, from)
						require.NoError(t, err)
						assert.True(t, bytes.Equal(is, c.Bytes()[min(from, c.Size()):]), "%v from %d", c, from)
					}
				}
			}
			check()
			require.NoError(t, os.Rename(w.path, w.path+".old"))
			require.NoError(t, os.WriteFile(w.path, otherRecording(t, data), 0o600))
			check()
			require.NoError(t, os.Truncate(w.path+".old", 8192))
			_, err := do(t, w.rec.Chunks()[0], 0)
			require.ErrorIs(t, err, mmapjfr.ErrTruncated)
			require.NoError(t, w.rec.Close())
			_, err = do(t, w.rec.Chunks()[0], 0)
			require.ErrorIs(t, err, mmapjfr.ErrClosed)
		})
	}
}
