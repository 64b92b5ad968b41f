package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/input"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// printOptions are what mjfr print is told.
type printOptions struct {
	formats            [print.TSV + 1]bool // by Format; Text is the one if there is no other
	events, categories []string            // one filter each
	stackDepth         int
	deep               bool // that the depth was given
	fields             string
	from, to           string
	threads, where     []string
	limit, tail        int
	utc                bool
	order              string
}

// newPrint is the verb that prints events.
func newPrint(a *app) *cobra.Command {
	var o printOptions
	cmd := &cobra.Command{
		Use:   "print [flags] FILE...",
		Short: "Print events",
		Long: `Print events: as text, or in a format for programs. Text, --exact, --json and --xml are
those of the JDK's jfr, word for word.

With --ndjson each event is a JSON object in a line of its own, and with --csv and --tsv
a row. There, times are in UTC, lengths of time in nanoseconds, and all frames of stack
traces are shown unless --stack-depth says otherwise. Rows have the fields of the one
event type that --events selects, or those that --fields names: paths such as
eventThread.javaName or stackTrace.frames[0].method.name, and for any event @type, @end,
@offset and @size.

` + aboutFilters + ` Events must pass all filters.

A condition of --where compares fields, by = != < <= > >= and, for regular expressions,
~ and !~. Conditions can be joined by && and ||, with parentheses. Lengths of time need
their unit, as 10ms; sizes can have one, as 64kB, and percentages a percent sign. The
field thread is the name of the thread; a stack trace fulfils a condition if one of its
methods does; null is what is not there.

A point in time is 2026-11-20T21:22:37Z, "2026-11-20 21:22:37" or 21:22:37 in the zone
of the recording, 10s after its start, -10s before its end, or 50% of it.`,
		Example: `  mjfr print --events OldObjectSample app.jfr
  mjfr print --categories 'GC,JVM,Java*' --stack-depth 64 app.jfr
  mjfr print --where 'duration > 20ms && stackTrace ~ HashMap' app.jfr
  mjfr print --from -10s --thread 'worker-*' --ndjson app.jfr | jq .
  mjfr print --events ExecutionSample --fields startTime,sampledThread,stackTrace --csv app.jfr`,
		Args: files,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			o.deep = cmd.Flags().Changed("stack-depth")
			return o.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkQuoting(); err != nil {
				return err
			}
			return a.with(cmd.Context(), args, func(set *input.Set) error {
				return a.print(cmd.Context(), set, &o)
			}, mmapjfr.ReadIndex(mmapjfr.IndexBeside, mmapjfr.IndexInCache))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.formats[print.Exact], "exact", false, "print numbers and times in full")
	f.BoolVar(&o.formats[print.JSON], "json", false, "print one JSON document")
	f.BoolVar(&o.formats[print.XML], "xml", false, "print one XML document")
	f.BoolVar(&o.formats[print.NDJSON], "ndjson", false, "print a JSON object for each event, in a line of its own")
	f.BoolVar(&o.formats[print.CSV], "csv", false, "print a row for each event, with commas between the fields")
	f.BoolVar(&o.formats[print.TSV], "tsv", false, "print a row for each event, with tabs between the fields")
	f.StringVar(&o.fields, "fields", "", "print these `FIELDS` in rows; a list with commas")
	f.StringArrayVar(&o.events, "events", nil, "only events whose type's name fits `FILTER`")
	f.StringArrayVar(&o.categories, "categories", nil, "only events whose type's categories fit `FILTER`")
	f.StringArrayVar(&o.threads, "thread", nil, "only events of the thread called `NAME`, in which * and ? are as in a filter, or with the number #N; may be given several times")
	f.StringArrayVar(&o.where, "where", nil, "only events that fulfil `CONDITION`; may be given several times, for events that fulfil all")
	f.StringVar(&o.from, "from", "", "only events that begin at `TIME` or later")
	f.StringVar(&o.to, "to", "", "only events that begin before `TIME`")
	f.IntVar(&o.limit, "limit", 0, "end after `N` events; 0 is no limit")
	f.IntVar(&o.tail, "tail", 0, "print only the last `N` events; 0 is all")
	f.IntVar(&o.stackDepth, "stack-depth", print.DefaultStackDepth, "print `N` frames of stack traces")
	f.BoolVar(&o.utc, "utc", false, "print times in UTC, not in the zone of the recording")
	f.StringVar(&o.order, "order", "time", "print events in the `ORDER`: time or file; in that of time, the event that ended first comes first")
	return cmd
}

// check tells what is wrong with the options whatever the recordings are.
func (o *printOptions) check() error {
	if formats := o.chosen(); len(formats) > 1 {
		return usagef("only one format can be specified at a time")
	}
	format := o.format()
	switch {
	case o.stackDepth < 0:
		return usagef("stack depth must be zero or a positive integer")
	case o.limit < 0 || o.tail < 0:
		return usagef("a number of events must be zero or a positive integer")
	case o.order != "time" && o.order != "file":
		return usagef("events cannot be printed in the order %q; take time or file", o.order)
	case o.fields != "" && format != print.CSV && format != print.TSV:
		return usagef("--fields is for --csv and --tsv")
	case o.fields != "" && len(filterNames(o.fields)) == 0:
		return usagef("--fields names no field")
	case len(o.events) > 1:
		return usagef("use --events event1,event2,event3 to include multiple events")
	case len(o.categories) > 1:
		return usagef("use --categories category1,category2 to include multiple categories")
	}
	for _, filter := range append(o.events, o.categories...) {
		if err := checkFilter(filter); err != nil {
			return err
		}
	}
	for _, name := range o.threads {
		if name == "" {
			return usagef("--thread names no thread")
		}
	}
	_, err := o.condition(time.UTC)
	return err
}

// chosen returns the formats that were asked for.
func (o *printOptions) chosen() (formats []print.Format) {
	for f, asked := range o.formats {
		if asked {
			formats = append(formats, print.Format(f))
		}
	}
	return formats
}

func (o *printOptions) format() print.Format { return append(o.chosen(), print.Text)[0] }

// checkQuoting tells of a filter that is a file: then the shell has put names of files
// in place of a pattern.
func (o *printOptions) checkQuoting() error {
	for option, filters := range map[string][]string{"events": o.events, "categories": o.categories} {
		for _, filter := range filters {
			if _, err := os.Stat(filter); err == nil {
				return fmt.Errorf(`--%s %s is a file; wildcards should be quoted, for example --%s "Foo*"`, option, filter, option)
			}
		}
	}
	return nil
}

// condition returns what events are to fulfil; nil if there is no condition.
func (o *printOptions) condition(zone *time.Location) (*where.Condition, error) {
	var list []*where.Condition
	for _, text := range o.where {
		c, err := where.ParseIn(text, zone)
		if err != nil {
			return nil, usageError{err}
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, nil
	}
	return where.All(list...), nil
}

// print prints the events of a set that the options select.
func (a *app) print(ctx context.Context, set *input.Set, o *printOptions) error {
	po, err := a.printed(set, o)
	if err != nil {
		return err
	}
	bar := a.progress("printing", bytesOf(set), meanwhile)
	po.Progress = bar.Add
	po.Note = func(rec *mmapjfr.Recording, err error) { a.damage(set.Name(rec), err) }
	out := bufio.NewWriterSize(a.stdout, 64<<10)
	err = print.Write(ctx, out, set.Recordings, po)
	if errors.Is(err, print.ErrSeveralTypes) {
		err = fmt.Errorf("%w; give one type by --events, or the columns by --fields", err)
	}
	return cmp.Or(err, out.Flush())
}

// printed returns how events are printed, and which.
func (a *app) printed(set *input.Set, o *printOptions) (print.Options, error) {
	po := print.Options{Format: o.format(), StackDepth: o.stackDepth, Fields: filterNames(o.fields), Limit: o.limit, Tail: o.tail}
	if po.Format >= print.NDJSON && !o.deep {
		po.StackDepth = math.MaxInt
	}
	if o.order == "file" {
		po.Order = print.ByFile
	}
	zone := set.Recordings[0].Location()
	if o.utc {
		zone = time.UTC
		po.Zone = zone
	}
	s := selection{app: a, types: eventTypes(set.Recordings)}
	s.byName("--events", strings.Join(o.events, ","), func(names ...string) mmapjfr.Filter { return mmapjfr.Types(names...) }, typeName)
	s.byName("--categories", strings.Join(o.categories, ","), func(names ...string) mmapjfr.Filter { return mmapjfr.Categories(names...) }, mmapjfr.Type.Category)
	if len(o.threads) > 0 {
		s.filters = append(s.filters, threadFilter(o.threads))
	}
	if err := s.during(set, o.from, o.to, zone); err != nil {
		return po, err
	}
	condition, err := o.condition(zone)
	if err != nil {
		return po, err
	}
	if err := s.where(condition); err != nil {
		return po, err
	}
	po.Filters, po.Keep = s.filters, s.keep
	return po, nil
}
