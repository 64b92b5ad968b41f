package print

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// ErrMixedTypes says that CSV or TSV were asked for without Fields, and that there
// are events of several types, which have no columns in common.
var ErrMixedTypes = errors.New("there are events of several types, which have different columns")

// rowsFormat returns the format of CSV and TSV, and of NDJSON with fields that are named.
func rowsFormat(ctx context.Context, recs []*mmapjfr.Recording, o *Options) (format, error) {
	types := o.wantedTypes(recs)
	columns, err := o.columns(ctx, recs, types)
	if err != nil {
		return format{}, err
	}
	return rowsOf(o, columns), nil
}

// rowsOf returns the format of rows, or objects, with these columns.
func rowsOf(o *Options, columns []column) format {
	if o.Format == NDJSON {
		return format{renderer: func() renderer { return newNDJSONOf(o, columns) }}
	}
	f := format{renderer: func() renderer { return newRows(o, columns) }}
	if len(columns) > 0 {
		f.begin = newRows(o, columns).header()
	}
	return f
}

// DefaultFields returns the fields that rows of these types have where [Options].Fields names
// none: all of them, and of a struct without a short form those that are in it. The types
// are to have one name; each of their fields is there once.
func DefaultFields(types ...mmapjfr.Type) (fields []string) {
	for _, c := range columnsOf(types) {
		fields = append(fields, c.title)
	}
	return fields
}

// CheckFields tells what is wrong with fields of rows, as [Write] does: one that cannot be
// a path, and one that none of the types has.
func CheckFields(fields []string, types []mmapjfr.Type) error {
	o := Options{Fields: fields}
	_, err := o.askedFor(types)
	return err
}

// wantedTypes returns the event types that the filters can want, in the order in which
// they first appear. There can be several of one name, by different chunks.
func (o *Options) wantedTypes(recs []*mmapjfr.Recording) (types []mmapjfr.Type) {
	seen := make(map[mmapjfr.Type]bool)
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			list, _ := c.Types() // what is wrong comes out where the events are read
			for _, t := range list {
				if seen[t] || !t.IsEvent() {
					continue
				}
				seen[t] = true
				wanted := true
				for _, f := range o.Filters {
					wanted = wanted && mmapjfr.MatchesType(f, t)
				}
				if wanted {
					types = append(types, t)
				}
			}
		}
	}
	return types
}

// columns returns the columns that were asked for, or else those of the one event
// type that there are events of.
func (o *Options) columns(ctx context.Context, recs []*mmapjfr.Recording, types []mmapjfr.Type) (columns []column, err error) {
	if len(o.Fields) > 0 {
		return o.askedFor(types)
	}
	names := typeNames(types)
	if len(names) > 1 {
		if names, err = o.occurring(ctx, recs); err != nil {
			return nil, err
		}
	}
	switch len(names) {
	case 0:
		return nil, nil
	case 1:
		return columnsOf(slices.DeleteFunc(types, func(t mmapjfr.Type) bool { return t.Name() != names[0] })), nil
	}
	return nil, fmt.Errorf("%w: %s", ErrMixedTypes, strings.Join(names, " and "))
}

// askedFor returns the columns that were asked for. It fails if one is of a field that none
// of the types has; without types all there can be are good.
func (o *Options) askedFor(types []mmapjfr.Type) (columns []column, err error) {
	for _, text := range o.Fields {
		path, err := findColumn(text, types)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column{title: text, path: path})
	}
	return columns, nil
}

// typeNames returns the names of types, each once.
func typeNames(types []mmapjfr.Type) (names []string) {
	for _, t := range types {
		if !slices.Contains(names, t.Name()) {
			names = append(names, t.Name())
		}
	}
	return names
}

// occurring returns the names of the types that there are events of. It stops at the
// second one.
func (o *Options) occurring(ctx context.Context, recs []*mmapjfr.Recording) (names []string, err error) {
	quiet := *o
	quiet.OnError, quiet.Progress = nil, nil
	for _, rec := range recs {
		more, err := quiet.events(ctx, rec, rec.Select(o.Filters...), func(ev mmapjfr.Event) bool {
			if name := ev.Type().Name(); !slices.Contains(names, name) {
				names = append(names, name)
			}
			return len(names) < 2
		})
		if !more {
			return names, err
		}
	}
	return names, nil
}

// findColumn returns the path with that text. It fails if none of the types has such
// a field.
func findColumn(text string, types []mmapjfr.Type) (*mmapjfr.FieldPath, error) {
	path, err := mmapjfr.ParsePath(text)
	if err != nil || len(types) == 0 {
		return path, err
	}
	var nowhere error
	var fields []string
	for _, t := range types {
		if _, _, nowhere = t.Resolve(path); nowhere == nil {
			return path, nil
		}
		for _, f := range append(t.Fields(), t.Computed()...) {
			if !f.IsComputed() || strings.HasPrefix(text, "@") {
				fields = append(fields, f.Name())
			}
		}
	}
	if len(typeNames(types)) == 1 {
		return nil, nowhere
	}
	return nil, fmt.Errorf("no event type has a field %s%s", text, suggest.Question(text, fields))
}
