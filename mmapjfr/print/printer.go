package print

import (
	"errors"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Printer writes events one by one as they arrive, for a stream, which has no end that
// [Write] could wait for. It belongs to one goroutine, and keeps rendered constants of
// one chunk at a time, as a worker of Write does.
//
// A document is [Printer.Header], the events with [Printer.Separator] between them, and
// [Printer.Footer]. It is that of Write if the order is the same; text has no events that
// enclose others, as in the order [ByFile].
type Printer struct {
	format format
	r      renderer
	// chunk is that of the last event, and first the first type that it describes.
	chunk mmapjfr.Chunk
	first mmapjfr.Type
}

// NewPrinter returns a printer. Of the options only Format, StackDepth, Zone and Fields
// matter. CSV and TSV need Fields, as their columns else depend on all events;
// [DefaultFields] returns those of one type. NewPrinter fails without them, and if a
// field cannot be a path.
func NewPrinter(o Options) (*Printer, error) {
	if !o.inColumns() {
		return newPrinter(plainFormat(&o)), nil
	}
	if len(o.Fields) == 0 {
		return nil, errors.New("print: CSV and TSV of single events need Options.Fields")
	}
	columns, err := o.namedColumns(nil)
	if err != nil {
		return nil, err
	}
	return newPrinter(columnsFormat(&o, columns)), nil
}

func newPrinter(f format) *Printer { return &Printer{format: f, r: f.renderer()} }

// Header returns what precedes the first event: "" for formats without a document. For
// rows it is the line with the titles.
func (p *Printer) Header() string { return p.format.begin }

// Separator returns what stands between two events.
func (p *Printer) Separator() string { return p.format.between }

// Footer returns what follows the last event.
func (p *Printer) Footer() string { return p.format.end }

// Append appends an event to dst in the printer's format, with the ends of its lines,
// and without Header, Separator and Footer. The recording must be open; the result does
// not alias it. If the file is truncated while the event is rendered, Append returns dst
// unchanged, and [mmapjfr.Recording.FileErr] returns the reason.
func (p *Printer) Append(dst []byte, ev mmapjfr.Event) []byte {
	if c := ev.Chunk(); c != p.chunk {
		p.enter(c)
	}
	text, ok := appendProtected(p.r, dst, &item{event: ev.Detached()})
	if !ok {
		p.r = p.format.renderer()
		return dst
	}
	return text
}

// enter begins with a chunk. A chunk with other types gets a new renderer: a stream has
// any number of chunks, and the templates of their types would pile up.
func (p *Printer) enter(c mmapjfr.Chunk) {
	p.chunk = c
	types, _ := c.Types() // without an error: the event was read by them
	if len(types) == 0 || types[0] == p.first {
		return
	}
	if !p.first.IsZero() {
		p.r = p.format.renderer()
	}
	p.first = types[0] // chunks with the same metadata share their types
}
