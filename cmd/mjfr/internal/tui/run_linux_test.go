package tui_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/tui"
)

// person is somebody at a terminal.
type person struct {
	end, tty *os.File
	mu       sync.Mutex
	seen     bytes.Buffer
}

func newPerson(t *testing.T) *person {
	t.Helper()
	end, tty, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}))
	p := &person{end: end, tty: tty}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4096)
		for {
			n, err := end.Read(buf)
			p.mu.Lock()
			p.seen.Write(buf[:n])
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { tty.Close(); end.Close(); <-done })
	return p
}

func (p *person) sees() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

func (p *person) waitsFor(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(p.sees(), text) }, time.Minute, 5*time.Millisecond, text)
}

func (p *person) presses(t *testing.T, keys string) {
	t.Helper()
	_, err := p.end.WriteString(keys)
	require.NoError(t, err)
}

// runs starts the screen, and returns how it ends.
func (p *person) runs(ctx context.Context, s tui.Source, color bool) <-chan error {
	env := []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	if color {
		env = append(env, "NO_COLOR=1") // the caller has decided about colours already
	}
	ended := make(chan error, 1)
	go func() {
		ended <- tui.Run(ctx, s, tui.Options{
			Input: p.tty, Output: p.tty, Env: env, Color: color, Every: 5 * time.Millisecond,
		})
	}()
	return ended
}

func end(t *testing.T, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("it goes on")
		return nil
	}
}

func state(t *testing.T, f *os.File) unix.Termios {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	require.NoError(t, err)
	return *s
}

// restored tells that the terminal is as it was: its state, the screen and the cursor.
func restored(t *testing.T, p *person, before unix.Termios) {
	t.Helper()
	assert.Equal(t, before, state(t, p.tty))
	p.waitsFor(t, "\x1b[?1049l")
	seen := p.sees()
	assert.Greater(t, strings.LastIndex(seen, "\x1b[?25h"), strings.LastIndex(seen, "\x1b[?25l"), "the cursor is seen")
}

func TestRun(t *testing.T) {
	for name, key := range map[string]string{"q": "q", "ctrl+c": "\x03"} {
		t.Run(name, func(t *testing.T) {
			p, s := newPerson(t), shop()
			before := state(t, p.tty)
			ended := p.runs(t.Context(), s, true)
			p.waitsFor(t, "com.example.shop.Order")
			assert.Contains(t, p.sees(), "\x1b[?1049h")
			assert.NotEqual(t, before, state(t, p.tty), "keys come at once")
			s.change(func(s *jvmstats.Snapshot) { s.State = jvmstats.Ended })
			p.waitsFor(t, "ENDED")
			p.presses(t, "\t")
			p.waitsFor(t, "[Methods]")
			p.presses(t, key)
			assert.NoError(t, end(t, ended))
			restored(t, p, before)
		})
	}
}

func TestRunResized(t *testing.T) {
	p := newPerson(t)
	ended := p.runs(t.Context(), shop(), true)
	p.waitsFor(t, "[Events]")
	require.NoError(t, pty.Setsize(p.tty, &pty.Winsize{Rows: 40, Cols: 160}))
	// There is nobody to send the signal: the pty is not the terminal of this process.
	require.NoError(t, unix.Kill(os.Getpid(), unix.SIGWINCH))
	p.waitsFor(t, "G1 Evacuation Pause")
	p.presses(t, "q")
	assert.NoError(t, end(t, ended))
}

func TestRunCancelled(t *testing.T) {
	p := newPerson(t)
	before := state(t, p.tty)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := p.runs(ctx, shop(), true)
	p.waitsFor(t, "[Events]")
	enough := errors.New("enough")
	cancel(enough)
	assert.ErrorIs(t, end(t, ended), enough)
	restored(t, p, before)
	assert.ErrorIs(t, end(t, p.runs(ctx, shop(), true)), enough, "from the beginning")
}

// colors are sequences that have a colour in them.
var colors = regexp.MustCompile(`\x1b\[(?:[0-9;:]*[;:])?(?:3[0-7]|38|4[0-7]|48|9[0-7])[;:m]`)

func TestRunColors(t *testing.T) {
	for _, color := range []bool{true, false} {
		p := newPerson(t)
		ended := p.runs(t.Context(), shop(), color)
		p.waitsFor(t, "live")
		p.waitsFor(t, "? help")
		assert.Equal(t, color, colors.MatchString(p.sees()))
		p.presses(t, "q")
		assert.NoError(t, end(t, ended))
	}
}

func TestInteractive(t *testing.T) {
	p := newPerson(t)
	env := func(term string) func(string) string { return func(string) string { return term } }
	assert.True(t, tui.Interactive(p.tty, env("xterm")))
	assert.False(t, tui.Interactive(p.tty, env("dumb")))
	assert.False(t, tui.Interactive(new(bytes.Buffer), env("xterm")))
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer file.Close()
	assert.False(t, tui.Interactive(file, env("xterm")))
}
