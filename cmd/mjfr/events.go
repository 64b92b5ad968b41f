package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// eventsOptions are what mjfr events is told.
type eventsOptions struct {
	typeFilters
	threads []string
	limit   uint64
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

` + aboutFilters + ` Events must pass all filters.`,
		Example: `  mjfr events app.jfr
  mjfr events --events 'GarbageCollection,GCPhase*' app.jfr
  mjfr events --thread main --limit 20 --offsets app.jfr
  mjfr events app.jfr | cut -f 3 | sort | uniq -c`,
		Args:    files,
		PreRunE: func(*cobra.Command, []string) error { return o.check() },
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), args, func(set *input.Set) error {
				return a.listEvents(cmd.Context(), set, &o)
			}, mmapjfr.ReadIndex(mmapjfr.IndexBeside, mmapjfr.IndexInCache))
		},
	}
	cmd.Flags().StringVar(&o.events, "events", "", "only events whose type's name fits `FILTER`")
	cmd.Flags().StringVar(&o.categories, "categories", "", "only events whose type's categories fit `FILTER`")
	cmd.Flags().StringArrayVar(&o.threads, "thread", nil, "only events of the thread called `NAME`, in which * and ? are as in a filter; may be given several times")
	cmd.Flags().Uint64Var(&o.limit, "limit", 0, "end after `N` events; 0 is no limit")
	cmd.Flags().BoolVar(&o.offsets, "offsets", false, "show where each event is: ordinal and offset, which mjfr at takes")
	return cmd
}

// filters returns the filters; none if all events are wanted.
func (o *eventsOptions) filters() []mmapjfr.Filter {
	list := o.typeFilters.filters()
	if len(o.threads) > 0 {
		list = append(list, mmapjfr.Threads(o.threads...))
	}
	return list
}

// eventLister writes the lines of events.
type eventLister struct {
	app     *app
	out     *bufio.Writer
	set     *input.Set
	o       *eventsOptions
	columns []eventColumn
	bar     *progress.Bar
	// before is how many events the recordings before this one have; it is only known
	// if it is wanted.
	before uint64
	n      uint64 // events that have been written
}

var errEnoughEvents = errors.New("there are as many events as were asked for")

func (a *app) listEvents(ctx context.Context, set *input.Set, o *eventsOptions) error {
	l := eventLister{app: a, out: bufio.NewWriter(a.stdout), set: set, o: o}
	if o.offsets {
		if len(set.Recordings) > 1 {
			l.columns = append(l.columns, eventFile)
		}
		l.columns = append(l.columns, eventOrdinal, eventOffset)
	}
	l.columns = append(l.columns, eventColumns...)
	l.bar = a.progress("listing", bytesOf(set), meanwhile)
	defer l.bar.Done()
	err := l.write(eventTitles(l.columns))
	for _, rec := range set.Recordings {
		if err != nil {
			break
		}
		if err = l.list(ctx, rec); o.offsets && err == nil {
			l.before += eventsIn(rec)
		}
	}
	if errors.Is(err, errEnoughEvents) {
		err = nil
	}
	return errors.Join(err, l.out.Flush())
}

// list writes the events of a recording.
func (l *eventLister) list(ctx context.Context, rec *mmapjfr.Recording) error {
	zone := rec.Location()
	told := uint64(0)
	defer func() { l.bar.Add(uint64(rec.Size()) - told) }()
	for ev, err := range rec.Select(l.o.filters()...).Events() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			l.app.damage(l.set.Name(rec), err)
			continue
		}
		if at := ev.Offset(); at > told+1<<20 {
			l.bar.Add(at - told)
			told = at
		}
		err := ev.Chunk().Guard(func() error { return l.event(rec, ev, zone) })
		if errors.Is(err, mmapjfr.ErrTruncated) || errors.Is(err, mmapjfr.ErrChanged) {
			continue // it is told of when all has been read
		}
		if err != nil {
			return err
		}
		if l.n++; l.n == l.o.limit {
			return errEnoughEvents
		}
	}
	return nil
}

func (l *eventLister) event(rec *mmapjfr.Recording, ev mmapjfr.Event, zone *time.Location) error {
	var cells []terminal.Cell
	if l.o.offsets {
		if len(l.set.Recordings) > 1 {
			cells = append(cells, terminal.Plain(l.set.Name(rec)))
		}
		cells = append(cells,
			terminal.Plain("#"+strconv.FormatUint(l.before+ev.Ordinal(), 10)),
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
