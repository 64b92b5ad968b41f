// Package progress shows the progress of work on a terminal.
package progress

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Patience is how long work may last before progress is shown.
const Patience = time.Second

// widest is the greatest width of the bar itself, and beside the width of the rest of its line.
const widest, beside = 16, 44

// Bar shows which part of its bytes work has done, how long it has taken, and how long it will
// take. It does not show bytes per second: bytes that an index makes unnecessary count as done, so
// the rate would mean nothing. A nil Bar shows nothing. Several goroutines may use a Bar at once.
type Bar struct {
	out *line

	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil before the first stage and after the last
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// New returns a Bar that uses a line of w after [Patience]. The caller makes sure that w is a
// terminal.
func New(w io.Writer) *Bar {
	return &Bar{out: &line{w: w, from: time.Now().Add(Patience)}}
}

// Stage ends the last stage and begins one with a size in bytes.
func (b *Bar) Stage(name string, size int64) {
	if b == nil {
		return
	}
	b.Done()
	width := widest
	if columns := b.out.columns(); columns > 0 { // times are more important than the bar
		width = min(width, max(1, columns-beside))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bar = progressbar.NewOptions64(max(size, 1),
		progressbar.OptionSetWriter(b.out),
		progressbar.OptionSetDescription(name),
		progressbar.OptionSetWidth(width),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// Set sets the number of bytes that the stage has done. A number beyond the size counts as the
// size.
func (b *Bar) Set(bytes uint64) {
	b.do(func(bar *progressbar.ProgressBar) error {
		return bar.Set64(int64(min(bytes, uint64(bar.GetMax64()))))
	})
}

// Add adds to the number of bytes that the stage has done.
func (b *Bar) Add(bytes uint64) {
	b.do(func(bar *progressbar.ProgressBar) error { return bar.Add64(int64(bytes)) })
}

// Clear removes the bar from the terminal, so that other text can be written. The next Set or Add
// shows it again.
func (b *Bar) Clear() { b.do((*progressbar.ProgressBar).Clear) }

// Done ends the last stage and removes the bar from the terminal.
func (b *Bar) Done() {
	b.do(func(bar *progressbar.ProgressBar) error {
		b.bar = nil
		return bar.Finish()
	})
}

// do ignores errors of the terminal: they cannot be shown.
func (b *Bar) do(f func(*progressbar.ProgressBar) error) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		_ = f(b.bar)
	}
}

// line is a line of a terminal that is written again and again. It writes nothing before a point in
// time. It never writes more than fits, because the rest would go to the next line and stay there.
type line struct {
	w     io.Writer
	from  time.Time
	width func() int // tests set it
}

func (l *line) Write(p []byte) (int, error) {
	if time.Now().Before(l.from) {
		return len(p), nil
	}
	text := string(p)
	if width := l.columns(); width > 1 { // the last column stays free
		if strings.Trim(text, " \r") == "" {
			// Clear the whole line, with anything that the terminal has put after the bar, such as
			// ^C.
			text = "\r" + strings.Repeat(" ", width-1) + "\r"
		}
		text = fit(text, width-1)
	}
	if _, err := io.WriteString(l.w, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// columns asks each time, because people resize windows.
func (l *line) columns() int {
	if l.width != nil {
		return l.width()
	}
	if f, ok := l.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// fit shortens each part between carriage returns to the width.
func fit(text string, width int) string {
	cut, column := make([]rune, 0, len(text)), 0
	for _, r := range text {
		if r == '\r' {
			column = 0
		} else if column += runewidth.RuneWidth(r); column > width {
			continue
		}
		cut = append(cut, r)
	}
	return string(cut)
}
