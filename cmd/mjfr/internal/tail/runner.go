package tail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// runner is a stream that is printed. All of its methods but run are for the stream to
// call, one at a time.
type runner struct {
	app       *cli.App
	options   *options
	source    *live.Source
	stream    *stream.Stream
	times     *times
	selection *eventSelection
	document  *document

	// there is up to when there is something already.
	there     time.Time
	described bool // that types have come
	// remarks are what may be mistakes by all types that have come.
	remarks []remark
	types   []mmapjfr.Type // those that came last
	rowsOf  string         // the type that rows are of; empty if they may be of any
	err     error          // why nothing more is printed
}

func newRunner(a *cli.App, src *live.Source, o *options) (t *runner, err error) {
	t = &runner{app: a, options: o, source: src, document: newDocument(a.Stdout, o)}
	if t.times, err = newTimes(o, src); err != nil {
		return nil, err
	}
	if o.follow && o.Tail > 0 {
		t.there = src.LastFlush()
	}
	if t.selection, err = newEvents(o, t.times); err != nil {
		return nil, err
	}
	if !t.ofOneType() {
		if t.document.printer, err = print.NewPrinter(o.Print()); err != nil {
			return nil, err
		}
	}
	if t.stream, err = src.Open(); err != nil {
		return nil, err
	}
	if err := t.times.set(t.stream, src); err != nil {
		return nil, err
	}
	return t, t.stream.SetFollow(o.follow)
}

// ofOneType tells whether rows are printed whose columns are those of a type.
func (t *runner) ofOneType() bool { return t.options.Format() >= print.CSV && t.options.Fields == "" }

// run prints until the stream ends, and then what the document lacks.
func (t *runner) run(ctx context.Context) error {
	s := t.stream
	s.OnMetadata(t.metadata)
	s.OnError(func(err error) { live.ReportError(t.app, t.source.Title, err) })
	s.OnWarning(func(err error) { t.app.Report(fmt.Errorf("%s: %w", t.source.Title, err)) })
	if !t.times.resolved {
		t.resolveFirst()
	}
	s.OnSelected(mmapjfr.TypesFunc(t.selection.canWant), t.event)
	s.OnFlush(t.flush)
	err := cmp.Or(s.Start(ctx), s.Close())
	if t.err == nil && (err == nil || ctx.Err() != nil || t.document.begun) {
		t.err = t.document.end()
	}
	if t.err == nil && err == nil {
		t.err = t.mistakes()
	}
	return cmp.Or(t.err, err)
}

// resolveFirst finds out what the times mean by the first event there is, of whatever type.
func (t *runner) resolveFirst() {
	var first *stream.Handler
	first = t.stream.OnEvent(func(ev mmapjfr.Event) error {
		t.stream.Remove(first)
		if err := t.times.resolve(ev.Chunk().Start(), zoneOf(t.options, ev.Chunk())); err != nil {
			t.fail(err)
		}
		return nil
	})
}

// fail ends the stream.
func (t *runner) fail(err error) {
	t.err = cmp.Or(t.err, err)
	t.close()
}

func (t *runner) close() { _ = t.stream.Close() } // which run does once more

// metadata is told of the event types that there are.
func (t *runner) metadata(m stream.Metadata) error {
	t.selection.see(m.Types)
	t.remark(m.Types)
	if t.ofOneType() && t.document.printer == nil {
		t.choose(t.selection.of(m.Types))
	}
	return nil
}

// remark tells what may be a mistake when types come for the first time. What is one unless
// types come that mend it is kept till the end if there is to be one.
func (t *runner) remark(types []mmapjfr.Type) {
	t.types = types
	if t.described && len(t.remarks) == 0 {
		return
	}
	list := t.selection.remarks(types)
	if t.described {
		t.remarks = slices.DeleteFunc(t.remarks, func(r remark) bool {
			return !slices.ContainsFunc(list, func(still remark) bool { return still.about == r.about })
		})
		return
	}
	t.described = true
	for _, r := range list {
		if r.misuse && !t.options.follow {
			t.remarks = append(t.remarks, r)
			continue
		}
		t.app.Report(r.err)
	}
}

// mistakes returns what is wrong with the options by all that has been read, or tells that
// no event has been selected.
func (t *runner) mistakes() error {
	var errs []error
	for _, r := range t.remarks {
		errs = append(errs, cli.Usage(r.err))
	}
	if len(errs) > 0 || t.options.follow || !t.options.Given() || t.document.events > 0 {
		return errors.Join(errs...)
	}
	s := t.selection
	if s.passed.Typed == 0 && len(s.filters)+len(t.options.Where) > len(s.byType) {
		t.app.Report(errors.New("no event is selected: none came of a type that all options can select"))
		return nil
	}
	zone, end := time.UTC, time.Time{}
	if s.passed.Typed > 0 {
		zone, end = zoneOf(t.options, s.chunk), s.chunk.End()
	}
	wanted := slices.DeleteFunc(slices.Clone(t.types), func(typ mmapjfr.Type) bool { return !selection.AllMatch(s.byType, typ) })
	t.app.Report(fmt.Errorf("no event is selected: %s", s.passed.Why(&selection.Subject{
		Options: &t.options.Options, Types: wanted, Zone: zone, Start: s.began, End: end,
		Threads: func() ([]string, bool) { return nil, true },
	})))
	return nil
}

// choose makes the one type that is wanted the one that rows are of.
func (t *runner) choose(types []mmapjfr.Type) {
	switch len(types) {
	case 0:
		return // it may come
	case 1:
	default:
		t.fail(severalTypes(types[0].Name(), types[1].Name()))
		return
	}
	o := t.options.Print()
	o.Fields = print.DefaultFields(types...)
	var err error
	if t.document.printer, err = print.NewPrinter(o); err != nil {
		t.fail(err)
	}
	t.rowsOf = types[0].Name()
}

func severalTypes(one, other string) error {
	return selection.MixedTypes(fmt.Errorf("%w: %s and %s", print.ErrMixedTypes, one, other))
}

// event prints an event if it is wanted.
func (t *runner) event(ev mmapjfr.Event) error {
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
	if t.document.full() {
		t.close()
	}
	return nil
}

// flush lets everybody see what the JVM has flushed. Who has had enough of it is not kept
// waiting for the next event.
func (t *runner) flush() error {
	if t.options.follow && !t.stream.LastFlush().Before(t.there) {
		t.document.release()
	}
	if err := t.document.flush(); err != nil {
		t.fail(err)
	}
	if t.options.follow && cli.NobodyReads(t.app.Screen) {
		t.fail(io.ErrClosedPipe)
	}
	if t.options.follow && t.times.over(t.stream.LastFlush()) {
		t.close()
	}
	return nil
}
