package jfrtest

import (
	"slices"
	"strconv"
)

// Metadata is a metadata event.
type Metadata struct {
	// ID is the metadata id; readers may think that the types are the same as
	// those of another event with the same id.
	ID int64
	// Start and Duration are in ticks.
	Start, Duration int64
	// Classes are the classes it defines; nil is all classes of the chunk.
	Classes []*Class
	// StringEncodings are used in turn for the strings of its table: 3, 4, 5. By
	// default all are char arrays (4), as the JDK writes them.
	StringEncodings []byte
	// Root, where not nil, is written instead of the tree of the classes; see [Builder.Tree].
	Root *Element
	// ExtraStrings are strings at the end of the table that nothing uses.
	ExtraStrings []string
	// SizeWidth is the width of the size; 0 is the JDK's width, 4; -1 as short as possible.
	SizeWidth int
	// Size, where not nil, is written instead of the true size.
	Size *int64
	// StringCount, where not nil, is written instead of the number of strings.
	StringCount *int64
}

// Element is a node of the tree in a metadata event.
type Element struct {
	Name       string
	Attributes []Attribute
	Children   []*Element
	// AttributeCount and ChildCount, where not nil, are written instead of the true counts.
	AttributeCount, ChildCount *int64
}

// Attr adds an attribute and returns the element.
func (e *Element) Attr(name, value string) *Element {
	e.Attributes = append(e.Attributes, Attribute{name, value})
	return e
}

// Child adds a child and returns it.
func (e *Element) Child(name string) *Element {
	c := &Element{Name: name}
	e.Children = append(e.Children, c)
	return c
}

// Metadata adds a metadata event after everything added so far, and returns it.
// The header names the last one.
func (b *Builder) Metadata(m *Metadata) *Metadata {
	b.items = append(b.items, m)
	return m
}

// Tree returns the tree of elements that describes the classes.
func (b *Builder) Tree(classes []*Class) *Element {
	root := &Element{Name: "root"}
	metadata := root.Child("metadata")
	for _, c := range classes {
		b.classElement(metadata.Child("class"), c)
	}
	root.Child("region").
		Attr("locale", b.Region.Locale).
		Attr("gmtOffset", decimal(b.Region.GMTOffset)).
		Attr("dst", decimal(b.Region.DST))
	return root
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func (b *Builder) classElement(e *Element, c *Class) {
	e.Attr("name", c.Name)
	if c.SuperType != "" {
		e.Attr("superType", c.SuperType)
	}
	if c.SimpleType {
		e.Attr("simpleType", "true")
	}
	e.Attr("id", decimal(c.ID))
	for _, s := range c.Settings {
		child := e.Child("setting").
			Attr("name", s.Name).
			Attr("class", decimal(b.idOf(s.Class, s.ClassID))).
			Attr("defaultValue", s.Default)
		b.annotationElements(child, s.Annotations)
	}
	for _, f := range c.Fields {
		child := e.Child("field").
			Attr("name", f.Name).
			Attr("class", decimal(b.idOf(f.Class, f.ClassID)))
		if f.Dimension != 0 {
			child.Attr("dimension", strconv.Itoa(f.Dimension))
		}
		if f.ConstantPool {
			child.Attr("constantPool", "true")
		}
		b.annotationElements(child, f.Annotations)
	}
	b.annotationElements(e, c.Annotations)
}

func (b *Builder) annotationElements(e *Element, as []Annotation) {
	for _, a := range as {
		child := e.Child("annotation").Attr("class", decimal(b.idOf(a.Class, a.ClassID)))
		child.Attributes = append(child.Attributes, a.Values...)
	}
}

// stringTable numbers the strings of a tree in the order of their first use.
type stringTable struct {
	index   map[string]int
	strings []string
}

func (t *stringTable) collect(e *Element) {
	t.add(e.Name)
	for _, a := range e.Attributes {
		t.add(a.Name)
		t.add(a.Value)
	}
	for _, c := range e.Children {
		t.collect(c)
	}
}

func (t *stringTable) add(s string) {
	if _, ok := t.index[s]; !ok {
		t.index[s] = len(t.strings)
		t.strings = append(t.strings, s)
	}
}

func (m *Metadata) encode(e *encoder, p *placement) any {
	if data, ok := p.metadata[m]; ok {
		e.buf = append(e.buf, data...)
		return nil
	}
	at := len(e.buf)
	root := m.Root
	if root == nil {
		classes := m.Classes
		if classes == nil {
			classes = e.b.classes
		}
		root = e.b.Tree(classes)
	}
	body := e.sub()
	body.long(MetadataTypeID)
	body.long(m.Start)
	body.long(m.Duration)
	body.long(m.ID)

	t := &stringTable{index: map[string]int{}}
	t.collect(root)
	t.strings = append(t.strings, m.ExtraStrings...)
	body.count(len(t.strings), m.StringCount)
	encodings := m.StringEncodings
	if len(encodings) == 0 {
		encodings = []byte{encUTF16}
	}
	for i, s := range t.strings {
		body.text(textIn(s, encodings[i%len(encodings)]), func(why string) { panic("jfrtest: " + why) })
	}
	body.element(root, t)

	e.record(body.buf, width(m.SizeWidth, 4), m.Size)
	p.metadata[m] = slices.Clone(e.buf[at:])
	return nil
}

func (e *encoder) element(el *Element, t *stringTable) {
	e.int(t.index[el.Name])
	e.count(len(el.Attributes), el.AttributeCount)
	for _, a := range el.Attributes {
		e.int(t.index[a.Name])
		e.int(t.index[a.Value])
	}
	e.count(len(el.Children), el.ChildCount)
	for _, c := range el.Children {
		e.element(c, t)
	}
}
