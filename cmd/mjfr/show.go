package main

import (
	"io"
	"os"

	"github.com/mattn/go-runewidth"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// writing says when a verb writes its output.
type writing bool

const (
	// atTheEnd is when all has been read.
	atTheEnd writing = false
	// meanwhile is when more is still to be read. A bar is shown only if the output
	// goes to a file: elsewhere it would stand between the lines of the output, or of
	// the command at the other end of a pipe.
	meanwhile writing = true
)

// nameWidth is how much of the line of a bar its name may take.
const nameWidth = 24

// progress shows on a terminal how far a verb is that goes over so many bytes, if it
// takes long. It returns nil, which is right to use, if nothing is to be shown. Call
// Done of what it returns before any output is written; a second call does nothing.
func (a *app) progress(what string, bytes int64, w writing) *progress.Bar {
	a.bar.Done()
	a.bar = nil
	if a.noProgress || !progress.IsTerminal(a.stderr) || w == meanwhile && !isFile(a.stdout) {
		return nil
	}
	a.bar = progress.New(a.stderr)
	a.bar.Stage(runewidth.Truncate(terminal.Printable(what), nameWidth, "…"), bytes)
	return a.bar
}

// isFile tells whether what is written goes to a file on disk.
func isFile(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// unpacking returns what shows how much of packed recordings has been unpacked.
func (a *app) unpacking() func(name string, done, total int64) {
	var (
		bar  *progress.Bar
		last string
	)
	return func(name string, done, total int64) {
		if total == 0 {
			return // nobody knows
		}
		if name != last {
			bar, last = a.progress("unpacking", total, atTheEnd), name
		}
		bar.Set(uint64(done))
	}
}

// bytesOf returns how many bytes all recordings of a set have.
func bytesOf(set *input.Set) (bytes int64) {
	for _, rec := range set.Recordings {
		bytes += rec.Size()
	}
	return bytes
}
