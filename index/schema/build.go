package schema

import (
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/wire"
)

// NewTypeSet returns what a tree describes.
func NewTypeSet(encoding IntEncoding, t *Tree) *TypeSet {
	return (&TypeSet{IntEncoding: encoding, Region: readRegion(t), linked: true}).With(t)
}

// With returns the types with those that more trees add. What is described
// already, by the number of the class, stays the same, to the pointer. Only
// classes that refer to others which were not described are completed, in place:
// nobody may be using types that are not linked.
func (t *TypeSet) With(more ...*Tree) *TypeSet {
	b := typesBuilder{classes: slices.Clone(t.Types), known: len(t.Types), declared: make(map[TypeID]*Tree)}
	for _, tree := range more {
		tree.children(0, "metadata", func(metadata int) { b.declare(t, tree, metadata) })
	}
	b.number()
	added := b.classes[b.known:]
	for i, c := range added {
		b.define(c, b.at[i])
	}
	for _, c := range added {
		for j := range c.Fields {
			c.Fields[j].applyAnnotations()
		}
	}
	types := &TypeSet{
		Types:       b.classes,
		Region:      t.Region,
		IntEncoding: t.IntEncoding,
		byID:        b.byID,
		byName:      make(map[string]*Type, len(b.classes)),
		slots:       t.slots,
	}
	for _, c := range b.classes {
		wire.StepBytes(len(c.Name) + 8)
		if types.byName[c.Name] == nil {
			types.byName[c.Name] = c
		}
	}
	if t.linked {
		types.firm = b.known
	} else {
		types.firm = t.firm
		types.relink()
	}
	types.compile(types.firm)
	types.blockKeys = slices.Clip(t.blockKeys[:min(types.firm, len(t.blockKeys))])
	types.fillBlockKeys()
	types.linked = types.isLinked()
	return types
}

// relink finds what classes refer to and was not described before, or was only in types
// that came to nothing.
func (t *TypeSet) relink() {
	for _, c := range t.Types[t.firm:] {
		t.relinkAnnotations(c.Annotations)
		for i := range c.Settings {
			t.relinkAnnotations(c.Settings[i].Annotations)
		}
		for i := range c.Fields {
			f := &c.Fields[i]
			f.Type = t.ByID(f.TypeID)
			t.relinkAnnotations(f.Annotations)
			f.applyAnnotations()
		}
	}
}

// Restore makes classes refer to one another again as they did before others came to
// them that are not to stay.
func (t *TypeSet) Restore() {
	if t.linked {
		return // nothing was completed
	}
	t.relink()
	t.compile(t.firm)
}

func (t *TypeSet) relinkAnnotations(list []Annotation) {
	for i := range list {
		wire.Step()
		list[i].Type = t.ByID(list[i].TypeID)
	}
}

// isLinked tells whether the classes of all fields and of their annotations are
// described.
func (t *TypeSet) isLinked() bool {
	for _, c := range t.Types[t.firm:] {
		for i := range c.Fields {
			f := &c.Fields[i]
			if f.Type == nil || slices.ContainsFunc(f.Annotations, func(a Annotation) bool { return a.Type == nil }) {
				return false
			}
		}
	}
	return true
}

// typesBuilder declares all classes before it fills them in: they refer to one
// another in any order.
type typesBuilder struct {
	classes []*Type
	known   int     // how many of them have been described before
	at      []place // where the elements of the others are
	byID    idTable
	// declared is the tree that describes each of the others.
	declared map[TypeID]*Tree
}

// place is where a class element lies.
type place struct {
	tree    *Tree
	element int
}

// declare adds the classes of a tree that nothing has described before. Of two
// in one tree the last counts, as it does for the JDK.
func (b *typesBuilder) declare(before *TypeSet, t *Tree, metadata int) {
	t.children(metadata, "class", func(e int) {
		id, ok := t.elements[e].id("id")
		if !ok || before.ByID(id) != nil {
			return
		}
		if by := b.declared[id]; by != nil && by != t {
			return
		}
		b.declared[id] = t
		c := &Type{ID: id, ordinal: len(b.classes)}
		c.Name, _ = t.elements[e].attr("name")
		c.current = currentName(c.Name)
		c.Super, _ = t.elements[e].attr("superType")
		_, c.Simple = t.elements[e].attr("simpleType")
		wire.StepBytes(len(c.Name))
		c.Kind = primitives[c.Name]
		b.classes = append(b.classes, c)
		b.at = append(b.at, place{t, e})
	})
}

// number enters the classes under their ids.
func (b *typesBuilder) number() {
	b.byID = newIDTable(len(b.classes))
	for i, c := range b.classes {
		b.byID.set(c.ID, i)
	}
}

func (b *typesBuilder) class(id TypeID) *Type {
	if i, ok := b.byID.lookup(id); ok {
		return b.classes[i]
	}
	return nil
}

func (b *typesBuilder) define(c *Type, at place) {
	t := at.tree
	c.Annotations = b.annotations(t, at.element)
	if n := t.count(at.element, "field"); n > 0 {
		c.Fields = make([]Field, 0, n)
	}
	t.children(at.element, "field", func(e int) {
		el := &t.elements[e]
		f := Field{TypeID: -1, Annotations: b.annotations(t, e)}
		f.Name, _ = el.attr("name")
		if id, ok := el.id("class"); ok {
			f.TypeID, f.Type = id, b.class(id)
		}
		if dimension, ok := el.id("dimension"); ok {
			f.Array = dimension > 0
		}
		_, f.Constant = el.attr("constantPool")
		c.Fields = append(c.Fields, f)
	})
	t.children(at.element, "setting", func(e int) {
		el := &t.elements[e]
		s := Setting{Annotations: b.annotations(t, e)}
		s.Name, _ = el.attr("name")
		s.Default, _ = el.attr("defaultValue")
		if id, ok := el.id("class"); ok {
			s.Type = b.class(id)
		}
		c.Settings = append(c.Settings, s)
	})
}

func (b *typesBuilder) annotations(t *Tree, parent int) (list []Annotation) {
	if n := t.count(parent, "annotation"); n > 0 {
		list = make([]Annotation, 0, n)
	}
	t.children(parent, "annotation", func(e int) {
		a := Annotation{TypeID: -1, attrs: t.elements[e].attrs}
		if id, ok := t.elements[e].id("class"); ok {
			a.TypeID, a.Type = id, b.class(id)
		}
		list = append(list, a)
	})
	return list
}

func readRegion(t *Tree) (region Region) {
	t.children(0, "region", func(e int) {
		el := &t.elements[e]
		region.Locale, _ = el.attr("locale")
		if ms, ok := el.id("gmtOffset"); ok {
			region.GMTOffset = int64(ms)
		}
		if ms, ok := el.id("dst"); ok {
			region.DST = int64(ms)
		}
	})
	return region
}

// id reads an attribute that is a number.
func (e *element) id(name string) (TypeID, bool) {
	text, ok := e.attr(name)
	if !ok {
		return 0, false
	}
	wire.StepBytes(len(text))
	v, err := strconv.ParseInt(text, 10, 64)
	return TypeID(v), err == nil
}

// DescribedBy returns the types of the set that a tree describes, in the order of the tree.
// It allocates the slice.
func (t *TypeSet) DescribedBy(by *Tree) (list []*Type) {
	seen := make(map[*Type]bool)
	by.children(0, "metadata", func(metadata int) {
		by.children(metadata, "class", func(e int) {
			id, ok := by.elements[e].id("id")
			if class := t.ByID(id); ok && class != nil && !seen[class] {
				seen[class] = true
				list = append(list, class)
			}
		})
	})
	return list
}
