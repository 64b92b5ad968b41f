package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// aboutFilters is what help says of filters.
const aboutFilters = `A filter is a list of names with commas between them, in which * stands for any
characters and ? for one. That of events goes by the name of the type, with its
package or without; that of categories by each category that the type is filed
under, or by the initials of its words, as in JVM. A name that nothing fits as it is
written is taken without regard to case. One that nothing fits even so is wrong usage,
unless it has a * or ? in it.`

// filterNames returns the names of a filter.
func filterNames(filter string) (names []string) {
	for name := range strings.SplitSeq(filter, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// checkFilter returns an error for a filter without names.
func checkFilter(filter string) error {
	if len(filterNames(filter)) == 0 {
		return usagef("the filter %q has no names", filter)
	}
	return nil
}

// typeFilter is the names by which an option selects types.
type typeFilter struct {
	option string
	names  []string
	// exact is the library's filter by such names, and of returns the names that a type has.
	exact func(names ...string) mmapjfr.Filter
	of    func(mmapjfr.Type) []string
	// exactly are names that some type has fitted as they are written, as far as types are
	// known one after the other, see [typeFilter.see].
	exactly map[string]bool
}

// byEvents and byCategories return the filters of --events and --categories.
func byEvents(names []string) typeFilter {
	return typeFilter{option: "--events", names: names, exact: mmapjfr.Types, of: typeNamesOf}
}

func byCategories(names []string) typeFilter {
	return typeFilter{option: "--categories", names: names, exact: mmapjfr.Categories, of: categoriesOf}
}

// typeNamesOf returns the full and the simple name of a type.
func typeNamesOf(t mmapjfr.Type) []string { return []string{t.Name(), t.SimpleName()} }

// categoriesOf returns the categories of a type, as the JDK has them.
func categoriesOf(t mmapjfr.Type) []string {
	if list := t.Category(); len(list) > 0 {
		return list
	}
	return []string{"Uncategorized"}
}

// among returns the filter for recordings with these types, and the names that none of
// them fits. Names are taken as they are if a type fits them so, and otherwise without
// regard to case.
func (f *typeFilter) among(types []mmapjfr.Type) (filter mmapjfr.Filter, strange []string) {
	var wants []func(mmapjfr.Type) bool
	for _, name := range f.names {
		exact, folded := f.want(name), f.wantFolded(name)
		switch {
		case slices.ContainsFunc(types, exact):
			wants = append(wants, exact)
		case slices.ContainsFunc(types, folded):
			wants = append(wants, folded)
		default:
			strange = append(strange, name)
		}
	}
	return mmapjfr.TypesFunc(func(t mmapjfr.Type) bool {
		return slices.ContainsFunc(wants, func(wants func(mmapjfr.Type) bool) bool { return wants(t) })
	}), strange
}

// see takes note of names that types fit as they are written.
func (f *typeFilter) see(types []mmapjfr.Type) {
	for _, name := range f.names {
		if !f.exactly[name] && slices.ContainsFunc(types, f.want(name)) {
			if f.exactly == nil {
				f.exactly = make(map[string]bool)
			}
			f.exactly[name] = true
		}
	}
}

// wants reports whether a type fits, by what has been seen.
func (f *typeFilter) wants(t mmapjfr.Type) bool {
	return slices.ContainsFunc(f.names, func(name string) bool {
		return f.want(name)(t) || !f.exactly[name] && f.wantFolded(name)(t)
	})
}

func (f *typeFilter) want(name string) func(mmapjfr.Type) bool {
	filter := f.exact(name)
	return func(t mmapjfr.Type) bool { return mmapjfr.MatchesType(filter, t) }
}

// wantFolded wants a name without regard to case. Initials are capitals.
func (f *typeFilter) wantFolded(name string) func(mmapjfr.Type) bool {
	pattern, initials := globPattern(name, "(?i)"), f.exact(strings.ToUpper(name))
	return func(t mmapjfr.Type) bool {
		return slices.ContainsFunc(f.of(t), pattern.MatchString) || mmapjfr.MatchesType(initials, t)
	}
}

// strangeName makes the error for a name that none of the types fits, and reports whether
// it is wrong usage: a pattern may fit nothing.
func (f *typeFilter) strangeName(name, where string, types []mmapjfr.Type) (err error, misuse bool) {
	var names []string
	for _, t := range types {
		names = append(names, f.of(t)[0])
		if f.option != "--events" {
			names = append(names, f.of(t)[1:]...)
		}
	}
	err = fmt.Errorf("no event type %s fits %s %s%s", where, f.option, name, suggest.Question(name, names))
	return err, !strings.ContainsAny(name, "*?")
}

// globPattern returns the expression for a name in which * stands for any characters and
// ? for one.
func globPattern(glob, flags string) *regexp.Regexp {
	pattern := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(glob))
	return regexp.MustCompile(flags + `^(?s:` + pattern + `)$`)
}

// typesNamed resolves filters among types. What fits nothing is an error if it is a name,
// and told if it is a pattern, or if types are missing because their chunk is damaged.
func (a *app) typesNamed(filters []typeFilter, types []mmapjfr.Type, missing bool) (list []mmapjfr.Filter, err error) {
	var wrong []error
	for i := range filters {
		filter, strange := filters[i].among(types)
		list = append(list, filter)
		for _, name := range strange {
			switch err, misuse := filters[i].strangeName(name, "of the recording", types); {
			case misuse && !missing:
				wrong = append(wrong, usageError{err})
			default:
				a.tell(err)
			}
		}
	}
	return list, errors.Join(wrong...)
}
