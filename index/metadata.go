package index

import (
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/wire"
)

// metadataEvent is a metadata event (FORMAT.md, section 4): where it lies in
// the chunk, and where the tree inside it begins.
type metadataEvent struct {
	offset, body, end uint64
}

// readMetadataEvent reads the head of the metadata event at offset.
func (c *Chunk) readMetadataEvent(offset uint64) (metadataEvent, error) {
	rec, err := c.record(offset)
	if err != nil {
		return metadataEvent{}, err
	}
	if rec.Type != MetadataID {
		return metadataEvent{}, c.fail("metadata event", offset, corrupt("event has type %d", rec.Type))
	}
	cur := wire.NewCursor(c.data[:rec.End()], int(rec.Body), c.form)
	cur.Long() // start
	cur.Long() // duration
	cur.Long() // metadata id
	if !cur.OK() {
		return metadataEvent{}, c.fail("metadata event", offset, corrupt("event ends early"))
	}
	return metadataEvent{offset, uint64(cur.Pos()), rec.End()}, nil
}

// newTypes returns what the trees describe together. Where two describe a class
// of the same number, the first one's description stands.
func newTypes(form wire.Form, trees ...*tree) *Types {
	b := typesBuilder{}
	for i, t := range trees {
		t.children(0, "metadata", func(metadata int) { b.declare(t, metadata, i) })
	}
	b.number()
	for i := range b.classes {
		b.define(&b.classes[i], b.at[i])
	}
	for i := range b.classes {
		for j := range b.classes[i].Fields {
			b.classes[i].Fields[j].applyAnnotations()
		}
	}
	types := &Types{
		Classes: b.classes,
		Region:  readRegion(trees[0]),
		Form:    form,
		byID:    b.byID,
		byName:  make(map[string]*Class, len(b.classes)),
		trees:   trees,
	}
	for i := range types.Classes {
		c := &types.Classes[i]
		if types.byName[c.Name] == nil {
			types.byName[c.Name] = c
		}
	}
	types.compile()
	return types
}

// with returns what t and one more tree describe.
func (t *Types) with(more *tree) *Types {
	return newTypes(t.Form, append(slices.Clone(t.trees), more)...)
}

// typesBuilder declares all classes before it fills them in: they refer to one
// another in any order.
type typesBuilder struct {
	classes []Class
	at      []place
	byID    idTable
}

// place is where a class element lies.
type place struct {
	tree    *tree
	element int
}

func (b *typesBuilder) declare(t *tree, metadata, number int) {
	known := make(map[ClassID]bool)
	if number > 0 {
		for i := range b.classes {
			known[b.classes[i].ID] = true
		}
	}
	t.children(metadata, "class", func(e int) {
		id, ok := t.elements[e].id("id")
		if !ok || known[id] {
			return
		}
		c := Class{ID: id, ordinal: len(b.classes)}
		c.Name, _ = t.elements[e].attr("name")
		c.Super, _ = t.elements[e].attr("superType")
		_, c.Simple = t.elements[e].attr("simpleType")
		c.Kind = primitives[c.Name]
		b.classes = append(b.classes, c)
		b.at = append(b.at, place{t, e})
	})
}

// number enters the classes under their ids. Of two in one tree the last
// counts, as it does for the JDK.
func (b *typesBuilder) number() {
	b.byID = newIDTable(len(b.classes))
	for i := range b.classes {
		b.byID.set(b.classes[i].ID, i)
	}
}

func (b *typesBuilder) class(id ClassID) *Class {
	if i, ok := b.byID.lookup(id); ok {
		return &b.classes[i]
	}
	return nil
}

func (b *typesBuilder) define(c *Class, at place) {
	t := at.tree
	c.Annotations = b.annotations(t, at.element)
	if n := t.count(at.element, "field"); n > 0 {
		c.Fields = make([]Field, 0, n)
	}
	t.children(at.element, "field", func(e int) {
		el := &t.elements[e]
		f := Field{ClassID: -1, Annotations: b.annotations(t, e)}
		f.Name, _ = el.attr("name")
		if id, ok := el.id("class"); ok {
			f.ClassID, f.Class = id, b.class(id)
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
			s.Class = b.class(id)
		}
		c.Settings = append(c.Settings, s)
	})
}

func (b *typesBuilder) annotations(t *tree, parent int) (list []Annotation) {
	if n := t.count(parent, "annotation"); n > 0 {
		list = make([]Annotation, 0, n)
	}
	t.children(parent, "annotation", func(e int) {
		a := Annotation{ClassID: -1}
		if id, ok := t.elements[e].id("class"); ok {
			a.ClassID, a.Class = id, b.class(id)
		}
		list = append(list, a)
		b.readValues(&list[len(list)-1], t, e)
	})
	return list
}

// readValues reads the members of an annotation. Its type says which there are;
// the fields of that type may not have been read yet, so the type's element is
// asked.
func (b *typesBuilder) readValues(a *Annotation, t *tree, e int) {
	if a.Class == nil {
		return
	}
	el := &t.elements[e]
	at := b.at[a.Class.ordinal]
	at.tree.children(at.element, "field", func(member int) {
		m := &at.tree.elements[member]
		v := AnnotationValue{}
		v.Name, _ = m.attr("name")
		if dimension, ok := m.id("dimension"); ok && dimension > 0 {
			v.Array, v.Texts = true, el.arrayTexts(v.Name)
		} else if text, ok := el.attr(v.Name); ok {
			v.Texts = []string{text}
		}
		a.Values = append(a.Values, v)
	})
}

func readRegion(t *tree) (region Region) {
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
func (e *element) id(name string) (ClassID, bool) {
	text, ok := e.attr(name)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseInt(text, 10, 64)
	return ClassID(v), err == nil
}
