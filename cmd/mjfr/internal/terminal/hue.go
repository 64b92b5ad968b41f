package terminal

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
