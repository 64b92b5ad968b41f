package mmapjfr

import (
	"fmt"
	"iter"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/index"
)

// Filter says which events are wanted.
type Filter interface {
	// check tells what is wrong with the filter.
	check() error
	// wants tells whether events of the class are wanted.
	wants(class *index.Class) bool
}

// typeFilter wants types by name.
type typeFilter []string

// Types wants events of the named types. A name is a full one, such as
// "jdk.ExecutionSample", or one without its package; * stands for any
// characters and ? for one. An event is wanted if one of the names fits.
func Types(names ...string) Filter { return typeFilter(names) }

func (f typeFilter) check() error { return checkGlobs("type", f) }

func (f typeFilter) wants(class *index.Class) bool {
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

func (f categoryFilter) wants(class *index.Class) bool {
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
	ok, _ := path.Match(escapeGlob.Replace(glob), strings.ReplaceAll(name, "/", "\x00"))
	return ok
}

// escapeGlob takes away the meaning of what path.Match knows besides * and ?.
var escapeGlob = strings.NewReplacer(`\`, `\\`, `[`, `\[`, "/", "\x00")

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

// Selection is a choice of events of a recording. It is safe for concurrent use.
type Selection struct {
	rec   *Recording
	match matcher
	err   error
}

// Select returns the events that all the filters want; with no filter, all
// events. A filter that cannot be right comes out as the error of the walk. A
// filter that fits no type is none: the selection is empty then.
func (r *Recording) Select(filters ...Filter) *Selection {
	s := &Selection{rec: r, match: matcher{filters: filters}}
	for _, f := range filters {
		if err := f.check(); err != nil {
			s.err = err
			break
		}
	}
	return s
}

// Cursor returns a cursor that stands before the first event of the selection.
func (s *Selection) Cursor() *Cursor {
	c := &Cursor{rec: s.rec, match: &s.match}
	if s.err != nil {
		c.phase = phaseEnd
		c.broken = s.err
	}
	return c
}

// Events returns the events of the selection in the order of the file, and what
// cannot be read of it, as an error in the place where it stands. A loop that
// goes on after an error gets what can be read behind it.
//
// An iteration that is running keeps the file mapped, also after Close, until it
// ends; it then ends with [ErrClosed]. It allocates its scratch memory when it
// begins, and nothing after that.
func (s *Selection) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { s.each(yield) }
}

func (s *Selection) each(yield func(Event, error) bool) {
	if err := s.rec.use(); err != nil {
		yield(Event{}, err)
		return
	}
	defer s.rec.done()
	c := s.Cursor()
	for {
		for c.Next() {
			if !yield(c.event, nil) {
				return
			}
		}
		if c.err == nil || !yield(Event{}, c.err) {
			return
		}
	}
}

// Cursor returns a cursor over all events of the recording.
func (r *Recording) Cursor() *Cursor { return r.Select().Cursor() }

// Events returns all events of the recording, see [Selection.Events].
func (r *Recording) Events() iter.Seq2[Event, error] { return r.Select().Events() }

// matcher is what the filters of a selection want together.
type matcher struct {
	filters []Filter
}

// wanted tells which of the types' classes are wanted, by ordinal; nil if all
// are.
func (m *matcher) wanted(types *index.Types) []bool {
	if len(m.filters) == 0 {
		return nil
	}
	list := make([]bool, len(types.Classes))
	for i := range list {
		list[i] = true
		for _, f := range m.filters {
			list[i] = list[i] && f.wants(types.Classes[i])
		}
	}
	return list
}
