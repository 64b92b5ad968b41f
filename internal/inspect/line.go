package inspect

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Line is some bytes that lie side by side and are one value, with what they say.
type Line struct {
	// Offset is where the bytes lie, from the start of the recording.
	Offset uint64
	// Bytes alias the recording and are valid until it is closed. There is at least one.
	Bytes []byte
	// Depth is how many structs, arrays, pools or elements the value lies in.
	Depth int
	// Path leads to the value from the event, the constant or the element that it is
	// part of, such as "stackTrace", "frames[2].lineNumber" or "text.length".
	Path string
	// Type is how the value is written, such as "int", "string", "key" or "count".
	Type string
	// Value is the decoded value: numbers in decimal and strings in quotes.
	Value string
	// Meaning is what the value stands for: the time of ticks, the constant of a
	// key, the name of a type; empty if that is the value itself.
	Meaning string
}

// annotator reads the bytes of a chunk and makes lines of them. When something does not fit,
// or no more lines are wanted, it does nothing more.
type annotator struct {
	chunk mmapjfr.Chunk
	data  []byte // the chunk's bytes, up to the end of what is explained
	pos   int
	yield func(Line) bool
	form  wire.IntEncoding
	depth int

	stopped bool // no more lines are wanted
	failed  string
}

// live reports whether there is any sense in going on.
func (a *annotator) live() bool { return !a.stopped && a.failed == "" }

// fail ends the explanation: what is left comes as one line, see rest.
func (a *annotator) fail(why string) {
	if a.live() {
		a.failed = why
	}
}

// line makes a line of the next n bytes.
func (a *annotator) line(n int, path, typ, value, meaning string) {
	if !a.live() || n == 0 {
		return
	}
	l := Line{
		Offset:  a.chunk.Offset() + uint64(a.pos),
		Bytes:   a.data[a.pos : a.pos+n : a.pos+n],
		Depth:   a.depth,
		Path:    path,
		Type:    typ,
		Value:   value,
		Meaning: meaning,
	}
	a.pos += n
	a.stopped = !a.yield(l)
}

// left returns the bytes that have not been explained.
func (a *annotator) left() []byte { return a.data[a.pos:] }

// rest makes a line of all that is left.
func (a *annotator) rest(meaning string) {
	if a.failed != "" {
		meaning, a.failed = a.failed, ""
	}
	a.depth = 0
	a.line(len(a.left()), "rest", "bytes", "", meaning)
}

// long explains a long and returns it.
func (a *annotator) long(path, typ string, meaning func(int64) string) int64 {
	return a.number(path, typ, a.form.Long, meaning)
}

// integer explains an int and returns it.
func (a *annotator) integer(path string, meaning func(int64) string) int64 {
	return a.number(path, "int", func(b []byte) (int64, int) { return widened(a.form.Int(b)) }, meaning)
}

func (a *annotator) number(path, typ string, read func([]byte) (int64, int), meaning func(int64) string) int64 {
	if !a.live() {
		return 0
	}
	v, n := read(a.left())
	if n == 0 {
		a.fail(path + " does not end here")
		return 0
	}
	said := ""
	if meaning != nil {
		said = meaning(v)
	}
	a.line(n, path, typ, strconv.FormatInt(v, 10), said)
	return v
}

// count explains a number of things that follow, each of which takes a byte or
// more. One that cannot be true is refused.
func (a *annotator) count(path string) int {
	if !a.live() {
		return 0
	}
	v, n := a.form.Count(a.left())
	if n == 0 {
		a.fail(path + " does not end here")
		return 0
	}
	room := uint64(len(a.left()) - n)
	if v > room {
		a.fail(path + " is " + strconv.FormatUint(v, 10) + ", with " + strconv.FormatUint(room, 10) + " bytes left")
		return 0
	}
	a.line(n, path, "count", strconv.FormatUint(v, 10), "")
	return int(v)
}

const (
	// rowBytes is how many bytes stand in a row.
	rowBytes = 12
	// writtenText is how many characters of a value and its meaning are written.
	writtenText = 160
)

// Write writes lines as text: where they begin, their bytes, and what they say, see the comment of
// the package. Lines of many bytes take several rows. Long values are cut; their bytes are not.
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
