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
	"github.com/mmapjfr/jfr/internal/longtest"
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
	assert.Contains(t, told, "nothing reads from this pipe")

	r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer r.Close()
	read := make(chan []byte)
	for _, args := range [][]string{{"repair", "--force"}} {
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

// TestFilesOfFlagsAreReadToALimit names a device without end, and a file of a terabyte, wherever a flag takes a file.
func TestFilesOfFlagsAreReadToALimit(t *testing.T) {
	dir := t.TempDir()
	sparse := filepath.Join(dir, "sparse")
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	require.NoError(t, os.Truncate(sparse, 1<<40))
	good := filepath.Join(dir, "good.jfr")
	data, err := os.ReadFile(clitest.File("jdk25-empty.jfr"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(good, data, 0o600))
	out := filepath.Join(dir, "out")
	for _, file := range []string{"/dev/zero", sparse}[:longtest.Cases(1, 2)] {
		for want, args := range map[string][]string{
			"it has more than 16 MB":          {"query", "-f", file, good},
			"has more than 16 MB":             {"redact", "--rules", file, good, out},
			"--tls-cert":                      {"open", "--tls-cert", file, "--tls-key", file, good},
			"at most 16 MB":                   {"view", "-f", file, "mine", good},
			"larger than 4 MB":                {"configure", "--input", file, "--output", out + ".jfc"},
			"it has more than 64 kB":          {"watch", "--prometheus", "localhost:0", "--prometheus-token-file", file, good},
			"it has no key":                   {"redact", "--key-file", file, good, out},
			"line 1 has more than a MB":       {"batch", "view", "--out", out, "--manifest", file, "gc"},
			"it is not a Flight Recorder":     {"metadata", "--diff", file, good},
			"not a Flight Recorder file, but": {"profile", "--diff", good, file},
		} {
			code, _, told := mjfrCommand(t, args...)
			assert.NotEqual(t, cli.ExitOK, code, args)
			assert.Contains(t, told, file, args)
			assert.Contains(t, told, want, args)
		}
	}
}
