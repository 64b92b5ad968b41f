package tail

import (
	"bufio"
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
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// runner prints a stream. The stream calls all methods except run, one at a time.
type runner struct {
	app       *cli.App
	options   *options
	source    *live.Source
	stream    *stream.Stream
	times     *times
	selection *eventSelection
	document  *document

	// there is the time of the last flush before the start.
	there     time.Time
	described bool // metadata has been called
	// remarks are possible mistakes in the options, by the types so far.
	remarks []remark
	types   []mmapjfr.Type // the newest ones
	rowsOf  string         // the type of all rows; empty if rows may be of any type
	err     error          // ends the output
}

func newRunner(a *cli.App, src *live.Source, o *options) (t *runner, err error) {
	t = &runner{
		app: a, options: o, source: src,
		document: &document{out: bufio.NewWriterSize(a.Stdout, 64<<10), limit: o.Limit, tail: o.Tail},
	}
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

// ofOneType reports whether the columns of rows are the fields of one type.
func (t *runner) ofOneType() bool { return t.options.Format() >= print.CSV && t.options.Fields == "" }

// run prints until the stream ends, and then the rest of the document.
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
	ended := live.ExplainEnd(ctx, t.app, t.source.Title)
	err := cmp.Or(s.Start(ctx), s.Close())
	ended()
	if t.err == nil && (err == nil || ctx.Err() != nil || t.document.begun) {
		t.err = t.document.end()
	}
	if t.err == nil && err == nil {
		t.err = t.mistakes(ctx)
	}
	return cmp.Or(t.err, err)
}

// resolveFirst resolves the times when the first event of any type arrives.
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

// fail ends the stream with an error.
func (t *runner) fail(err error) {
	t.err = cmp.Or(t.err, err)
	t.close()
}

func (t *runner) close() { _ = t.stream.Close() } // run does it once more

// metadata gets the event types of a chunk.
func (t *runner) metadata(m stream.Metadata) error {
	t.selection.see(m.Types)
	t.remark(m.Types)
	if t.ofOneType() && t.document.printer == nil {
		t.choose(t.selection.of(m.Types))
	}
	return nil
}

// remark reports possible mistakes when types arrive for the first time. If the stream is going to
// end, it keeps mistakes until then, because later types may fit.
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
		if r.misuse && r.ofType && t.source.Recorded() {
			if missing := t.options.live.Missing(r.err.Error()); missing != nil {
				t.fail(missing)
				return
			}
		}
		t.app.Report(r.err)
	}
}

// mistakes returns the mistakes in the options, after all has been read. Otherwise it reports it if
// no event was selected.
func (t *runner) mistakes(ctx context.Context) error {
	var errs []error
	for _, r := range t.remarks {
		errs = append(errs, cli.Usage(r.err))
	}
	if len(errs) > 0 || t.options.follow || !t.options.Given() || t.document.events > 0 {
		return errors.Join(errs...)
	}
	s := t.selection
	if s.passed.Typed == 0 && t.noteSettings(ctx) {
		return nil
	}
	if s.passed.Typed == 0 && len(s.filters)+len(t.options.Where) > len(s.byType) {
		t.app.Report(errors.New("no event is selected: none had a type that all options can select"))
		return nil
	}
	zone, start, end := time.UTC, time.Time{}, time.Time{}
	if s.passed.Typed > 0 {
		zone = zoneOf(t.options, s.chunk)
		start, end = s.timeRange()
	}
	wanted := slices.DeleteFunc(slices.Clone(t.types), func(typ mmapjfr.Type) bool { return !selection.AllMatch(s.byType, typ) })
	t.app.Report(fmt.Errorf("no event is selected: %s", s.passed.Why(&selection.Subject{
		Options: &t.options.Options, Types: wanted, Zone: zone, Start: start, End: end,
		Threads: func() ([]string, bool) { return nil, true },
	})))
	if len(s.byType) > 0 && s.passed.Fielded > 0 {
		t.noteSettings(ctx)
	}
	return nil
}

// noteSettings reports whether it said by the settings of a finished recording why nothing came.
func (t *runner) noteSettings(ctx context.Context) bool {
	if t.source.Kind != live.File {
		return false
	}
	set, err := input.Open(ctx, []string{t.source.Path}, input.Options{})
	if err != nil {
		return false // reading it has said why
	}
	defer func() { _ = set.Close() }() // only read
	return selection.NoteSettings(ctx, t.app, set, t.selection.byType...)
}

// choose makes the selected type the type of all rows.
func (t *runner) choose(types []mmapjfr.Type) {
	switch len(types) {
	case 0:
		return // it may arrive later
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

// event prints an event if it is selected.
func (t *runner) event(ev mmapjfr.Event) error {
	if wanted, err := t.selection.wants(ev); err != nil {
		t.fail(err)
		return nil
	} else if !wanted {
		return nil
	}
	if t.document.printer == nil { // the metadata of its chunk could not be read
		if t.choose([]mmapjfr.Type{ev.Type()}); t.err != nil {
			return nil
		}
	}
	if name := ev.Type().Name(); t.rowsOf != "" && name != t.rowsOf {
		t.fail(severalTypes(t.rowsOf, name)) // it was unknown when the columns were chosen
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

// flush flushes the output after a flush of the JVM. It ends the stream if nothing reads the output
// any more, without waiting for the next event.
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
