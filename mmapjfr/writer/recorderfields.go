package writer

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// structField says how a field of a struct becomes a value.
type structField struct {
	index  int // of the field in its struct
	kind   fieldKind
	fields []structField // of a struct
	elem   *structField  // of a slice
}

// fieldKind is the kind of a Go type.
type fieldKind uint8

const (
	goBool fieldKind = iota
	goInt
	goUint
	goFloat
	goText
	goTime
	goDuration
	goThread
	goClass
	goStack
	goStruct
	goSlice
)

// goTypes are the types that are more than their kind.
var goTypes = map[reflect.Type]struct {
	kind fieldKind
	name string
}{
	reflect.TypeFor[time.Time]():     {goTime, "long"},
	reflect.TypeFor[time.Duration](): {goDuration, "long"},
	reflect.TypeFor[Thread]():        {goThread, jdktypes.Thread},
	reflect.TypeFor[ClassName]():     {goClass, jdktypes.Class},
	reflect.TypeFor[Stack]():         {goStack, jdktypes.StackTrace},
}

// goKinds are the kinds of all others.
var goKinds = map[reflect.Kind]struct {
	kind fieldKind
	name string
}{
	reflect.Bool: {goBool, "boolean"}, reflect.String: {goText, jdktypes.String},
	reflect.Int8: {goInt, "byte"}, reflect.Int16: {goInt, "short"}, reflect.Int32: {goInt, "int"},
	reflect.Int64: {goInt, "long"}, reflect.Int: {goInt, "long"},
	reflect.Uint8: {goUint, "byte"}, reflect.Uint16: {goUint, "short"}, reflect.Uint32: {goUint, "int"},
	reflect.Uint64: {goUint, "long"}, reflect.Uint: {goUint, "long"}, reflect.Uintptr: {goUint, "long"},
	reflect.Float32: {goFloat, "float"}, reflect.Float64: {goFloat, "double"},
	reflect.Slice: {goSlice, ""}, reflect.Struct: {goStruct, ""},
}

// structBuilder makes types of structs, and collects those that are to be defined.
type structBuilder struct {
	w     *Writer
	types []Type
}

// fields returns how the fields of a struct are filled in, and the fields of its type.
func (b *structBuilder) fields(t reflect.Type) (list []structField, defined []Field, err error) {
	if t.Kind() != reflect.Struct {
		return nil, nil, fmt.Errorf("%s is not a struct", t)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, tagged := f.Tag.Lookup("jfr")
		switch {
		case name == "-" || !f.IsExported() && !tagged:
			continue
		case !f.IsExported():
			return nil, nil, fmt.Errorf("field %s has a tag, but is not exported", f.Name)
		case name == "":
			name = javaname.Field(f.Name)
		}
		s, d, err := b.field(f)
		if err != nil {
			return nil, nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		s.index, d.Name = i, name
		list, defined = append(list, s), append(defined, d)
	}
	return list, defined, nil
}

// field returns how a field is filled in, and all of its description but the name.
func (b *structBuilder) field(f reflect.StructField) (s structField, d Field, err error) {
	typ := f.Type
	var elem structField
	if _, special := goTypes[typ]; !special && typ.Kind() == reflect.Slice {
		d.Array = true
		typ = typ.Elem()
	}
	if s.kind, d.Type, err = kindOf(typ); err != nil {
		return s, d, err
	}
	if d.Array && (s.kind > goText || s.kind == goUint) {
		return s, d, fmt.Errorf("%s cannot be written: the JDK prints slices of booleans, signed numbers, floats and strings", f.Type)
	}
	named := f.Tag.Get("type")
	switch s.kind {
	case goThread, goClass, goStack:
		d.Constant = true
	case goStruct:
		if named == "" {
			named = describe.JavaName(typ.String())
		}
		d.Type = named
		if s.fields, err = b.nest(typ, named); err != nil {
			return s, d, err
		}
	case goText:
		switch {
		case named == jdktypes.String && !d.Array:
			d.Pooled = true
		case named != "" && named != jdktypes.String:
			d.Type, d.Constant = named, true
			b.simple(named)
		}
	}
	if d.Array {
		elem = s
		s = structField{kind: goSlice, elem: &elem}
	}
	d.Annotations, err = annotationsOf(f.Tag, typ)
	return s, d, err
}

func kindOf(t reflect.Type) (fieldKind, string, error) {
	if k, ok := goTypes[t]; ok {
		return k.kind, k.name, nil
	}
	k, ok := goKinds[t.Kind()]
	if !ok || k.kind == goSlice {
		return 0, "", fmt.Errorf("%s cannot be written", t)
	}
	return k.kind, k.name, nil
}

// known reports whether a type is defined, or is going to be.
func (b *structBuilder) known(name string) bool {
	for i := range b.types {
		if b.types[i].Name == name {
			return true
		}
	}
	return b.w.types.named[name] != nil
}

// simple defines a simple type of a text, unless it is known.
func (b *structBuilder) simple(name string) {
	if !b.known(name) {
		b.types = append(b.types, Type{Name: name, Simple: true, Fields: []Field{of("value", jdktypes.String, "Value")}})
	}
}

// nest defines the type of a nested struct, unless it is known.
func (b *structBuilder) nest(t reflect.Type, name string) ([]structField, error) {
	list, defined, err := b.fields(t) // it ends: a struct contains itself through pointers and slices alone
	if err != nil {
		return nil, err
	}
	if typ := b.w.types.named[name]; typ != nil {
		same := len(typ.fields) == len(defined)
		for i := range defined {
			same = same && typ.fields[i].name == defined[i].Name && typ.fields[i].typ.name == defined[i].Type
		}
		if !same {
			return nil, fmt.Errorf("type %q is defined already, with other fields", name)
		}
	} else if !b.known(name) {
		b.types = append(b.types, Type{Name: name, Fields: defined})
	}
	return list, nil
}

// unitTags are the annotations that the tag unit stands for.
var unitTags = map[string][]Annotation{
	"bytes": {DataAmount()}, "bits": {Annotate(jdktypes.DataAmount, "BITS")},
	"bytes/s": {DataAmount(), Annotate(jdktypes.Frequency)},
	"bits/s":  {Annotate(jdktypes.DataAmount, "BITS"), Annotate(jdktypes.Frequency)},
	"hertz":   {Annotate(jdktypes.Frequency)}, "percentage": {Annotate(jdktypes.Percentage)},
	"address": {Annotate(jdktypes.MemoryAddress)},
}

var timespanTags = map[string]time.Duration{
	"": time.Nanosecond, "ns": time.Nanosecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "ticks": 0,
}

var timestampTags = map[string]time.Duration{"": 0, "ticks": 0, "ms": time.Millisecond}

// annotationsOf returns the annotations of a field with a tag, whose elements have a Go type.
func annotationsOf(tag reflect.StructTag, t reflect.Type) (as []Annotation, err error) {
	if label := tag.Get("label"); label != "" {
		as = append(as, Label(label))
	}
	if description := tag.Get("description"); description != "" {
		as = append(as, Description(description))
	}
	kind, _, err := kindOf(t)
	if kind == goUint {
		as = append(as, Unsigned())
	}
	unit := tag.Get("unit")
	time, isTime := timestampTags[unit]
	span, isSpan := timespanTags[unit]
	switch annotations, ok := unitTags[unit]; {
	case kind == goTime && isTime:
		as = append(as, Timestamp(time))
	case kind == goDuration && isSpan:
		as = append(as, Timespan(span))
	case ok && (kind == goInt || kind == goUint || kind == goFloat):
		as = append(as, annotations...)
	case unit != "":
		err = errors.New("the tag unit does not fit the type; see Recorder")
	}
	for name := range strings.SplitSeq(tag.Get("annotate"), ",") {
		if name != "" {
			as = append(as, Annotate(name))
		}
	}
	return as, err
}

// fill makes values of the fields of a struct. Their lists are used again.
func (w *Writer) fill(values []Value, fields []structField, from reflect.Value) error {
	for i := range fields {
		if err := w.fillValue(&values[i], &fields[i], from.Field(fields[i].index)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) fillValue(v *Value, f *structField, from reflect.Value) error {
	switch f.kind {
	case goBool:
		*v = Bool(from.Bool())
	case goInt:
		*v = Int(from.Int())
	case goUint:
		*v = Uint(from.Uint())
	case goFloat:
		*v = Float(from.Float())
	case goText:
		*v = Text(from.String())
	case goDuration:
		*v = Duration(time.Duration(from.Int()))
	case goStruct:
		if len(f.fields) == 1 && f.fields[0].kind == goSlice { // a list stands for the slice then
			return w.fillValue(v, &f.fields[0], from.Field(f.fields[0].index))
		}
		*v = Value{kind: listValue, list: resize(v.list, len(f.fields))}
		return w.fill(v.list, f.fields, from)
	case goSlice:
		*v = Value{kind: listValue, list: resize(v.list, from.Len())}
		for i := range v.list {
			if err := w.fillValue(&v.list[i], f.elem, from.Index(i)); err != nil {
				return err
			}
		}
	default:
		return w.fillSpecial(v, from)
	}
	return nil
}

// fillSpecial makes values of types that are more than their kind.
func (w *Writer) fillSpecial(v *Value, from reflect.Value) error {
	switch p := from.Addr().Interface().(type) {
	case *time.Time:
		*v = Time(*p)
	case *Thread:
		*v = p.Value()
	case *ClassName:
		*v = p.Value()
	case *Stack:
		c, err := w.stack(*p)
		*v = c.value()
		return err
	}
	return nil
}

func resize(list []Value, n int) []Value {
	if cap(list) < n {
		return make([]Value, n)
	}
	return list[:n]
}
