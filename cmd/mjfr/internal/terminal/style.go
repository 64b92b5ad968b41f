// Package terminal writes tables and colours on terminals, and plain text to pipes and files.
//
// Texts of recordings can contain control characters, which must not reach a terminal. Tables and
// [Style.Paint] replace them, and so does the writer that [Open] returns for all other text.
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
	// Aligned aligns columns and formats numbers for people. It is set for terminals.
	Aligned bool
	// Color allows colours.
	Color bool
	// Width is the number of columns of the terminal; 0 if it is not known.
	Width int

	// key marks colours that texts of recordings cannot have; see guard.
	key string
}

// When is when colours and aligned columns are shown. It is the value of a flag.
type When string

// The values of When. Auto means on a terminal.
const (
	Auto   When = "auto"
	Always When = "always"
	Never  When = "never"
)

// String returns the value.
func (w *When) String() string { return string(*w) }

// Type returns the name of the value in the help.
func (w *When) Type() string { return "when" }

// Set returns an error for all but the three values.
func (w *When) Set(s string) error {
	switch When(s) {
	case Auto, Always, Never:
		*w = When(s)
		return nil
	}
	return fmt.Errorf("it must be %s, %s or %s", Auto, Always, Never)
}

// Open returns the style for w, and the writer to use in place of w. Without Always there are no
// colours if the environment, which env reads as os.Getenv does, has NO_COLOR or says that the
// terminal is dumb. Never still aligns columns on a terminal.
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

// Hue is a colour or another style of text.
type Hue uint8

// The hues. Plain text has none.
const (
	NoHue Hue = iota
	Bold
	Faint
	Red
	Green
	Yellow
	Blue
	Cyan
)

// hues are the numbers that begin and end a hue in an escape sequence.
var hues = map[Hue]struct{ on, off string }{
	Bold: {"1", "22"}, Faint: {"2", "22"},
	Red: {"31", "0"}, Green: {"32", "0"}, Yellow: {"33", "0"}, Blue: {"34", "0"}, Cyan: {"36", "0"},
}

// Paint returns a line of text, in the hue if there are colours. On a terminal it replaces control
// characters, see [Printable]; in a pipe or a file the text stays as it is.
func (s Style) Paint(h Hue, text string) string {
	if s.Aligned || s.Color {
		text = Printable(text)
	}
	return s.hue(h, text)
}

// hue paints a printable text.
func (s Style) hue(h Hue, text string) string {
	c, ok := hues[h]
	if !s.Color || !ok || text == "" {
		return text
	}
	return s.sequence(c.on) + text + s.sequence(c.off)
}

// sequence returns an escape sequence with the key, see guard.
func (s Style) sequence(number string) string { return "\x1b" + s.key + "[" + number + "m" }
