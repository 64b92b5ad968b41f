package main

import (
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// aboutFilters is what help says of filters.
const aboutFilters = `A filter is a list of names with commas between them, in which * stands for any
characters and ? for one. That of events goes by the name of the type, with its
package or without; that of categories by each category that the type is filed
under, or by the initials of its words, as in JVM.`

// filterNames returns the names of a filter.
func filterNames(filter string) (names []string) {
	for name := range strings.SplitSeq(filter, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// checkFilter tells of a filter that names nothing.
func checkFilter(filter string) error {
	if len(filterNames(filter)) == 0 {
		return usagef("the filter %q has no names", filter)
	}
	return nil
}

// typeFilters select events, or types, by type. Empty ones are none.
type typeFilters struct {
	events, categories string
}

// check tells of a filter that names nothing.
func (f *typeFilters) check() error {
	for _, filter := range []string{f.events, f.categories} {
		if filter == "" {
			continue
		}
		if err := checkFilter(filter); err != nil {
			return err
		}
	}
	return nil
}

// filters returns the filters; none if all is wanted.
func (f *typeFilters) filters() (list []mmapjfr.Filter) {
	if f.events != "" {
		list = append(list, mmapjfr.Types(filterNames(f.events)...))
	}
	if f.categories != "" {
		list = append(list, mmapjfr.Categories(filterNames(f.categories)...))
	}
	return list
}
