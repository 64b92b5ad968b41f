//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

// TestBatchAfterAMachineWasKilled kills a process that waits for a recording, once it has done another item, and starts
// it again when the recording is there.
func TestBatchAfterAMachineWasKilled(t *testing.T) {
	files := batchFiles()
	dir := t.TempDir()
	last, work, list := filepath.Join(dir, "z.jfr"), filepath.Join(dir, "work"), filepath.Join(dir, "list")
	require.NoError(t, syscall.Mkfifo(last, 0o600))
	lines := ""
	for _, file := range append(files[:3:3], last) {
		lines += fmt.Sprintf("{\"uri\":%q,\"etag\":\"1\"}\n", file)
	}
	require.NoError(t, os.WriteFile(list, []byte(lines), 0o600))
	args := []string{"batch", "profile", "--out", work, "--manifest", list, "--item-size", "1", "--jobs", "1"}
	partials := func() (names []string) {
		names, err := filepath.Glob(filepath.Join(work, "*.partial"))
		require.NoError(t, err)
		return names
	}

	cmd, stderr := mjfrProcess(t, args...)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(partials()) < 3 {
		select {
		case err := <-ended:
			require.FailNow(t, "it does not wait", "%v: %s", err, stderr)
		case <-time.After(time.Millisecond):
		}
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	require.Error(t, <-ended)
	assert.Empty(t, stderr.String())
	code, _, text := mjfrCommand(t, "batch", "merge", "--format", "collapsed", work)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, text, "the result is not complete: 1 item of work missing")

	data, err := os.ReadFile(files[3])
	require.NoError(t, err)
	require.NoError(t, os.Remove(last))
	require.NoError(t, os.WriteFile(last, data, 0o600))
	code, _, text = mjfrCommand(t, args...)
	require.Equal(t, cli.ExitOK, code, text)
	assert.Contains(t, text, "1 item done, 3 had been done before")
	code, got, text := mjfrCommand(t, "batch", "merge", "--format", "collapsed", work)
	assert.Equal(t, cli.ExitOK, code, text)
	_, want, _ := mjfrCommand(t, append([]string{"profile", "--format", "collapsed"}, files...)...)
	assert.Equal(t, want, got)
}
