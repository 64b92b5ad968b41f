// Package progress shows on a terminal how far work is.
package progress

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Patience is for how long work may last before progress is shown.
const Patience = time.Second

// widest is how many characters the bar itself has at most, and beside how many there
// are with it in a line.
const widest, beside = 16, 44

// Bar shows which share of its bytes work has done, for how long it goes on, and how long
// it will take. It shows no bytes a second: those that an index makes work pass over count
// as done, and would make that terabytes. A nil Bar shows nothing. Several goroutines may use it at once.
type Bar struct {
	out *line

	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil before the first stage and behind the last
}

// IsTerminal tells whether what is written to w is seen at once by people.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// New returns a Bar that takes a line of w, once [Patience] has passed. It is up to
// the caller that w is a terminal.
func New(w io.Writer) *Bar {
	return &Bar{out: &line{w: w, from: time.Now().Add(Patience)}}
}

// Stage begins a stage that goes over so many bytes. It ends the stage before.
func (b *Bar) Stage(name string, size int64) {
	if b == nil {
		return
	}
	b.Done()
	width := widest
	if columns := b.out.columns(); columns > 0 { // times are worth more than the bar
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

// Set tells how many bytes the stage has behind it. More than there are is as many
// as there are.
func (b *Bar) Set(bytes uint64) {
	b.do(func(bar *progressbar.ProgressBar) error {
		return bar.Set64(int64(min(bytes, uint64(bar.GetMax64()))))
	})
}

// Add tells that the stage has so many more bytes behind it.
func (b *Bar) Add(bytes uint64) {
	b.do(func(bar *progressbar.ProgressBar) error { return bar.Add64(int64(bytes)) })
}

// Clear takes the line off the terminal, so that something else can be written. The
// next Set or Add brings it back.
func (b *Bar) Clear() { b.do((*progressbar.ProgressBar).Clear) }

// Done ends the last stage, and takes the line off the terminal.
func (b *Bar) Done() {
	b.do(func(bar *progressbar.ProgressBar) error {
		b.bar = nil
		return bar.Finish()
	})
}

// do leaves errors alone: they are of the terminal, and there is nobody to tell.
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
