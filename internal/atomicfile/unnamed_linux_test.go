package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/atomicfile"
)

// TestNothingHasANameWhileItIsWritten looks into the folder meanwhile: a process that is killed
// would leave what is there.
func TestNothingHasANameWhileItIsWritten(t *testing.T) {
	if !atomicfile.KnowsUnnamed(t.TempDir()) {
		t.Skip("the file system has no files without names")
	}
	for _, old := range []string{"", "old"} {
		path := filepath.Join(t.TempDir(), "out")
		if old != "" {
			require.NoError(t, os.WriteFile(path, []byte(old), 0o640))
		}
		require.NoError(t, atomicfile.Write(path, func(w io.Writer) error {
			entries, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			assert.Len(t, entries, len(old)/3)
			return text("new")(w)
		}))
		requireOnly(t, path, "new")
		info, err := os.Stat(path)
		require.NoError(t, err)
		if old != "" {
			assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
		}
	}
}

// TestWritesWhereAllFilesHaveNames is for file systems that know no others, and for systems that
// give them none later.
func TestWritesWhereAllFilesHaveNames(t *testing.T) {
	for name, set := range map[string]func(testing.TB){"named": atomicfile.SetOnlyNamed, "no links": atomicfile.SetWithoutLinks} {
		t.Run(name, func(t *testing.T) {
			set(t)
			path := filepath.Join(t.TempDir(), "out")
			for _, content := range []string{"one", "two"} {
				require.NoError(t, atomicfile.WriteMode(path, 0o600, text(content)))
				requireOnly(t, path, content)
			}
			wrong := errors.New("wrong")
			require.ErrorIs(t, atomicfile.Write(path, func(w io.Writer) error { return errors.Join(text("x")(w), wrong) }), wrong)
			requireOnly(t, path, "two")
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		})
	}
}

// zombie returns the number of a process that has ended, and that nobody has asked how.
func zombie(t *testing.T) int {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Wait() }) // it has ended
	for ended := false; !ended; runtime.Gosched() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process.Pid))
		require.NoError(t, err)
		ended = strings.Contains(string(stat), ") Z ")
	}
	return c.Process.Pid
}

// TestRemovesWhatKilledProcessesLeft has files of processes that have ended, of one that runs, and
// of another machine.
func TestRemovesWhatKilledProcessesLeft(t *testing.T) {
	atomicfile.SetOnlyNamed(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	const none = 1<<22 + 1 // more than any process has
	for _, name := range []string{
		fmt.Sprintf("out.mjfr-%08x-%d-01234567.part", atomicfile.Machine(), none), fmt.Sprintf("other.mjfr-%08x-%d-01234567.part", atomicfile.Machine(), none),
		fmt.Sprintf("third.mjfr-%08x-%d-01234567.part", atomicfile.Machine(), zombie(t)),
		fmt.Sprintf("out.mjfr-%08x-%d-01234567.part", atomicfile.Machine(), os.Getppid()), fmt.Sprintf("out.mjfr-%08x-%d-01234567.part", atomicfile.Machine()+1, none),
		"mine.part", "out.mjfr-12-x.part", fmt.Sprintf("out.mjfr-%08x-%d-01234567.jfr", atomicfile.Machine(), none),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	atomicfile.Forget(dir)
	require.NoError(t, atomicfile.Write(path, text("x")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 6, "%v", entries)
	name := filepath.Base(atomicfile.TempName(path))
	assert.Regexp(t, `^out\.mjfr-[0-9a-f]{8}-[0-9]+-[0-9a-f]{8}\.part$`, name)
}

// TestRemovesFoldersThatKilledProcessesLeft keeps those of others.
func TestRemovesFoldersThatKilledProcessesLeft(t *testing.T) {
	dir := t.TempDir()
	const none = 1<<22 + 1 // more than any process has
	left := filepath.Join(dir, fmt.Sprintf(".new.mjfr-%08x-%d-01234567.part", atomicfile.Machine(), none))
	others := []string{
		filepath.Join(dir, fmt.Sprintf(".new.mjfr-%08x-%d-01234567.part", atomicfile.Machine(), os.Getppid())),
		filepath.Join(dir, fmt.Sprintf("mine.mjfr-%08x-%d-01234567.part", atomicfile.Machine(), none)), filepath.Join(dir, ".new"),
	}
	for _, path := range append(others, left) {
		require.NoError(t, os.Mkdir(path, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(path, "a"), nil, 0o600))
	}
	one, err := atomicfile.CreateFolder(dir)
	require.NoError(t, err)
	two, err := atomicfile.CreateFolder(dir)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(left, "a"))
	assert.NoDirExists(t, left)
	for _, path := range append(others, one, two) {
		assert.DirExists(t, path)
	}
	_, err = atomicfile.CreateFolder(filepath.Join(dir, "missing"))
	assert.Error(t, err)
}

// TestScratchNeverHasAName looks into the folder, opens the file by its path, and does so where all
// files begin with a name.
func TestScratchNeverHasAName(t *testing.T) {
	if !atomicfile.KnowsUnnamed(t.TempDir()) {
		t.Skip("the file system has no files without names")
	}
	for range 2 {
		dir := t.TempDir()
		s, err := atomicfile.NewScratch(dir)
		require.NoError(t, err)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, entries)
		_, err = s.WriteString("text")
		require.NoError(t, err)
		data, err := os.ReadFile(s.Path)
		require.NoError(t, err)
		assert.Equal(t, "text", string(data))
		assert.NoError(t, s.Remove())
		assert.NoError(t, s.Close())
		atomicfile.SetOnlyNamed(t)
	}
	_, err := atomicfile.NewScratch(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
