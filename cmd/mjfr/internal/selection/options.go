package selection

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/timespec"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Options are the flags that select events. The zero value selects all events.
type Options struct {
	Events, Categories []string // at most one filter each
	Threads, Where     []string
	From, To           string
	Limit, Tail        int
}

// About leads to [Topic] in the help of verbs that take these flags.
const About = "Options such as --events, --where, --from and --thread select events, see mjfr help\nselection."

// Topic is the help about these flags.
const Topic = `Options that select events are the same in all verbs. An event must pass all of them.

--events jdk.GCPhasePause,CPULoad,'Java*'
    Event types by name, with or without the package; * stands for any characters and ?
    for one. Case is ignored if nothing matches otherwise. A name that matches nothing is
    an error, unless it has a * or ?.

--categories GC,'Java Application'
    Event types by category, or by initials, as in JA for Java Application.

--where 'duration > 10ms AND @thread ~ http'
    A condition on fields; give several, and all must hold. Compare with = != < <= > >=,
    with ~ and !~ for regular expressions, or with IN (a, b), BETWEEN a AND b, LIKE 'a%' and
    IS NULL. Join with AND, OR and NOT, or && || !, and parentheses. Write times as 10ms,
    sizes as 64kB, percentages as 5%, and names as print shows them: byte[],
    java.lang.String.indexOf(int). A stack trace passes if one of its methods does. Text in
    quotes may have escapes as in JSON: \t \n \" \u00e9. mjfr help fields lists names that
    all events have, such as @thread, @duration and @class.

--from 21:22:37 --to 21:23
    When the event began: at --from or later, and before --to. A time is
    2026-11-20T21:22:37Z, "2026-11-20 21:22:37" or 21:22:37 in the zone of the recording;
    10s is 10 seconds after its start, -10s before its end, and 50% halfway.

--thread 'http-*'
    Events of threads by name, with * and ?, or by number as #42; give several for more
    threads.

--limit 10, --tail 10
    The first or the last of the events that passed; with both, --tail applies first. With
    --limit mjfr stops early and does not see damage further on; mjfr verify does.
`

// SelectFlags adds the flags.
func (o *Options) SelectFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.Events, "events", nil, "only these event `TYPES`; a list with commas, * and ?")
	f.StringArrayVar(&o.Categories, "categories", nil, "only event types of these `CATEGORIES`")
	f.StringArrayVar(&o.Where, "where", nil, "only events that meet `CONDITION`, such as 'duration > 10ms'; repeatable")
	f.Var((*timeFlag)(&o.From), "from", "only events from `TIME` on, such as 21:22:37, 10s or -10s")
	f.Var((*timeFlag)(&o.To), "to", "only events before `TIME`")
	f.StringArrayVar(&o.Threads, "thread", nil, "only events of thread `NAME` or #number; * and ? allowed; repeatable")
	f.Var((*countFlag)(&o.Limit), "limit", "only the first `N` events")
	f.Var((*countFlag)(&o.Tail), "tail", "only the last `N` events")
}

// HideRows hides the flags for the first and the last events, for verbs that refuse them: their
// rows are not events.
func HideRows(f *pflag.FlagSet) {
	for _, name := range []string{"limit", "tail"} {
		f.Lookup(name).Hidden = true
	}
}

// timeFlag is a point in time as it was typed. An empty value, as of an unset variable of a shell,
// is an error: it must not select all events.
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

// countFlag is a number of events; 0 if it was not typed.
type countFlag int

// Set implements pflag.Value.
func (c *countFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = errors.New("it must be 1 or more")
	}
	*c = countFlag(n)
	return err
}

func (c *countFlag) String() string { return strconv.Itoa(int(*c)) }

// Type implements pflag.Value.
func (c *countFlag) Type() string { return "int" }

// Given reports whether the options do not select all events.
func (o *Options) Given() bool {
	return len(o.Events)+len(o.Categories)+len(o.Threads)+len(o.Where) > 0 || o.Limit > 0 || o.Tail > 0 || o.From != "" || o.To != ""
}

// Reading returns with which options recordings are opened whose events are selected by these, by a
// verb that reads whole recordings otherwise.
func (o *Options) Reading() []mmapjfr.Option {
	if o.From != "" || o.To != "" || o.Limit > 0 || o.Tail > 0 {
		return nil
	}
	return []mmapjfr.Option{mmapjfr.ReadWhole()}
}

// Check checks the options as far as that is possible without a recording. Words are allowed in
// place of a time.
func (o *Options) Check(words ...string) error {
	switch {
	case len(o.Events) > 1:
		return cli.Usagef("use --events event1,event2,event3 to include multiple events")
	case len(o.Categories) > 1:
		return cli.Usagef("use --categories category1,category2 to include multiple categories")
	}
	for _, filter := range slices.Concat(o.Events, o.Categories) {
		if err := checkFilter(filter); err != nil {
			return err
		}
	}
	if _, err := ParseThreads(o.Threads); err != nil {
		return err
	}
	for _, text := range []string{o.From, o.To} {
		if text == "" || slices.Contains(words, text) {
			continue
		}
		var some time.Time // whether it is a time does not depend on the recording
		if _, err := timespec.Parse(text, some, some, time.UTC); err != nil {
			return cli.Usage(err)
		}
	}
	_, err := o.Condition(time.Time{}, time.Time{}, time.UTC)
	return errors.Join(err, o.checkQuoting())
}

// checkQuoting returns an error for a filter that is the name of a file: the shell has probably
// replaced a pattern.
func (o *Options) checkQuoting() error {
	for _, f := range o.TypeFilters() {
		filter := strings.Join(f.Names, ",")
		if _, err := os.Stat(filter); err == nil {
			return cli.Usagef(`%s %s is a file; wildcards should be quoted, for example %s "Foo*"`, f.Option, filter, f.Option)
		}
	}
	return nil
}

// Condition returns the condition of --where. It returns nil without one.
func (o *Options) Condition(start, end time.Time, zone *time.Location) (*where.Condition, error) {
	var list []*where.Condition
	for _, text := range o.Where {
		c, err := where.ParseWith(text, where.Options{Start: start, End: end, Zone: zone})
		if err != nil {
			return nil, cli.Usage(err)
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, nil
	}
	return where.All(list...), nil
}

// TypeFilters returns the filters of --events and --categories.
func (o *Options) TypeFilters() (list []TypeFilter) {
	if names := FilterNames(strings.Join(o.Events, ",")); len(names) > 0 {
		list = append(list, ByEvents(names))
	}
	if names := FilterNames(strings.Join(o.Categories, ",")); len(names) > 0 {
		list = append(list, ByCategories(names))
	}
	return list
}

// String returns the options as a user types them.
func (o *Options) String() string {
	var words []string
	add := func(option string, values ...string) {
		for _, v := range values {
			words = append(words, option, shellWord(v))
		}
	}
	add("--events", o.Events...)
	add("--categories", o.Categories...)
	add("--where", o.Where...)
	if o.From != "" {
		add("--from", o.From)
	}
	if o.To != "" {
		add("--to", o.To)
	}
	add("--thread", o.Threads...)
	if o.Limit > 0 {
		add("--limit", strconv.Itoa(o.Limit))
	}
	if o.Tail > 0 {
		add("--tail", strconv.Itoa(o.Tail))
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word for a shell if that is necessary.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("%+,-./:=@_", r) || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
