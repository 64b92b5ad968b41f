package table

import (
	"slices"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// leastCell is the least width of a column, with the space after it.
const leastCell = 2

const ellipsis = "..."

// cell is one cell of the row that is being written. Widths are in UTF-16 code units, as Java
// counts characters.
type cell struct {
	layout    query.Layout
	height    int // how many lines there are at most
	beginning bool
	preferred int // width with the space after the cell
	width     int

	text  []byte // of all lines
	lines []lineRange
}

// lineRange is where a line lies in the text.
type lineRange struct{ from, to int }

// prefer makes the column wide enough for a text of a width, if there is room.
func (c *cell) prefer(width int) { c.preferred = max(c.preferred, width+1) }

func (c *cell) contentWidth() int { return c.width - 1 }

// contentSize is how much fits on all lines together.
func (c *cell) contentSize() int { return c.height * c.contentWidth() }

func (c *cell) line(n int) []byte { return c.text[c.lines[n].from:c.lines[n].to] }

func (c *cell) clear() { c.text, c.lines = c.text[:0], c.lines[:0] }

// set makes the lines of a text that may take all of the cell.
func (c *cell) set(text []byte) {
	c.clear()
	switch n := javatext.Len(text); {
	case n > c.contentSize():
		c.fold(c.truncate(string(text), c.contentSize()))
	case n < c.contentWidth():
		c.addAligned(text, n)
	case n == c.contentWidth():
		c.add(text, 0, 0)
	default:
		c.fold(string(text))
	}
}

// addLine adds a line, and cuts what is too long.
func (c *cell) addLine(text []byte) {
	if n := javatext.Len(text); n <= c.contentWidth() {
		c.addAligned(text, n)
		return
	}
	c.fold(c.truncate(string(text), c.contentWidth()))
}

func (c *cell) addAligned(text []byte, width int) {
	if blank := c.contentWidth() - width; c.layout.Left {
		c.add(text, 0, blank)
	} else {
		c.add(text, blank, 0)
	}
}

// add adds a line with blanks before and after the text.
func (c *cell) add(text []byte, before, after int) {
	from := len(c.text)
	c.text = appendSpaces(c.text, before)
	c.text = append(c.text, text...)
	c.text = appendSpaces(c.text, after)
	c.lines = append(c.lines, lineRange{from, len(c.text)})
}

// fold adds the lines of a text that is not shorter than one.
func (c *cell) fold(text string) {
	width, n := c.contentWidth(), javatext.Len(text)
	for at := 0; at < c.contentSize(); at += width {
		if at+width >= n {
			c.add([]byte(javatext.Slice(text, at, n)), 0, width-(n-at))
			return
		}
		c.add([]byte(javatext.Slice(text, at, at+width)), 0, 0)
	}
}

// truncate cuts a text to a size. Where not even the dots fit there are fewer; as in the JDK they
// are two for a size of one, and one for two.
func (c *cell) truncate(text string, size int) string {
	if size < len(ellipsis) {
		return ellipsis[:len(ellipsis)-size]
	}
	n, rest := javatext.Len(text), size-len(ellipsis)
	if c.beginning {
		return ellipsis + javatext.Slice(text, n-rest, n)
	}
	return javatext.Slice(text, 0, rest) + ellipsis
}

// sort puts the lines in the order of their texts.
func (c *cell) sort() {
	slices.SortStableFunc(c.lines, func(a, b lineRange) int {
		return javatext.Compare(string(c.text[a.from:a.to]), string(c.text[b.from:b.to]))
	})
}

func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
