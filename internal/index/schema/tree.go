package schema

import (
	"errors"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// element is a node of the tree (FORMAT.md, section 4.1). The nodes lie in one slice, each before
// its children; end is the position after the last of its descendants.
type element struct {
	name       string
	attributes // a part of the tree's
	end        int
}

type attributes []attribute

type attribute struct{ name, value string }

// maxDepth bounds how deep elements may nest. The JDK's metadata is five deep.
const maxDepth = 64

func (list attributes) attr(name string) (string, bool) {
	for _, a := range list {
		wire.Step()
		if a.name == name {
			return a.value, true
		}
	}
	return "", false
}

// Tree is the strings and the elements of a metadata event.
type Tree struct {
	cur      wire.Cursor
	strings  []string
	elements []element
	attrs    []attribute
	// named is how many bytes the strings of the elements have, each counted at every use.
	// names bounds that number.
	named, names int
}

// The strings of all elements may have this many times the bytes of the metadata event, and some
// more. A string stands there once, even if many elements use it. Without a bound, the names of all
// types could take time and memory with the square of the bytes. Virtual machines write metadata
// whose strings have twice its bytes.
const (
	maxNamesPerByte = 64
	leastNames      = 64 << 10
)

// ReadTree reads the tree that begins at pos in data, which ends with the metadata event. An
// error matches [ErrCorrupt]; at is the position of what is wrong. The tree does not alias data.
func ReadTree(data []byte, pos int, encoding IntEncoding) (t *Tree, at int, err error) {
	t = &Tree{cur: wire.NewCursor(data, pos, encoding), names: maxNamesPerByte*(len(data)-pos) + leastNames}
	err = t.read()
	at, t.cur = t.cur.Pos(), wire.Cursor{}
	return t, at, err
}

func (t *Tree) read() error {
	if err := t.readStrings(); err != nil {
		return err
	}
	// In metadata of virtual machines these are about the right capacities. The bytes that
	// are there bound both.
	t.elements = make([]element, 0, t.cur.Len()/16)
	t.attrs = make([]attribute, 0, t.cur.Len()/6)
	return t.readElement(0)
}

// readStrings copies the string table: names of types outlive the recording that they come from.
// All strings share one allocation.
func (t *Tree) readStrings() error {
	n := t.cur.Count()
	if !t.cur.OK() {
		return corrupt("string count exceeds the event")
	}
	texts := make([]wire.Text, 0, min(n, 1<<12))
	for range n {
		text := t.cur.Text()
		if !t.cur.OK() {
			return corrupt("string %d of %d does not fit", len(texts), n)
		}
		texts = append(texts, text)
	}
	var buf []byte
	ends := make([]int, len(texts))
	for i, text := range texts {
		buf = text.Append(buf)
		ends[i] = len(buf)
	}
	all := string(buf)
	t.strings = make([]string, len(texts))
	start := 0
	for i, end := range ends {
		t.strings[i] = all[start:end]
		start = end
	}
	return nil
}

func (t *Tree) readString() (string, error) {
	i := t.cur.Int()
	if !t.cur.OK() {
		return "", corrupt("element ends early")
	}
	if uint32(i) >= uint32(len(t.strings)) {
		return "", corrupt("string %d of %d", i, len(t.strings))
	}
	if t.named += len(t.strings[i]); t.named > t.names {
		return "", corrupt("the strings of all elements have more than %d bytes", t.names)
	}
	return t.strings[i], nil
}

func (t *Tree) readElement(depth int) error {
	if depth > maxDepth {
		return corrupt("elements nest deeper than %d", maxDepth)
	}
	name, err := t.readString()
	if err != nil {
		return err
	}
	self := len(t.elements)
	t.elements = append(t.elements, element{name: name})
	n := t.cur.Count()
	if !t.cur.OK() {
		return corrupt("attribute count exceeds the event")
	}
	first := len(t.attrs)
	for range n {
		name, err := t.readString()
		if err != nil {
			return err
		}
		value, err := t.readString()
		if err != nil {
			return err
		}
		t.attrs = append(t.attrs, attribute{name, value})
	}
	// Should the slice move when it grows, this part of it stays as it is.
	t.elements[self].attributes = t.attrs[first:len(t.attrs):len(t.attrs)]
	children := t.cur.Count()
	if !t.cur.OK() {
		return corrupt("element count exceeds the event")
	}
	for range children {
		if err := t.readElement(depth + 1); err != nil {
			return err
		}
	}
	t.elements[self].end = len(t.elements)
	return nil
}

// children calls f with the position of each child of that name.
func (t *Tree) children(parent int, name string, f func(child int)) {
	for i := parent + 1; i < t.elements[parent].end; i = t.elements[i].end {
		wire.Step()
		if t.elements[i].name == name {
			f(i)
		}
	}
}

// HasMetadata reports whether the tree describes any types, so that it is the tree of a
// metadata event.
func (t *Tree) HasMetadata() bool { return t.count(0, "metadata") > 0 }

// count returns how many children of that name an element has.
func (t *Tree) count(parent int, name string) (n int) {
	t.children(parent, name, func(int) { n++ })
	return n
}

// What can be wrong with metadata and values. Errors match these with errors.Is.
var (
	// ErrCorrupt says that bytes contradict each other or the format.
	ErrCorrupt = errors.New("corrupt")
	// ErrUnsupported says that a recording is of a version or of dimensions that
	// this module does not read.
	ErrUnsupported = errors.New("unsupported")
)

// corrupt returns the error for bytes that contradict the format.
func corrupt(format string, args ...any) error {
	return errtree.Detailf(ErrCorrupt, format, args...)
}

// NewTypeSet returns the types that a tree describes.
func NewTypeSet(encoding IntEncoding, t *Tree) *TypeSet {
	return (&TypeSet{IntEncoding: encoding, Region: readRegion(t), linked: true}).With(t)
}

// With returns the types with those that more trees add. A type that is described already, by its
// number, stays the same, to the pointer; so does a linked set to which nothing is added. Types
// that refer to types which were not described are completed in place: nobody else may use a set
// meanwhile that is not linked.
func (t *TypeSet) With(more ...*Tree) *TypeSet {
	known := len(t.Types)
	b := typesBuilder{types: slices.Clone(t.Types), declared: make(map[TypeID]*Tree)}
	for _, tree := range more {
		tree.children(0, "metadata", func(metadata int) { b.declare(t, tree, metadata) })
	}
	if t.linked && known > 0 && len(b.types) == known {
		return t
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
		if types.byName[c.current] == nil {
			types.byName[c.current] = c
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
		c.current = CurrentName(c.Name)
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
