//go:build unix

package sql

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestSumOfAFileThatIsCut is an error, and no fault, in whichever goroutine it happens.
func TestSumOfAFileThatIsCut(t *testing.T) {
	one, err := os.ReadFile(profile)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(path, bytes.Repeat(one, 4), 0o600))
	rec, err := mmapjfr.Open(path, mmapjfr.Workers(4))
	require.NoError(t, err)
	defer rec.Close()
	whole, err := sumOf(t.Context(), rec)
	require.NoError(t, err)
	again, err := sumOf(t.Context(), rec)
	require.NoError(t, err)
	assert.Equal(t, whole, again)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = sumOf(ctx, rec)
	assert.ErrorIs(t, err, context.Canceled)

	require.NoError(t, os.Truncate(path, int64(len(one))))
	_, err = sumOf(t.Context(), rec)
	assert.ErrorIs(t, err, mmapjfr.ErrTruncated)
}
