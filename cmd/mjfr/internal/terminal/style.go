// Package terminal shows things to people: tables and colours.
// What goes into a pipe or a file is plain.
//
// Text of recordings is not to be trusted: it must not get to a terminal with control
// characters in it. Tables and [Style.Paint] see to that, and so does the writer that
// [Open] returns for all that is written by other ways.
package terminal

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
)

// Style is how things are shown.
type Style struct {
	// Aligned lines columns up and shows numbers as people like to read them. It
	// holds for terminals.
	Aligned bool
	// Color may be used.
	Color bool
	// Width is how many columns the terminal has; 0 for any number of them.
	Width int

	// key makes colours that text of recordings cannot have; see guard.
	key string
}

// When says when colours and aligned columns are shown. It is the value of a flag.
type When string

// The values of When. Auto is: on a terminal.
const (
	Auto   When = "auto"
	Always When = "always"
	Never  When = "never"
)

// String returns the value.
func (w *When) String() string { return string(*w) }

// Type returns what help calls the value.
func (w *When) Type() string { return "when" }

// Set fails for anything but the three values.
func (w *When) Set(s string) error {
	switch When(s) {
	case Auto, Always, Never:
		*w = When(s)
		return nil
	}
	return fmt.Errorf("it must be %s, %s or %s", Auto, Always, Never)
}

// Open returns how things are shown on w, and what to write to in place of it. There
// are no colours if the environment, as os.Getenv gives it, has a NO_COLOR or says
// that the terminal is dumb, unless they are asked for by Always. Never leaves columns
// aligned.
func Open(w io.Writer, when When, env func(string) string) (io.Writer, Style) {
	s := Style{Aligned: progress.IsTerminal(w)}
	if s.Aligned {
		if width, _, err := term.GetSize(int(w.(*os.File).Fd())); err == nil {
			s.Width = width
		}
		s.Color = env("NO_COLOR") == "" && env("TERM") != "dumb"
	}
	switch when {
	case Always:
		s.Aligned, s.Color = true, true
	case Never:
		s.Color = false
	}
	if !s.Aligned {
		return w, s
	}
	s.key = rand.Text()
	return &guard{w: w, key: s.key}, s
}
