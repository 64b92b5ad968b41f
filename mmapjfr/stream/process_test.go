package stream_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// processEnv makes the test's program a process that opens the files whose names it reads.
const processEnv = "MMAPJFR_TEST_PROCESS"

// process is one that seems to be a virtual machine: it has chunks open.
type process struct {
	t   testing.TB
	pid int
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startProcess(t testing.TB) *process {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), processEnv+"=1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &process{t, cmd.Process.Pid, cmd, in, bufio.NewReader(out)}
	t.Cleanup(p.kill)
	return p
}

// open makes the process open a file.
func (p *process) open(path string) {
	p.t.Helper()
	_, err := fmt.Fprintln(p.in, path)
	require.NoError(p.t, err)
	answer, err := p.out.ReadString('\n')
	require.NoError(p.t, err)
	require.Equal(p.t, "open\n", answer)
}

// kill ends the process, without a chance to finish anything.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait() // it says that it was killed
	}
}

// beProcess is what such a process does.
func beProcess() {
	in := bufio.NewReader(os.Stdin)
	for {
		path, err := in.ReadString('\n')
		if err != nil {
			return
		}
		f, err := os.OpenFile(strings.TrimSpace(path), os.O_RDWR, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer f.Close() // stays open until the end
		fmt.Println("open")
	}
}
