//go:build unix

package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// pipeAt makes a named pipe and returns its path.
func pipeAt(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe.jfr")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// TestRepairNeverReplacesAPipe writes the recording into it, also with --force.
func TestRepairNeverReplacesAPipe(t *testing.T) {
	file := clitest.File("jdk25-chunks.jfr")
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	pipe := pipeAt(t)
	code, _, told := mjfrCommand(t, "repair", "--force", file, pipe)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, "nothing reads from it")

	r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer r.Close()
	read := make(chan []byte)
	for _, args := range [][]string{{"repair"}, {"repair", "--force"}} {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // so that there is no end before mjfr begins
		require.NoError(t, err)
		go func() {
			got, _ := io.ReadAll(r)
			read <- got
		}()
		code, _, told = mjfrCommand(t, append(args, file, pipe)...)
		require.NoError(t, w.Close())
		got := <-read
		assert.Equal(t, cli.ExitOK, code, told)
		assert.Equal(t, want, got)
		info, err := os.Lstat(pipe)
		require.NoError(t, err)
		assert.Equal(t, fs.ModeNamedPipe, info.Mode().Type())
	}
}

// TestCompletionOpensNoPipe would wait forever.
func TestCompletionOpensNoPipe(t *testing.T) {
	pipe := pipeAt(t)
	offers, _ := completed(t, "print", pipe, "--events", "")
	assert.Empty(t, offers)
	dir := filepath.Dir(pipe)
	offers, _ = completed(t, "print", dir, "--events", "")
	assert.Empty(t, offers)
}

// TestVerifyEscapesFileNames: a line for each file, whatever it is called.
func TestVerifyEscapesFileNames(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a\nb\x1b[31m.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	code, out, _ := mjfrCommand(t, "verify", path)
	require.Equal(t, cli.ExitOK, code)
	assert.NotContains(t, out, "a\nb")
	assert.NotContains(t, out, "\x1b")
	assert.Contains(t, out, `a\nb\x1b[31m.jfr: sound`)
}

// TestFilesOfFlagsAreReadToALimit names a device without end wherever a flag takes a file.
func TestFilesOfFlagsAreReadToALimit(t *testing.T) {
	good := clitest.File("jdk25-empty.jfr")
	out := filepath.Join(t.TempDir(), "out")
	for want, args := range map[string][]string{
		"it has more than 16 MiB":        {"query", "-f", "/dev/zero", good},
		"has more than 16 MiB":           {"redact", "--rules", "/dev/zero", good, out},
		"--tls-cert":                     {"open", "--tls-cert", "/dev/zero", "--tls-key", "/dev/zero", good},
		"longer than 16 MiB":             {"view", "-f", "/dev/zero", "mine", good},
		"larger than 4 MiB":              {"configure", "--input", "/dev/zero", "--output", out + ".jfc"},
		"it has more than 64 KiB":        {"watch", "--prometheus", "localhost:0", "--prometheus-token-file", "/dev/zero", good},
		"it is no key":                   {"redact", "--key-file", "/dev/zero", good, out},
		"line 1 has more than a MiB":     {"batch", "view", "--out", out, "--manifest", "/dev/zero", "gc"},
		"it is not a Flight Recorder":    {"metadata", "--diff", "/dev/zero", good},
		"not a Flight Recorder file but": {"profile", "--diff", good, "/dev/zero"},
	} {
		code, _, told := mjfrCommand(t, args...)
		assert.NotEqual(t, cli.ExitOK, code, args)
		assert.Contains(t, told, "/dev/zero", args)
		assert.Contains(t, told, want, args)
	}
}
