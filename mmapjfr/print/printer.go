package print

import (
	"errors"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Printer writes events one by one, as they come: of a stream, which has no end that
// [Write] could wait for. It belongs to one goroutine, and keeps what Write keeps of each
// goroutine, of one chunk at a time.
//
// A document is [Printer.Header], the events with [Printer.Separator] between them, and
// [Printer.Footer]. It is that of Write if the order is the same; text has no events that
// enclose others, as in the order [ByFile].
type Printer struct {
	format format
	r      renderer
	// chunk is that of the last event, and types those that the renderer may know.
	chunk mmapjfr.Chunk
	types *index.TypeSet
}

// NewPrinter returns a printer. Of the options only Format, StackDepth, Zone and Fields
// matter. It fails for CSV and TSV without Fields, which depend on all events: those of
// one type are told by [DefaultFields]. It fails, too, if one of them cannot be a path.
func NewPrinter(o Options) (*Printer, error) {
	if !o.inColumns() {
		return newPrinter(plainFormat(&o)), nil
	}
	if len(o.Fields) == 0 {
		return nil, errors.New("print: rows cannot be written one by one without being told their fields")
	}
	columns, err := o.askedFor(nil)
	if err != nil {
		return nil, err
	}
	return newPrinter(rowsOf(&o, columns)), nil
}

func newPrinter(f format) *Printer { return &Printer{format: f, r: f.renderer()} }

// Header returns what stands before the first event; it is "" for the formats that are no
// document. Of rows it is the line with the titles.
func (p *Printer) Header() string { return p.format.begin }

// Separator returns what stands between two events.
func (p *Printer) Separator() string { return p.format.between }

// Footer returns what stands behind the last event.
func (p *Printer) Footer() string { return p.format.end }

// Append appends an event to dst as the format has it, with the ends of lines that
// belong to it, and without what stands between events or around all of them. The
// result does not alias the recording, which must be open. It is dst as it was if the
// event goes while it is rendered, because its file is cut: then [mmapjfr.Recording.FileErr]
// tells of it.
func (p *Printer) Append(dst []byte, ev mmapjfr.Event) []byte {
	if c := ev.Chunk(); c != p.chunk {
		p.enter(c)
	}
	text, ok := appendGuarded(p.r, dst, &item{event: ev.Detached()})
	if !ok {
		p.r = p.format.renderer()
		return dst
	}
	return text
}

// enter begins with a chunk. What is known of types that it does not have is forgotten:
// a stream has ever other chunks, with types of their own.
func (p *Printer) enter(c mmapjfr.Chunk) {
	types, _ := c.Index().Types() // the event has been read by them
	if p.types != nil && types != p.types {
		p.r = p.format.renderer()
	}
	p.chunk, p.types = c, types
}
