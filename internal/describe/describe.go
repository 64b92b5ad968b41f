// Package describe makes the metadata of recordings that are written: a tree that says of each type
// how its values lie, without what the JDK's reader cannot read, and one number for each type in
// chunks of several virtual machines.
package describe

import (
	"iter"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Description is the metadata of a chunk as it is written, without what the JDK cannot read.
type Description struct {
	types *schema.TypeSet
	jvm   *JVM
	// bare says, by ordinal, why a type is written without its fields; empty if it has its fields.
	// Values of a bare type cannot be read. Fields that refer to its constants can be: the
	// constants are missing then, and the other fields stay.
	bare []string
	// prints is whether types are left out at which the JDK fails as it prints: it prints nothing
	// of the others then.
	prints bool
	// fields are, by ordinal, the types of fields: the JDK knows a type without fields by these
	// alone.
	fields []bool
}

// Types returns the types that the description is of.
func (d *Description) Types() *schema.TypeSet { return d.types }

// New decides what is written of the types. The JDK refuses the whole recording if it cannot
// read one field of one type. With prints, types at which it fails as it prints are left out, too.
func New(types *schema.TypeSet, j *JVM, prints bool) *Description {
	d := &Description{types: types, jvm: j, bare: make([]string, len(types.Types)), prints: prints}
	for again := true; again; {
		again = false
		for i, typ := range types.Types {
			if !d.Has(typ) {
				continue
			}
			if d.bare[i] = d.flaw(typ); d.bare[i] != "" {
				again = true // it may lie inside other types
			}
		}
		if !again {
			again = prints && d.bareStacks()
		}
	}
	d.fields = make([]bool, len(types.Types))
	for _, typ := range types.Types {
		if d.Has(typ) && OwnsID(types, typ) {
			for _, f := range Written(typ) {
				d.fields[read(f).typ.Ordinal()] = true
			}
		}
	}
	return d
}

// HasFlaws reports whether the JDK refuses recordings with the types as they are, or misreads them.
func HasFlaws(types *schema.TypeSet) bool {
	d := New(types, &JVM{}, true)
	return !d.IsWhole() || slices.ContainsFunc(types.Types, func(t *schema.Type) bool {
		if typeName(t) != t.Name || d.Order(t) != nil {
			return true
		}
		for _, f := range Written(t) {
			if in := read(f); in.typ != f.Type || slices.ContainsFunc(f.Annotations, unprintable) {
				return true
			}
		}
		return false
	})
}

// OwnsID reports whether a type is the one that its id stands for. Of several types with one id in
// a metadata event that is the last, for us and for the JDK. The JDK would give it the fields of
// all of them, so none of the others may be written.
func OwnsID(types *schema.TypeSet, typ *schema.Type) bool { return types.ByID(typ.ID) == typ }

// Named returns the first type with a name that owns its id, or nil.
func Named(types *schema.TypeSet, name string) *schema.Type {
	for _, typ := range types.Types {
		if typ.Name == name && OwnsID(types, typ) {
			return typ
		}
	}
	return nil
}

// flaw returns why the type cannot be written with its fields; empty if it can.
func (d *Description) flaw(typ *schema.Type) string {
	if _, err := typ.Plan(); err != nil {
		return err.Error()
	}
	for i := range typ.Fields {
		f := &typ.Fields[i]
		if typ.Kind == schema.Struct && !f.Constant && (!d.Has(f.Type) || f.Array && isHollow(f.Type)) {
			return "the JDK cannot read its field " + f.Name
		}
	}
	if typ.IsEvent() {
		return d.untimed(Written(typ))
	}
	return ""
}

// isHollow reports whether values of the type take no bytes: it is a struct, and all of its fields
// are hollow.
func isHollow(typ *schema.Type) bool {
	p, err := typ.Plan()
	return err == nil && p.NumSlots() == 0
}

// Written returns the fields of a type that are written. Fields that take no bytes are left out:
// the JDK takes types without fields for unknown primitives.
func Written(typ *schema.Type) (fields []*schema.Field) {
	if _, err := typ.Plan(); err != nil || typ.Kind != schema.Struct {
		return nil
	}
	for i := range typ.Fields {
		if f := &typ.Fields[i]; f.Constant || f.Array || !isHollow(f.Type) {
			fields = append(fields, f)
		}
	}
	return fields
}

// field is a field as it is written.
type field struct {
	*schema.Field
	typ             *schema.Type
	array, constant bool
	notes           []schema.Annotation
}

// read returns how a field is written. The JDK reads values of wrappers only in pools; those that
// lie in place are written as what they wrap, which has the same bytes.
func read(f *schema.Field) field {
	is := field{f, f.Type, f.Array, f.Constant, f.Annotations}
	for in := range f.Type.Wrapped() {
		if is.constant || is.array && in.Array {
			break
		}
		is.typ, is.array, is.constant = in.Type, is.array || in.Array, in.Constant
		for i := range in.Annotations {
			note := in.Annotations[i]
			if !slices.ContainsFunc(is.notes, func(a schema.Annotation) bool { return a.TypeID == note.TypeID }) {
				is.notes = append(slices.Clip(is.notes), note)
			}
		}
	}
	if slices.ContainsFunc(is.notes, unprintable) {
		is.notes = slices.DeleteFunc(slices.Clone(is.notes), unprintable)
	}
	return is
}

// unprintable reports whether the JDK fails as it prints a field with an annotation.
func unprintable(a schema.Annotation) bool { return !jdktypes.PrintsUnit(a.Name(), a.Text("value")) }

// timed returns the fields of an event type in the order in which they are written. To the JDK the
// first field is the start time, whatever it is, and the second the duration, if one is called so:
// they are put there.
func timed(fields []*schema.Field) []*schema.Field {
	named := func(name string) int {
		return slices.IndexFunc(fields, func(f *schema.Field) bool { return f.Name == name && isNumber(f) })
	}
	start, lasts := named("startTime"), named(durationField)
	if start < 0 {
		start = slices.IndexFunc(fields, func(f *schema.Field) bool { return f.Name != durationField && isNumber(f) })
	}
	var first []*schema.Field
	for _, i := range []int{start, lasts} {
		if i >= 0 {
			first = append(first, fields[i])
		}
	}
	if start < 0 || slices.Equal(fields[:len(first)], first) {
		return fields
	}
	rest := slices.DeleteFunc(slices.Clone(fields), func(f *schema.Field) bool { return slices.Contains(first, f) })
	return append(first, rest...)
}

// Stretch is slots of a type that follow one another.
type Stretch struct{ From, To int }

// Order returns the slots of an event type in the order in which they are written; nil if that is
// their own.
func (d *Description) Order(typ *schema.Type) (list []Stretch) {
	fields := Written(typ)
	written := timed(fields)
	if !typ.IsEvent() || !d.Has(typ) || slices.Equal(fields, written) {
		return nil
	}
	plan, _ := typ.Plan() // there is one: it has fields
	end := make(map[*schema.Field]int, len(typ.Fields))
	for i := range typ.Fields {
		end[&typ.Fields[i]] = plan.NumSlots()
		if i > 0 {
			end[&typ.Fields[i-1]] = typ.Fields[i].Slot()
		}
	}
	for _, f := range written {
		if n := len(list); n > 0 && list[n-1].To == f.Slot() {
			list[n-1].To = end[f]
		} else {
			list = append(list, Stretch{f.Slot(), end[f]})
		}
	}
	return list
}

// Reorders reports whether slots of an event type are written in another order.
func (d *Description) Reorders() bool {
	return slices.ContainsFunc(d.types.Types, func(t *schema.Type) bool { return d.Order(t) != nil })
}

// Bytes returns where the bytes of a stretch lie, by where the slots of a value begin, and where it
// ends.
func (s Stretch) Bytes(offs []uint32, slots, end int) (from, to int) {
	if to = end; s.To < slots {
		to = int(offs[s.To])
	}
	return int(offs[s.From]), to
}

// untimed returns why the JDK cannot read the fields of an event type; empty if it can.
func (d *Description) untimed(fields []*schema.Field) string {
	if len(fields) == 0 {
		return "it has no fields; the JDK refuses recordings with such event types"
	}
	for i, f := range timed(fields) {
		switch {
		case !d.prints:
		case i == 0 && !isNumber(f):
			return "none of its fields is an integer; the JDK takes the first one, " + f.Name + ", for the start time"
		case f.Name == durationField && !(i <= 1 && isNumber(f)):
			return "its field duration is not an integer; the JDK takes it for one"
		}
	}
	return ""
}

const durationField = "duration"

// isNumber reports whether the JDK can take a field for a time: it is an integer, or the key of a
// constant that is no struct.
func isNumber(f *schema.Field) bool {
	is := read(f)
	if is.array {
		return false
	}
	switch is.typ.Kind {
	case schema.Char, schema.Short, schema.Int, schema.Long:
		return true
	}
	return is.constant && is.typ.Kind != schema.Struct
}

// Has reports whether the type is described and is written with its fields.
func (d *Description) Has(typ *schema.Type) bool {
	return typ != nil && d.bare[typ.Ordinal()] == ""
}

// Bare returns the types that are written without their fields, and why they are.
func (d *Description) Bare() iter.Seq2[*schema.Type, string] {
	return func(yield func(*schema.Type, string) bool) {
		for i, why := range d.bare {
			if why != "" && !yield(d.types.Types[i], why) {
				return
			}
		}
	}
}

// IsWhole reports whether all types are written with their fields.
func (d *Description) IsWhole() bool {
	return !slices.ContainsFunc(d.bare, func(why string) bool { return why != "" })
}

// isSimple reports whether the type is written as a wrapper. Where values of one that wraps an
// array lie in an array it is none, see read.
func (d *Description) isSimple(typ *schema.Type) bool {
	return typ.Simple && !typ.IsEvent() && len(Written(typ)) == 1
}

// Pools reports whether the JDK can read constants of the type.
func (d *Description) Pools(typ *schema.Type) bool {
	return d.Has(typ) && (len(Written(typ)) > 0 || typ.Kind != schema.Struct && d.fields[typ.Ordinal()])
}

// Tree returns the tree that describes the types.
func (d *Description) Tree(types []*schema.Type) *metatree.Element {
	root := &metatree.Element{Name: "root"}
	metadata := root.Add("metadata")
	for _, typ := range types {
		if OwnsID(d.types, typ) {
			d.typeElement(metadata.Add("class"), typ)
		}
	}
	d.addInPlace(metadata, types)
	r := d.types.Region
	root.Add("region").Set("locale", r.Locale).
		Set("gmtOffset", strconv.FormatInt(r.GMTOffset, 10)).Set("dst", strconv.FormatInt(r.DST, 10))
	return root
}

// inPlace is the name of a type that no value has.
const inPlace = "mmapjfr.InPlace"

// addInPlace adds a type with a field for each type that is no struct and whose values are all
// constants: the JDK can read these only if it has seen a field with such a value in place.
func (d *Description) addInPlace(metadata *metatree.Element, types []*schema.Type) {
	seen := make(map[*schema.Type]bool)
	var pooled []*schema.Type
	next := schema.TypeID(0)
	for _, typ := range types {
		next = max(next, d.jvm.ID(typ.ID)+1)
		if !d.Has(typ) || !OwnsID(d.types, typ) {
			continue
		}
		for _, f := range Written(typ) {
			if is := read(f); !is.constant {
				seen[is.typ] = true
			} else if is.typ.Kind != schema.Struct {
				pooled = append(pooled, is.typ)
			}
		}
	}
	var e *metatree.Element
	for _, typ := range pooled {
		if seen[typ] {
			continue
		}
		if seen[typ] = true; e == nil {
			e = metadata.Add("class").Set("name", inPlace).Set("id", strconv.FormatInt(int64(next), 10))
		}
		e.Add("field").Set("name", "value"+strconv.Itoa(len(e.Children))).Set("class", d.number(typ.ID))
	}
}

// Agrees reports whether an older metadata event describes values of its types as they are written,
// and each type once. If not, it returns the name of a type.
func (d *Description) Agrees(root *metatree.Element) (typ string, ok bool) {
	seen := make(map[int64]bool)
	for _, metadata := range root.Children {
		for e := range metadata.Named("class") {
			written := &metatree.Element{Name: e.Name}
			id, isNumber := e.Number("id")
			if known := d.types.ByID(schema.TypeID(id)); isNumber && known != nil {
				d.typeElement(written, known)
			}
			if seen[id] || !metatree.Same(layout(e), layout(written)) {
				name, _ := e.Get("name")
				return name, false
			}
			seen[id] = true
		}
	}
	return "", true
}

func (d *Description) typeElement(e *metatree.Element, typ *schema.Type) {
	e.Set("name", typeName(typ)).Set("id", d.number(typ.ID))
	isEvent := typ.IsEvent() && d.Has(typ)
	if typ.Super != "" && (isEvent || typ.Super != jdktypes.Event) {
		e.Set("superType", typ.Super)
	}
	if !d.Has(typ) {
		return
	}
	if d.isSimple(typ) {
		e.Set("simpleType", "true")
	}
	if isEvent {
		for i := range typ.Settings {
			s := &typ.Settings[i]
			if s.Type == nil {
				continue
			}
			setting := e.Add("setting").Set("name", s.Name).Set("class", d.number(s.Type.ID)).Set("defaultValue", s.Default)
			d.annotations(setting, s.Annotations)
		}
	}
	fields := Written(typ)
	if isEvent {
		fields = timed(fields)
	}
	for _, f := range fields {
		is := read(f)
		field := e.Add("field").Set("name", f.Name).Set("class", d.number(is.typ.ID))
		if is.array {
			field.Set("dimension", "1")
		}
		if is.constant {
			field.Set("constantPool", "true")
		}
		d.annotations(field, is.notes)
	}
	d.annotations(e, typ.Annotations)
}

// ByNumber returns the types by the numbers that elements of the tree have as their class.
func (d *Description) ByNumber() map[string]*schema.Type {
	all := make(map[string]*schema.Type)
	for _, typ := range d.types.Types {
		if OwnsID(d.types, typ) {
			all[d.number(typ.ID)] = typ
		}
	}
	return all
}

func (d *Description) number(id schema.TypeID) string {
	return strconv.FormatInt(int64(d.jvm.ID(id)), 10)
}

// Requirement is a field that the JDK's jfr cannot do without: it fails as a whole if the field
// leads nowhere.
type Requirement struct {
	Type, Field string
	To          string // the type of the constants that the field refers to
}

// Required are the fields that the JDK's jfr cannot do without.
var Required = []Requirement{
	{jdktypes.StackFrame, "method", jdktypes.Method},
	{jdktypes.Method, "type", jdktypes.Class},
	{jdktypes.Method, "name", jdktypes.Symbol},
	{jdktypes.Method, "descriptor", jdktypes.Symbol},
	{jdktypes.Class, "name", jdktypes.Symbol},
	{jdktypes.Reference, "object", jdktypes.OldObject},
}

// bareStacks leaves the fields out of types that the JDK cannot print: then stack traces are
// missing, and not all events. It reports whether there are such types.
func (d *Description) bareStacks() (changed bool) {
	for _, typ := range d.types.Types {
		if d.Has(typ) && !d.isPrintable(typ) {
			d.bare[typ.Ordinal()], changed = "the JDK cannot print it", true
		}
	}
	return changed
}

// isPrintable reports whether a type has the fields that the JDK needs of it.
func (d *Description) isPrintable(typ *schema.Type) bool {
	for _, r := range Required {
		if r.Type != typ.CurrentName() {
			continue
		}
		if i := typ.Field(r.Field); i < 0 || typ.Fields[i].Array || !d.leads(&typ.Fields[i], r.To) {
			return false
		}
	}
	return true
}

// leads reports whether a field refers to constants of a type or holds such values, or a text where
// that is the type of symbols. The JDK prints no stack traces with values in place, but other
// formats than text have them.
func (d *Description) leads(f *schema.Field, to string) bool {
	if to != jdktypes.Symbol {
		return f.Type.CurrentName() == to && (d.Pools(f.Type) || !f.Constant && d.Has(f.Type))
	}
	is := read(f)
	for n := 0; n < schema.MaxWrappers && is.constant && d.isSimple(is.typ) && d.Pools(is.typ); n++ {
		is = read(&is.typ.Fields[0])
	}
	return is.typ.Kind == schema.String && !is.array
}

// Unkept returns why events of the type cannot be kept.
func (d *Description) Unkept(typ *schema.Type) string {
	switch {
	case typ == nil:
		return "nothing describes the type"
	case !typ.IsEvent():
		return "it is not an event type"
	}
	return d.bare[typ.Ordinal()]
}

// layout returns the element of a type without settings and annotations, which do not change how
// values are written.
func layout(e *metatree.Element) *metatree.Element {
	l := &metatree.Element{Name: e.Name, Attrs: e.Attrs}
	for field := range e.Named("field") {
		l.Children = append(l.Children, layout(field))
	}
	return l
}

// AppendNull appends a value of a type. Its texts are given, key returns the keys of its constants,
// and all else is null or 0; so are the keys if key is nil.
func AppendNull(a *wire.Appender, typ *schema.Type, text string, key func(f *schema.Field) int64) {
	switch typ.Kind {
	case schema.Struct:
	case schema.String:
		a.Text(text)
	case schema.Float:
		a.Float(0)
	case schema.Double:
		a.Double(0)
	case schema.Bool, schema.Byte:
		a.Byte(0)
	case schema.Char, schema.Short:
		a.Short(0)
	case schema.Int:
		a.Int(0)
	default:
		a.Long(0)
	}
	for i := range typ.Fields {
		f := &typ.Fields[i]
		switch {
		case f.Array:
			a.Count(0)
		case f.Constant && key == nil:
			a.Long(0)
		case f.Constant:
			a.Long(key(f))
		default:
			AppendNull(a, f.Type, text, key)
		}
	}
}
