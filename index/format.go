package index

import (
	"fmt"
	"io"
)

// What holds bytes of a recording tells package fmt what it is, and no more: otherwise a
// line of a log such as log.Printf("%+v", x) would show all that was recorded.

// Format writes how much there is, for every verb.
func (x *Index) Format(w fmt.State, _ rune) {
	format(w, fmt.Sprintf("index of %d chunks and %d bytes", len(x.chunks), len(x.data)))
}

// Format writes which chunk it is and where it begins, for every verb.
func (c *Chunk) Format(w fmt.State, _ rune) {
	format(w, fmt.Sprintf("chunk %d at %#x", c.number, c.Offset()))
}

// format writes to what has no use for an error.
func format(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
