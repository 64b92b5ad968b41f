package terminal

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/printable"
)

// guard lets nothing get to a terminal but what can be seen, ends of lines and tabs,
// and the colours of the Style that has the key. It is what holds where a verb writes
// text of a recording as it is: no sequence in a recording can have a key that is
// new each time the command runs.
type guard struct {
	w   io.Writer
	key string
	// left is the beginning of a character or a sequence that is not complete yet.
	left string
}

func (g *guard) Write(p []byte) (int, error) {
	text := g.left + string(p)
	out := make([]byte, 0, len(text)+16)
	for text != "" && !g.isBeginning(text) {
		n := 0
		out, n = g.next(out, text)
		text = text[n:]
	}
	g.left = text
	if _, err := g.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// next appends what stands for the first character or sequence of a text, which is n
// bytes of it.
func (g *guard) next(out []byte, text string) (_ []byte, n int) {
	if sequence, ok := strings.CutPrefix(text, "\x1b"+g.key+"["); ok {
		if end := strings.IndexByte(sequence, 'm'); end >= 0 {
			return append(append(out, "\x1b["...), sequence[:end+1]...), len(text) - len(sequence) + end + 1
		}
	}
	r, n := utf8.DecodeRuneInString(text)
	return printable.AppendRune(out, text[:n], r, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }), n
}

// longestHue is more than what stands behind the key in any sequence of a hue.
const longestHue = 16

// isBeginning tells whether there must be more to know what a text begins with.
func (g *guard) isBeginning(text string) bool {
	if text[0] != '\x1b' {
		return len(text) < utf8.UTFMax && !utf8.FullRuneInString(text)
	}
	head := "\x1b" + g.key + "["
	if len(text) < len(head) {
		return strings.HasPrefix(head, text)
	}
	return strings.HasPrefix(text, head) && len(text) < len(head)+longestHue && !strings.Contains(text, "m")
}
