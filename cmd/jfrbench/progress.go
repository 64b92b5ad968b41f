package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// patience is how long a file may take before progress is shown.
const patience = time.Second

// progress shows how far the stages of a file are. A nil progress shows nothing.
type progress struct {
	out io.Writer
	bar *progressbar.ProgressBar
}

// newProgress shows progress on a terminal, once the file has taken a while.
func newProgress(w io.Writer) *progress {
	return &progress{out: &late{w: w, from: time.Now().Add(patience)}}
}

// late writes nothing before a point in time.
type late struct {
	w    io.Writer
	from time.Time
}

func (l *late) Write(p []byte) (int, error) {
	if time.Now().Before(l.from) {
		return len(p), nil
	}
	return l.w.Write(p)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// stage begins a stage that goes over so many bytes.
func (p *progress) stage(name string, size int64) {
	if p == nil {
		return
	}
	p.clear()
	p.begin(fmt.Sprintf("%d/%d %-6s", slices.Index(stageNames, name)+1, len(stageNames), name), size)
}

// newOneStage shows progress of something that has just one stage.
func newOneStage(w io.Writer, name string, size int64) *progress {
	p := newProgress(w)
	p.begin(name, size)
	return p
}

func (p *progress) begin(name string, size int64) {
	p.bar = progressbar.NewOptions64(max(size, 1),
		progressbar.OptionSetWriter(p.out),
		progressbar.OptionSetDescription(name),
		progressbar.OptionSetWidth(16),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// at tells how many bytes of the file the stage has behind it.
func (p *progress) at(offset uint64) {
	if p != nil && p.bar != nil {
		_ = p.bar.Set64(min(int64(offset), p.bar.GetMax64())) // there is nobody to tell
	}
}

// add tells that the stage has so many more bytes behind it. Several goroutines
// may do so at once.
func (p *progress) add(bytes uint64) {
	if p != nil && p.bar != nil {
		_ = p.bar.Add64(int64(bytes)) // there is nobody to tell
	}
}

// clear takes the line off the terminal.
func (p *progress) clear() {
	if p != nil && p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
