//go:build unix && !darwin

package open

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// TestCommandLineOfBrowser looks at what the browser is started with: it is of no use once the browser is in, and the
// printed address is of use at any time.
func TestCommandLineOfBrowser(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\necho \"$*\" > "+pipe+"\n"), 0o700))
	t.Setenv("PATH", dir)
	t.Setenv(tokenVariable, "")
	var out, told bytes.Buffer
	app := &cli.App{Stdout: &out, Stderr: &told, Root: clitest.Verbs(New)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan int, 1)
	go func() { ended <- app.Run(ctx, []string{"open", testdata("jdk25-profile.jfr")}) }()
	text, err := os.ReadFile(pipe)
	require.NoError(t, err)
	given := strings.TrimSpace(string(text))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(address string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		require.NoError(t, err)
		r.Close = true
		answer, err := client.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	assert.Equal(t, http.StatusSeeOther, get(given))
	assert.Equal(t, http.StatusForbidden, get(given))
	cancel()
	require.Equal(t, cli.ExitInterrupted, <-ended, &told)
	printed := strings.TrimSpace(out.String())
	_, secret, _ := strings.Cut(printed, "secret=")
	assert.NotEmpty(t, secret)
	assert.NotContains(t, given, secret)
}

// TestBrowserIsApart looks at the group of processes that Ctrl-C of the terminal ends: the browser is not in it.
func TestBrowserIsApart(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "read line") // until it is killed
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	setApart(cmd)
	require.NoError(t, cmd.Start())
	group, err := syscall.Getpgid(cmd.Process.Pid)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	require.NoError(t, err)
	assert.Equal(t, cmd.Process.Pid, group)
}

// notices tells what is said, and when something is.
type notices chan string

func (n notices) Write(b []byte) (int, error) { n <- string(b); return len(b), nil }

// TestBrowserThatFails has the same notice as a browser that is missing.
func TestBrowserThatFails(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\nexit 3\n"), 0o700))
	t.Setenv("PATH", dir)
	t.Setenv(tokenVariable, "")
	told := make(notices, 9)
	app := &cli.App{Stdout: io.Discard, Stderr: told, Root: clitest.Verbs(New)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan int, 1)
	go func() { ended <- app.Run(ctx, []string{"open", testdata("jdk25-profile.jfr")}) }()
	for !strings.Contains(<-told, noBrowser) {
	}
	cancel()
	require.Equal(t, cli.ExitInterrupted, <-ended)
}
