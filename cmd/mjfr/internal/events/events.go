// Package events is the verb events, and the lines of lists of events.
package events

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// options are the flags of mjfr events.
type options struct {
	selection.Options
	offsets bool
}

// New makes the verb that lists events, one a line.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "events [flags] FILE...",
		Short: "List events, one line each",
		Long: `List events in file order, one line each: start, duration, type, thread and the most useful
values, such as the top frame of a sample.

On a terminal the columns are aligned. Otherwise they are separated by tabs, times are in UTC
and types have their full names.

` + selection.About,
		Example: `  mjfr events app.jfr
  mjfr events --events 'GarbageCollection,GCPhase*' app.jfr
  mjfr events --thread main --limit 20 --offsets app.jfr
  mjfr events app.jfr | cut -f 3 | sort | uniq -c`,
		Args:    cli.NeedFiles,
		PreRunE: func(*cobra.Command, []string) error { return o.Check() },
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd.Context(), args, func(set *input.Set) error {
				return list(cmd.Context(), a, set, &o)
			}, a.SavedIndexes())
		},
	}
	o.SelectFlags(cmd.Flags())
	cmd.Flags().BoolVar(&o.offsets, "offsets", false, "show where each event is: ordinal and offset, which mjfr at takes")
	return cmd
}

// lister writes the lines of events.
type lister struct {
	app     *cli.App
	out     *bufio.Writer
	set     *input.Set
	o       *options
	columns []Column
	// of are the recordings of chunks, and zones are the time zones of recordings.
	of    map[mmapjfr.Chunk]*mmapjfr.Recording
	zones map[*mmapjfr.Recording]*time.Location
	// at, rec and zone are the chunk, the recording and the time zone of the last event.
	at   mmapjfr.Chunk
	rec  *mmapjfr.Recording
	zone *time.Location
	// before is the number of events before each recording. It is nil without --offsets.
	before map[*mmapjfr.Recording]uint64
}

func list(ctx context.Context, a *cli.App, set *input.Set, o *options) error {
	s, err := selection.Select(a, set, &o.Options, nil)
	if err != nil {
		return err
	}
	l := lister{app: a, out: bufio.NewWriter(a.Stdout), set: set, o: o, of: make(map[mmapjfr.Chunk]*mmapjfr.Recording), zones: make(map[*mmapjfr.Recording]*time.Location)}
	for _, rec := range set.Recordings {
		l.zones[rec] = engine.RecordingLocation(rec)
		for _, c := range rec.Chunks() {
			l.of[c] = rec
		}
	}
	if o.offsets {
		l.countBefore()
		if len(set.Recordings) > 1 {
			l.columns = append(l.columns, fileColumn)
		}
		l.columns = append(l.columns, OrdinalColumn, OffsetColumn)
	}
	l.columns = append(l.columns, Columns...)
	bar := a.Progress("listing", cli.BytesOf(set), cli.Streaming)
	defer bar.Done()
	if err := l.write(titleCells(l.columns)); err != nil {
		return err
	}
	po := print.Options{Order: print.ByFile, Progress: bar.Add}
	s.Choose(&po)
	if err := cmp.Or(print.Each(ctx, set.Recordings, po, func(ev mmapjfr.Event) error { return cmp.Or(context.Cause(ctx), l.list(ev)) }), l.out.Flush()); err != nil {
		return err
	}
	return s.ReportIfEmpty(ctx)
}

// countBefore counts the events of all recordings except the last one.
func (l *lister) countBefore() {
	l.before = make(map[*mmapjfr.Recording]uint64)
	n := uint64(0)
	for i, rec := range l.set.Recordings {
		l.before[rec] = n
		if i < len(l.set.Recordings)-1 {
			n += rec.EventCount()
		}
	}
}

// list writes an event.
func (l *lister) list(ev mmapjfr.Event) error {
	chunk := ev.Chunk()
	if chunk != l.at {
		l.at, l.rec = chunk, l.of[chunk]
		l.zone = l.zones[l.rec]
	}
	err := chunk.Protect(func() error { return l.event(l.rec, ev, l.zone) })
	if errors.Is(err, mmapjfr.ErrTruncated) || errors.Is(err, mmapjfr.ErrChanged) {
		return nil // With reports it after the last event
	}
	return err
}

func (l *lister) event(rec *mmapjfr.Recording, ev mmapjfr.Event, zone *time.Location) error {
	var cells []terminal.Cell
	if l.o.offsets {
		if len(l.set.Recordings) > 1 {
			cells = append(cells, terminal.Plain(l.set.Name(rec)))
		}
		cells = append(cells,
			terminal.Plain("#"+strconv.FormatUint(l.before[rec]+ev.Ordinal(), 10)),
			terminal.Plain(fmt.Sprintf("%#x", ev.Offset())))
	}
	return l.write(append(cells, Cells(ev, zone)...))
}

func (l *lister) write(cells []terminal.Cell) error {
	text := ""
	if l.app.Style.Aligned {
		text = Align(l.columns, cells, l.app.Style.Width)
	} else {
		text = separateCells(cells)
	}
	_, err := l.out.WriteString(text + "\n")
	return err
}
