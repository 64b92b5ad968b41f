package stream_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/stream"
	"github.com/mmapjfr/jfr/testdata"
)

// A recording that is still being copied is waited for.
func TestStreamOfAFileThatIsCopied(t *testing.T) {
	for _, there := range []int{1000, 200_000, len(testdata.Profile) - 1} {
		path := filepath.Join(t.TempDir(), "copy.jfr")
		f, err := os.Create(path)
		require.NoError(t, err)
		_, err = f.Write(testdata.Profile[:there])
		require.NoError(t, err)
		s, err := stream.OpenFile(path)
		require.NoError(t, err)
		done := make(chan int)
		go func() {
			events := 0
			for _, err := range s.Events(t.Context()) {
				if err == nil {
					events++
				}
			}
			done <- events
		}()
		_, err = f.Write(testdata.Profile[there:])
		require.NoError(t, err)
		require.NoError(t, f.Close())
		assert.Equal(t, 4459, <-done, "%d bytes were there", there)
	}
}
