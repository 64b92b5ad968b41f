package inspect

import (
	"fmt"
	"iter"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Event explains the bytes of an event: its size, its type, and each field. See
// [Item.Lines] for how long that can be done.
func Event(ev mmapjfr.Event) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		a := newAnnotator(ev.Chunk(), ev.Offset(), uint64(len(ev.Bytes())), yield)
		a.head(func(int64) string { return ev.Type().Name() })
		a.fields("", ev.Type())
		a.rest("behind the last field")
	}
}

// newAnnotator returns one for so many bytes from the offset on, which counts from
// the start of the recording.
func newAnnotator(c mmapjfr.Chunk, offset, size uint64, yield func(Line) bool) *annotator {
	pos := offset - c.Offset()
	data := c.Index().Data()
	end := min(pos+size, uint64(len(data)))
	return &annotator{chunk: c, data: data[:end:end], pos: int(min(pos, end)), yield: yield, raw: c.Index().IntEncoding() == wire.FixedWidth}
}

// head explains the frame of an event (FORMAT.md, section 5.1).
func (a *annotator) head(name func(id int64) string) {
	end := a.chunk.Offset() + uint64(len(a.data))
	a.integer("size", func(int64) string { return fmt.Sprintf("to %#x", end) })
	a.long("type", "class", name)
}
