package print

import (
	"context"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Write writes the events of the recordings, as one logical recording, to w. The
// recordings must be in the order of time, and stay open until Write returns.
//
// Write returns the error of w; the cause, if the context is cancelled; and an error if
// an option is invalid.
func Write(ctx context.Context, w io.Writer, recs []*mmapjfr.Recording, o Options) error {
	f, err := formatOf(ctx, recs, &o)
	if err != nil {
		return err
	}
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
		if err := rec.FileErr(); err != nil && !events.truncated[rec] {
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

// formatOf returns the format that the options ask for. The columns of rows depend on
// the recordings.
func formatOf(ctx context.Context, recs []*mmapjfr.Recording, o *Options) (format, error) {
	if !o.inColumns() {
		return plainFormat(o), nil
	}
	columns, err := o.columns(ctx, recs)
	if err != nil {
		return format{}, err
	}
	return columnsFormat(o, columns), nil
}

// plainFormat returns a format that is the same for all recordings.
func plainFormat(o *Options) format {
	switch o.Format {
	case JSON:
		return format{document: jsonDocument, renderer: func() renderer { return newJSON(o) }}
	case XML:
		return format{document: xmlDocument, renderer: func() renderer { return newXML(o) }}
	case NDJSON:
		return format{renderer: func() renderer { return newNDJSON(o, nil) }}
	}
	return format{contexts: true, renderer: func() renderer { return newText(o) }}
}

// columnsFormat returns the format of rows, or objects, with these columns.
func columnsFormat(o *Options, columns []column) format {
	if o.Format == NDJSON {
		return format{renderer: func() renderer { return newNDJSON(o, columns) }}
	}
	f := format{renderer: func() renderer { return newCSV(o, columns) }}
	if len(columns) > 0 {
		f.begin = newCSV(o, columns).header()
	}
	return f
}
