package print

import (
	"context"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Write writes the events of the recordings, as one logical recording, to w. The
// recordings are to be in the order of time.
//
// It fails if w does, with its error, when the context is cancelled, with the
// cause, and if an option cannot be right. The recordings must stay open until it
// returns.
func Write(ctx context.Context, w io.Writer, recs []*mmapjfr.Recording, o Options) error {
	f, err := formatOf(ctx, recs, &o)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, f.begin); err != nil {
		return err
	}
	source := func(yield func(item) bool) error { return o.walk(ctx, recs, f.contexts, yield) }
	err = render(ctx, w, source, f, o.Workers)
	o.noteDamage(recs)
	if err != nil {
		return err
	}
	// Values are read when their event is written, which may be long after it was found.
	for _, rec := range recs {
		if err := rec.FileErr(); err != nil && !o.lost[rec] {
			o.note(rec, err)
		}
	}
	_, err = io.WriteString(w, f.end)
	return err
}

// Each calls do with the events that [Write] writes as text if it has these options, in
// their order. Options about how events are written do not matter. It returns the first
// error of do, or fails as Write does. Events stay valid until their recording is closed.
func Each(ctx context.Context, recs []*mmapjfr.Recording, o Options, do func(ev mmapjfr.Event) error) error {
	o.Format = Text
	var failed error
	err := o.walk(ctx, recs, false, func(it item) bool {
		failed = do(it.event)
		return failed == nil
	})
	o.noteDamage(recs)
	if failed != nil {
		return failed
	}
	return err
}

// format is how events are written.
type format struct {
	frame
	// contexts tells that events need to know what encloses them.
	contexts bool
	renderer func() renderer
}

// formatOf returns the format that the options ask for. Columns of rows depend on the
// recordings.
func formatOf(ctx context.Context, recs []*mmapjfr.Recording, o *Options) (format, error) {
	if o.inColumns() {
		return rowsFormat(ctx, recs, o)
	}
	return plainFormat(o), nil
}

// inColumns reports whether the format has columns: those of a type, or those that are named.
func (o *Options) inColumns() bool {
	return o.Format == CSV || o.Format == TSV || o.Format == NDJSON && len(o.Fields) > 0
}

// plainFormat returns a format that is the same for all recordings.
func plainFormat(o *Options) format {
	switch o.Format {
	case JSON:
		return format{frame: jsonFrame, renderer: func() renderer { return newJSON(o) }}
	case XML:
		return format{frame: xmlFrame, renderer: func() renderer { return newXML(o) }}
	case NDJSON:
		return format{renderer: func() renderer { return newNDJSON(o) }}
	}
	return format{contexts: true, renderer: func() renderer { return newText(o) }}
}

// walk calls yield with the events that the options select, in their order.
func (o *Options) walk(ctx context.Context, recs []*mmapjfr.Recording, contexts bool, yield func(item) bool) error {
	yield, rest := o.within(yield)
	o.progress.tell = o.Progress
	var err error
	if o.Tail > 0 {
		if o.skip, err = o.skipBefore(ctx, recs, o.Tail); err != nil {
			return err
		}
	}
	switch {
	case o.Order == ByFile:
		err = o.inFile(ctx, recs, yield)
	case o.sortsChunks():
		err = o.inWindow(ctx, recs, contexts, yield)
	default:
		err = o.byChunk(ctx, recs, yield)
	}
	if err != nil {
		return err
	}
	rest()
	return nil
}

// sortsChunks tells whether events of different chunks are sorted together.
func (o *Options) sortsChunks() bool {
	return o.Order == ByTime && o.Format != JSON && o.Format != XML
}
