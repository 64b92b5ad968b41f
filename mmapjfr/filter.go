package mmapjfr

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Filter selects events. A selection has those that all its filters select; [Or] and [Not] join filters
// otherwise, and Where of package query makes one of a condition.
type Filter interface {
	// check returns what is wrong with the filter, or nil.
	check() error
	// wants reports whether the filter can match events of the type.
	matchesType(typ *schema.Type) bool
}

// compiledFilter is a filter that depends on more than the type of an event.
type compiledFilter interface {
	Filter
	// narrow adds the filter to the filter of a chunk.
	compile(w *chunkFilter) error
}

// matchesType reports whether the filter can match events of the type. It is false if it
// matches none of them, whatever they hold. A nil filter matches all.
func matchesType(f Filter, t Type) bool { return f == nil || f.matchesType(t.orEmpty()) }

// selectsTypes reports whether the filter asks for nothing but the type of an event.
func selectsTypes(f Filter) bool {
	_, more := f.(compiledFilter)
	return !more
}

// typeFilter selects types by name. A condition makes one with the names of all types that it can match.
type typeFilter struct {
	all   []string
	names map[string]bool // those without * and ?
	globs []string
}

// Types selects events of the named types. A name is a full one, such as
// "jdk.ExecutionSample", or one without its package; * stands for any
// characters and ? for one. An event is selected if one of the names matches.
// A name that an older JDK wrote means the type that is now called otherwise, see [Type.Name].
// Without names it selects events of all types.
func Types(names ...string) Filter {
	f := typeFilter{all: names, names: make(map[string]bool)}
	for _, name := range names {
		if isGlob(name) {
			f.globs = append(f.globs, name)
		} else {
			f.names[schema.CurrentName(name)] = true
		}
	}
	return f
}

func (f typeFilter) check() error {
	if len(f.all) == 0 {
		return nil
	}
	return checkGlobs("type", f.all)
}

func (f typeFilter) matchesType(typ *schema.Type) bool {
	current, simple := typ.CurrentName(), Type{typ}.SimpleName()
	wire.StepBytes(len(typ.Name) + 8)
	if len(f.all) == 0 || f.names[current] || f.names[simple] {
		return true
	}
	if slices.ContainsFunc(f.globs, func(glob string) bool { return matches(glob, current) || matches(glob, simple) }) {
		return true
	}
	return typ.Name != current && (f.names[simpleName(typ.Name)] || slices.ContainsFunc(f.globs, func(glob string) bool {
		return matches(glob, typ.Name) || matches(glob, simpleName(typ.Name))
	}))
}

// isGlob reports whether a name can match several.
func isGlob(name string) bool { return strings.ContainsAny(name, "*?") }

// categoryFilter selects types by category.
type categoryFilter []string

// Categories selects events whose type is in one of the categories, at any level of the
// category's path. Names can hold * and ?, as those of [Types]; the initials of a category of
// several words stand for it, as in "JVM".
func Categories(names ...string) Filter { return categoryFilter(names) }

func (f categoryFilter) check() error { return checkGlobs("category", f) }

func (f categoryFilter) matchesType(typ *schema.Type) bool {
	category := Type{typ}.Category()
	if len(category) == 0 {
		category = uncategorized
	}
	for _, glob := range f {
		for _, name := range category {
			if matches(glob, name) || glob == acronym(name) {
				return true
			}
		}
	}
	return false
}

// typesFunc selects event types by a function.
type typesFunc func(Type) bool

// TypesFunc selects events of those types for which the function returns true. It is called
// for the types of each chunk, by any goroutine, and must always give the same answer.
func TypesFunc(wanted func(t Type) bool) Filter { return typesFunc(wanted) }

func (f typesFunc) check() error {
	if f == nil {
		return errors.New("a selection by type has no function")
	}
	return nil
}

func (f typesFunc) matchesType(typ *schema.Type) bool { return f(Type{typ}) }

// uncategorized is the category that the JDK gives to types without one.
var uncategorized = []string{"Uncategorized"}

// acronym returns the initials of a name of several words, of those words that
// begin with a capital; "" if it has just one word.
func acronym(name string) string {
	words := strings.Fields(name)
	if len(words) < 2 {
		return ""
	}
	var initials []rune
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
			initials = append(initials, r)
		}
	}
	return string(initials)
}

// matches reports whether the name matches the glob. Only * and ? are special.
func matches(glob, name string) bool {
	wire.StepBytes(len(name) + 8)
	if !isGlob(glob) {
		return glob == name
	}
	ok, _ := path.Match(escapeGlob.Replace(glob), strings.ReplaceAll(name, "/", "\x00"))
	return ok
}

// escapeGlob takes away the meaning of what path.Match knows besides * and ?.
var escapeGlob = strings.NewReplacer(`\`, `\\`, `[`, `\[`, "/", "\x00")

// checkGlobs returns what is wrong with the names of a filter.
func checkGlobs(what string, globs []string) error {
	if len(globs) == 0 {
		return fmt.Errorf("a selection by %s names none", what)
	}
	for _, g := range globs {
		if g == "" {
			return fmt.Errorf("a selection by %s has an empty name", what)
		}
	}
	return nil
}

// threadNames selects events of threads by name.
type threadNames []string

// Threads selects events of the named threads, see [Event.Thread]. A name is the thread's name
// in Java or in the operating system; * in it stands for any characters and ? for one.
//
// The first such selection reads the chunk's constants and all its events, and keeps which
// threads occur in each block of 64 KiB.
func Threads(names ...string) Filter { return threadNames(names) }

func (f threadNames) check() error { return checkGlobs("thread", f) }

func (f threadNames) matchesType(typ *schema.Type) bool { return typ.Thread() != nil }

func (f threadNames) compile(cf *chunkFilter) error {
	return cf.limitThreads(threadMatcher{f, make(map[place]bool)}.either, threadMatcher{globs: f}.either)
}

// threadMatcher matches names of threads. It looks at each text of the chunk once, unless known is
// nil: many threads can share a long one.
type threadMatcher struct {
	globs []string
	known map[place]bool
}

// either reports whether one of the names of a thread matches.
func (m threadMatcher) either(t Thread) bool {
	return !t.IsZero() && (m.match(t.o.get(pathJavaName)) || m.match(t.o.get(pathOSName)))
}

func (m threadMatcher) match(name Value) bool {
	wanted, ok := m.known[name.at]
	if !ok {
		text := name.StrView()
		wanted = slices.ContainsFunc(m.globs, func(glob string) bool { return matches(glob, text) })
		if m.known != nil {
			m.known[name.at] = wanted
		}
	}
	return wanted
}

// threadsFunc selects events of threads by a function.
type threadsFunc struct{ wanted func(Thread) bool }

// ThreadsFunc selects events of the threads for which the function returns true, see
// [Event.Thread]. The function is called for all threads of each chunk, by any goroutine, and
// must always give the same answer. It costs what [Threads] costs.
func ThreadsFunc(wanted func(t Thread) bool) Filter { return threadsFunc{wanted} }

func (f threadsFunc) check() error {
	if f.wanted == nil {
		return errors.New("a selection by thread has no function")
	}
	return nil
}

func (f threadsFunc) matchesType(typ *schema.Type) bool { return typ.Thread() != nil }

func (f threadsFunc) compile(cf *chunkFilter) error {
	return cf.limitThreads(f.wanted, func(t Thread) bool { return !t.IsZero() && f.wanted(t) })
}

// interval is the time from one point, in nanoseconds since 1970, up to but not including
// another. Points that nanoseconds since 1970 cannot express are no bounds.
type interval struct {
	from, to       int64
	hasFrom, hasTo bool // there is such a bound
}

// Between selects events that begin at from or later, and before to, see [Event.Start]. A
// zero time is no bound; to before from selects nothing. Events of types without a start time are
// not selected.
//
// The first such selection reads all events of a chunk, and keeps when the first and the last
// event of each block of 64 KiB began. Later selections read only the blocks that may hold
// such events.
func Between(from, to time.Time) Filter {
	var f interval
	f.from, f.hasFrom = toNanos(from)
	f.to, f.hasTo = toNanos(to)
	reversed := !from.IsZero() && !to.IsZero() && to.Before(from)
	if reversed || !from.IsZero() && !f.hasFrom && from.After(latest) || !to.IsZero() && !f.hasTo && to.Before(earliest) {
		f.from, f.to, f.hasFrom, f.hasTo = 0, 0, true, true // no event begins there
	}
	return f
}

// The first and the last point in time that nanoseconds since 1970 can express.
var earliest, latest = unixNano(math.MinInt64), unixNano(math.MaxInt64)

// toNanos returns the nanoseconds since 1970; false if the time is no bound.
func toNanos(t time.Time) (ns int64, ok bool) {
	if t.IsZero() || t.Before(earliest) || t.After(latest) {
		return 0, false
	}
	return t.UnixNano(), true
}

func (f interval) check() error { return nil }

func (f interval) matchesType(typ *schema.Type) bool { return hasStart(typ) }

func (f interval) compile(cf *chunkFilter) error {
	first, last := int64(math.MinInt64), int64(math.MaxInt64)
	if f.hasFrom {
		var ok bool
		if first, ok = cf.c.clock.since(f.from); !ok {
			cf.empty = true
			return nil
		}
	}
	if f.hasTo {
		if end, ok := cf.c.clock.since(f.to); ok {
			if end == math.MinInt64 {
				cf.empty = true
				return nil
			}
			last = end - 1
		}
	}
	cf.limitTicks(first, last)
	return nil
}

// Or selects the events that at least one of the filters selects; none without filters.
func Or(filters ...Filter) Filter {
	var flat []Filter // what lies in an Or is asked once, however deep it lies
	for _, f := range filters {
		if j, ok := junctionOf(f); ok && !j.not {
			flat = append(flat, j.filters...)
		} else {
			flat = append(flat, f)
		}
	}
	return join(junction{flat, false})
}

// Not selects the events that the filter does not select, of all types.
func Not(filter Filter) Filter {
	if j, ok := junctionOf(filter); ok {
		return join(junction{j.filters, !j.not})
	}
	return join(junction{[]Filter{filter}, true})
}

// junction selects what one of its filters selects, or with not the other events. All its filters
// select by type alone. A nil filter selects all.
type junction struct {
	filters []Filter
	not     bool
}

// eventJunction is a junction with filters that depend on more than the type of an event.
type eventJunction struct{ junction }

// junctionOf returns the junction that a filter is; false if it is none.
func junctionOf(f Filter) (junction, bool) {
	if j, ok := f.(eventJunction); ok {
		return j.junction, true
	}
	j, ok := f.(junction)
	return j, ok
}

func join(j junction) Filter {
	if slices.ContainsFunc(j.filters, func(f Filter) bool { return !selectsTypes(f) }) {
		return eventJunction{j}
	}
	return j
}

func (j junction) check() error {
	for _, f := range j.filters {
		if f != nil {
			if err := f.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j junction) matchesType(typ *schema.Type) bool {
	return j.not != slices.ContainsFunc(j.filters, func(f Filter) bool { return matchesType(f, Type{typ}) })
}

func (j eventJunction) matchesType(typ *schema.Type) bool {
	return j.not || j.junction.matchesType(typ)
}

func (j eventJunction) compile(cf *chunkFilter) error {
	parts := make([]*chunkFilter, len(j.filters))
	for i, f := range j.filters {
		s := (*Recording)(nil).selection(nil, false, []Filter{f}).withRepeats()
		var err error
		if parts[i], err = s.chunkFilter(cf.c, cf.types); err != nil {
			return err
		}
	}
	cf.tests = append(cf.tests, func(s *scratch, typ *schema.Type) bool {
		for _, part := range parts {
			if part.selects(s, typ) {
				return !j.not
			}
		}
		return j.not
	})
	return nil
}

func (j junction) unknownNames(described []*schema.Type) (errs []error) {
	for _, f := range j.filters {
		if n, ok := f.(nameChecker); ok {
			errs = append(errs, n.unknownNames(described)...)
		}
	}
	return errs
}

// eventsFunc selects events of some types by a function. It is called by any goroutine.
type eventsFunc struct {
	typesFunc
	wanted  func(Event) bool
	unknown func([]Type) error // what of the filter fits none of the types
}

func eventFilter(types func(Type) bool, wanted func(Event) bool, unknown func([]Type) error) Filter {
	return eventsFunc{types, wanted, unknown}
}

func (f eventsFunc) compile(cf *chunkFilter) error {
	cf.tests = append(cf.tests, func(s *scratch, typ *schema.Type) bool { return f.wanted(Event{cf.c, typ, s, s.pos}) })
	return nil
}

func (f eventsFunc) unknownNames(described []*schema.Type) []error {
	if err := f.unknown(views(described, func(t **schema.Type) Type { return Type{*t} })); err != nil {
		return []error{err}
	}
	return nil
}
