package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mattn/go-runewidth"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Output says when a verb writes its output.
type Output bool

const (
	// AtEnd is after all has been read.
	AtEnd Output = false
	// Streaming is while the verb reads. Then a bar is shown only if the output goes to a file:
	// elsewhere it would stand between the lines of the output, or of the command at the other
	// end of a pipe.
	Streaming Output = true
)

// nameWidth is the greatest width of the name of a bar.
const nameWidth = 24

// Progress shows on a terminal which part of a number of bytes a verb has read, if that takes long.
// It returns nil, whose methods do nothing, if no bar is to be shown. Call Done before writing any
// output; a second call does nothing.
func (a *App) Progress(what string, bytes int64, w Output) *progress.Bar {
	a.bar.Done()
	a.bar = nil
	if a.noProgress || !progress.IsTerminal(a.Stderr) || w == Streaming && !isFile(a.Screen) {
		return nil
	}
	a.bar = progress.New(a.Stderr)
	a.bar.Stage(runewidth.Truncate(terminal.Printable(what), nameWidth, "…"), bytes)
	return a.bar
}

// isFile reports whether w is a file on disk.
func isFile(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// unpacking returns a function that shows how much of packed recordings has been unpacked.
func (a *App) unpacking() func(name string, done, total int64) {
	var (
		bar  *progress.Bar
		last string
	)
	return func(name string, done, total int64) {
		if total == 0 {
			return // the size is not known
		}
		if name != last {
			bar, last = a.Progress("unpacking", total, AtEnd), name
		}
		bar.Set(uint64(done))
	}
}

// Title returns what to call recordings: the name of the first file, and how many more there are.
func Title(set *input.Set) string {
	name := filepath.Base(set.Name(set.Recordings[0]))
	if n := len(set.Recordings) - 1; n > 0 {
		name = fmt.Sprintf("%s and %d more", name, n)
	}
	return name
}

// BytesOf returns the size of all recordings of a set in bytes.
func BytesOf(set *input.Set) (bytes int64) {
	for _, rec := range set.Recordings {
		bytes += rec.Size()
	}
	return bytes
}
