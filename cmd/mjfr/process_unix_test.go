//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// kitFile("jdk25-profile.jfr") gives mjfr events more to write than a pipe holds.

// TestMain lets the test binary be mjfr where it is called by that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "mjfr" {
		main()
	}
	os.Exit(m.Run())
}

// buildMjfr returns the path of an mjfr: a link to the test binary.
func buildMjfr(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "mjfr")
	require.NoError(t, os.Symlink(self, path))
	return path
}

// mjfrProcess is a command that has not been started.
func mjfrProcess(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stderr = exec.CommandContext(t.Context(), buildMjfr(t), args...), new(bytes.Buffer)
	cmd.Stderr = stderr
	return cmd, stderr
}

// TestWhoReadsHasHadEnough closes the pipe after a line, as head -1 does.
func TestWhoReadsHasHadEnough(t *testing.T) {
	cmd, stderr := mjfrProcess(t, "events", clitest.File("jdk25-profile.jfr"))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReaderSize(out, 16).ReadString('\n')
	require.NoError(t, err)
	assert.NotEmpty(t, line)
	require.NoError(t, out.Close())
	assert.NoError(t, cmd.Wait(), "exit code 0")
	assert.Empty(t, stderr.String())
}

// TestInterruptedWhileItReads interrupts mjfr when it has taken more from a pipe than
// the pipe itself can hold.
func TestInterruptedWhileItReads(t *testing.T) {
	cmd, stderr := mjfrProcess(t, "summary", "-")
	temp := t.TempDir()
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	recording, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	_, err = in.Write(recording[:len(recording)-1])
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	assert.Equal(t, cli.ExitInterrupted, exit.ExitCode())
	assert.Equal(t, "mjfr: interrupted\n", stderr.String())
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestInterruptedAgain interrupts mjfr that hangs, as nobody reads what it writes.
func TestInterruptedAgain(t *testing.T) {
	longtest.Long(t, "mjfr takes a second interrupt as one after a second")
	path := buildMjfr(t)
	// If mjfr does not hang yet it ends at the first interrupt.
	for wait := 50 * time.Millisecond; wait < time.Minute; wait *= 2 {
		state := interruptedTwice(t, exec.CommandContext(t.Context(), path, "events", clitest.File("jdk25-profile.jfr")), wait)
		if status := state.Sys().(syscall.WaitStatus); status.Signaled() {
			assert.Equal(t, syscall.SIGINT, status.Signal())
			return
		}
		require.Equal(t, cli.ExitInterrupted, state.ExitCode())
	}
	assert.Fail(t, "the second interrupt has not ended it")
}

// interruptedTwice interrupts a command, some time after it has begun to write, until
// it ends.
func interruptedTwice(t *testing.T, cmd *exec.Cmd, wait time.Duration) *os.ProcessState {
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer out.Close()
	_, err = io.ReadFull(out, make([]byte, 100))
	require.NoError(t, err)
	time.Sleep(wait)
	ended := make(chan struct{})
	go func() {
		for range 3000 {
			_ = cmd.Process.Signal(os.Interrupt) // it may have ended
			select {
			case <-ended:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
		_ = cmd.Process.Kill() // it will never end
	}()
	state, err := cmd.Process.Wait() // leaves the pipe open
	close(ended)
	require.NoError(t, err)
	return state
}

// TestTailEndsWhenNobodyReads closes the pipe after a line while nothing more is to be
// printed.
func TestTailEndsWhenNobodyReads(t *testing.T) {
	dir := clitest.Repository(t)
	chunk := clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0}, []int{1}, []int{2}, []int{3})
	chunk.Flush()
	cmd, stderr := mjfrProcess(t, "tail", "-f", "--ndjson", "--from", "start", "--where", "n<1", "--events", "Tick", dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReaderSize(out, 16).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, `"n":0`)
	require.NoError(t, out.Close())
	chunk.Flush()
	assert.NoError(t, cmd.Wait(), "exit code 0")
	assert.Empty(t, stderr.String())
}

// TestSignalsThatEndItInOrder sends what timeout and a terminal that is closed do, while
// nobody reads what is written: the former sends its signal twice, to the process and to
// its group. When somebody reads again it ends as it should. Where the tests themselves
// run under nohup, mjfr does too, and a terminal that is closed is none of its business.
func TestSignalsThatEndItInOrder(t *testing.T) {
	longtest.Long(t, "mjfr takes signals within a second as one")
	path := buildMjfr(t)
	for name, signals := range map[string][]os.Signal{
		"twice at once":   {syscall.SIGTERM, syscall.SIGTERM},
		"terminal closed": {syscall.SIGHUP},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), path, "events", clitest.File("jdk25-profile.jfr"))
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			_, err = io.ReadFull(out, make([]byte, 100))
			require.NoError(t, err)
			time.Sleep(300 * time.Millisecond) // until the pipe is full
			for _, s := range signals {
				require.NoError(t, cmd.Process.Signal(s))
				time.Sleep(20 * time.Millisecond)
			}
			_, _ = io.Copy(io.Discard, out)
			if signal.Ignored(signals[0]) {
				require.NoError(t, cmd.Wait())
				return
			}
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &exit)
			assert.Equal(t, cli.ExitInterrupted, exit.ExitCode())
		})
	}
}
