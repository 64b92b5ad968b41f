package selection

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// FilterNames returns the names of a filter.
func FilterNames(filter string) (names []string) {
	for name := range strings.SplitSeq(filter, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// checkFilter returns an error for a filter without names.
func checkFilter(filter string) error {
	if len(FilterNames(filter)) == 0 {
		return cli.Usagef("the filter %q has no names", filter)
	}
	return nil
}

// TypeFilter selects types by the names of an option.
type TypeFilter struct {
	Option string
	Names  []string
	// exact is the library's filter by names, and of returns the names of a type.
	Exact func(names ...string) mmapjfr.Filter
	Of    func(mmapjfr.Type) []string
	// exactly are the names that a type has in the same case, among the types that [TypeFilter.See]
	// got.
	exactly map[string]bool
}

// ByEvents returns the filter of --events.
func ByEvents(names []string) TypeFilter {
	return TypeFilter{Option: "--events", Names: names, Exact: mmapjfr.Types, Of: TypeNames}
}

// ByCategories returns the filter of --categories.
func ByCategories(names []string) TypeFilter {
	return TypeFilter{Option: "--categories", Names: names, Exact: mmapjfr.Categories, Of: categoriesOf}
}

// TypeNames returns the full and the simple name of a type.
func TypeNames(t mmapjfr.Type) []string { return []string{t.Name(), t.SimpleName()} }

// categoriesOf returns the categories of a type, as the JDK has them.
func categoriesOf(t mmapjfr.Type) []string {
	if list := t.Category(); len(list) > 0 {
		return list
	}
	return []string{"Uncategorized"}
}

// Among returns the filter for recordings with these types, and the names that no type fits. If no
// type fits a name in the same case, its case is ignored.
func (f *TypeFilter) Among(types []mmapjfr.Type) (filter mmapjfr.Filter, strange []string) {
	var wants []func(mmapjfr.Type) bool
	for _, name := range f.Names {
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

// See notes which names types fit in the same case.
func (f *TypeFilter) See(types []mmapjfr.Type) {
	for _, name := range f.Names {
		if !f.exactly[name] && slices.ContainsFunc(types, f.want(name)) {
			if f.exactly == nil {
				f.exactly = make(map[string]bool)
			}
			f.exactly[name] = true
		}
	}
}

// Wants reports whether a type fits. It knows only the types that See got.
func (f *TypeFilter) Wants(t mmapjfr.Type) bool {
	return slices.ContainsFunc(f.Names, func(name string) bool {
		return f.want(name)(t) || !f.exactly[name] && f.wantFolded(name)(t)
	})
}

func (f *TypeFilter) want(name string) func(mmapjfr.Type) bool {
	filter := f.Exact(name)
	return func(t mmapjfr.Type) bool { return engine.MatchesType(filter, t) }
}

// wantFolded ignores the case of a name. Initials are capitals.
func (f *TypeFilter) wantFolded(name string) func(mmapjfr.Type) bool {
	pattern, initials := globPattern(name, "(?i)"), f.Exact(strings.ToUpper(name))
	return func(t mmapjfr.Type) bool {
		return slices.ContainsFunc(f.Of(t), pattern.MatchString) || engine.MatchesType(initials, t)
	}
}

// Unfit makes the error for a name that no type fits, and reports whether that is wrong usage. A
// pattern may fit nothing.
func (f *TypeFilter) Unfit(name, where string, types []mmapjfr.Type) (err error, misuse bool) {
	var names []string
	for _, t := range types {
		names = append(names, f.Of(t)[0])
		if f.Option != "--events" {
			names = append(names, f.Of(t)[1:]...)
		}
	}
	var hint error = suggest.NewHint(name, names)
	isIn := func(t mmapjfr.Type) bool { return engine.MatchesType(mmapjfr.Categories(name), t) }
	if f.Option == "--events" && slices.ContainsFunc(types, isIn) {
		hint = fmt.Errorf("; %s is a category: use --categories %[1]s", name)
	}
	err = fmt.Errorf("no event type %s matches %s %s%w", where, f.Option, name, hint)
	return err, !strings.ContainsAny(name, "*?")
}

// globPattern returns the regular expression of a name with the wildcards * and ?.
func globPattern(glob, flags string) *regexp.Regexp {
	pattern := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(glob))
	return regexp.MustCompile(flags + `^(?s:` + pattern + `)$`)
}

// ResolveTypes returns the library's filters for recordings with these types. A name that no type
// fits is an error. If it is a pattern, or if missing says that types of a damaged chunk are not
// known, it is only reported.
func ResolveTypes(a *cli.App, filters []TypeFilter, types []mmapjfr.Type, missing bool) (list []mmapjfr.Filter, err error) {
	var wrong []error
	for i := range filters {
		filter, strange := filters[i].Among(types)
		list = append(list, filter)
		for _, name := range strange {
			switch err, misuse := filters[i].Unfit(name, "of the recording", types); {
			case misuse && !missing:
				wrong = append(wrong, cli.Usage(err))
			default:
				a.Report(err)
			}
		}
	}
	return list, errors.Join(wrong...)
}
