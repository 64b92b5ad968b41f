package repair

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/index"
)

// description is the metadata of a chunk as it can be written: what the JDK's reader
// would stumble over is left out.
type description struct {
	types   *index.Types
	machine *machine
	// out tells, by ordinal, which classes are left out.
	out []bool
}

// describe finds out which classes can be written. The JDK refuses the whole recording
// if the class of one field is not described.
func describe(types *index.Types, m *machine) *description {
	d := &description{types, m, make([]bool, len(types.Classes))}
	for again := true; again; {
		again = false
		for i, class := range types.Classes {
			if !d.out[i] && !d.writable(class) {
				d.out[i], again = true, true // others may refer to it
			}
		}
	}
	return d
}

func (d *description) writable(class *index.Class) bool {
	for i := range class.Fields {
		f := &class.Fields[i]
		if !d.has(f.Class) || !f.Constant && isHollow(f.Class) {
			return false
		}
	}
	// What the JDK takes for the fields of all events: startTime, and duration.
	least := 1
	if class.Field("duration") >= 0 {
		least = 2
	}
	return !class.IsEvent() || len(class.Fields) >= least
}

// has tells whether the class is described and can be written.
func (d *description) has(class *index.Class) bool {
	return class != nil && !d.out[class.Ordinal()]
}

// isHollow tells whether there are no values of the class: it is no primitive, and has
// no fields either.
func isHollow(class *index.Class) bool { return class.Kind == index.Struct && len(class.Fields) == 0 }

// pools tells whether the JDK can read constants of the class.
func (d *description) pools(class *index.Class) bool {
	return d.has(class) && (len(class.Fields) > 0 || class.Name == index.StringClass)
}

// tree returns the tree that describes those of the classes that can be written.
func (d *description) tree(classes []*index.Class) *element {
	root := &element{name: "root"}
	metadata := root.child("metadata")
	for _, class := range classes {
		if d.has(class) && d.types.Class(class.ID) == class { // the last of its number
			d.class(metadata.child("class"), class)
		}
	}
	r := d.types.Region
	root.child("region").attr("locale", r.Locale).
		attr("gmtOffset", strconv.FormatInt(r.GMTOffset, 10)).attr("dst", strconv.FormatInt(r.DST, 10))
	return root
}

// agrees tells whether the tree of an older metadata event describes the values of its
// classes as they would be written, and if not the name of the class where it does not.
func (d *description) agrees(root *element) (class string, ok bool) {
	for _, metadata := range root.children {
		for _, e := range metadata.children {
			if e.name != "class" {
				continue
			}
			written := &element{name: e.name}
			number, _ := e.value("id")
			id, err := strconv.ParseInt(number, 10, 64)
			if known := d.types.Class(index.ClassID(id)); err == nil && d.has(known) {
				d.class(written, known)
			}
			if !e.layout().same(written.layout()) {
				name, _ := e.value("name")
				return name, false
			}
		}
	}
	return "", true
}

func (d *description) class(e *element, class *index.Class) {
	e.attr("name", className(class)).attr("id", d.number(class.ID))
	if class.Super != "" {
		e.attr("superType", class.Super)
	}
	if class.Simple && len(class.Fields) == 1 {
		e.attr("simpleType", "true")
	}
	if class.IsEvent() {
		for i := range class.Settings {
			s := &class.Settings[i]
			if !d.has(s.Class) {
				continue
			}
			setting := e.child("setting").attr("name", s.Name).attr("class", d.number(s.Class.ID)).attr("defaultValue", s.Default)
			d.annotations(setting, s.Annotations)
		}
	}
	for i := range class.Fields {
		f := &class.Fields[i]
		field := e.child("field").attr("name", f.Name).attr("class", d.number(f.ClassID))
		if f.Array {
			field.attr("dimension", "1")
		}
		if f.Constant {
			field.attr("constantPool", "true")
		}
		d.annotations(field, f.Annotations)
	}
	d.annotations(e, class.Annotations)
}

func (d *description) number(id index.ClassID) string {
	return strconv.FormatInt(int64(d.machine.id(id)), 10)
}

// className returns the name of the class. The JDK's reader fails on event types whose
// names are none of Java.
func className(class *index.Class) string {
	if !class.IsEvent() {
		return class.Name
	}
	parts := strings.Split(class.Name, ".")
	for i, part := range parts {
		parts[i] = strings.Map(identifier, part)
		if part == "" || !isStart([]rune(parts[i])[0]) {
			parts[i] = "_" + parts[i]
		}
	}
	return strings.Join(parts, ".")
}

func isStart(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) }

// identifier returns a character that names can have in Java.
func identifier(r rune) rune {
	if isStart(r) || unicode.IsDigit(r) {
		return r
	}
	return '_'
}

// annotations adds those that the JDK can read: it makes values of their texts.
func (d *description) annotations(e *element, list []index.Annotation) {
	for i := range list {
		a := &list[i]
		if !d.has(a.Class) {
			continue
		}
		note := (&element{name: "annotation"}).attr("class", d.number(a.ClassID))
		ok := true
		for j, v := range a.Values() {
			kind := a.Class.Fields[j].Class.Kind
			ok = ok && kind != index.Struct && (v.Array || len(v.Texts) == 1)
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

// isText tells whether Java can make a value of the kind of the text.
func isText(kind index.Kind, text string) bool {
	bits := map[index.Kind]int{index.Byte: 8, index.Short: 16, index.Int: 32, index.Long: 64}
	switch kind {
	case index.Byte, index.Short, index.Int, index.Long:
		_, err := strconv.ParseInt(text, 10, bits[kind])
		return err == nil
	case index.Float, index.Double:
		_, err := strconv.ParseFloat(text, 64)
		return err == nil
	case index.Char:
		return len(utf16.Encode([]rune(text))) == 1
	}
	return true
}
