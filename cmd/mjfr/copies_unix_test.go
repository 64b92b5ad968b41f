//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// longRecording writes a recording that takes a while to copy.
func longRecording(t *testing.T, path string) {
	t.Helper()
	one, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Repeat(one, 20), 0o600))
}

// TestKilledWhileItWrites kills mjfr while it replaces a file: that is the old one, or, if mjfr was faster, the new one
// as a whole. Then it writes a new file.
func TestKilledWhileItWrites(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jfr"), filepath.Join(dir, "out.jfr")
	longRecording(t, in)
	old := []byte("what was there")
	require.NoError(t, os.WriteFile(out, old, 0o600))
	whole := filepath.Join(dir, "whole.jfr")
	code, _, stderr := mjfrCommand(t, "compact", in, whole)
	require.Equal(t, cli.ExitOK, code, stderr)
	want, err := os.ReadFile(whole)
	require.NoError(t, err)

	for _, replaces := range []bool{true, false} {
		if !replaces {
			require.NoError(t, os.Remove(out))
		}
		cmd, _ := mjfrProcess(t, "compact", "--force", in, out)
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		got := old
		for len(ended) == 0 && bytes.Equal(old, got) && !leaktest.IsWriting(cmd.Process.Pid, dir) {
			time.Sleep(time.Millisecond)
			if replaces {
				got, err = os.ReadFile(out)
				require.NoError(t, err)
			}
		}
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		got, err = os.ReadFile(out)
		switch {
		case replaces:
			require.NoError(t, err)
			assert.True(t, bytes.Equal(old, got) || bytes.Equal(want, got))
		case err == nil:
			assert.True(t, bytes.Equal(want, got))
		case runtime.GOOS == "linux":
			left, err := filepath.Glob(out + "*")
			require.NoError(t, err)
			for _, path := range left { // in file systems without files that have no name
				assert.Regexp(t, `out\.jfr\.mjfr-.*\.part$`, path)
			}
		}
	}
}

// TestFileThatGetsTooLong writes with a limit of the size of files, as on a disk that is full.
func TestFileThatGetsTooLong(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jfr"), filepath.Join(dir, "out.jfr")
	longRecording(t, in)
	for _, verb := range [][]string{{"compact"}, {"slice", "--from", "1s"}, {"scrub", "--exclude-events", "GC*"}, {"merge"}} {
		args := append(append([]string{"-c", `ulimit -f 200; exec "$0" "$@"`, buildMjfr(t)}, verb...), in, out)
		said, err := exec.CommandContext(t.Context(), "/bin/sh", args...).CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(said), out+": file too large")
		left, err := filepath.Glob(out + "*")
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

// TestNullDeviceIsAPlaceToWriteTo gives processes the null device as standard output as shells open
// it, and as Python's subprocess.DEVNULL, Node's ignore and daemons do: for reading, too. Go opens
// that for a standard output that is closed, so the two cannot be told apart.
func TestNullDeviceIsAPlaceToWriteTo(t *testing.T) {
	in := clitest.File("jdk25-kinds.jfr")
	dir := t.TempDir()
	args := [][]string{
		{"summary", in}, {"print", in}, {"query", "select count(*) from *", in}, {"help"}, {"version"},
		{"merge", in, "-"}, {"slice", "--from", "100ms", in, "-"}, {"report", "--markdown", "-o", "-", in},
		{"merge", in, "OUT"}, {"slice", "--from", "100ms", in, "OUT"}, {"export", in, "--parquet", "OUT"},
	}
	read, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer read.Close()
	for m, name := range []string{"written", "both", "closed"} {
		mode := []int{os.O_WRONLY, os.O_RDWR, -1}[m]
		var stdout *os.File
		if mode >= 0 {
			stdout, err = os.OpenFile(os.DevNull, mode, 0)
			require.NoError(t, err)
			defer stdout.Close()
		}
		for i, a := range args {
			if !longtest.Every(i+m, 3) {
				continue
			}
			out := filepath.Join(dir, name+strconv.Itoa(i))
			a = append([]string{"mjfr"}, a...)
			writes := slices.Index(a, "OUT")
			if writes >= 0 {
				a[writes] = out
			}
			errs, err := os.Create(out + ".errs")
			require.NoError(t, err)
			defer errs.Close()
			p, err := os.StartProcess(buildMjfr(t), a, &os.ProcAttr{Files: []*os.File{read, stdout, errs}})
			require.NoError(t, err)
			state, err := p.Wait()
			require.NoError(t, err)
			said, err := os.ReadFile(errs.Name())
			require.NoError(t, err)
			assert.Equal(t, cli.ExitOK, state.ExitCode(), "%s %v: %s", name, a, said)
			if _, err := os.Stat(out); writes >= 0 {
				assert.NoError(t, err)
			}
		}
	}
}
