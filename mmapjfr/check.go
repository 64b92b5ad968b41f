package mmapjfr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// nameError is the error for a name that leads nowhere. It matches the error is.
type nameError struct {
	text string
	is   error
}

func (e *nameError) Error() string { return e.text }
func (e *nameError) Unwrap() error { return e.is }

// unknown returns the error for a name that is not known.
func unknown(is error, hint suggest.Hint, format string, args ...any) error {
	return &nameError{fmt.Sprintf(format, args...) + hint.String(), errors.Join(is, hint)}
}

// Check returns an error that names typing errors: event types that the recording does not
// describe, and paths that none of the types has; and the names that are most like them.
// Types are named as for [Types]: without any, the paths may be those of any event type. It is
// [Selection.Check] of a selection of these types.
func (r *Recording) Check(paths []*FieldPath, types ...string) error {
	return r.Select(Types(types...)).Check(paths...)
}

// Check returns an error that names what in the selection fits nothing: names of types
// and categories that no event type of the recording has, and paths that lead nowhere from
// all the types that are selected. It says which names are most like them, and matches
// [ErrNoType] and [ErrNoField]. Iterating, selecting and reading by a path report none of these, since recordings of other versions of a virtual machine may have them: call
// Check once, before the loop, to find typing errors. It reads the metadata of all chunks. If
// a name is missing there, it reads all event headers to find older metadata, as [Bind] does.
// Metadata that cannot be read is left out: iterating reports it.
func (s *Selection) Check(paths ...*FieldPath) error {
	if s.err != nil {
		return s.err
	}
	err := s.rec.use()
	if err != nil {
		return err
	}
	defer s.rec.done()
	for _, typesOf := range []func(*chunk) (*schema.TypeSet, error){(*chunk).types, (*chunk).completeTypes} {
		described, failed := s.eventTypes(typesOf)
		if failed != nil {
			return failed
		}
		if err = s.check(described, paths); err == nil {
			return nil
		}
	}
	return err
}

// eventTypes returns the event types that the chunks of the selection describe.
func (s *Selection) eventTypes(typesOf func(*chunk) (*schema.TypeSet, error)) (described []*schema.Type, err error) {
	err = s.rec.eachTypeSet(s.chunks, typesOf, func(_ *chunk, types *schema.TypeSet) {
		for _, typ := range types.Types {
			if typ.IsEvent() {
				described = append(described, typ)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return described, nil
}

// eachTypeSet calls visit with the types of the chunks, and with the first chunk that has them. It
// fails if the recording is closed or the file has changed. Iterating reports other errors.
func (r *Recording) eachTypeSet(chunks []*chunk, typesOf func(*chunk) (*schema.TypeSet, error), visit func(*chunk, *schema.TypeSet)) error {
	seen := make(map[*schema.TypeSet]bool)
	for _, c := range chunks {
		types, err := typesOf(c)
		if err != nil {
			if known := r.statusErr(); known != nil {
				return known
			}
		} else if !seen[types] {
			seen[types] = true
			visit(c, types)
		}
	}
	return nil
}

// check compares the filters and the paths with the types.
func (s *Selection) check(described []*schema.Type, paths []*FieldPath) error {
	var errs []error
	for _, f := range s.filters {
		if n, ok := f.(nameChecker); ok {
			errs = append(errs, n.unknownNames(described)...)
		}
	}
	wanted := slices.DeleteFunc(slices.Clone(described), func(typ *schema.Type) bool {
		return slices.ContainsFunc(s.filters, func(f Filter) bool { return !f.matchesType(typ) })
	})
	if len(wanted) == 0 && len(errs) == 0 && len(described) > 0 {
		errs = append(errs, &nameError{"the selection wants events of no type that the recording describes", ErrNoType})
	}
	for _, p := range paths {
		if len(wanted) > 0 {
			errs = append(errs, pathErr(wanted, p))
		}
	}
	return errors.Join(errs...)
}

// nameChecker is a filter that names something.
type nameChecker interface {
	// unknown returns an error for each name that fits none of the types.
	unknownNames(described []*schema.Type) []error
}

func (f typeFilter) unknownNames(described []*schema.Type) (errs []error) {
	known := make(map[string]bool, 2*len(described))
	for _, typ := range described {
		known[typ.CurrentName()], known[Type{typ}.SimpleName()], known[simpleName(typ.Name)] = true, true, true
	}
	for _, name := range f.all {
		if !known[schema.CurrentName(name)] && !(isGlob(name) && slices.ContainsFunc(described, Types(name).matchesType)) {
			errs = append(errs, typeErr(name, views(described, func(t **schema.Type) string { return (*t).CurrentName() })))
		}
	}
	return errs
}

func (f categoryFilter) unknownNames(described []*schema.Type) (errs []error) {
	for _, name := range f {
		if slices.ContainsFunc(described, categoryFilter{name}.matchesType) {
			continue
		}
		var names []string
		for _, typ := range described {
			names = append(names, Type{typ}.Category()...)
		}
		errs = append(errs, unknown(ErrNoType, suggest.NewHint(name, names), "no event type of the recording is in a category %q", name))
	}
	return errs
}

// checkFilter returns an error for the names of event types or categories in a filter that
// match none of the types, or nil. It is [Selection.Check] for types without a recording, such
// as those of growing chunks.
func checkFilter(f Filter, types []Type) error {
	if err := f.check(); err != nil {
		return err
	}
	n, ok := f.(nameChecker)
	if !ok {
		return nil
	}
	var described []*schema.Type
	for _, t := range types {
		if t.IsEvent() {
			described = append(described, t.typ)
		}
	}
	return errors.Join(n.unknownNames(described)...)
}

// typeErr returns the error for a name that no event type has. Names are those that they have.
func typeErr(name string, names []string) error {
	return unknown(ErrNoType, suggest.NewHint(name, names), "the recording has no event type %q", name)
}

// pathErr returns why a path leads nowhere from all of the types; nil if it leads
// somewhere from one.
func pathErr(described []*schema.Type, p *FieldPath) error {
	if p == nil {
		return &nameError{"a field path is nil", ErrNoField}
	}
	var names []string
	var close error // of a type that has the first field
	first := FieldPath{text: p.text, parts: p.parts[:1]}
	for _, typ := range described {
		r := resolve(typ, p)
		if r.field != nil {
			return nil
		}
		if close == nil && (len(described) == 1 || resolve(typ, &first).field != nil) {
			close = r.err
		}
		for i := range typ.Fields {
			names = append(names, typ.Fields[i].Name)
		}
		for _, f := range (Type{typ}).computed() {
			names = append(names, f.Name())
		}
	}
	if close != nil {
		return close
	}
	return unknown(ErrNoField, suggest.NewHint(p.parts[0].name, names), "field path %q: none of the %d event types that are selected has a field %s",
		p.text, len(described), p.parts[0].name)
}

// rank says how well a name fits an event type: 3 is a full name of it, today's or that in the
// recording, 2 one of these without its package, 1 any of them in another case, and 0 none.
func rank(typ *schema.Type, name string) int {
	wire.StepBytes(len(typ.Name) + 8)
	current := typ.CurrentName()
	names := []string{simpleName(current), simpleName(typ.Name), current, typ.Name}
	switch {
	case name == typ.Name || schema.CurrentName(name) == current:
		return 3
	case slices.Contains(names[:2], name):
		return 2
	case slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }):
		return 1
	}
	return 0
}

// eventTypeNamed returns the event type that a name means where it must mean one: the one that it
// fits best, see [rank]. The error matches [ErrNoType]; it has the names that are most like it, or
// those of the types that share it.
func eventTypeNamed(types []Type, name string) (found Type, err error) {
	best := 0
	var names []string
	for _, t := range types {
		if !t.IsEvent() {
			continue
		}
		fit := rank(t.typ, name)
		if fit > best {
			best, names = fit, nil
		}
		if fit == best {
			found, names = t, append(names, t.Name())
		}
	}
	slices.Sort(names)
	switch names = slices.Compact(names); {
	case best == 0:
		return Type{}, typeErr(name, names)
	case len(names) > 1:
		return Type{}, &nameError{fmt.Sprintf("%.100s is the name of %d event types; write one of them with its package: %s",
			name, len(names), strings.Join(names[:min(len(names), 10)], ", ")), errors.Join(ErrNoType, suggest.ErrAmbiguous)}
	}
	return found, nil
}
