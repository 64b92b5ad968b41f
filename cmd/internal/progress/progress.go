// Package progress shows the progress of work on a terminal.
package progress

import (
	"io"
	"os"
	"sync"
	"time"

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
