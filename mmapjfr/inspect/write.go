package inspect

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode"
)

const (
	// rowBytes is how many bytes stand in a row.
	rowBytes = 12
	// writtenText is how many characters of a value and its meaning are written.
	writtenText = 160
)

// Write writes lines as text: where they begin, their bytes, and what they say, see
// the comment of the package. Lines of many bytes take several rows. Long values
// are cut; their bytes are not.
func Write(w io.Writer, lines iter.Seq[Line]) error {
	out := bufio.NewWriter(w)
	for l := range lines {
		said := strings.Repeat("  ", l.Depth) + l.String()
		for b, at := l.Bytes, l.Offset; len(b) > 0; {
			row := b[:min(len(b), rowBytes)]
			text := fmt.Sprintf("0x%08x  %-*s  %s", at, 3*rowBytes-1, fmt.Sprintf("% x", row), said)
			if _, err := fmt.Fprintln(out, strings.TrimRight(text, " ")); err != nil {
				return err
			}
			b, at, said = b[len(row):], at+uint64(len(row)), ""
		}
	}
	return out.Flush()
}

// String returns what the bytes say, without them and without the offset.
func (l Line) String() string {
	text := l.Path + ": " + l.Type
	if l.Value != "" {
		text += " = " + shorten(l.Value, writtenText)
	}
	if l.Meaning != "" {
		text += "; " + shorten(l.Meaning, writtenText)
	}
	return strings.Map(visible, text)
}

// visible puts something else in the place of characters that would do something
// to a terminal. Names of fields are what a file says they are.
func visible(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}
