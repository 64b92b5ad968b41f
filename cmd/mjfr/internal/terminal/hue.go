package terminal

import (
	"strings"

	"github.com/fatih/color"
)

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

// hues are enabled even if the library would not use colours: Style decides that.
var hues = map[Hue]*color.Color{
	Bold:   color.New(color.Bold),
	Faint:  color.New(color.Faint),
	Red:    color.New(color.FgRed),
	Green:  color.New(color.FgGreen),
	Yellow: color.New(color.FgYellow),
	Blue:   color.New(color.FgBlue),
	Cyan:   color.New(color.FgCyan),
}

func init() {
	for _, c := range hues {
		c.EnableColor()
	}
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
	c := hues[h]
	if !s.Color || c == nil || text == "" {
		return text
	}
	// The text is inserted later, because it may contain a per cent sign or an escape.
	before, after, _ := strings.Cut(c.Sprint("\x00"), "\x00")
	return s.sign(before) + text + s.sign(after)
}

// sign puts the key into an escape sequence, see guard.
func (s Style) sign(sequence string) string {
	return strings.Replace(sequence, "\x1b[", "\x1b"+s.key+"[", 1)
}
