package attach_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// TestContained is the first process of a container of TestJVMInAContainer, not a
// test: it makes the rest of the container, and becomes a JVM.
func TestContained(t *testing.T) {
	command := os.Getenv("ATTACH_CONTAINED")
	if command == "" {
		t.Skip("it is the process of TestJVMInAContainer")
	}
	args := strings.Split(command, "\n")
	source := args[slices.IndexFunc(args, func(arg string) bool { return filepath.Base(arg) == "Sleeper.java" })]
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	require.NoError(t, unix.Mount("tmp", "/tmp", "tmpfs", 0, ""))
	require.NoError(t, unix.Mount("proc", "/proc", "proc", 0, ""))
	require.NoError(t, os.MkdirAll(filepath.Dir(source), 0o700))
	require.NoError(t, os.WriteFile(source, text, 0o600))
	require.NoError(t, syscall.Exec(args[0], args, os.Environ()))
}

// TestJVMInAContainer is about a JVM that takes itself for process 1 and has a /tmp
// of its own.
func TestJVMInAContainer(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make containers in this way")
	}
	probe := exec.Command(os.Args[0], "-test.run=^$")
	probe.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
	if err := probe.Run(); errors.Is(err, os.ErrPermission) {
		t.Skip("this root cannot make containers:", err)
	}
	eachJDK(t, func(t *testing.T, kit jdk.JDK) {
		s := sleep(t, kit, func(cmd *exec.Cmd) {
			exe, err := os.Executable()
			require.NoError(t, err)
			cmd.Env = append(os.Environ(), "ATTACH_CONTAINED="+strings.Join(cmd.Args, "\n"))
			cmd.Path, cmd.Args = exe, []string{exe, "-test.run=^TestContained$"}
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
		})
		all, err := attach.List()
		require.NoError(t, err)
		at := slices.IndexFunc(all, func(p attach.Process) bool { return p.PID == s.pid })
		require.GreaterOrEqual(t, at, 0)
		assert.True(t, all[at].Container)
		assert.Equal(t, kit.Version, all[at].Version)
		assert.Equal(t, "Sleeper.java", filepath.Base(all[at].Main))

		vm := s.open(t)
		id, err := vm.StartRecording(t.Context(), attach.RecordingOptions{
			Settings: []string{"default", "profile"}, Events: []attach.EventSetting{{"jdk.CPULoad", "period", "1s"}},
		})
		require.NoError(t, err)
		repository, err := vm.Repository(t.Context())
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(repository, "/proc/"), repository)
		chunks, _ := filepath.Glob(filepath.Join(repository, "*.jfr"))
		assert.NotEmpty(t, chunks)
		require.NoError(t, vm.Dump(t.Context(), id, "/tmp/dumped.jfr"))
		assert.FileExists(t, vm.Path("/tmp/dumped.jfr"))
		assert.NoFileExists(t, "/tmp/dumped.jfr")
		assert.NotEmpty(t, counts(t, vm.Path("/tmp/dumped.jfr")))
	})
}
