//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/sqlverb"
)

// TestInterruptedWhileAPipeIsOpened ends although no program writes to the pipe.
func TestInterruptedWhileAPipeIsOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		// To open the pipe for writing waits until the program has opened it.
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		cancel()
		if err == nil {
			<-t.Context().Done()
			_ = w.Close()
		}
	}()
	var out, said strings.Builder
	code := sqlverb.Run(ctx, "mjfr-duckdb", new(engine), []string{profile, "from jfr('" + pipe + "', 'X')"}, strings.NewReader(""), &out, &said)
	assert.Equal(t, 130, code)
	assert.Contains(t, said.String(), "interrupted")
}
