package repair

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// description is the metadata of a chunk as it can be written: what the JDK's reader
// would stumble over is left out.
type description struct {
	types *schema.TypeSet
	jvm   *jvm
	// bare says, by ordinal, why classes are written without their fields; empty for those
	// that have theirs. Their values cannot be read, by us or by the JDK. But fields with
	// keys of their constants can: these constants are missing then, and the other fields
	// stay.
	bare []string
	// inlined says, by ordinal, of which classes there are values that are no constants.
	inlined []bool
}

// describe finds out what can be written of the classes. The JDK refuses the whole
// recording if one field of one class cannot be read.
func describe(types *schema.TypeSet, j *jvm) *description {
	d := &description{types, j, make([]string, len(types.Types)), make([]bool, len(types.Types))}
	for again := true; again; {
		again = false
		for i, class := range types.Types {
			if !d.has(class) {
				continue
			}
			if d.bare[i] = d.flaw(class); d.bare[i] != "" {
				again = true // others may have it inside
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

// counts reports whether the class is the one that its number stands for. Of several classes
// that one metadata event gives the same number the last one counts, for us and for the
// JDK: all values are read, and written, as that one. The JDK gives it the fields of all of
// them besides, so that none of the others may be written.
func counts(types *schema.TypeSet, class *schema.Type) bool { return types.ByID(class.ID) == class }

// named returns the first class of that name that counts, or nil.
func named(types *schema.TypeSet, name string) *schema.Type {
	for _, class := range types.Types {
		if class.Name == name && counts(types, class) {
			return class
		}
	}
	return nil
}

// flaw returns why the class cannot be written with its fields; empty if it can.
func (d *description) flaw(class *schema.Type) string {
	if _, err := class.Plan(); err != nil {
		return err.Error()
	}
	for i := range class.Fields {
		f := &class.Fields[i]
		if class.Kind == schema.Struct && !f.Constant && (!d.has(f.Type) || f.Array && isHollow(f.Type)) {
			return "the JDK cannot read its field " + f.Name
		}
	}
	if class.IsEvent() {
		return d.untimed(written(class))
	}
	return ""
}

// isHollow reports whether values of the class take no bytes: it is no primitive, and has
// no fields, or none but such.
func isHollow(class *schema.Type) bool {
	p, err := class.Plan()
	return err == nil && p.NumSlots() == 0
}

// written returns the fields of a class that are written: those that take no bytes are
// left out, for the JDK takes classes without fields for primitives that it does not know.
func written(class *schema.Type) (fields []*schema.Field) {
	if _, err := class.Plan(); err != nil || class.Kind != schema.Struct {
		return nil
	}
	for i := range class.Fields {
		if f := &class.Fields[i]; f.Constant || f.Array || !isHollow(f.Type) {
			fields = append(fields, f)
		}
	}
	return fields
}

// untimed returns why the fields cannot be those of an event type as the JDK has it: the
// first one is the start time, whatever it is called, and a duration is the second. It is
// empty if they can be.
func (d *description) untimed(fields []*schema.Field) string {
	if len(fields) == 0 {
		return "it has no fields; the JDK refuses recordings with such event types"
	}
	for i, f := range fields {
		switch {
		case i == 0 && !d.isNumber(f):
			return "its first field, " + f.Name + ", is no integer; the JDK takes it for the start time"
		case i == 1 && f.Name == durationField && !d.isNumber(f):
			return "its field duration is no integer; the JDK takes it for one"
		case i > 1 && f.Name == durationField:
			return "its field duration is not the second; the JDK takes the second for the duration"
		}
	}
	return ""
}

const durationField = "duration"

// isTime reports whether the JDK takes field i of an event for its start or its duration.
func isTime(i int, f *schema.Field) bool { return i == 0 || i == 1 && f.Name == durationField }

// isNumber reports whether the field is one compressed integer, or can be written as if it
// were: the key of a constant is one.
func (d *description) isNumber(f *schema.Field) bool {
	if f.Array || f.Constant {
		return f.Constant && !f.Array && named(d.types, "long") != nil
	}
	switch f.Type.Kind {
	case schema.Char, schema.Short, schema.Int, schema.Long:
		return true
	}
	return false
}

func (d *description) markInlined() {
	for _, class := range d.types.Types {
		if !d.has(class) || !counts(d.types, class) {
			continue
		}
		for _, f := range written(class) {
			if !f.Constant {
				d.inlined[f.Type.Ordinal()] = true
			}
		}
	}
}

// has reports whether the class is described and is written with its fields.
func (d *description) has(class *schema.Type) bool {
	return class != nil && d.bare[class.Ordinal()] == ""
}

// isSimple reports whether the class is written as one that stands for its one field. The
// JDK cannot read values of such a class but in pools.
func (d *description) isSimple(class *schema.Type) bool {
	return class.Simple && !class.IsEvent() && !d.inlined[class.Ordinal()] && len(written(class)) == 1
}

// pools reports whether the JDK can read constants of the class. It knows how to read
// strings only if it has come across a field of one.
func (d *description) pools(class *schema.Type) bool {
	if !d.has(class) {
		return false
	}
	return len(written(class)) > 0 || class.Name == jdktypes.String && d.inlined[class.Ordinal()]
}

// tree returns the tree that describes the classes.
func (d *description) tree(classes []*schema.Type) *element {
	root := &element{name: "root"}
	metadata := root.child("metadata")
	for _, class := range classes {
		if counts(d.types, class) {
			d.class(metadata.child("class"), class)
		}
	}
	r := d.types.Region
	root.child("region").attr("locale", r.Locale).
		attr("gmtOffset", strconv.FormatInt(r.GMTOffset, 10)).attr("dst", strconv.FormatInt(r.DST, 10))
	return root
}

// agrees reports whether the tree of an older metadata event describes the values of its
// classes as they would be written, each once, and if not the name of the class where it
// does not.
func (d *description) agrees(root *element) (class string, ok bool) {
	seen := make(map[int64]bool)
	for _, metadata := range root.children {
		for _, e := range metadata.children {
			if e.name != "class" {
				continue
			}
			written := &element{name: e.name}
			number, _ := e.value("id")
			id, err := strconv.ParseInt(number, 10, 64)
			if known := d.types.ByID(schema.TypeID(id)); err == nil && known != nil {
				d.class(written, known)
			}
			if seen[id] || !e.layout().same(written.layout()) {
				name, _ := e.value("name")
				return name, false
			}
			seen[id] = true
		}
	}
	return "", true
}

func (d *description) class(e *element, class *schema.Type) {
	e.attr("name", className(class)).attr("id", d.number(class.ID))
	isEvent := class.IsEvent() && d.has(class)
	if class.Super != "" && (isEvent || class.Super != jdktypes.Event) {
		e.attr("superType", class.Super)
	}
	if !d.has(class) {
		return
	}
	if d.isSimple(class) {
		e.attr("simpleType", "true")
	}
	if isEvent {
		for i := range class.Settings {
			s := &class.Settings[i]
			if s.Type == nil {
				continue
			}
			setting := e.child("setting").attr("name", s.Name).attr("class", d.number(s.Type.ID)).attr("defaultValue", s.Default)
			d.annotations(setting, s.Annotations)
		}
	}
	for i, f := range written(class) {
		id, constant := f.TypeID, f.Constant
		if isEvent && constant && isTime(i, f) {
			id, constant = named(d.types, "long").ID, false
		}
		field := e.child("field").attr("name", f.Name).attr("class", d.number(id))
		if f.Array {
			field.attr("dimension", "1")
		}
		if constant {
			field.attr("constantPool", "true")
		}
		d.annotations(field, f.Annotations)
	}
	d.annotations(e, class.Annotations)
}

func (d *description) number(id schema.TypeID) string {
	return strconv.FormatInt(int64(d.jvm.id(id)), 10)
}

// className returns the name of the class. The JDK's reader fails on event types whose
// names are none of Java.
func className(class *schema.Type) string {
	if !class.IsEvent() {
		return class.Name
	}
	parts := strings.Split(class.Name, ".")
	for i, part := range parts {
		parts[i] = strings.Map(identifier, part)
		if part == "" || !isStart([]rune(parts[i])[0]) {
			parts[i] = "_" + parts[i]
		}
		if reserved[parts[i]] {
			parts[i] += "_"
		}
	}
	return strings.Join(parts, ".")
}

// reserved are the words of Java that are no names.
var reserved = func() map[string]bool {
	words := make(map[string]bool)
	for _, word := range strings.Fields(`abstract assert boolean break byte case catch char class const
		continue default do double else enum extends final finally float for goto if implements import
		instanceof int interface long native new package private protected public return short static
		strictfp super switch synchronized this throw throws transient try void volatile while true
		false null _`) {
		words[word] = true
	}
	return words
}()

func isStart(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) }

// identifier returns a character that names can have in Java.
func identifier(r rune) rune {
	if isStart(r) || unicode.IsDigit(r) {
		return r
	}
	return '_'
}

// annotations adds those that the JDK can read: it makes values of their texts.
func (d *description) annotations(e *element, list []schema.Annotation) {
	for i := range list {
		a := &list[i]
		if !d.has(a.Type) || len(written(a.Type)) != len(a.Type.Fields) {
			continue
		}
		note := (&element{name: "annotation"}).attr("class", d.number(a.TypeID))
		ok := true
		for j, v := range a.Values() {
			kind := a.Type.Fields[j].Type.Kind
			ok = ok && kind != schema.Struct && (v.Array || len(v.Texts) == 1)
			for k, text := range v.Texts {
				name := v.Name
				if v.Array {
					name += "-" + strconv.Itoa(k)
				}
				ok = ok && isText(kind, text)
				note.attr(name, text)
			}
		}
		if ok {
			e.children = append(e.children, note)
		}
	}
}

// isText reports whether Java can make a value of the kind of the text.
func isText(kind schema.Kind, text string) bool {
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
