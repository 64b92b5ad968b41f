// Package describe makes the metadata of recordings that are written: a tree that says of each type how its values
// lie, without what the JDK's reader cannot read, and one number for each type in chunks of several virtual machines.
package describe

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Description is the metadata of a chunk as it is written, without what the JDK cannot read.
type Description struct {
	types *schema.TypeSet
	jvm   *JVM
	// bare says, by ordinal, why a type is written without its fields; empty if it has its fields.
	// Values of a bare type cannot be read. Fields that refer to its constants can be: the constants
	// are missing then, and the other fields stay.
	bare []string
	// inlined says, by ordinal, which types have values that are not constants.
	inlined []bool
}

// Types returns the types that the description is of.
func (d *Description) Types() *schema.TypeSet { return d.types }

// New decides what is written of the types. The JDK refuses the whole recording if it cannot
// read one field of one type.
func New(types *schema.TypeSet, j *JVM) *Description {
	d := &Description{types, j, make([]string, len(types.Types)), make([]bool, len(types.Types))}
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
			clear(d.inlined)
			d.markInlined()
			again = d.bareStacks()
		}
	}
	return d
}

// HasFlaws reports whether the JDK refuses recordings with the types as they are.
func HasFlaws(types *schema.TypeSet) bool {
	d := New(types, &JVM{})
	if slices.ContainsFunc(d.bare, func(why string) bool { return why != "" }) {
		return true
	}
	return slices.ContainsFunc(types.Types, func(t *schema.Type) bool { return typeName(t) != t.Name })
}

// OwnsID reports whether a type is the one that its id stands for. Of several types with one id in a
// metadata event that is the last, for us and for the JDK. The JDK would give it the fields of all
// of them, so none of the others may be written.
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

// Written returns the fields of a type that are written. Fields that take no bytes are left out: the
// JDK takes types without fields for unknown primitives.
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

// untimed returns why the JDK cannot read the fields of an event type; empty if it can. To the JDK the
// first field is the start time, and a field called duration must be the second.
func (d *Description) untimed(fields []*schema.Field) string {
	if len(fields) == 0 {
		return "it has no fields; the JDK refuses recordings with such event types"
	}
	for i, f := range fields {
		switch {
		case i == 0 && !d.isNumber(f):
			return "its first field, " + f.Name + ", is not an integer; the JDK takes it for the start time"
		case i == 1 && f.Name == durationField && !d.isNumber(f):
			return "its field duration is not an integer; the JDK takes it for one"
		case i > 1 && f.Name == durationField:
			return "its field duration is not the second; the JDK takes the second for the duration"
		}
	}
	return ""
}

const durationField = "duration"

// IsTime reports whether the JDK takes field i of an event for its start or its duration.
func IsTime(i int, f *schema.Field) bool { return i == 0 || i == 1 && f.Name == durationField }

// isNumber reports whether the field is an integer, or a key, which can be described as a long.
func (d *Description) isNumber(f *schema.Field) bool {
	if f.Array || f.Constant {
		return f.Constant && !f.Array && Named(d.types, "long") != nil
	}
	switch f.Type.Kind {
	case schema.Char, schema.Short, schema.Int, schema.Long:
		return true
	}
	return false
}

func (d *Description) markInlined() {
	for _, typ := range d.types.Types {
		if !d.Has(typ) || !OwnsID(d.types, typ) {
			continue
		}
		for _, f := range Written(typ) {
			if !f.Constant {
				d.inlined[f.Type.Ordinal()] = true
			}
		}
	}
}

// Has reports whether the type is described and is written with its fields.
func (d *Description) Has(typ *schema.Type) bool {
	return typ != nil && d.bare[typ.Ordinal()] == ""
}

// IsWhole reports whether all types are written with their fields.
func (d *Description) IsWhole() bool {
	return !slices.ContainsFunc(d.bare, func(why string) bool { return why != "" })
}

// isSimple reports whether the type is written as a wrapper. The JDK reads values of wrappers only in
// pools.
func (d *Description) isSimple(typ *schema.Type) bool {
	return typ.Simple && !typ.IsEvent() && !d.inlined[typ.Ordinal()] && len(Written(typ)) == 1
}

// Pools reports whether the JDK can read constants of the type. It can read strings only after it has
// seen a field with a string.
func (d *Description) Pools(typ *schema.Type) bool {
	if !d.Has(typ) {
		return false
	}
	return len(Written(typ)) > 0 || typ.Name == jdktypes.String && d.inlined[typ.Ordinal()]
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
	r := d.types.Region
	root.Add("region").Set("locale", r.Locale).
		Set("gmtOffset", strconv.FormatInt(r.GMTOffset, 10)).Set("dst", strconv.FormatInt(r.DST, 10))
	return root
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
	for i, f := range Written(typ) {
		id, constant := f.TypeID, f.Constant
		if isEvent && constant && IsTime(i, f) {
			id, constant = Named(d.types, "long").ID, false
		}
		field := e.Add("field").Set("name", f.Name).Set("class", d.number(id))
		if f.Array {
			field.Set("dimension", "1")
		}
		if constant {
			field.Set("constantPool", "true")
		}
		d.annotations(field, f.Annotations)
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

// typeName returns the name of the type as it is written. The JDK's reader fails at event types whose
// names are not names in Java.
func typeName(typ *schema.Type) string {
	if !typ.IsEvent() {
		return typ.Name
	}
	return JavaName(typ.Name)
}

// JavaName returns a name that a class can have in Java: the name itself if it is one.
func JavaName(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		parts[i] = strings.Map(identifier, part)
		if part == "" || !isStart([]rune(parts[i])[0]) {
			parts[i] = "_" + parts[i]
		}
		if slices.Contains(reserved, parts[i]) {
			parts[i] += "_"
		}
	}
	return strings.Join(parts, ".")
}

// reserved has the words that are not names in Java.
var reserved = strings.Fields(`abstract assert boolean break byte case catch char class const
	continue default do double else enum extends final finally float for goto if implements import
	instanceof int interface long native new package private protected public return short static
	strictfp super switch synchronized this throw throws transient try void volatile while true
	false null _`)

func isStart(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) }

// identifier returns a character that names can have in Java.
func identifier(r rune) rune {
	if isStart(r) || unicode.IsDigit(r) {
		return r
	}
	return '_'
}

// annotations adds the annotations that the JDK can read: it parses their texts.
func (d *Description) annotations(e *metatree.Element, list []schema.Annotation) {
	for i := range list {
		a := &list[i]
		if !d.Has(a.Type) || len(Written(a.Type)) != len(a.Type.Fields) {
			continue
		}
		note := (&metatree.Element{Name: "annotation"}).Set("class", d.number(a.TypeID))
		ok := true
		for j, v := range a.Values() {
			kind := a.Type.Fields[j].Type.Kind
			ok = ok && kind != schema.Struct && (v.Array || len(v.Texts) == 1)
			for k, text := range v.Texts {
				name := v.Name
				if v.Array {
					name += "-" + strconv.Itoa(k)
				}
				ok = ok && IsText(kind, text)
				note.Set(name, text)
			}
		}
		if ok {
			e.Children = append(e.Children, note)
		}
	}
}

// IsText reports whether Java can parse a text as a value of the kind.
func IsText(kind schema.Kind, text string) bool {
	bits := map[schema.Kind]int{schema.Byte: 8, schema.Short: 16, schema.Int: 32, schema.Long: 64}
	switch kind {
	case schema.Byte, schema.Short, schema.Int, schema.Long:
		_, err := strconv.ParseInt(text, 10, bits[kind])
		return err == nil
	case schema.Float, schema.Double:
		_, err := strconv.ParseFloat(text, 64)
		return err == nil
	case schema.Char:
		return len(utf16.Encode([]rune(text))) == 1
	}
	return true
}

// Requirement is a field that the JDK's jfr cannot do without: it fails as a whole if the field leads nowhere.
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

// leads reports whether a field refers to constants of a type, or to a text where that is the type
// of symbols.
func (d *Description) leads(f *schema.Field, to string) bool {
	if to != jdktypes.Symbol {
		return f.Constant && f.Type.CurrentName() == to && d.Pools(f.Type)
	}
	if f.Constant && f.Type.CurrentName() == to {
		return d.Pools(f.Type) && d.isSimple(f.Type) && f.Type.Fields[0].Type.Kind == schema.String
	}
	return f.Type.Kind == schema.String
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

// AppendNull appends a value of a type. Its texts are given, key returns the keys of its constants, and all else is
// null or 0; so are the keys if key is nil.
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
