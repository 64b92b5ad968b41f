package writer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/metatree"
)

// kind is how values of a type are written.
type kind uint8

const (
	structKind kind = iota // fields, one after the other
	boolKind
	byteKind
	charKind
	shortKind
	intKind
	longKind
	floatKind
	doubleKind
	textKind
)

// primitives are the types without fields, in the order of their kinds.
var primitives = []string{"boolean", "byte", "char", "short", "int", "long", "float", "double", jdktypes.String}

// unit is what a number counts.
type unit uint8

const (
	noUnit unit = iota
	timestampTicks
	timestampMillis
	timespanTicks // the first unit of lengths of time
	timespanNanos
	timespanMicros
	timespanMillis
	timespanSeconds
)

var units = map[string]unit{
	jdktypes.Timestamp + ticks: timestampTicks, jdktypes.Timestamp + sinceEpoch: timestampMillis,
	jdktypes.Timespan + ticks: timespanTicks, jdktypes.Timespan + "NANOSECONDS": timespanNanos,
	jdktypes.Timespan + "MICROSECONDS": timespanMicros, jdktypes.Timespan + "MILLISECONDS": timespanMillis,
	jdktypes.Timespan + "SECONDS": timespanSeconds,
}

// definedType is a type that has been defined.
type definedType struct {
	id      int64
	name    string
	super   string
	kind    kind
	simple  bool
	whole   bool // its fields are known
	fields  []definedField
	element *metatree.Element
	pool    pool
	depth   int // how many types lie inside one another in it
	width   int // how many values it has with those of such types
}

// definedField is a field of a type that has been defined.
type definedField struct {
	name                              string
	owner, typ                        *definedType
	array, constant, pooled, unsigned bool
	unit                              unit
}

// typeTable has the types that have been defined.
type typeTable struct {
	named map[string]*definedType
	list  []*definedType
}

// firstID is the id of the first type; 0 and 1 are those of metadata and checkpoints.
const firstID = 10

// Define defines types of values. A type can have fields of types that are
// defined before it, and constants of all that are defined in the same call. If one of the types is
// wrong, none is defined.
func (w *Writer) Define(types ...Type) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.define(types)
}

// DefineEvent defines an event type.
func (w *Writer) DefineEvent(t Type) (*EventType, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.super = jdktypes.Event
	if err := w.define([]Type{t}); err != nil {
		return nil, err
	}
	return &EventType{w, w.types.named[t.Name]}, nil
}

func (w *Writer) define(types []Type) error {
	if err := w.usable(); err != nil {
		return err
	}
	if err := w.types.define(types); err != nil {
		return err
	}
	w.metadata = nil
	return nil
}

func (t *typeTable) define(types []Type) error {
	before := len(t.list)
	for i := range types {
		if err := t.declare(&types[i]); err != nil {
			t.truncate(before)
			return err
		}
	}
	for i, typ := range t.list[before:] {
		if err := t.complete(typ, &types[i]); err != nil {
			t.truncate(before)
			return fmt.Errorf("writer: type %q: %w", typ.name, err)
		}
	}
	return nil
}

// truncate takes back what has been declared.
func (t *typeTable) truncate(n int) {
	for _, typ := range t.list[n:] {
		delete(t.named, typ.name)
	}
	t.list = t.list[:n]
}

func (t *typeTable) declare(d *Type) error {
	switch {
	case !isName(d.Name):
		return fmt.Errorf("writer: %q cannot be the name of a type: it is empty, or has spaces or control characters", d.Name)
	case d.super == jdktypes.Event && describe.JavaName(d.Name) != d.Name:
		return fmt.Errorf("writer: %q cannot be the name of an event type: the JDK takes names of classes in Java, such as %q", d.Name, describe.JavaName(d.Name))
	case t.named[d.Name] != nil:
		return fmt.Errorf("writer: type %q is defined already; events and structs of fields share their names, which EventInfo and the tag type can give", d.Name)
	}
	typ := &definedType{id: int64(firstID + len(t.list)), name: d.Name, super: d.super, simple: d.Simple}
	t.named[d.Name] = typ
	t.list = append(t.list, typ)
	return nil
}

// isName reports whether readers find a type or a field by the name.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError
	})
}

// complete resolves what a type refers to, and makes its metadata.
func (t *typeTable) complete(typ *definedType, d *Type) error {
	if err := checkFields(d); err != nil {
		return err
	}
	e := &metatree.Element{Name: "class"}
	e.Set("name", d.Name)
	if d.super != "" {
		e.Set("superType", d.super)
	}
	if d.Simple {
		e.Set("simpleType", "true")
	}
	e.Set("id", strconv.FormatInt(typ.id, 10))
	typ.element = e
	typ.fields = make([]definedField, len(d.Fields))
	for i := range d.Fields {
		if err := t.field(typ, &typ.fields[i], &d.Fields[i]); err != nil {
			return fmt.Errorf("field %q: %w", d.Fields[i].Name, err)
		}
	}
	if err := t.annotate(e, d.Annotations); err != nil {
		return err
	}
	if err := typ.measure(); err != nil {
		return err
	}
	typ.whole = true
	typ.setValues(d.values)
	return nil
}

// Readers refuse types that are deeper or wider, see [schema.typ.Plan].
const (
	maxTypeDepth = 32
	maxTypeWidth = 1000
)

// measure finds out how deep types lie in the type that are no constants, and how many values they have.
func (typ *definedType) measure() error {
	for i := range typ.fields {
		f := &typ.fields[i]
		if f.constant || f.typ.kind != structKind {
			typ.width++
			continue
		}
		typ.depth, typ.width = max(typ.depth, f.typ.depth+1), typ.width+f.typ.width
	}
	if typ.depth > maxTypeDepth || typ.width > maxTypeWidth {
		return fmt.Errorf("its types have more than %d inside one another, or more than %d values: make some of them constants", maxTypeDepth, maxTypeWidth)
	}
	return nil
}

// checkFields checks what the JDK's reader expects of fields.
func checkFields(d *Type) error {
	switch n := len(d.Fields); {
	case n == 0 && (d.super == "" || d.super == jdktypes.Event):
		return errors.New("it has no fields")
	case d.Simple && (n != 1 || d.super != ""):
		return errors.New("it is simple, but not the type of a value with one field")
	}
	names := make(map[string]bool)
	for i, f := range d.Fields {
		long := f.Type == "long" && !f.Array
		switch {
		case !isName(f.Name):
			return fmt.Errorf("the name of field %d is empty, or has spaces or control characters", i)
		case names[f.Name]:
			return fmt.Errorf("it has two fields %q", f.Name)
		case d.super != jdktypes.Event:
		case i == 0 && (f.Name != "startTime" || !long):
			return errors.New("the first field of an event is startTime, a long: use StartTimeField()")
		case f.Name == "duration" && (i != 1 || !long):
			return errors.New("the duration of an event is its second field, a long: use DurationField()")
		}
		names[f.Name] = true
	}
	return nil
}

func (t *typeTable) field(owner *definedType, f *definedField, d *Field) error {
	typ := t.named[d.Type]
	switch {
	case typ == nil:
		return fmt.Errorf("type %q is not defined", d.Type)
	case typ.super != "":
		return fmt.Errorf("%q is not the type of a value", d.Type)
	case d.Constant && typ.kind != structKind:
		return errors.New("a number or a text is no constant; texts can be pooled")
	case d.Pooled && (typ.kind != textKind || d.Array):
		return errors.New("only a text can be pooled")
	case typ.simple && !d.Constant:
		return errors.New("a field of a simple type must be a constant")
	case !d.Constant && typ.kind == structKind && !typ.whole:
		return fmt.Errorf("type %q must be defined before it", d.Type)
	}
	*f = definedField{name: d.Name, owner: owner, typ: typ, array: d.Array, constant: d.Constant, pooled: d.Pooled}
	for i := range d.Annotations {
		a := &d.Annotations[i]
		f.unsigned = f.unsigned || a.typ == jdktypes.Unsigned
		if u := units[a.typ+a.member("value")]; u != noUnit {
			f.unit = u
		}
	}
	return t.annotate(d.element(owner.element, typ.id), d.Annotations)
}

// annotate adds annotations to an element.
func (t *typeTable) annotate(e *metatree.Element, as []Annotation) error {
	for _, a := range as {
		typ := t.named[a.typ]
		if typ == nil || typ.super != jdktypes.Annotation {
			return fmt.Errorf("annotation type %q is not defined", a.typ)
		}
		child := e.Add("annotation").Set("class", strconv.FormatInt(typ.id, 10))
		for _, m := range a.members {
			child.Set(m.name, m.value)
		}
	}
	return nil
}

// tree returns the metadata.
func (t *typeTable) tree(r region) *metatree.Element {
	root := &metatree.Element{Name: "root"}
	metadata := root.Add("metadata")
	for _, typ := range t.list {
		metadata.Children = append(metadata.Children, typ.element)
	}
	root.Add("region").Set("locale", r.locale).
		Set("gmtOffset", strconv.FormatInt(r.offset.Milliseconds(), 10)).Set("dst", "0")
	return root
}
