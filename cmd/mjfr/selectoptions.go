package main

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/internal/timespec"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// selectOptions are what all verbs that read events are told of which ones. The zero
// value selects all events.
type selectOptions struct {
	events, categories []string // one filter each
	threads, where     []string
	from, to           string
	limit, tail        int
}

// aboutSelections is what help says of them.
const aboutSelections = aboutFilters + `

` + aboutConditions + `

` + aboutTimes + `

Events must pass all of these options. --limit and --tail come last: they take the first
or the last of the events that pass; with both, the first of the last.`

// aboutConditions and aboutTimes are what help says of conditions and points in time.
const (
	aboutConditions = `A condition of --where compares fields, by = != < <= > >= and, for regular expressions,
~ and !~. Conditions can be joined by && and ||, with parentheses. Lengths of time need
their unit, as 10ms; sizes can have one, as 64kB, and percentages a percent sign. Classes,
methods and frames are as print shows them: byte[], java.lang.String.indexOf(int). A stack
trace fulfils a condition if one of its methods does; null is what is not there. For fields
that all events have, such as @thread, @duration and @class, see mjfr help fields.`

	aboutTimes = `A point in time is 2026-11-20T21:22:37Z, "2026-11-20 21:22:37" or 21:22:37 in the zone
of the recording, 10s after its start, -10s before its end, or 50% of it.`
)

// selectFlags are the flags of all options.
func (o *selectOptions) selectFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.events, "events", nil, "only events whose type's name fits `FILTER`")
	f.StringArrayVar(&o.categories, "categories", nil, "only events whose type's categories fit `FILTER`")
	f.StringArrayVar(&o.where, "where", nil, "only events that fulfil `CONDITION`; may be given several times, for events that fulfil all")
	f.Var((*timeFlag)(&o.from), "from", "only events that begin at `TIME` or later")
	f.Var((*timeFlag)(&o.to), "to", "only events that begin before `TIME`")
	f.StringArrayVar(&o.threads, "thread", nil, "only events of the thread called `NAME`, in which * and ? are as in a filter, or with the number #N; may be given several times")
	f.IntVar(&o.limit, "limit", 0, "only the first `N` of these events; 0 is all")
	f.IntVar(&o.tail, "tail", 0, "only the last `N` of these events; 0 is all")
}

// timeFlag is a point in time as it was typed. An empty one, as of a variable of a shell that
// is not set, is none, and must not select all events.
type timeFlag string

// Set implements pflag.Value.
func (t *timeFlag) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("give " + timespec.Forms)
	}
	*t = timeFlag(text)
	return nil
}

func (t *timeFlag) String() string { return string(*t) }

// Type implements pflag.Value.
func (t *timeFlag) Type() string { return "string" }

// given reports whether not all events are selected.
func (o *selectOptions) given() bool {
	return len(o.events)+len(o.categories)+len(o.threads)+len(o.where)+o.limit+o.tail > 0 || o.from != "" || o.to != ""
}

// check tells what is wrong with the options whatever the recordings are. Times may also
// be one of words.
func (o *selectOptions) check(words ...string) error {
	switch {
	case o.limit < 0 || o.tail < 0:
		return usagef("a number of events must be zero or a positive integer")
	case len(o.events) > 1:
		return usagef("use --events event1,event2,event3 to include multiple events")
	case len(o.categories) > 1:
		return usagef("use --categories category1,category2 to include multiple categories")
	}
	for _, filter := range slices.Concat(o.events, o.categories) {
		if err := checkFilter(filter); err != nil {
			return err
		}
	}
	if _, err := threadsCalled(o.threads); err != nil {
		return err
	}
	for _, text := range []string{o.from, o.to} {
		if text == "" || slices.Contains(words, text) {
			continue
		}
		var some time.Time // what it means depends on the recording, but not whether it is one
		if _, err := timespec.Parse(text, some, some, time.UTC); err != nil {
			return usageError{err}
		}
	}
	_, err := o.condition(time.Time{}, time.Time{}, time.UTC)
	return errors.Join(err, o.checkQuoting())
}

// checkQuoting returns an error for a filter that is the name of a file: then the shell has put names of files
// in place of a pattern.
func (o *selectOptions) checkQuoting() error {
	for _, f := range o.typeFilters() {
		filter := strings.Join(f.names, ",")
		if _, err := os.Stat(filter); err == nil {
			return usagef(`%s %s is a file; wildcards should be quoted, for example %s "Foo*"`, f.option, filter, f.option)
		}
	}
	return nil
}

// condition returns what events are to fulfil; nil if there is no condition.
func (o *selectOptions) condition(start, end time.Time, zone *time.Location) (*where.Condition, error) {
	var list []*where.Condition
	for _, text := range o.where {
		c, err := where.ParseWithin(text, start, end, zone)
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

// typeFilters returns the filters by type that were given.
func (o *selectOptions) typeFilters() (list []typeFilter) {
	if names := filterNames(strings.Join(o.events, ",")); len(names) > 0 {
		list = append(list, byEvents(names))
	}
	if names := filterNames(strings.Join(o.categories, ",")); len(names) > 0 {
		list = append(list, byCategories(names))
	}
	return list
}

// String returns the options as they can be typed.
func (o *selectOptions) String() string {
	var words []string
	add := func(option string, values ...string) {
		for _, v := range values {
			words = append(words, option, shellWord(v))
		}
	}
	add("--events", o.events...)
	add("--categories", o.categories...)
	add("--where", o.where...)
	if o.from != "" {
		add("--from", o.from)
	}
	if o.to != "" {
		add("--to", o.to)
	}
	add("--thread", o.threads...)
	if o.limit > 0 {
		add("--limit", strconv.Itoa(o.limit))
	}
	if o.tail > 0 {
		add("--tail", strconv.Itoa(o.tail))
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word for a shell if need be.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("%+,-./:=@_", r) || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
