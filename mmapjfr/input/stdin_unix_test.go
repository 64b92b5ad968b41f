//go:build unix

package input_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Shells hand over the output of a program as a named pipe.
func TestReadsNamedPipes(t *testing.T) {
	raw := recording(t, "jdk25-kinds.jfr")
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	require.NoError(t, unix.Mkfifo(path, 0o666))
	o, told := options(t)
	go func() { assert.NoError(t, os.WriteFile(path, gzipped(t, raw), 0o666)) }()
	holds(t, open(t, o, path, path), member{path, raw})

	other := write(t, dir, "other.jfr", raw)
	holds(t, open(t, o, dir), member{other, raw}) // where nobody writes to the pipe
	assert.Empty(t, *told)
}
