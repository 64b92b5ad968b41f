package attach_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMakeFolder: JVMs write files that all may read, so nobody else may look into the folder,
// whatever the umask is.
func TestMakeFolder(t *testing.T) {
	f := recordingJVM(t, "25", 2)
	vm := f.open()
	f.mkdir(f.path("root/own"))
	f.answers["properties"] = "java.io.tmpdir=/own\n"
	defer syscall.Umask(syscall.Umask(0))
	dir, remove, err := vm.MakeFolder(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "/own", filepath.Dir(dir))
	dir = vm.Path(dir)
	info, err := os.Lstat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.ModeDir|0o700, info.Mode())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jfr"), nil, 0o644))
	require.NoError(t, remove())
	assert.NoDirExists(t, dir)
}
