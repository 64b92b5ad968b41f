package mmapjfr

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/mmapjfr/jfr/index/schema"
)

// Binding fills Go structs of type T with the fields of events of one type.
//
// The fields of T that have a tag are filled:
//
//	type Sample struct {
//		Time   time.Time          `jfr:"startTime"`
//		Thread string             `jfr:"@thread"`
//		Line   int                `jfr:"stackTrace.frames[0].lineNumber,optional"`
//		Stack  mmapjfr.StackTrace `jfr:"stackTrace"`
//	}
//
// The tag is a [FieldPath]. Options follow it, after commas: "optional" allows it to lead
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
	index    int
	path     *FieldPath
	optional bool
	ticks    bool // times are read as they are recorded
}

// Bind binds structs of type T to the events of the type of that full name. It
// fails if T is no struct or has no tags, if no chunk has such a type, or if,
// in any chunk, a path leads nowhere or to a value that the Go field cannot
// hold. It reads the metadata of all chunks. If the newest metadata of no chunk has the type,
// it reads all event headers to find older metadata that has it.
func Bind[T any](rec *Recording, name string) (*Binding[T], error) {
	b := &Binding[T]{rec: rec, name: schema.CurrentName(name)}
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("mmapjfr: cannot bind %s to %s: it is no struct", name, t)
	}
	var errs []error
	for i := range t.NumField() {
		f := t.Field(i)
		tag, ok := f.Tag.Lookup("jfr")
		if !ok {
			continue
		}
		bound, err := parseTag(tag)
		if err == nil && !f.IsExported() {
			err = errors.New("mmapjfr: it is not exported")
		}
		if err != nil {
			errs = append(errs, fieldErr("", t, f, err))
			continue
		}
		bound.index = i
		b.fields = append(b.fields, bound)
	}
	if len(b.fields) == 0 && len(errs) == 0 {
		return nil, fmt.Errorf("mmapjfr: cannot bind %s to %s: none of its fields has a jfr tag", name, t)
	}
	if len(errs) == 0 {
		errs = b.check(t)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("mmapjfr: cannot bind %s to %s: %w", name, t, err)
	}
	return b, nil
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
			return f, fmt.Errorf("mmapjfr: tag option %q is unknown; there are optional and ticks", option)
		}
	}
	return f, nil
}

// check compares the fields with the type as each chunk describes it. A type that the newest
// metadata of no chunk has may be in older metadata, which is looked for in all chunks: the
// result must not depend on what has been read before.
func (b *Binding[T]) check(t reflect.Type) []error {
	for _, typesOf := range []func(*chunk) (*schema.TypeSet, error){(*chunk).types, (*chunk).completeTypes} {
		if found, errs := b.checkTypes(t, typesOf); found || len(errs) > 0 {
			return errs
		}
	}
	described, _ := b.rec.Select().eventTypes((*chunk).completeTypes)
	return []error{typeErr(b.name, described)}
}

// checkTypes compares the fields with the type as the types of each chunk have it. It returns what
// is wrong in the first chunk where something is.
func (b *Binding[T]) checkTypes(t reflect.Type, typesOf func(*chunk) (*schema.TypeSet, error)) (found bool, errs []error) {
	err := b.rec.eachTypeSet(b.rec.chunks, typesOf, func(c *chunk, types *schema.TypeSet) {
		wrong := len(errs) > 0
		for _, typ := range types.Types {
			// Class loaders can give one name to several types.
			if typ.CurrentName() == b.name && !wrong {
				found = true
				errs = append(errs, b.checkType(t, typ, c.ix.Number())...)
			}
		}
	})
	if err != nil && len(errs) == 0 {
		return false, []error{err}
	}
	return found, errs
}

// completeTypes returns the types of the chunk with those that only older metadata events of
// it describe.
func (c *chunk) completeTypes() (*schema.TypeSet, error) { return fromIndex(c, c.ix.AllTypes) }

// fieldErr returns the error with the name of the bound field.
func fieldErr(where string, t reflect.Type, f reflect.StructField, err error) error {
	text := strings.TrimPrefix(err.Error(), "mmapjfr: ")
	return &nameError{fmt.Sprintf("%sfield %s.%s: %s", where, t.Name(), f.Name, text), err}
}

// checkType compares the fields with the type of a chunk.
func (b *Binding[T]) checkType(t reflect.Type, typ *schema.Type, chunk int) (errs []error) {
	for _, f := range b.fields {
		field := t.Field(f.index)
		r := resolve(typ, f.path)
		err := r.err
		switch {
		case err == nil:
			err = fits(field.Type, r, f)
		case f.optional:
			err = nil
		}
		if err != nil {
			errs = append(errs, fieldErr(fmt.Sprintf("chunk %d: ", chunk), t, field, err))
		}
	}
	return errs
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
		row.fill = append(row.fill, filler(v.Field(f.index), f.path))
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
