package print

import (
	"context"
	"errors"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Write writes the events of the recordings, as one logical recording, to w. The
// recordings must be in the order of time, and stay open until Write returns.
//
// Write returns the error of w; the cause, if the context is cancelled; and an error if
// an option is invalid.
func Write(ctx context.Context, w io.Writer, recs []*mmapjfr.Recording, o Options) error {
	columns, err := o.columns(ctx, recs)
	if err != nil {
		return err
	}
	f := formatOf(&o, columns)
	if _, err := io.WriteString(w, f.begin); err != nil {
		return err
	}
	events := newWalker(&o)
	source := func(yield func(item) bool) error { return events.walk(ctx, recs, f.contexts, yield) }
	err = render(ctx, w, source, f, o.Workers)
	events.reportConstants(recs)
	if err != nil {
		return err
	}
	// An event's values are read when it is written, which may be long after the walk.
	for _, rec := range recs {
		if err := rec.FileErr(); errors.Is(err, mmapjfr.ErrClosed) {
			return err
		} else if err != nil && !events.truncated[rec] {
			events.report(rec, err)
		}
	}
	_, err = io.WriteString(w, f.end)
	return err
}

// Each calls do with the events that [Write] writes as text with these options, in the
// same order. Options about how events are written are ignored. Each returns the first
// error of do, or the errors of Write. Events stay valid until their recording is closed.
func Each(ctx context.Context, recs []*mmapjfr.Recording, o Options, do func(ev mmapjfr.Event) error) error {
	o.Format = Text
	events := newWalker(&o)
	var failed error
	err := events.walk(ctx, recs, false, func(it item) bool {
		failed = do(it.event)
		return failed == nil
	})
	events.reportConstants(recs)
	if failed != nil {
		return failed
	}
	return err
}

// item is an event that is to be written.
type item struct {
	event mmapjfr.Event
	// context are the events with contextual fields that enclose it, in the order
	// in which they began. Only text shows them.
	context []mmapjfr.Event
}

// renderer writes events in one format. It belongs to one goroutine.
type renderer interface {
	// append appends an event to dst.
	append(dst []byte, it *item) []byte
}

// base is what all renderers have.
type base struct {
	options   *Options
	templates templates
	constants constCache
	clock     clock
	units     []uint16 // of strings that are not plain
}

// enter begins with an event that is appended to dst.
func (b *base) enter(dst []byte, ev mmapjfr.Event) {
	if chunk := ev.Chunk(); b.constants.enter(chunk) {
		b.clock.enter(chunk, b.options.Zone)
	}
	b.constants.start(dst)
}

// document is what a format has around all events and between them.
type document struct {
	begin, between, end string
}

// format is how events are written.
type format struct {
	document
	// contexts is set if the renderer needs the events that enclose others.
	contexts bool
	renderer func() renderer
}

// formatOf returns the format that the options ask for, of rows or objects with these columns.
func formatOf(o *Options, columns []column) format {
	switch o.Format {
	case JSON:
		return format{document: jsonDocument, renderer: func() renderer { return newJSON(o) }}
	case XML:
		return format{document: xmlDocument, renderer: func() renderer { return newXML(o) }}
	case NDJSON:
		return format{renderer: func() renderer { return newNDJSON(o, columns) }}
	case CSV, TSV:
		f := format{renderer: func() renderer { return newCSV(o, columns) }}
		if len(columns) > 0 {
			f.begin = string(newCSV(o, columns).row.Header()) + "\n"
		}
		return f
	}
	return format{contexts: true, renderer: func() renderer { return newText(o) }}
}

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
	var columns []column
	if o.inColumns() {
		if len(o.Fields) == 0 {
			return nil, errors.New("print: CSV and TSV of single events need Options.Fields")
		}
		var err error
		if columns, err = o.namedColumns(nil); err != nil {
			return nil, err
		}
	}
	f := formatOf(&o, columns)
	return &Printer{format: f, r: f.renderer()}, nil
}

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
