package schema

import (
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/wire"
)

// NewTypeSet returns the types that a tree describes.
func NewTypeSet(encoding IntEncoding, t *Tree) *TypeSet {
	return (&TypeSet{IntEncoding: encoding, Region: readRegion(t), linked: true}).With(t)
}

// With returns the types with those that more trees add. A type that is described already, by its
// number, stays the same, to the pointer. Types that refer to types which were not described are
// completed in place: nobody else may use a set meanwhile that is not linked.
func (t *TypeSet) With(more ...*Tree) *TypeSet {
	known := len(t.Types)
	b := typesBuilder{types: slices.Clone(t.Types), declared: make(map[TypeID]*Tree)}
	for _, tree := range more {
		tree.children(0, "metadata", func(metadata int) { b.declare(t, tree, metadata) })
	}
	types := &TypeSet{
		Types:        b.types,
		Region:       t.Region,
		IntEncoding:  t.IntEncoding,
		byID:         newIDTable(len(b.types)),
		byName:       make(map[string]*Type, len(b.types)),
		slots:        t.slots,
		linkedBefore: t.linkedBefore,
	}
	if t.linked {
		types.linkedBefore = known
	}
	for i, c := range b.types {
		types.byID.set(c.ID, i)
		wire.StepBytes(len(c.Name) + 8)
		if types.byName[c.Name] == nil {
			types.byName[c.Name] = c
		}
	}
	for i, c := range b.types[known:] {
		b.at[i].define(c, types)
	}
	types.link()
	types.compile(types.linkedBefore)
	types.blockKeys = slices.Clip(t.blockKeys[:min(types.linkedBefore, len(t.blockKeys))])
	types.fillBlockKeys()
	types.linked = true
	for _, c := range types.Types[types.linkedBefore:] {
		types.linked = types.linked && !slices.ContainsFunc(c.Fields, func(f Field) bool {
			return f.Type == nil || slices.ContainsFunc(f.Annotations, func(a Annotation) bool { return a.Type == nil })
		})
	}
	return types
}

// link finds the types that types of the set refer to: those of types which are new, and of types
// which were linked without some others, or with those of a set that was given up.
func (t *TypeSet) link() {
	for _, c := range t.Types[t.linkedBefore:] {
		t.linkAnnotations(c.Annotations)
		for i := range c.Settings {
			t.linkAnnotations(c.Settings[i].Annotations)
		}
		for i := range c.Fields {
			f := &c.Fields[i]
			f.Type = t.ByID(f.TypeID)
			t.linkAnnotations(f.Annotations)
			f.applyAnnotations()
		}
	}
}

// Restore makes types refer to one another again as they did before [TypeSet.With] made a set that
// is given up.
func (t *TypeSet) Restore() {
	if t.linked {
		return // nothing was completed
	}
	t.link()
	t.compile(t.linkedBefore)
}

func (t *TypeSet) linkAnnotations(list []Annotation) {
	for i := range list {
		wire.Step()
		list[i].Type = t.ByID(list[i].TypeID)
	}
}

// typesBuilder declares all types before it fills them in: they refer to one another in any order.
type typesBuilder struct {
	types []*Type
	at    []place // where the elements of those lie that were not described before
	// declared is the tree that describes each of the others.
	declared map[TypeID]*Tree
}

// place is where the element of a type lies.
type place struct {
	tree    *Tree
	element int
}

// declare adds the types of a tree that nothing has described before. Of two with one number in a
// tree the last counts, as for the JDK.
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
		c := &Type{ID: id, ordinal: len(b.types)}
		c.Name, _ = t.elements[e].attr("name")
		c.current = currentName(c.Name)
		c.Super, _ = t.elements[e].attr("superType")
		_, c.Simple = t.elements[e].attr("simpleType")
		wire.StepBytes(len(c.Name))
		c.Kind = primitives[c.Name]
		b.types = append(b.types, c)
		b.at = append(b.at, place{t, e})
	})
}

// define fills in a type of the set, all but the types that it refers to by number.
func (at place) define(c *Type, types *TypeSet) {
	t := at.tree
	c.Annotations = t.annotations(at.element)
	if n := t.count(at.element, "field"); n > 0 {
		c.Fields = make([]Field, 0, n)
	}
	t.children(at.element, "field", func(e int) {
		el := &t.elements[e]
		f := Field{TypeID: -1, Annotations: t.annotations(e)}
		f.Name, _ = el.attr("name")
		if id, ok := el.id("class"); ok {
			f.TypeID = id
		}
		if dimension, ok := el.id("dimension"); ok {
			f.Array = dimension > 0
		}
		_, f.Constant = el.attr("constantPool")
		c.Fields = append(c.Fields, f)
	})
	t.children(at.element, "setting", func(e int) {
		el := &t.elements[e]
		s := Setting{Annotations: t.annotations(e)}
		s.Name, _ = el.attr("name")
		s.Default, _ = el.attr("defaultValue")
		if id, ok := el.id("class"); ok {
			s.Type = types.ByID(id)
		}
		c.Settings = append(c.Settings, s)
	})
}

func (t *Tree) annotations(parent int) (list []Annotation) {
	if n := t.count(parent, "annotation"); n > 0 {
		list = make([]Annotation, 0, n)
	}
	t.children(parent, "annotation", func(e int) {
		a := Annotation{TypeID: -1, attributes: t.elements[e].attributes}
		if id, ok := t.elements[e].id("class"); ok {
			a.TypeID = id
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
			if typ := t.ByID(id); ok && typ != nil && !seen[typ] {
				seen[typ] = true
				list = append(list, typ)
			}
		})
	})
	return list
}
