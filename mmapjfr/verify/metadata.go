package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// metadataEvent is what a metadata event says.
type metadataEvent struct {
	offset uint64
	types  map[int64]describedType
	// open are references to types that it does not describe itself.
	open []typeReference
	bad  bool
}

// describedType is a type, and the text of all that says how its values are laid out.
type describedType struct {
	at           uint64
	name, layout string
}

// typeReference is a reference to a type.
type typeReference struct {
	at   uint64
	id   int64
	typ  string // of what refers
	kind Kind
	text string
}

// metadata checks a metadata event (FORMAT.md, section 4).
func (w *walker) metadata(rec *index.EventHeader) {
	d := &metadataEvent{offset: rec.Offset, types: make(map[int64]describedType), bad: true}
	defer func() {
		w.s.mu.Lock()
		w.s.descriptions = append(w.s.descriptions, d)
		w.s.mu.Unlock()
	}()
	t := &tree{cur: wire.NewCursor(w.data[:rec.End()], int(rec.Body()), w.form)}
	t.cur.Long() // start
	t.cur.Long() // duration
	t.cur.Long() // number
	wrong := w.table(t)
	if wrong == "" {
		wrong = t.read(0)
	}
	at := uint64(t.cur.Pos())
	if wrong == "" && t.children(0, "metadata", func(int) {}) == 0 {
		wrong, at = "it has no element \"metadata\"", rec.Offset
	}
	if wrong != "" {
		w.report(BadMetadata, at, "", "metadata event at %#x: %s", w.base+rec.Offset, wrong)
		return
	}
	d.bad = false
	if rest := t.cur.Len(); rest > 0 {
		w.report(MetadataTrailingBytes, at, "", "%s", plural("%d bytes are left after the last element", rest))
	}
	t.children(0, "metadata", func(e int) {
		t.children(e, "class", func(e int) { w.described(d, t, e) })
	})
	d.open = slices.DeleteFunc(d.open, func(r typeReference) bool { _, ok := d.types[r.id]; return ok })
}

// table reads the string table. It returns what is wrong where the cursor stands.
func (w *walker) table(t *tree) (wrong string) {
	n := t.cur.Count()
	if !t.cur.OK() {
		return "it ends inside its head, or has more strings than bytes"
	}
	for i := range n {
		at := t.cur.Pos()
		text := t.cur.Text()
		if !t.cur.OK() {
			return fmt.Sprintf("string %d of %d does not fit, or has none of the encodings", i, n)
		}
		kind, what := flaw(text)
		if text.Encoding == wire.Constant {
			kind, what = MalformedString, "is a constant, which metadata cannot refer to"
		}
		if what != "" {
			w.report(kind, uint64(at), "", "string %d of the metadata %s", i, what)
		}
		t.strings = append(t.strings, string(text.Append(nil)))
	}
	return ""
}

// described checks a type.
func (w *walker) described(d *metadataEvent, t *tree, e int) {
	at := t.elements[e].at
	typ, _ := t.attr(e, "name")
	id, ok := t.number(e, "id")
	if !ok {
		if f := w.find(BadTypeID, at); f != nil {
			text, _ := t.attr(e, "id")
			f.Type, f.Text = typ, fmt.Sprintf("its id is %s, which is not a number", strconv.Quote(text))
		}
	}
	w.named(at, typ, "the type", typ)
	super, _ := t.attr(e, "superType")
	_, simple := t.attr(e, "simpleType")
	var layout strings.Builder
	fmt.Fprintf(&layout, "%q %q %t", typ, super, simple)
	names := make(map[string]bool)
	t.children(e, "field", func(e int) { w.field(d, t, e, typ, names, &layout) })
	t.children(e, "setting", func(e int) {
		name, _ := t.attr(e, "name")
		d.refer(t, e, typ, UnknownReference, "setting "+name)
		d.annotations(t, e, typ, "setting "+name)
	})
	d.annotations(t, e, typ, "the type")
	if !ok {
		return
	}
	if other, twice := d.types[id]; twice {
		w.report(DuplicateType, at, typ, "type %d is described at %#x, too, as %s", id, w.base+other.at, other.name)
	}
	d.types[id] = describedType{at, typ, layout.String()}
}

// field checks a field.
func (w *walker) field(d *metadataEvent, t *tree, e int, typ string, names map[string]bool, layout *strings.Builder) {
	at := t.elements[e].at
	name, _ := t.attr(e, "name")
	w.named(at, typ, "a field", name)
	if names[name] {
		w.report(DuplicateField, at, typ, "another field is called %s, too", name)
	}
	names[name] = true
	d.refer(t, e, typ, UndescribedType, "field "+name)
	d.annotations(t, e, typ, "field "+name)
	dimension, isArray := t.attr(e, "dimension")
	if n, ok := t.number(e, "dimension"); isArray && (!ok || n < 0 || n > 1) {
		w.report(Dimension, at, typ, "field %s has the dimension %s", name, strconv.Quote(dimension))
	}
	id, _ := t.attr(e, "class")
	_, constant := t.attr(e, "constantPool")
	fmt.Fprintf(layout, " %q %q %q %t", name, id, dimension, constant)
}

// named checks a name.
func (w *walker) named(at uint64, typ, what, name string) {
	odd := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError }
	if name != "" && !strings.ContainsFunc(name, odd) {
		return
	}
	w.report(BadName, at, typ, "%s is called %s", what, strconv.Quote(name))
}

// annotations notes which types the annotations of an element refer to.
func (d *metadataEvent) annotations(t *tree, e int, typ, of string) {
	t.children(e, "annotation", func(e int) { d.refer(t, e, typ, UnknownReference, "an annotation of "+of) })
}

// refer notes which type an element refers to.
func (d *metadataEvent) refer(t *tree, e int, typ string, kind Kind, what string) {
	id, ok := t.number(e, "class")
	if !ok {
		id = -1
	}
	d.open = append(d.open, typeReference{t.elements[e].at, id, typ, kind, what})
}

// noTypes reports why there are no types.
func (s *chunkCheck) noTypes(err error) {
	h := s.c.Header()
	switch {
	case h.Metadata == 0 && !h.Finished():
		return // nothing has been flushed yet
	case s.endMissing() && h.Metadata >= uint64(len(s.c.Data())):
		return // it is after the end, which has been told
	}
	var frame [1]index.EventHeader
	n, _, _ := s.c.ReadHeaders(max(h.Metadata, s.c.FirstEvent()), uint64(len(s.c.Data())), frame[:])
	switch {
	case n == 1 && frame[0].Type == schema.MetadataID:
		return // it will be told when the event is come to
	case n == 0 && s.endMissing():
		return // it reaches after the end
	}
	f := s.find(MetadataOffset, metadataAt)
	switch {
	case f == nil:
	case h.Metadata == 0:
		f.Text = "the header names no metadata"
	default:
		f.Text = fmt.Sprintf("there is no metadata at %#x: %s", s.base+h.Metadata, reason(err))
	}
}

// metadata checks what the metadata events of the chunk say together.
func (s *chunkCheck) metadata() {
	slices.SortFunc(s.descriptions, func(a, b *metadataEvent) int { return cmp.Compare(a.offset, b.offset) })
	newest := s.c.Header().Metadata
	known := make(map[int64]describedType)
	met := slices.ContainsFunc(s.descriptions, func(d *metadataEvent) bool { return d.offset == newest })
	for _, d := range s.descriptions {
		if d.offset > newest && met {
			s.report(NewerMetadata, d.offset, "", "the metadata that the header names, at %#x, is older", s.base+newest)
		}
		s.conflicts(known, d)
	}
	if s.types != nil && newest != 0 && !met {
		s.report(MetadataOffset, metadataAt, "", "the metadata at %#x lies inside another event", s.base+newest)
	}
	for _, d := range s.descriptions {
		for _, r := range d.open {
			if _, ok := known[r.id]; ok {
				continue
			}
			s.report(r.kind, r.at, r.typ, "%s is of type %d, which is not described", r.text, r.id)
		}
	}
}

// conflicts reports types that older metadata describes otherwise.
func (s *chunkCheck) conflicts(known map[int64]describedType, d *metadataEvent) {
	ids := make([]int64, 0, len(d.types))
	for id := range d.types {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		c := d.types[id]
		if other, ok := known[id]; ok && other.layout != c.layout {
			s.report(ConflictingType, c.at, c.name, "type %d has been described at %#x, in other words, as %s", id, s.base+other.at, other.name)
		}
		known[id] = c
	}
}

// element is an element of the tree that a metadata event holds (FORMAT.md, section
// 4.1). The elements lie in one slice, each before its children.
type element struct {
	at          uint64 // from the start of the chunk
	name        string
	first, last int // its attributes
	end         int // after the last of its descendants
}

type attribute struct{ name, value string }

// tree is a string table, and the elements that are made of its strings.
type tree struct {
	cur      wire.Cursor
	strings  []string
	elements []element
	attrs    []attribute
}

// maxDepth is how deep elements may nest. Virtual machines write five.
const maxDepth = 64

// read reads the elements. It returns what is wrong where the cursor stands.
func (t *tree) read(depth int) (wrong string) {
	if depth > maxDepth {
		return fmt.Sprintf("elements nest deeper than %d", maxDepth)
	}
	self := len(t.elements)
	t.elements = append(t.elements, element{at: uint64(t.cur.Pos()), first: len(t.attrs)})
	name, wrong := t.string()
	if wrong != "" {
		return wrong
	}
	n := t.cur.Count()
	if !t.cur.OK() {
		return fmt.Sprintf("element %s has more attributes than there are bytes", strconv.Quote(name))
	}
	for range n {
		var a attribute
		if a.name, wrong = t.string(); wrong == "" {
			a.value, wrong = t.string()
		}
		if wrong != "" {
			return wrong
		}
		t.attrs = append(t.attrs, a)
	}
	t.elements[self].name, t.elements[self].last = name, len(t.attrs)
	children := t.cur.Count()
	if !t.cur.OK() {
		return fmt.Sprintf("element %s has more children than there are bytes", strconv.Quote(name))
	}
	for range children {
		if wrong := t.read(depth + 1); wrong != "" {
			return wrong
		}
	}
	t.elements[self].end = len(t.elements)
	return ""
}

func (t *tree) string() (s, wrong string) {
	i := t.cur.Int()
	if !t.cur.OK() {
		return "", "it ends inside an element"
	}
	if uint32(i) >= uint32(len(t.strings)) {
		return "", fmt.Sprintf("there is no string %d, but %d of them", i, len(t.strings))
	}
	return t.strings[i], ""
}

// children calls f with each child of that name.
func (t *tree) children(parent int, name string, f func(child int)) (n int) {
	for i := parent + 1; i < t.elements[parent].end; i = t.elements[i].end {
		if t.elements[i].name == name {
			n++
			f(i)
		}
	}
	return n
}

// attr returns an attribute; of two of the same name the first.
func (t *tree) attr(e int, name string) (string, bool) {
	for _, a := range t.attrs[t.elements[e].first:t.elements[e].last] {
		if a.name == name {
			return a.value, true
		}
	}
	return "", false
}

// number returns an attribute that is a number; false if it is not there or is none.
func (t *tree) number(e int, name string) (int64, bool) {
	s, _ := t.attr(e, name)
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
