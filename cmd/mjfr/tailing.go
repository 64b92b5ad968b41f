package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// tailing is a stream that is printed. All of its methods but run are for the stream to
// call, one at a time.
type tailing struct {
	app       *app
	options   *tailOptions
	source    *liveSource
	stream    *stream.Stream
	times     *tailTimes
	selection *tailSelection
	document  *tailDocument

	described bool   // that types have come, and mistakes been told
	rowsOf    string // the type that rows are of; empty if they may be of any
	err       error  // why nothing more is printed
}

func newTailing(a *app, src *liveSource, o *tailOptions) (t *tailing, err error) {
	t = &tailing{app: a, options: o, source: src, document: newTailDocument(a.stdout)}
	if t.times, err = newTailTimes(o, src); err != nil {
		return nil, err
	}
	if t.selection, err = newTailSelection(o, t.times); err != nil {
		return nil, err
	}
	if !t.ofOneType() {
		if t.document.printer, err = print.NewPrinter(o.printing()); err != nil {
			return nil, err
		}
	}
	if t.stream, err = src.open(); err != nil {
		return nil, err
	}
	if err := t.times.set(t.stream, src); err != nil {
		return nil, err
	}
	return t, t.stream.SetFollow(o.follow)
}

// ofOneType tells whether rows are printed whose columns are those of a type.
func (t *tailing) ofOneType() bool { return t.options.format() >= print.CSV && t.options.fields == "" }

// run prints until the stream ends, and then what the document lacks.
func (t *tailing) run(ctx context.Context) error {
	s := t.stream
	s.OnMetadata(t.metadata)
	s.OnError(func(err error) { t.app.streamError(t.source.title, err) })
	if !t.times.resolved {
		t.resolveFirst()
	}
	s.OnSelected(mmapjfr.TypesWhere(t.selection.canWant), t.event)
	s.OnFlush(t.flush)
	err := cmp.Or(s.Start(ctx), s.Close())
	if t.err == nil && (err == nil || ctx.Err() != nil || t.document.begun) {
		t.err = t.document.end()
	}
	return cmp.Or(t.err, err)
}

// resolveFirst finds out what the times mean by the first event there is, of whatever type.
func (t *tailing) resolveFirst() {
	var first *stream.Handler
	first = t.stream.OnEvent(func(ev mmapjfr.Event) error {
		t.stream.Remove(first)
		if err := t.times.resolve(ev.Chunk().Start(), tailZone(t.options, ev.Chunk())); err != nil {
			t.fail(err)
		}
		return nil
	})
}

// fail ends the stream.
func (t *tailing) fail(err error) {
	t.err = cmp.Or(t.err, err)
	t.close()
}

func (t *tailing) close() { _ = t.stream.Close() } // which run does once more

// metadata is told of the event types that there are.
func (t *tailing) metadata(m stream.Metadata) error {
	if !t.described {
		t.described = true
		for _, remark := range t.selection.remarks(m.Types) {
			t.app.tell(remark)
		}
	}
	if t.ofOneType() && t.document.printer == nil {
		t.choose(t.selection.of(m.Types))
	}
	return nil
}

// choose makes the one type that is wanted the one that rows are of.
func (t *tailing) choose(types []mmapjfr.Type) {
	switch len(types) {
	case 0:
		return // it may come
	case 1:
	default:
		t.fail(severalTypes(types[0].Name(), types[1].Name()))
		return
	}
	o := t.options.printing()
	o.Fields = print.FieldsOf(types...)
	var err error
	if t.document.printer, err = print.NewPrinter(o); err != nil {
		t.fail(err)
	}
	t.rowsOf = types[0].Name()
}

func severalTypes(one, other string) error {
	return oneTypeForRows(fmt.Errorf("%w: %s and %s", print.ErrSeveralTypes, one, other))
}

// event prints an event if it is wanted.
func (t *tailing) event(ev mmapjfr.Event) error {
	if wanted, err := t.selection.wants(ev); err != nil {
		t.fail(err)
		return nil
	} else if !wanted {
		return nil
	}
	if t.document.printer == nil { // the metadata could not be read when it came
		if t.choose([]mmapjfr.Type{ev.Type()}); t.err != nil {
			return nil
		}
	}
	if name := ev.Type().Name(); t.rowsOf != "" && name != t.rowsOf {
		t.fail(severalTypes(t.rowsOf, name)) // it was not there when the columns were chosen
		return nil
	}
	if err := t.document.add(ev); err != nil {
		t.fail(err)
	}
	if t.document.events == t.options.limit {
		t.close()
	}
	return nil
}

// flush lets everybody see what the JVM has flushed. Who has had enough of it is not kept
// waiting for the next event.
func (t *tailing) flush() error {
	if err := t.document.flush(); err != nil {
		t.fail(err)
	}
	if t.options.follow && nobodyReads(t.app.screen) {
		t.fail(io.ErrClosedPipe)
	}
	if t.options.follow && t.times.over(t.stream.LastFlush()) {
		t.close()
	}
	return nil
}
