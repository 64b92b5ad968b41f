package jfrtest

import (
	"fmt"
	"strconv"
)

// readMetadata reads all metadata events of the chunk and joins their classes. Of several classes
// with one id the last is taken, but the metadata event that the header names is stronger than any.
func (c *Chunk) readMetadata(data []byte, spans []refSpan) error {
	if !c.inside(c.Header.MetadataOffset) {
		return fmt.Errorf("%w: metadata at offset %d of a chunk of %d", ErrBad, c.Header.MetadataOffset, c.Header.Size)
	}
	named := int(c.Offset + c.Header.MetadataOffset)
	s, err := c.frame(data, named)
	if err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	if s.typ != MetadataTypeID {
		return fmt.Errorf("metadata: %w: event at 0x%x has the type %d", ErrBad, named, s.typ)
	}
	met := false
	for _, other := range spans {
		met = met || other.at == named
		if other.typ == MetadataTypeID && other.at != named {
			// Some agents give an event of their own the type 0. The JDK never
			// looks at any but the named one, so this is no fault of the chunk.
			c.Metadata = append(c.Metadata, c.readMetadataEvent(data, other))
		} else if other.at == named {
			c.Metadata = append(c.Metadata, c.readMetadataEvent(data, s))
		}
	}
	if !met {
		// Not where the walk over the events comes by, but that is where the JDK reads it.
		c.Metadata = append(c.Metadata, c.readMetadataEvent(data, s))
	}
	// Once more, so that the named one has the last word.
	return c.readMetadataEvent(data, s).Bad
}

// refElement is a node of the tree that a metadata event is.
type refElement struct {
	name     string
	attrs    []Attribute
	children []*refElement
}

func (e *refElement) attr(name string) (string, bool) {
	for _, a := range e.attrs {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// readMetadataEvent reads a metadata event and, if all of it makes sense, puts
// its classes and region into the chunk.
func (c *Chunk) readMetadataEvent(data []byte, s refSpan) (m DecodedMetadata) {
	m = DecodedMetadata{Offset: int64(s.at), Size: int64(s.end - s.at)}
	r := c.reader(data, s.body, s.end)
	if c.numbers != nil {
		noted := len(*c.numbers)
		defer func() {
			if m.Bad != nil {
				*c.numbers = (*c.numbers)[:noted]
			}
		}()
	}
	m.Start, m.Duration, m.ID = r.long("metadata start"), r.long("metadata duration"), r.long("metadata id")
	n := r.count("strings")
	table := make([]string, 0, min(n, 1<<12))
	for range n {
		v := r.str(0)
		if _, pooled := v.(Constant); pooled {
			r.fail("a pooled string in the metadata's string table")
		}
		if r.err != nil {
			break
		}
		text, _ := v.(string)
		table = append(table, text)
	}
	root := r.element(table, 0)
	if r.err != nil {
		m.Bad = r.err
		return m
	}
	b := &classReader{}
	classes := b.classes(root)
	region := b.region(root)
	if b.err != nil {
		m.Bad = b.err
		return m
	}
	for _, class := range classes {
		m.Classes = append(m.Classes, class.ID)
		c.Classes[class.ID] = class
	}
	c.Region = region
	return m
}

// element reads an element with everything below it.
func (r *refReader) element(table []string, depth int) *refElement {
	text := func(what string) string {
		i := int32(r.integer(what, 4))
		if r.err == nil && (i < 0 || int(i) >= len(table)) {
			r.fail("string %d of %d", i, len(table))
		}
		if r.err != nil {
			return ""
		}
		return table[i]
	}
	if depth > maxDepth {
		r.fail("elements nest %d deep", depth)
		return nil
	}
	e := &refElement{name: text("element name")}
	for range r.count("attributes") {
		a := Attribute{Name: text("attribute name")}
		what := "attribute value"
		if e.name == "class" && a.Name == "id" {
			what = "class number"
		}
		a.Value = text(what)
		if r.err != nil {
			return e
		}
		e.attrs = append(e.attrs, a)
	}
	for range r.count("children") {
		child := r.element(table, depth+1)
		if r.err != nil {
			return e
		}
		e.children = append(e.children, child)
	}
	return e
}

// classReader makes classes of elements. Its first error stays.
type classReader struct{ err error }

func (b *classReader) number(e *refElement, name string, missing int64) int64 {
	text, ok := e.attr(name)
	if !ok {
		return missing
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("%w: attribute %s of <%s> is %q", ErrBad, name, e.name, text)
	}
	return n
}

// must is number for an attribute that has to be there.
func (b *classReader) must(e *refElement, name string) int64 {
	if _, ok := e.attr(name); !ok && b.err == nil {
		b.err = fmt.Errorf("%w: <%s> without %s", ErrBad, e.name, name)
	}
	return b.number(e, name, 0)
}

// each calls do for the children with a name.
func each(e *refElement, name string, do func(*refElement)) {
	for _, child := range e.children {
		if child.name == name {
			do(child)
		}
	}
}

func (b *classReader) region(root *refElement) Region {
	var region Region
	each(root, "region", func(e *refElement) {
		region.Locale, _ = e.attr("locale")
		region.GMTOffset = b.number(e, "gmtOffset", 0)
		region.DST = b.number(e, "dst", 0)
	})
	return region
}

func (b *classReader) classes(root *refElement) []*Class {
	var classes []*Class
	each(root, "metadata", func(metadata *refElement) {
		each(metadata, "class", func(e *refElement) {
			classes = append(classes, b.class(e))
		})
	})
	// Names of classes are for people; what counts are the ids.
	names := map[int64]string{}
	for _, class := range classes {
		names[class.ID] = class.Name
	}
	name := func(as []Annotation) {
		for i := range as {
			as[i].Class = names[as[i].ClassID]
		}
	}
	for _, class := range classes {
		name(class.Annotations)
		for i := range class.Fields {
			class.Fields[i].Class = names[class.Fields[i].ClassID]
			name(class.Fields[i].Annotations)
		}
		for i := range class.Settings {
			class.Settings[i].Class = names[class.Settings[i].ClassID]
			name(class.Settings[i].Annotations)
		}
	}
	return classes
}

func (b *classReader) class(e *refElement) *Class {
	class := &Class{ID: b.must(e, "id"), Annotations: b.annotations(e)}
	class.Name, _ = e.attr("name")
	class.SuperType, _ = e.attr("superType")
	_, class.SimpleType = e.attr("simpleType")
	each(e, "field", func(e *refElement) {
		f := Field{ClassID: b.must(e, "class"), Annotations: b.annotations(e)}
		f.Name, _ = e.attr("name")
		f.Dimension = int(b.number(e, "dimension", 0))
		_, f.ConstantPool = e.attr("constantPool")
		class.Fields = append(class.Fields, f)
	})
	each(e, "setting", func(e *refElement) {
		s := Setting{ClassID: b.must(e, "class"), Annotations: b.annotations(e)}
		s.Name, _ = e.attr("name")
		s.Default, _ = e.attr("defaultValue")
		class.Settings = append(class.Settings, s)
	})
	return class
}

func (b *classReader) annotations(e *refElement) []Annotation {
	var list []Annotation
	each(e, "annotation", func(e *refElement) {
		a := Annotation{ClassID: b.must(e, "class")}
		for _, attr := range e.attrs {
			if attr.Name != "class" {
				a.Values = append(a.Values, attr)
			}
		}
		list = append(list, a)
	})
	return list
}
