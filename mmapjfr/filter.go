package mmapjfr

import (
	"errors"
	"fmt"
	"path"
	"strings"
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
	matchesType(class *schema.Type) bool
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

func (f typeFilter) matchesType(class *schema.Type) bool {
	for _, glob := range f {
		if matches(glob, class.Name) || matches(glob, Type{class}.SimpleName()) {
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

func (f categoryFilter) matchesType(class *schema.Type) bool {
	category := Type{class}.Category()
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

func (f typesFunc) matchesType(class *schema.Type) bool { return f(Type{class}) }

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
