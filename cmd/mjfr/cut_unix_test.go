//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// long writes a recording that takes every verb a while.
func long(t *testing.T) (path string, data []byte) {
	t.Helper()
	one, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "long.jfr")
	data = bytes.Repeat(one, longtest.Cases(4, 8))
	for at := len(one); at < len(data); at += len(one) {
		data[at+47] = byte(at / len(one)) // of the duration of the chunk, so that none repeats another
	}
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path, data
}

// TestAFileThatIsCutWhileItIsPrinted: print reports it, and prints what it could read.
func TestAFileThatIsCutWhileItIsPrinted(t *testing.T) {
	mjfr := buildMjfr(t)
	for i, args := range [][]string{{"print"}, {"print", "--json"}, {"events"}, {"print", "--order", "file"}} {
		if !longtest.Every(i, 2) {
			continue
		}
		t.Run(args[len(args)-1], func(t *testing.T) {
			path, data := long(t)
			cmd := exec.CommandContext(t.Context(), mjfr, append(args, path)...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			head := make([]byte, 100)
			_, err = io.ReadFull(out, head)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(path, int64(len(data)/3)))
			rest, err := io.ReadAll(out)
			require.NoError(t, err)
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &exit, stderr.String())
			assert.Equal(t, cli.ExitData, exit.ExitCode(), stderr.String())
			assert.NotEmpty(t, rest)
			assert.Contains(t, stderr.String(), "cut while it was read")
			assert.NotContains(t, stderr.String(), "goroutine")
		})
	}
}

// TestNoVerbFallsOverAFileThatIsCut cuts and overwrites at any time.
func TestNoVerbFallsOverAFileThatIsCut(t *testing.T) {
	longtest.Slow(t, "it cuts at random times")
	mjfr := buildMjfr(t)
	for _, args := range [][]string{
		{"summary"}, {"verify"}, {"constants"}, {"metadata"}, {"types"}, {"chunks"}, {"at", "50%"},
	} {
		t.Run(args[0], func(t *testing.T) {
			for range 6 {
				path, data := long(t)
				cmd := exec.CommandContext(t.Context(), mjfr, append([]string{args[0], path}, args[1:]...)...)
				var stderr bytes.Buffer
				cmd.Stderr, cmd.Stdout = &stderr, io.Discard
				require.NoError(t, cmd.Start())
				time.Sleep(time.Duration(rand.Int64N(int64(30 * time.Millisecond))))
				if rand.IntN(2) == 0 {
					require.NoError(t, os.Truncate(path, rand.Int64N(int64(len(data)))))
				} else {
					require.NoError(t, os.WriteFile(path, data[len(data)/5:], 0o600))
				}
				err := cmd.Wait()
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					assert.Equal(t, cli.ExitData, exit.ExitCode(), stderr.String())
				} else {
					require.NoError(t, err)
				}
				assert.NotContains(t, stderr.String(), "goroutine")
			}
		})
	}
}
