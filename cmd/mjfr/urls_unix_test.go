//go:build unix

package main

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestProcessesShareACacheOfURLs runs processes at the same time, each with a signature of its own: all
// print what they print of the file, and the next one finds all that was fetched.
func TestProcessesShareACacheOfURLs(t *testing.T) {
	dir, size := manyMinutes(t, longtest.Cases(4, 12))
	u := serveFiles(t, dir)
	code, want, errs := mjfrCommand(t, "print", "--ndjson", filepath.Join(dir, "app.jfr"))
	require.Equal(t, cli.ExitOK, code, errs)
	cache := t.TempDir()
	var group sync.WaitGroup
	for i := range longtest.Cases(3, 6) {
		group.Go(func() {
			cmd, stderr := mjfrProcess(t, "print", "--ndjson", "--cache-dir", cache, u.URL+"/app.jfr?X-Amz-Signature="+string(rune('a'+i)))
			var out bytes.Buffer
			cmd.Stdout = &out
			assert.NoError(t, cmd.Run(), stderr)
			assert.True(t, want == out.String(), stderr)
		})
	}
	group.Wait()
	u.bytes.Store(0)
	code, got, errs := mjfrCommand(t, "print", "--ndjson", "--cache-dir", cache, u.URL+"/app.jfr?X-Amz-Signature=z")
	require.Equal(t, cli.ExitOK, code, errs)
	assert.True(t, want == got)
	assert.Less(t, u.bytes.Load(), size/2, "another signature, and the same object")
}
