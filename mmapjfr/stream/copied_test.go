package stream_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
	"github.com/mmapjfr/jfr/testdata"
)

// A file without its end that nobody writes to has the events that are there.
func TestStreamOfACutFile(t *testing.T) {
	stream.SetSilence(t, -1)
	path := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(path, testdata.Profile[:len(testdata.Profile)-1], 0o600))
	s, err := stream.OpenFile(path)
	require.NoError(t, err)
	events := 0
	var errs []error
	for _, err := range s.Events(t.Context()) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		events++
	}
	assert.Equal(t, 4459, events)
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], mmapjfr.ErrTruncated)
}

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
