//go:build unix

package sql

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestContentOfAFileThatIsCut is an error, and no fault, in whichever goroutine it happens.
func TestContentOfAFileThatIsCut(t *testing.T) {
	one, err := os.ReadFile(profile)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(path, bytes.Repeat(one, 4), 0o600))
	set, err := input.Open(t.Context(), []string{path}, input.Options{Open: []mmapjfr.Option{mmapjfr.Workers(4)}})
	require.NoError(t, err)
	defer set.Close()
	c := &tableFiles{set: set}
	whole, err := c.content(t.Context())
	require.NoError(t, err)
	again, err := c.content(t.Context())
	require.NoError(t, err)
	assert.Equal(t, whole, again)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.content(ctx)
	assert.ErrorIs(t, err, context.Canceled)

	require.NoError(t, os.Truncate(path, int64(len(one))))
	_, err = c.content(t.Context())
	assert.ErrorIs(t, err, mmapjfr.ErrTruncated)
}

// TestScriptsAreReadToALimit reads statements from a device without end.
func TestScriptsAreReadToALimit(t *testing.T) {
	fake(t, "", "")
	code, _, errs := mjfr(t, "sql", "-f", "/dev/zero", profile)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "/dev/zero: it has more than 16 MB")
	zero, err := os.Open("/dev/zero")
	require.NoError(t, err)
	defer zero.Close()
	var told strings.Builder
	a := &cli.App{Root: clitest.Verbs(New), Stdin: zero, Stdout: &told, Stderr: &told}
	assert.Equal(t, cli.ExitData, a.Run(t.Context(), []string{"sql", profile}))
	assert.Contains(t, told.String(), "standard input: it has more than 16 MB")
}
