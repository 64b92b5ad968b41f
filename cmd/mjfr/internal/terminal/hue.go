package terminal

import (
	"strings"

	"github.com/fatih/color"
)

// Hue is how a text is set off from others, by a colour or otherwise.
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

// hues are made even where the library thinks that nobody sees them: that is decided
// by Style.
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

// Paint returns a line of text as it is to be written, in the hue if there are
// colours. What is to be aligned has no control characters any more, see [Printable];
// what goes into a pipe or a file is left as it is.
func (s Style) Paint(h Hue, text string) string {
	if s.Aligned || s.Color {
		text = Printable(text)
	}
	return s.hue(h, text)
}

// hue paints a text that is printable.
func (s Style) hue(h Hue, text string) string {
	c := hues[h]
	if !s.Color || c == nil || text == "" {
		return text
	}
	// The text is put in later: it may hold a per cent sign, or an escape.
	before, after, _ := strings.Cut(c.Sprint("\x00"), "\x00")
	return s.sign(before) + text + s.sign(after)
}

// sign puts the key into an escape sequence.
func (s Style) sign(sequence string) string {
	return strings.Replace(sequence, "\x1b[", "\x1b"+s.key+"[", 1)
}
