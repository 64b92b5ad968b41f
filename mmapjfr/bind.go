package mmapjfr

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/javaname"
)

// Binding fills Go structs of type T with the fields of events of one type.
//
// The exported fields of T are filled:
//
//	type Sample struct {
//		StartTime time.Time          // is that of the event
//		Thread    string             `jfr:"@thread"`
//		Line      int                `jfr:"stackTrace.frames[0].lineNumber,optional"`
//		Stack     mmapjfr.StackTrace `jfr:"stackTrace"`
//		Seen      bool               `jfr:"-"` // is left out
//	}
//
// The tag is a [FieldPath]. A field without a tag has the name that package writer gives it: ID is
// id, HTTPStatus is httpStatus. It stays zero where events have no such field; of the others each
// must have one. Structs are filled from structs, by their own fields and tags. Options follow the
// path, after commas: "optional" allows it to lead
// nowhere, and the field is then zero; "ticks" binds an integer to a point in time or a length
// of time as it is recorded, mostly in ticks of the chunk's clock, which mean nothing outside
// the chunk. The Go type must be able to hold every value of the field: bool,
// integers and floats of sufficient size, string, also for structs with a text, see
// [Value.Str], time.Time for points in time, time.Duration for lengths of time, [Thread],
// [Class], [ClassLoader], [Method], [StackTrace], [Frame], [Value] for anything, and slices
// of all these for arrays.
//
// A Binding is safe for concurrent use.
type Binding[T any] struct {
	rec    *Recording
	name   string
	fields []boundField
}

// boundField is a field of T and where its value comes from.
type boundField struct {
	index    []int // inside T
	path     *FieldPath
	optional bool
	untagged bool
	ticks    bool // times are read as they are recorded
}

// Bind binds structs of type T to the events of a type, named as for [Recording.Type]. It
// fails if T is no struct or has no exported fields, if no chunk has such a type, or if,
// in any chunk, a path leads nowhere or to a value that the Go field cannot
// hold. It reads the metadata of all chunks. If the newest metadata of no chunk has the type,
// it reads all event headers to find older metadata that has it.
func Bind[T any](rec *Recording, name string) (*Binding[T], error) {
	b := &Binding[T]{rec: rec}
	t := reflect.TypeFor[T]()
	fields, errs := fieldsOf(t)
	b.fields = fields
	if len(errs) == 0 {
		errs = b.check(t, name)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, bindErr(name, t, err)
	}
	return b, nil
}

// Decode fills the struct that dst points to from the fields of a struct, by the names and tags
// that [Bind] takes. It reads them each time: for many events, use Bind.
func (v Value) Decode(dst any) error {
	p := reflect.ValueOf(dst)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("cannot decode into %T: it is not a pointer to a struct", dst)
	}
	if v.Kind() != KindStruct {
		return fmt.Errorf("cannot decode %s: it is not a struct", v.Kind())
	}
	t := p.Elem().Type()
	fields, errs := fieldsOf(t)
	if len(errs) == 0 {
		_, errs = checkType(t, fields, v.Type().orEmpty(), "")
	}
	if err := errors.Join(errs...); err != nil {
		return bindErr(v.Type().Name(), t, err)
	}
	return Chunk{v.c}.Protect(func() error {
		for _, f := range fields {
			filler(p.Elem().FieldByIndex(f.index))(v.Get(f.path))
		}
		return nil
	})
}

// fieldsOf returns the fields of a struct that is filled.
func fieldsOf(t reflect.Type) ([]boundField, []error) {
	if t.Kind() != reflect.Struct {
		return nil, []error{errors.New("it is not a struct")}
	}
	fields, errs := boundFields(t, t, boundField{}, "")
	if len(fields) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("it has no exported fields"))
	}
	return fields, errs
}

// bindErr returns the error of Bind, which says once where it comes from.
func bindErr(name string, t reflect.Type, err error) error {
	return fmt.Errorf("cannot bind %s to %s: %w", name, t, err)
}

// boundFields returns the fields of a struct that lies in T at a place, and whose values are found
// below the prefix of a path.
func boundFields(top, t reflect.Type, in boundField, prefix string) (list []boundField, errs []error) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("jfr")
		if tag == "-" || !tagged && !f.IsExported() {
			continue
		}
		if path, _, _ := strings.Cut(tag, ","); path == "" {
			tag = javaname.Field(f.Name) + tag
		}
		bound, err := parseTag(prefix + tag)
		if err == nil && !f.IsExported() {
			err = errors.New("it is not exported")
		}
		bound.index = append(slices.Clone(in.index), i)
		if err != nil {
			errs = append(errs, fieldErr("", top, bound, err))
			continue
		}
		bound.untagged = in.untagged || !tagged
		bound.optional = bound.optional || in.optional || bound.untagged
		if isNested(f.Type) {
			inner, wrong := boundFields(top, f.Type, bound, bound.path.String()+".")
			list, errs = append(list, inner...), append(errs, wrong...)
			continue
		}
		list = append(list, bound)
	}
	return list, errs
}

// isNested reports whether a type is a struct whose own fields are filled.
func isNested(t reflect.Type) bool {
	if _, view := viewClasses[t]; view || t.Kind() != reflect.Struct || t == valueType || t == timeType {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

// parseTag reads a tag: a path, and options after it.
func parseTag(tag string) (f boundField, err error) {
	text, options, more := strings.Cut(tag, ",")
	if f.path, err = ParsePath(text); err != nil {
		return f, err
	}
	for more {
		var option string
		switch option, options, more = strings.Cut(options, ","); option {
		case "optional":
			f.optional = true
		case "ticks":
			f.ticks = true
		default:
			return f, fmt.Errorf("tag option %q is unknown; there are optional and ticks", option)
		}
	}
	return f, nil
}

// check finds the event type and compares the fields with it as each chunk describes it. A type
// that the newest metadata of no chunk has may be in older metadata, which is looked for in all
// chunks: the result must not depend on what has been read before.
func (b *Binding[T]) check(t reflect.Type, name string) []error {
	var unknown error
	for _, typesOf := range []func(*chunk) (*schema.TypeSet, error){(*chunk).types, (*chunk).completeTypes} {
		described, err := b.rec.Select().eventTypes(typesOf)
		if err != nil {
			return []error{err}
		}
		var typ Type
		if typ, unknown = eventTypeNamed(views(described, func(t **schema.Type) Type { return Type{*t} }), name); unknown != nil {
			continue
		}
		b.name = typ.Name()
		some, errs := b.checkTypes(t, typesOf)
		if !some && len(errs) == 0 && !slices.ContainsFunc(b.fields, func(f boundField) bool { return !f.untagged }) {
			return []error{fmt.Errorf("%s has none of its fields; give them tags such as `jfr:\"startTime\"`", b.name)}
		}
		return errs
	}
	return []error{unknown}
}

// checkTypes compares the fields with the type as the types of each chunk have it. It returns what
// is wrong in the first chunk where something is, and whether some field is there.
func (b *Binding[T]) checkTypes(t reflect.Type, typesOf func(*chunk) (*schema.TypeSet, error)) (some bool, errs []error) {
	err := b.rec.eachTypeSet(b.rec.chunks, typesOf, func(c *chunk, types *schema.TypeSet) {
		wrong := len(errs) > 0
		for _, typ := range types.Types {
			// Class loaders can give one name to several types.
			if typ.IsEvent() && typ.CurrentName() == b.name && !wrong {
				there, wrong := checkType(t, b.fields, typ, fmt.Sprintf("chunk %d: ", c.ix.Number()))
				some, errs = some || there, append(errs, wrong...)
			}
		}
	})
	if err != nil && len(errs) == 0 {
		return false, []error{err}
	}
	return some, errs
}

// completeTypes returns the types of the chunk with those that only older metadata events of
// it describe.
func (c *chunk) completeTypes() (*schema.TypeSet, error) { return fromIndex(c, c.ix.AllTypes) }

// fieldErr returns the error with the name of the bound field.
func fieldErr(where string, t reflect.Type, f boundField, err error) error {
	name := t.Name()
	for i := range f.index {
		name += "." + t.FieldByIndex(f.index[:i+1]).Name
	}
	return fmt.Errorf("%sfield %s: %w", where, name, err)
}

// checkType compares the fields with a type, and reports whether it has some.
func checkType(t reflect.Type, fields []boundField, typ *schema.Type, where string) (some bool, errs []error) {
	for _, f := range fields {
		r := resolve(typ, f.path)
		err := r.err
		switch {
		case err == nil:
			some = true
			if err = fits(t.FieldByIndex(f.index).Type, r, f); err != nil && f.untagged {
				err = fmt.Errorf("%w; leave it out with the tag `jfr:\"-\"` if it is no field of events", err)
			}
		case f.optional:
			err = nil
		}
		if err != nil {
			errs = append(errs, fieldErr(where, t, f, err))
		}
	}
	return some, errs
}

// Events returns the events of the type, in the order of the file, as structs.
// Strings in them stay valid, see [Value.Str]; slices are used
// again for the next event. It yields the errors of [Selection.Events]. Once it runs it
// allocates nothing but room for longer slices.
func (b *Binding[T]) Events() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { b.each(yield) }
}

func (b *Binding[T]) each(yield func(T, error) bool) {
	row := b.Row()
	for ev, err := range b.rec.Select(exactly(b.name)).Events() {
		if err != nil {
			var zero T
			if !yield(zero, err) {
				return
			}
			continue
		}
		if !yield(*row.Read(ev), nil) {
			return
		}
	}
}

// exactly selects the one type of that full name of today.
type exactly string

func (e exactly) check() error { return nil }

func (e exactly) matchesType(typ *schema.Type) bool { return typ.CurrentName() == string(e) }

// Row is one struct that is filled again and again. It belongs to one goroutine.
type Row[T any] struct {
	value T
	fill  []func(Event)
}

// Row returns a struct to be filled by the caller, for events that come from
// elsewhere than [Binding.Events].
func (b *Binding[T]) Row() *Row[T] {
	row := &Row[T]{}
	v := reflect.ValueOf(&row.value).Elem()
	for _, f := range b.fields {
		set := filler(v.FieldByIndex(f.index))
		row.fill = append(row.fill, func(ev Event) { set(ev.get(f.path)) })
	}
	return row
}

// Read fills the struct with the fields of an event and returns it. The struct
// is the same each time. The event must be of the type that was bound. If the file has
// lost some of what the event refers to, all of the struct is zero, see [Recording.FileErr].
func (r *Row[T]) Read(ev Event) *T {
	if !r.read(ev) {
		var zero T
		r.value = zero
	}
	return &r.value
}

func (r *Row[T]) read(ev Event) (all bool) {
	if ev.c.mayFault() {
		defer ev.c.recoverFault(debug.SetPanicOnFault(true))
	}
	for _, fill := range r.fill {
		fill(ev)
	}
	return true
}
