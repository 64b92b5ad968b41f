package attach_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// ownedBy is a name as another process would make it: the parts of the mark that are not 0 are changed.
func ownedBy(t *testing.T, prefix string, pid int, start, space uint64) string {
	t.Helper()
	parts := strings.Split(strings.TrimPrefix(attach.OwnedName(prefix), prefix), "-")
	require.Len(t, parts, 4)
	if pid != 0 {
		parts[0] = strconv.Itoa(pid)
	}
	if start != 0 {
		parts[1] = strconv.FormatUint(start, 10)
	}
	if space != 0 {
		parts[2] = fmt.Sprintf("%016x", space)
	}
	return prefix + strings.Join(parts, "-")
}

// ended returns the number of a process that has ended; if reap is not set, as a zombie.
func ended(t *testing.T, reap bool) int {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^$")
	require.NoError(t, cmd.Start())
	wait := func() { assert.NoError(t, cmd.Wait()) }
	if reap {
		wait()
		return cmd.Process.Pid
	}
	t.Cleanup(wait)
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		require.NoError(t, err)
		if strings.Contains(string(stat), ") Z ") {
			return cmd.Process.Pid
		}
	}
}

// TestIsLeft takes nothing from owners that live, or may live.
func TestIsLeft(t *testing.T) {
	gone := ended(t, true)
	for _, prefix := range []string{attach.StreamName, attach.ProfileName, "mjfr-"} {
		own := attach.OwnedName(prefix)
		assert.NotEqual(t, own, attach.OwnedName(prefix))
		assert.True(t, attach.IsOwn(own))
		for name, left := range map[string]bool{
			own:                                                  false,
			ownedBy(t, prefix, os.Getppid(), 0, 0):               true, // whose number was that of an earlier process
			ownedBy(t, prefix, 0, 7, 0):                          true,
			ownedBy(t, prefix, gone, 0, 0):                       true,
			ownedBy(t, prefix, ended(t, false), 0, 0):            true,
			ownedBy(t, prefix, gone, 0, 12345):                   false, // of another container or machine
			ownedBy(t, prefix, 0, 7, 12345):                      false,
			ownedBy(t, "mine "+prefix, gone, 0, 0):               false,
			ownedBy(t, prefix, gone, 0, 0) + "2":                 false,
			prefix + "profile.jfr":                               false,
			prefix + strconv.Itoa(gone) + "-1-ABCDEFGH":          false,
			prefix + fmt.Sprintf("%d-1-%016x-%026d", gone, 0, 2): false, // of a system that does not say
			prefix + fmt.Sprintf("%d-1-%016x-%s", gone, 0, strings.Repeat("A", 26)): false,
		} {
			assert.Equal(t, left, attach.IsLeft(name), name)
			assert.Equal(t, name == own, attach.IsOwn(name), name)
		}
	}
}

// TestRemoveLeft stops recordings and removes folders of dead owners, and nothing else.
func TestRemoveLeft(t *testing.T) {
	f := recordingJVM(t, "25", 2)
	vm := f.open()
	f.mkdir(f.path("root/own"))
	f.answers["properties"] = "java.io.tmpdir=/own\n"
	gone := ended(t, true)
	dead := func(prefix string) string { return ownedBy(t, prefix, gone, 0, 0) }
	f.answers["JFR.check"] = "0\n" + strings.Join([]string{
		"Recording 1: name=" + dead(attach.StreamName) + " duration=12m (running)",
		"Recording 2: name=" + attach.OwnedName(attach.StreamName) + " (running)",
		"Recording 3: name=" + dead(attach.ProfileName) + " (running)",
		"Recording 4: name=" + dead(attach.ProfileName) + " (stopped)",
		"Recording 5: name=mine (running)",
	}, "\n\n") + "\n"
	f.answers["JFR.stop"] = "0\nStopped recording\n"
	folder := f.path("root/own")
	left, stays := filepath.Join(folder, dead("mjfr-")), []string{
		filepath.Join(folder, attach.OwnedName("mjfr-")), filepath.Join(folder, "mjfr-mine"), filepath.Join(folder, ownedBy(t, "mjfr-", gone, 0, 9)),
	}
	for _, dir := range append(stays, left) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "inner"), 0o700))
	}
	elsewhere := t.TempDir()
	link := filepath.Join(folder, dead("mjfr-"))
	require.NoError(t, os.Symlink(elsewhere, link))
	require.NoError(t, vm.RemoveLeft(t.Context()))
	assert.NoDirExists(t, left)
	assert.DirExists(t, elsewhere)
	for _, name := range append(stays, link) {
		_, err := os.Lstat(name)
		assert.NoError(t, err)
	}
	var stopped []string
	for _, line := range f.lines() {
		if strings.Contains(line, "JFR.stop") {
			stopped = append(stopped, line[strings.Index(line, "JFR.stop"):])
		}
	}
	assert.Equal(t, []string{"JFR.stop name=1", "JFR.stop name=3"}, stopped)
}
