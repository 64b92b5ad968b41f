package terminal

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/printable"
)

// guard writes only printable characters, ends of lines, tabs and the colours of its Style to a
// terminal. So verbs may write texts of recordings as they are. The colours have a key that is new
// in each run, so that a recording cannot contain one.
type guard struct {
	w   io.Writer
	key string
	// left is an incomplete character or sequence at the end of the last write.
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

// next appends the replacement of the first character or sequence of a text, and returns its length
// n.
func (g *guard) next(out []byte, text string) (_ []byte, n int) {
	if sequence, ok := strings.CutPrefix(text, "\x1b"+g.key+"["); ok {
		if end := strings.IndexByte(sequence, 'm'); end >= 0 {
			return append(append(out, "\x1b["...), sequence[:end+1]...), len(text) - len(sequence) + end + 1
		}
	}
	r, n := utf8.DecodeRuneInString(text)
	return printable.AppendRune(out, text[:n], r, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }), n
}

// longestHue is greater than the length of any colour after its key.
const longestHue = 16

// isBeginning reports whether a text may continue with a part of its first sequence.
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

// Printable replaces control characters as [printable.Text] does.
func Printable(s string) string { return printable.Text(s) }

// oneField makes a value one field of a line with tabs between fields. It writes control characters
// and backslashes as Go does, so that different values stay different.
func oneField(s string) string {
	return printable.Escape(s, func(r rune) bool { return r == '\\' || unicode.IsControl(r) })
}
