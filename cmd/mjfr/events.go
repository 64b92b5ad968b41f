package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// eventsOptions are what mjfr events is told.
type eventsOptions struct {
	selectOptions
	offsets bool
}

// newEvents is the verb that lists events, one on each line.
func newEvents(a *app) *cobra.Command {
	var o eventsOptions
	cmd := &cobra.Command{
		Use:   "events [flags] FILE...",
		Short: "List events, one line each",
		Long: `List events in the order of the file, one line each: when it began, how long it
lasted, its type, its thread, and what is most telling of it. That is the innermost
frame of a sample, and the first fields of other events.

On a terminal the columns are aligned; elsewhere there are tabs between them, times
are in UTC, and types have their full names. The first line has the titles.

` + aboutSelections,
		Example: `  mjfr events app.jfr
  mjfr events --events 'GarbageCollection,GCPhase*' app.jfr
  mjfr events --thread main --limit 20 --offsets app.jfr
  mjfr events app.jfr | cut -f 3 | sort | uniq -c`,
		Args:    files,
		PreRunE: func(*cobra.Command, []string) error { return o.check() },
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), args, func(set *input.Set) error {
				return a.listEvents(cmd.Context(), set, &o)
			}, mmapjfr.ReadSavedIndex(mmapjfr.IndexBeside, mmapjfr.IndexInCache))
		},
	}
	o.selectFlags(cmd.Flags())
	cmd.Flags().BoolVar(&o.offsets, "offsets", false, "show where each event is: ordinal and offset, which mjfr at takes")
	return cmd
}

// eventLister writes the lines of events.
type eventLister struct {
	app     *app
	out     *bufio.Writer
	set     *input.Set
	o       *eventsOptions
	columns []eventColumn
	// of is what recording each chunk is of, and zones are those of the recordings.
	of    map[mmapjfr.Chunk]*mmapjfr.Recording
	zones map[*mmapjfr.Recording]*time.Location
	// at, rec and zone are the chunk of the last event, and its recording and zone.
	at   mmapjfr.Chunk
	rec  *mmapjfr.Recording
	zone *time.Location
	// before is how many events the recordings before each have; it is only known if it is
	// wanted.
	before map[*mmapjfr.Recording]uint64
}

func (a *app) listEvents(ctx context.Context, set *input.Set, o *eventsOptions) error {
	s, err := a.selected(set, &o.selectOptions, nil)
	if err != nil {
		return err
	}
	l := eventLister{app: a, out: bufio.NewWriter(a.stdout), set: set, o: o, of: make(map[mmapjfr.Chunk]*mmapjfr.Recording), zones: make(map[*mmapjfr.Recording]*time.Location)}
	for _, rec := range set.Recordings {
		l.zones[rec] = rec.Location()
		for _, c := range rec.Chunks() {
			l.of[c] = rec
		}
	}
	if o.offsets {
		l.countBefore()
		if len(set.Recordings) > 1 {
			l.columns = append(l.columns, eventFile)
		}
		l.columns = append(l.columns, eventOrdinal, eventOffset)
	}
	l.columns = append(l.columns, eventColumns...)
	bar := a.progress("listing", bytesOf(set), meanwhile)
	defer bar.Done()
	if err := l.write(eventTitles(l.columns)); err != nil {
		return err
	}
	po := print.Options{Order: print.ByFile, Progress: bar.Add}
	s.choose(&po)
	if err := errors.Join(print.Each(ctx, set.Recordings, po, func(ev mmapjfr.Event) error { return cmp.Or(context.Cause(ctx), l.list(ev)) }), l.out.Flush()); err != nil {
		return err
	}
	return s.tellIfNothing(ctx)
}

// countBefore counts the events of the recordings, but for the last one.
func (l *eventLister) countBefore() {
	l.before = make(map[*mmapjfr.Recording]uint64)
	n := uint64(0)
	for i, rec := range l.set.Recordings {
		l.before[rec] = n
		if i < len(l.set.Recordings)-1 {
			n += eventsIn(rec)
		}
	}
}

// list writes an event.
func (l *eventLister) list(ev mmapjfr.Event) error {
	chunk := ev.Chunk()
	if chunk != l.at {
		l.at, l.rec = chunk, l.of[chunk]
		l.zone = l.zones[l.rec]
	}
	err := chunk.Protect(func() error { return l.event(l.rec, ev, l.zone) })
	if errors.Is(err, mmapjfr.ErrTruncated) || errors.Is(err, mmapjfr.ErrChanged) {
		return nil // it is told of when all has been read
	}
	return err
}

func (l *eventLister) event(rec *mmapjfr.Recording, ev mmapjfr.Event, zone *time.Location) error {
	var cells []terminal.Cell
	if l.o.offsets {
		if len(l.set.Recordings) > 1 {
			cells = append(cells, terminal.Plain(l.set.Name(rec)))
		}
		cells = append(cells,
			terminal.Plain("#"+strconv.FormatUint(l.before[rec]+ev.Ordinal(), 10)),
			terminal.Plain(fmt.Sprintf("%#x", ev.Offset())))
	}
	return l.write(append(cells, eventCells(ev, zone)...))
}

func (l *eventLister) write(cells []terminal.Cell) error {
	text := ""
	if l.app.style.Aligned {
		text = alignCells(l.columns, cells, l.app.style.Width)
	} else {
		text = separateCells(cells)
	}
	_, err := l.out.WriteString(text + "\n")
	return err
}
