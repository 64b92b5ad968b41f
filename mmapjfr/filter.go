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

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Filter says which events are wanted.
type Filter interface {
	// check tells what is wrong with the filter.
	check() error
	// wants tells whether there can be events of the class that are wanted.
	matchesType(typ *schema.Type) bool
}

// compiledFilter is a filter that does not want all events of a class.
type compiledFilter interface {
	Filter
	// narrow takes from what is wanted of a chunk what the filter does not want.
	compile(w *chunkFilter) error
}

// MatchesType tells whether the filter can want events of the type. It is false if it wants
// none of them, whatever they hold.
func MatchesType(f Filter, t Type) bool { return f.matchesType(t.orEmpty()) }

// typeFilter wants types by name.
type typeFilter []string

// Types wants events of the named types. A name is a full one, such as
// "jdk.ExecutionSample", or one without its package; * stands for any
// characters and ? for one. An event is wanted if one of the names fits.
func Types(names ...string) Filter { return typeFilter(names) }

func (f typeFilter) check() error { return checkGlobs("type", f) }

func (f typeFilter) matchesType(typ *schema.Type) bool {
	for _, glob := range f {
		if matches(glob, typ.Name) || matches(glob, Type{typ}.SimpleName()) {
			return true
		}
	}
	return false
}

// categoryFilter wants types by category.
type categoryFilter []string

// Categories wants events whose type is filed under one of the categories, at
// any place of its path. Names can hold * and ?, as those of [Types]; the
// initials of a category of several words stand for it, as in "JVM".
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

// typesFunc wants event types that a function wants.
type typesFunc func(Type) bool

// TypesFunc wants events of those types that the function wants. It is called for the
// types of each chunk, by any goroutine, and must always give the same answer.
func TypesFunc(wanted func(t Type) bool) Filter { return typesFunc(wanted) }

func (f typesFunc) check() error {
	if f == nil {
		return errors.New("mmapjfr: a selection by type has no function")
	}
	return nil
}

func (f typesFunc) matchesType(typ *schema.Type) bool { return f(Type{typ}) }

// uncategorized is where the JDK files types that do not say.
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

// matches tells whether the name fits the glob. Only * and ? are special.
func matches(glob, name string) bool {
	wire.StepBytes(len(name) + 8)
	if !strings.ContainsAny(glob, "*?") {
		return glob == name
	}
	ok, _ := path.Match(escapeGlob.Replace(glob), strings.ReplaceAll(name, "/", "\x00"))
	return ok
}

// escapeGlob takes away the meaning of what path.Match knows besides * and ?.
var escapeGlob = strings.NewReplacer(`\`, `\\`, `[`, `\[`, "/", "\x00")

// checkGlobs tells what is wrong with the names of a filter.
func checkGlobs(what string, globs []string) error {
	if len(globs) == 0 {
		return fmt.Errorf("mmapjfr: a selection by %s names none", what)
	}
	for _, g := range globs {
		if g == "" {
			return fmt.Errorf("mmapjfr: a selection by %s has an empty name", what)
		}
	}
	return nil
}

// threadNames wants events of threads by name.
type threadNames []string

// Threads wants events of the named threads, see [Event.Thread]. A name is that in Java or that of the operating system; * in
// it stands for any characters and ? for one.
//
// The first such selection reads the chunk's constants, and goes through all its
// events to keep which threads there are in each block of 64 KiB.
func Threads(names ...string) Filter { return threadNames(names) }

func (f threadNames) check() error { return checkGlobs("thread", f) }

func (f threadNames) matchesType(typ *schema.Type) bool { return typ.Thread() != nil }

func (f threadNames) compile(cf *chunkFilter) error {
	names := threadMatcher{globs: f, known: make(map[place]bool)}
	return cf.limitThreads(func(t Thread) bool {
		return names.match(t.o.get(pathJavaName)) || names.match(t.o.get(pathOSName))
	})
}

// threadMatcher tells which names are wanted. It looks at each text of the chunk once:
// many threads can share a long one.
type threadMatcher struct {
	globs []string
	known map[place]bool
}

func (m *threadMatcher) match(name Value) bool {
	wanted, ok := m.known[name.at]
	if !ok {
		text := name.StrView()
		wanted = text != "" && slices.ContainsFunc(m.globs, func(glob string) bool { return matches(glob, text) })
		m.known[name.at] = wanted
	}
	return wanted
}

// threadIDs wants events of threads by their number in Java.
type threadIDs []int64

// ThreadIDs wants events of the threads with these numbers, see [Event.Thread]. The numbers are those of Java, see
// [Thread.JavaThreadID]. What it costs is what [Threads] costs.
func ThreadIDs(ids ...int64) Filter { return threadIDs(ids) }

func (f threadIDs) check() error {
	if len(f) == 0 {
		return errors.New("mmapjfr: a selection by thread names none")
	}
	return nil
}

func (f threadIDs) matchesType(typ *schema.Type) bool { return typ.Thread() != nil }

func (f threadIDs) compile(cf *chunkFilter) error {
	return cf.limitThreads(func(t Thread) bool { return slices.Contains(f, t.JavaThreadID()) })
}

// threadsFunc wants events of threads that a function wants.
type threadsFunc func(Thread) bool

// ThreadsFunc wants events of threads that the function wants, see [Event.Thread]. The function is called for all threads of each chunk, by
// any goroutine, and must always give the same answer. What it costs is what
// [Threads] costs.
func ThreadsFunc(wanted func(t Thread) bool) Filter { return threadsFunc(wanted) }

func (f threadsFunc) check() error {
	if f == nil {
		return errors.New("mmapjfr: a selection by thread has no function")
	}
	return nil
}

func (f threadsFunc) matchesType(typ *schema.Type) bool { return typ.Thread() != nil }

func (f threadsFunc) compile(cf *chunkFilter) error { return cf.limitThreads(f) }

// interval is the time from one point, in nanoseconds since 1970, up to but
// without another. Points beyond what nanoseconds can tell are no bounds.
type interval struct {
	from, to       int64
	hasFrom, hasTo bool // that there is such a bound
	reversed       bool
}

// Between wants events that begin at from or later, and before to, as
// [Event.Start] tells. A zero time is no bound. Events whose type does not tell
// when they began are not wanted.
//
// The first such selection goes through all events of a chunk, and keeps in
// blocks of 64 KiB when the first and the last one began. From then on those
// blocks alone are looked at in which there can be such events.
func Between(from, to time.Time) Filter {
	f := interval{reversed: !from.IsZero() && !to.IsZero() && to.Before(from)}
	f.from, f.hasFrom = toNanos(from)
	f.to, f.hasTo = toNanos(to)
	if !from.IsZero() && !f.hasFrom && from.After(latest) || !to.IsZero() && !f.hasTo && to.Before(earliest) {
		f.from, f.to, f.hasFrom, f.hasTo = 0, 0, true, true // no event is there
	}
	return f
}

// The first and the last point in time that nanoseconds since 1970 can tell.
var earliest, latest = unixNano(math.MinInt64), unixNano(math.MaxInt64)

// toNanos returns the nanoseconds; false if that is no bound.
func toNanos(t time.Time) (ns int64, ok bool) {
	if t.IsZero() || t.Before(earliest) || t.After(latest) {
		return 0, false
	}
	return t.UnixNano(), true
}

func (f interval) check() error {
	if f.reversed {
		return errors.New("mmapjfr: a selection by time ends before it begins")
	}
	return nil
}

func (f interval) matchesType(typ *schema.Type) bool { return typ.StartTime() != nil }

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
