package tail

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// tailRun is mjfr tail at work.
type tailRun struct {
	t      testing.TB
	lines  *bufio.Scanner
	cancel context.CancelFunc
	code   chan int
	stderr clitest.LockedText
}

// startTail runs mjfr tail until the test ends.
func startTail(t testing.TB, args ...string) *tailRun {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	run := &tailRun{t: t, lines: bufio.NewScanner(r), cancel: cancel, code: make(chan int, 1)}
	a := &cli.App{Root: clitest.Verbs(New), Stdin: new(bytes.Buffer), Stdout: w, Stderr: &run.stderr}
	var wait sync.WaitGroup
	wait.Go(func() {
		run.code <- a.Run(ctx, append([]string{"tail"}, args...))
		w.Close()
	})
	t.Cleanup(func() {
		cancel()
		r.Close()
		wait.Wait()
	})
	return run
}

// expect reads lines, which must be these.
func (r *tailRun) expect(lines ...string) {
	r.t.Helper()
	for _, line := range lines {
		require.True(r.t, r.lines.Scan(), "%s is missing; %s", line, r.stderr.String())
		require.Equal(r.t, line, r.lines.Text())
	}
}

// ends waits for the end, before which there must be no other line.
func (r *tailRun) ends(code int) {
	r.t.Helper()
	if r.lines.Scan() {
		require.Fail(r.t, "one line too many", r.lines.Text())
	}
	assert.Equal(r.t, code, <-r.code, r.stderr.String())
}

// told waits until something has been said on standard error.
func (r *tailRun) told(text string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return strings.Contains(r.stderr.String(), text) }, time.Minute, time.Millisecond)
}
