package main

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// eventOptions are what all verbs are told that print events: how, and which.
type eventOptions struct {
	formats            [print.TSV + 1]bool // by Format; Text is the one if there is no other
	fields             string
	spreadsheetSafe    bool
	events, categories []string // one filter each
	threads, where     []string
	from, to           string
	limit              int
	stackDepth         int
	deep               bool // that the depth was given
	utc                bool
}

// aboutFormats, aboutConditions and aboutTimes are what help says of them.
const (
	aboutFormats = `Text, --exact, --json and --xml are
those of the JDK's jfr, word for word.

With --ndjson each event is a JSON object in a line of its own, and with --csv and --tsv
a row. There, times are in UTC, lengths of time in nanoseconds, and all frames of stack
traces are shown unless --stack-depth says otherwise. Rows have the fields of the one
event type that --events selects, or those that --fields names: paths such as
eventThread.javaName or stackTrace.frames[0].method.name, and for any event @type, @end,
@offset and @size. Spreadsheets run a cell that begins with = + - or @ as a formula, and
an application can write such text into its recording: open rows in one only if they were
written with --spreadsheet-safe.`

	aboutConditions = `A condition of --where compares fields, by = != < <= > >= and, for regular expressions,
~ and !~. Conditions can be joined by && and ||, with parentheses. Lengths of time need
their unit, as 10ms; sizes can have one, as 64kB, and percentages a percent sign. The
field thread is the name of the thread; a stack trace fulfils a condition if one of its
methods does; null is what is not there.`

	aboutTimes = `A point in time is 2026-11-20T21:22:37Z, "2026-11-20 21:22:37" or 21:22:37 in the zone
of the recording, 10s after its start, -10s before its end, or 50% of it.`
)

// formatFlags are about what is printed of events.
func (o *eventOptions) formatFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.formats[print.Exact], "exact", false, "print numbers and times in full")
	f.BoolVar(&o.formats[print.JSON], "json", false, "print one JSON document")
	f.BoolVar(&o.formats[print.XML], "xml", false, "print one XML document")
	f.BoolVar(&o.formats[print.NDJSON], "ndjson", false, "print a JSON object for each event, in a line of its own")
	f.BoolVar(&o.formats[print.CSV], "csv", false, "print a row for each event, with commas between the fields")
	f.BoolVar(&o.formats[print.TSV], "tsv", false, "print a row for each event, with tabs between the fields")
	f.StringVar(&o.fields, "fields", "", "print these `FIELDS` in rows; a list with commas")
	f.BoolVar(&o.spreadsheetSafe, "spreadsheet-safe", false, "put an apostrophe before each cell of rows that a spreadsheet could take for a formula: one that begins with = + - @, a tab or an end of line and is no number")
}

// filterFlags are about which events are printed.
func (o *eventOptions) filterFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.events, "events", nil, "only events whose type's name fits `FILTER`")
	f.StringArrayVar(&o.categories, "categories", nil, "only events whose type's categories fit `FILTER`")
	f.StringArrayVar(&o.threads, "thread", nil, "only events of the thread called `NAME`, in which * and ? are as in a filter, or with the number #N; may be given several times")
	f.StringArrayVar(&o.where, "where", nil, "only events that fulfil `CONDITION`; may be given several times, for events that fulfil all")
}

// limitFlag is about how many events are printed.
func (o *eventOptions) limitFlag(f *pflag.FlagSet) {
	f.IntVar(&o.limit, "limit", 0, "end after `N` events; 0 is no limit")
}

// detailFlags are about how events are printed, whatever the format.
func (o *eventOptions) detailFlags(f *pflag.FlagSet) {
	f.IntVar(&o.stackDepth, "stack-depth", print.DefaultStackDepth, "print `N` frames of stack traces")
	f.BoolVar(&o.utc, "utc", false, "print times in UTC, not in the zone of the recording")
}

// check tells what is wrong with the options whatever the recordings are. The flags are
// those that the options were read from.
func (o *eventOptions) check(flags *pflag.FlagSet) error {
	o.deep = flags.Changed("stack-depth")
	if formats := o.chosen(); len(formats) > 1 {
		return usagef("only one format can be specified at a time")
	}
	format := o.format()
	switch {
	case o.stackDepth < 0:
		return usagef("stack depth must be zero or a positive integer")
	case o.limit < 0:
		return usagef("a number of events must be zero or a positive integer")
	case o.fields != "" && format != print.CSV && format != print.TSV:
		return usagef("--fields is for --csv and --tsv")
	case o.fields != "" && len(filterNames(o.fields)) == 0:
		return usagef("--fields names no field")
	case o.spreadsheetSafe && format != print.CSV && format != print.TSV:
		return usagef("--spreadsheet-safe is for --csv and --tsv")
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
func (o *eventOptions) chosen() (formats []print.Format) {
	for f, asked := range o.formats {
		if asked {
			formats = append(formats, print.Format(f))
		}
	}
	return formats
}

func (o *eventOptions) format() print.Format { return append(o.chosen(), print.Text)[0] }

// printing returns how events are printed.
func (o *eventOptions) printing() print.Options {
	po := print.Options{
		Format: o.format(), StackDepth: o.stackDepth, Fields: filterNames(o.fields), SpreadsheetSafe: o.spreadsheetSafe,
	}
	if po.Format >= print.NDJSON && !o.deep {
		po.StackDepth = math.MaxInt
	}
	if o.utc {
		po.Zone = time.UTC
	}
	return po
}

// checkQuoting tells of a filter that is a file: then the shell has put names of files
// in place of a pattern.
func (o *eventOptions) checkQuoting() error {
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
func (o *eventOptions) condition(zone *time.Location) (*where.Condition, error) {
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
