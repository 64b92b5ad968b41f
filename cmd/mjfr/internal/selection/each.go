package selection

import (
	"slices"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/timespec"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// OfEach returns the selection that options make of each recording alone, for work that is divided
// among machines. Times must not depend on what is read. A name that no type of a recording fits
// selects nothing of it.
func (o *Options) OfEach() (s batch.Selection, err error) {
	if s.Text = o.String(); !o.Given() {
		return s, nil
	}
	if s.From, err = absolute("--from", o.From); err != nil {
		return s, err
	}
	if s.To, err = absolute("--to", o.To); err != nil {
		return s, err
	}
	condition, err := o.Condition(time.Time{}, time.Time{}, time.UTC)
	if err != nil {
		return s, err
	}
	if condition != nil {
		if err := condition.CheckTimes(); err != nil {
			return s, cli.Usage(err)
		}
	}
	threads, err := ParseThreads(o.Threads)
	if err != nil {
		return s, err
	}
	s.Choose = func(types []mmapjfr.Type) (filters []mmapjfr.Filter, matches func(mmapjfr.Event) bool) {
		byType := o.TypeFilters()
		for i := range byType {
			filter, _ := byType[i].Among(types)
			filters = append(filters, filter)
		}
		if condition != nil {
			filter, err := condition.Filter(left(types, filters))
			if err != nil {
				filter = mmapjfr.TypesFunc(func(mmapjfr.Type) bool { return false })
			}
			filters, matches = append(filters, filter), condition.Matches
		}
		if o.From != "" || o.To != "" {
			filters = append(filters, mmapjfr.Between(s.From, s.To))
		}
		if len(o.Threads) > 0 {
			filters = append(filters, mmapjfr.ThreadsFunc(threads.Wants))
		}
		return filters, matches
	}
	s.Fits = func(types []mmapjfr.Type) []batch.Fit { return o.fits(types, condition) }
	return s, CheckBounds(s.From, s.To, o.From, o.To)
}

// left returns the types that pass filters.
func left(types []mmapjfr.Type, filters []mmapjfr.Filter) []mmapjfr.Type {
	return slices.DeleteFunc(slices.Clone(types), func(t mmapjfr.Type) bool { return !AllMatch(filters, t) })
}

// fits returns whether a recording with these event types has what options name.
func (o *Options) fits(types []mmapjfr.Type, condition *where.Condition) (list []batch.Fit) {
	var filters []mmapjfr.Filter
	byType := o.TypeFilters()
	for i := range byType {
		f := &byType[i]
		filter, strange := f.Among(types)
		filters = append(filters, filter)
		for _, name := range f.Names {
			var err error
			misuse := true
			if slices.Contains(strange, name) {
				err, misuse = f.Unfit(name, "of the recordings", types)
			}
			if misuse { // a pattern may fit nothing
				list = append(list, batch.NewFit(f.Option+" "+name, err))
			}
		}
	}
	if wanted := left(types, filters); condition != nil && len(wanted) > 0 {
		_, err := condition.Filter(wanted)
		list = append(list, batch.NewFit("--where", err))
	}
	return list
}

// absolute returns a point in time that does not depend on a recording.
func absolute(option, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	one, another := time.Unix(1e9, 0), time.Unix(1.5e9, 0)
	at, err := timespec.Parse(text, one, another, time.UTC)
	if err != nil {
		return at, cli.Usage(err)
	}
	if other, _ := timespec.Parse(text, another.Add(time.Hour), another.Add(3*time.Hour), time.UTC); !other.Equal(at) {
		return at, cli.Usagef("%s %s depends on the recording; many recordings need date and time, as in 2026-11-20T21:22:37Z", option, text)
	}
	return at, nil
}
