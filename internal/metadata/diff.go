package metadata

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Diff is how the types of one recording differ from those of another. Numbers of types
// are not compared, as they mean nothing outside of their recording.
type Diff struct {
	// Removed are described by the first recording alone, Added by the second.
	Removed []Type `json:"removed"`
	Added   []Type `json:"added"`
	// Changed are described by both, but not alike.
	Changed []Changed `json:"changed"`
}

// Changed is a type that is not described alike.
type Changed struct {
	Name    string   `json:"name"`
	Changes []Change `json:"changes"`
}

// Change is one thing that differs in the descriptions of a type.
type Change struct {
	// Aspect is what differs: the supertype, whether the type only wraps its one field,
	// an annotation, a field, the order of the fields or a setting.
	Aspect Aspect `json:"what"`
	// Of is the field or setting that an annotation belongs to; empty if it is one of
	// the type itself.
	Of string `json:"of,omitempty"`
	// Name is that of the field, of the setting or of the annotation's type.
	Name string `json:"name,omitempty"`
	// Before and After are the source text in both recordings; empty if it is absent.
	Before string `json:"before"`
	After  string `json:"after"`
}

// Aspect is the part of a type's description that a [Change] is about.
type Aspect string

// The parts of a type's description.
const (
	AspectSuper      Aspect = "super"
	AspectSimple     Aspect = "simple"
	AspectAnnotation Aspect = "annotation"
	AspectField      Aspect = "field"
	AspectFieldOrder Aspect = "field order"
	AspectSetting    Aspect = "setting"
)

// Empty reports whether nothing differs.
func (d *Diff) Empty() bool { return len(d.Removed)+len(d.Added)+len(d.Changed) == 0 }

// Compare returns how the types of one catalog differ from those of another, by name.
// Of types with the same name, those that are described alike are paired first, and
// the others in their order. The order of annotations is not compared.
func Compare(before, after *Catalog, o Options) Diff {
	o.IDs = false
	d := Diff{Removed: []Type{}, Added: []Type{}, Changed: []Changed{}}
	old, now := before.Types(o), after.Types(o)
	unpaired := make(map[string][]Type)
	for _, t := range old {
		unpaired[t.Name] = append(unpaired[t.Name], t)
	}
	var left []Type
	for _, t := range now {
		form := t.form(false)
		same := slices.IndexFunc(unpaired[t.Name], func(u Type) bool { return u.form(false) == form })
		if same < 0 {
			left = append(left, t)
			continue
		}
		unpaired[t.Name] = slices.Delete(unpaired[t.Name], same, same+1)
	}
	for _, t := range left {
		others := unpaired[t.Name]
		if len(others) == 0 {
			d.Added = append(d.Added, t)
			continue
		}
		if list := changes(&others[0], &t); len(list) > 0 {
			d.Changed = append(d.Changed, Changed{t.Name, list})
		}
		unpaired[t.Name] = others[1:]
	}
	for _, t := range old {
		if n := len(unpaired[t.Name]); n > 0 {
			d.Removed = append(d.Removed, unpaired[t.Name]...)
			delete(unpaired, t.Name)
		}
	}
	return d
}

// changes returns what differs in two descriptions of a type.
func changes(a, b *Type) (list []Change) {
	if a.Super != b.Super {
		list = append(list, Change{Aspect: AspectSuper, Before: a.Super, After: b.Super})
	}
	if a.Simple != b.Simple {
		list = append(list, Change{Aspect: AspectSimple, Before: strconv.FormatBool(a.Simple), After: strconv.FormatBool(b.Simple)})
	}
	list = append(list, annotationChanges("", a.Annotations, b.Annotations)...)
	pairs(a.Fields, b.Fields, func(f *Field) string { return f.Name }, func(name string, f, g *Field) {
		list = appendChange(list, Change{Aspect: AspectField, Name: name, Before: f.declared(), After: g.declared()})
		if f != nil && g != nil {
			list = append(list, annotationChanges(name, f.Annotations, g.Annotations)...)
		}
	})
	before, after := order(a.Fields, b.Fields), order(b.Fields, a.Fields)
	list = appendChange(list, Change{Aspect: AspectFieldOrder, Before: before, After: after})
	pairs(a.Settings, b.Settings, func(s *Setting) string { return s.Name }, func(name string, s, u *Setting) {
		list = appendChange(list, Change{Aspect: AspectSetting, Name: name, Before: s.declared(), After: u.declared()})
		if s != nil && u != nil {
			list = append(list, annotationChanges(name, s.Annotations, u.Annotations)...)
		}
	})
	return list
}

func annotationChanges(of string, a, b []Annotation) (list []Change) {
	pairs(a, b, func(x *Annotation) string { return x.Type }, func(name string, x, y *Annotation) {
		list = appendChange(list, Change{Aspect: AspectAnnotation, Of: of, Name: name, Before: x.source(), After: y.source()})
	})
	return list
}

// appendChange appends a change, if it is one.
func appendChange(list []Change, c Change) []Change {
	if c.Before == c.After {
		return list
	}
	return append(list, c)
}

// pairs calls do with the elements of two lists that have the same name, in the order of
// the first list, then with those that only the second list has. If several have one name,
// the first ones are a pair, then the second ones.
func pairs[T any](a, b []T, name func(*T) string, do func(name string, x, y *T)) {
	others := make(map[string][]int)
	for i := range b {
		others[name(&b[i])] = append(others[name(&b[i])], i)
	}
	paired := make([]bool, len(b))
	for i := range a {
		n := name(&a[i])
		if rest := others[n]; len(rest) > 0 {
			paired[rest[0]], others[n] = true, rest[1:]
			do(n, &a[i], &b[rest[0]])
			continue
		}
		do(n, &a[i], nil)
	}
	for i := range b {
		if !paired[i] {
			do(name(&b[i]), nil, &b[i])
		}
	}
}

// order returns the names of those fields that the other type also has.
func order(fields, other []Field) string {
	has := make(map[string]bool, len(other))
	for i := range other {
		has[other[i].Name] = true
	}
	var names []string
	for i := range fields {
		if has[fields[i].Name] {
			names = append(names, fields[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// declared returns the declaration of the field with the full name of its type, and with
// "constant" if its values are in a pool; "" for nil.
func (f *Field) declared() string {
	if f == nil {
		return ""
	}
	text := f.Type
	if f.Constant {
		text = "constant " + text
	}
	if f.Array {
		text += "[]"
	}
	return text + " " + f.Name
}

// declared returns the declaration of the setting; "" for nil.
func (s *Setting) declared() string {
	if s == nil {
		return ""
	}
	return s.Type + " " + s.Name + ` = "` + s.Default + `"`
}

// WriteText writes the differences for people, one a line: after a minus what only the first
// recording has, after a plus what the second has. If paint is not nil, it returns what is written
// for a line, such as the line in a colour. It is not called for the names of changed types.
func (d *Diff) WriteText(w io.Writer, paint func(line string, removed bool) string) error {
	out := diffWriter{bufio.NewWriter(w), paint}
	for i := range d.Removed {
		out.line('-', d.Removed[i].head(d.Removed[i].Name))
	}
	for i := range d.Added {
		out.line('+', d.Added[i].head(d.Added[i].Name))
	}
	for i := range d.Changed {
		out.line(' ', "class "+d.Changed[i].Name)
		for _, c := range d.Changed[i].Changes {
			out.change('-', c, c.Before)
			out.change('+', c, c.After)
		}
	}
	return out.Flush()
}

type diffWriter struct {
	*bufio.Writer
	paint func(line string, removed bool) string
}

// line writes a line after a sign.
func (w diffWriter) line(sign byte, text string) {
	text = string(sign) + " " + strings.ReplaceAll(text, "\n", `\n`)
	if w.paint != nil && sign != ' ' {
		text = w.paint(text, sign == '-')
	}
	w.WriteString(text + "\n")
}

// change writes one side of a change, unless it is empty.
func (w diffWriter) change(sign byte, c Change, text string) {
	if text == "" {
		return
	}
	switch {
	case c.Of != "":
		text = c.Of + ": " + text
	case c.Aspect == AspectSuper:
		text = "extends " + text
	case c.Aspect == AspectSimple, c.Aspect == AspectFieldOrder, c.Aspect == AspectSetting:
		text = string(c.Aspect) + ": " + text
	}
	w.line(sign, "  "+text)
}
