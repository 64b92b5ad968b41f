package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
	"github.com/mattn/go-runewidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// onTerminal runs mjfr on a terminal of that many columns, and returns what is seen
// of standard output, and whatever was written to the terminal that errors go to.
func onTerminal(t *testing.T, columns uint16, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out, seenOut := newTerminal(t, columns)
	errs, seenErrs := newTerminal(t, columns)
	a := &cli.App{Root: newMjfr, Stdin: new(bytes.Buffer), Stdout: out, Stderr: errs}
	code = a.Run(t.Context(), args)
	return code, seenOut(), seenErrs()
}

// newTerminal returns a terminal, and what closes it and tells what was written to it.
func newTerminal(t *testing.T, columns uint16) (tty *os.File, seen func() string) {
	t.Helper()
	person, tty, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { person.Close() })
	require.NoError(t, pty.Setsize(tty, &pty.Winsize{Rows: 40, Cols: columns}))
	all := make(chan string)
	go func() {
		var text bytes.Buffer
		_, _ = io.Copy(&text, person) // it ends with an error when the terminal is closed
		all <- strings.ReplaceAll(text.String(), "\r\n", "\n")
	}()
	return tty, func() string {
		tty.Close()
		return <-all
	}
}

func TestTerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	code, stdout, stderr := onTerminal(t, 60, "types", clitest.File("jdk25-kinds.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, stderr)
	assert.True(t, strings.HasPrefix(stdout, "\x1b[1mEvent Type\x1b["), stdout)
	assert.NotContains(t, stdout, "\t")
	assert.Contains(t, stdout, "…", "cut")
	_, stdout, _ = onTerminal(t, 60, "types", "--color=never", clitest.File("jdk25-kinds.jfr"))
	assert.NotContains(t, stdout, "\x1b")
	for line := range strings.SplitSeq(stdout, "\n") {
		assert.LessOrEqual(t, runewidth.StringWidth(line), 60)
	}
	_, wide, _ := onTerminal(t, 200, "types", "--color=never", clitest.File("jdk25-kinds.jfr"))
	assert.NotContains(t, wide, "…")
}

func TestTerminalWithoutColours(t *testing.T) {
	for name, value := range map[string]string{"NO_COLOR": "1", "TERM": "dumb"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("NO_COLOR", "")
			t.Setenv("TERM", "xterm")
			t.Setenv(name, value)
			_, stdout, _ := onTerminal(t, 80, "types", clitest.File("jdk25-kinds.jfr"))
			assert.True(t, strings.HasPrefix(stdout, "Event Type  "), stdout)
			assert.NotContains(t, stdout, "\x1b")
			_, stdout, _ = onTerminal(t, 80, "types", "--color=always", clitest.File("jdk25-kinds.jfr"))
			assert.Contains(t, stdout, "\x1b[1m", "the flag asks for them")
		})
	}
}

// TestTerminalIsSafe writes what is in a recording as it is.
func TestTerminalIsSafe(t *testing.T) {
	tryVerb(t, func(a *cli.App) error {
		_, err := io.WriteString(a.Stdout, "\x1b]0;title\a\x1b[31mred\n")
		return err
	})
	_, stdout, _ := onTerminal(t, 80, "try")
	assert.Equal(t, `\x1b]0;title\a\x1b[31mred`+"\n", stdout)
}

// slowly works for longer than the patience of people, and says something. Its clock is
// that of the test, which goes on at once.
func slowly(t *testing.T, w cli.Output) func(a *cli.App) error {
	return func(a *cli.App) error {
		synctest.Test(t, func(*testing.T) {
			bar := a.Progress("working\x1b", 1000, w)
			defer bar.Done()
			for start := time.Now(); time.Since(start) < progress.Patience+300*time.Millisecond; time.Sleep(20 * time.Millisecond) {
				bar.Add(1)
			}
			a.Damage("a.jfr", terminalError{})
		})
		return nil
	}
}

type terminalError struct{}

func (terminalError) Error() string { return "damaged" }

func TestTerminalShowsProgress(t *testing.T) {
	tryVerb(t, slowly(t, cli.AtEnd))
	code, stdout, stderr := onTerminal(t, 80, "try")
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "working\\x1b ")
	assert.Contains(t, stderr, "|")
	assert.NotContains(t, stderr, "\x1b")
	before, _, _ := strings.Cut(stderr, "mjfr try: a.jfr: damaged\n")
	cleared := before[strings.LastIndex(strings.TrimSuffix(before, "\r"), "\r")+1:]
	assert.Equal(t, strings.Repeat(" ", 79)+"\r", cleared, "the message does not follow the bar")
}

func TestTerminalShowsNoProgress(t *testing.T) {
	for name, c := range map[string]struct {
		writing cli.Output
		flag    string
	}{
		"output in between": {cli.Streaming, "--color=auto"},
		"not wanted":        {cli.AtEnd, "--no-progress"},
	} {
		t.Run(name, func(t *testing.T) {
			tryVerb(t, slowly(t, c.writing))
			_, _, stderr := onTerminal(t, 80, "try", c.flag)
			assert.Equal(t, "mjfr try: a.jfr: damaged\n", stderr)
		})
	}
}

// TestProgressBesideOutput has output that comes meanwhile, and does not go to the
// terminal. What reads a pipe may write to it.
func TestProgressBesideOutput(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer file.Close()
	reader, pipe, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close()
	defer pipe.Close()
	for out, shown := range map[*os.File]bool{file: true, pipe: false} {
		tryVerb(t, slowly(t, cli.Streaming))
		errs, seen := newTerminal(t, 80)
		a := &cli.App{Root: newMjfr, Stdout: out, Stderr: errs}
		a.Run(t.Context(), []string{"try"})
		assert.Equal(t, shown, strings.Contains(seen(), "working"), out.Name())
	}
}

func TestTerminalWidthOfHelp(t *testing.T) {
	_, stdout, _ := onTerminal(t, 50, "types", "--help", "--color=never")
	_, flags, _ := strings.Cut(stdout, "Flags of all verbs:\n")
	flags, _, _ = strings.Cut(flags, "\n\n")
	for line := range strings.SplitSeq(flags, "\n") {
		assert.LessOrEqual(t, runewidth.StringWidth(terminal.Printable(line)), 50)
	}
}
