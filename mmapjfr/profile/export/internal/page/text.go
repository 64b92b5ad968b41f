package page

import (
	"io"
	"unicode/utf8"
)

// textWriter writes bytes as text that pages can hold: seven bits a character, the lowest first.
// That takes an eighth less than base64.
type textWriter struct {
	w    io.Writer
	text []byte
	bits uint
	n    int // bits that are not written yet
}

func (t *textWriter) Write(data []byte) (int, error) {
	t.text = t.text[:0]
	for _, b := range data {
		t.bits |= uint(b) << t.n
		for t.n += 8; t.n >= 7; t.n -= 7 {
			t.append()
		}
	}
	if _, err := t.w.Write(t.text); err != nil {
		return 0, err
	}
	return len(data), nil
}

// append appends seven bits. HTML cannot hold NUL, would change carriage returns, and could take a
// less-than sign for the end of the element: they become characters above 127.
func (t *textWriter) append() {
	c := rune(t.bits & 127)
	if c == 0 || c == '\r' || c == '<' {
		c += 128
	}
	t.text = utf8.AppendRune(t.text, c)
	t.bits >>= 7
}

// Close writes the bits that are left.
func (t *textWriter) Close() error {
	t.text = t.text[:0]
	if t.n > 0 {
		t.append()
	}
	_, err := t.w.Write(t.text)
	return err
}
