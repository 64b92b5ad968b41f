//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// controls are what terminals do not show.
var controls = regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x1b\][^\x07]*\x07|[\x00-\x1f]`)

// shell is a real shell on a terminal.
type shell struct {
	terminal *os.File
	mu       sync.Mutex
	seen     bytes.Buffer
}

func startShell(t *testing.T, dir string, args ...string) *shell {
	t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		t.Skipf("%s is not installed; the gate installs it", args[0])
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TERM=xterm", "HOME="+t.TempDir(), "PS1=$ ")
	s := &shell{}
	s.terminal, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = s.terminal.Close()
	})
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := s.terminal.Read(buf)
			s.mu.Lock()
			s.seen.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// types types something, and waits until the terminal shows what is wanted.
func (s *shell) types(t *testing.T, keys, want string) {
	t.Helper()
	s.mu.Lock()
	s.seen.Reset()
	s.mu.Unlock()
	_, err := io.WriteString(s.terminal, keys)
	require.NoError(t, err)
	shown := func() string {
		s.mu.Lock()
		defer s.mu.Unlock()
		return controls.ReplaceAllString(s.seen.String(), "")
	}
	ok := assert.Eventually(t, func() bool { return strings.Contains(shown(), want) }, time.Minute, 10*time.Millisecond)
	if !ok {
		t.Logf("%q shows %q, and not %q", keys, shown(), want)
	}
}

// TestShells presses the tabulator in real shells.
func TestShells(t *testing.T) {
	longtest.Long(t, "it waits for shells that other packages of a system have")
	dir := t.TempDir()
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "mjfr"), ".").CombinedOutput()
	require.NoError(t, err, string(out))
	print := "mjfr print " + clitest.File("jdk25-kinds.jfr") + " "
	lines := map[string]string{
		"mjfr summ": "mjfr summary ",
		print + "--events jdk.GCHeapSummary,jdk.CPUL": "jdk.GCHeapSummary,jdk.CPULoad ",
		print + "--events=jdk.CPUL":                   "--events=jdk.CPULoad ",
		"mjfr summary ../../testdata/jdk25-virt":      "../../testdata/jdk25-virtual.jfr ",
	}
	for name, c := range map[string]struct {
		args []string
		init string
	}{
		"bash": {[]string{"bash", "--norc", "--noprofile", "-i"}, `eval "$(mjfr completion bash)"`},
		"zsh":  {[]string{"zsh", "-f", "-i"}, `autoload -U compinit; compinit -u -D; eval "$(mjfr completion zsh)"`},
		"fish": {[]string{"fish", "--no-config"}, "mjfr completion fish | source"},
	} {
		t.Run(name, func(t *testing.T) {
			for line, want := range lines {
				s := startShell(t, dir, c.args...)
				s.types(t, c.init+"; echo rea''dy\n", "ready")
				s.types(t, line+"\t", want)
			}
		})
	}
}
