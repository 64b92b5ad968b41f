//go:build linux || darwin

package attach_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// TestBystander is the process of TestOpenLeavesOthersAlone, not a test.
func TestBystander(t *testing.T) {
	mode := os.Getenv("ATTACH_BYSTANDER")
	if mode == "" {
		t.Skip("it is the process of TestOpenLeavesOthersAlone")
	}
	quits := make(chan os.Signal, 1)
	if mode == "handles" {
		signal.Notify(quits, syscall.SIGQUIT)
	}
	fmt.Println("\nready")
	go func() {
		<-quits
		fmt.Println("\nSIGQUIT")
	}()
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test has looked
	fmt.Println("\nended")
}

// TestOpenLeavesOthersAlone is about processes that are no JVMs: one that handles
// SIGQUIT and one that would end.
func TestOpenLeavesOthersAlone(t *testing.T) {
	for _, mode := range []string{"handles", "does not"} {
		t.Run(mode, func(t *testing.T) {
			exe, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.Command(exe, "-test.run=^TestBystander$", "-test.v")
			cmd.Env = append(os.Environ(), "ATTACH_BYSTANDER="+mode)
			cmd.Dir = t.TempDir()
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			lines := bufio.NewScanner(stdout)
			for lines.Scan() && lines.Text() != "ready" {
			}
			require.Equal(t, "ready", lines.Text())

			_, err = attach.Open(t.Context(), cmd.Process.Pid)
			assert.ErrorIs(t, err, attach.ErrNotJVM)
			all, err := attach.List()
			require.NoError(t, err)
			for _, p := range all {
				assert.NotEqual(t, cmd.Process.Pid, p.PID)
			}

			left, err := filepath.Glob(filepath.Join(cmd.Dir, ".attach*"))
			require.NoError(t, err)
			assert.Empty(t, left)
			require.NoError(t, stdin.Close())
			var said []string
			for lines.Scan() {
				said = append(said, lines.Text())
			}
			assert.Contains(t, said, "ended")
			assert.NotContains(t, said, "SIGQUIT")
			assert.NoError(t, cmd.Wait())
		})
	}
}

func TestOpenNobody(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, cmd.Run())
	_, err := attach.Open(t.Context(), cmd.Process.Pid)
	assert.ErrorIs(t, err, attach.ErrNoProcess)
}
