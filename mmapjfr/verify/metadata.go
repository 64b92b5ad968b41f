package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// metadataEvent is what a metadata event says.
type metadataEvent struct {
	offset uint64
	types  map[int64]describedType
	// open has the references to types that the event does not describe itself.
	open []typeReference
}

// describedType is a type as a metadata event describes it. Types with the same layout have values
// that are written alike.
type describedType struct {
	at           uint64
	name, layout string
}

// typeReference is a reference to a type.
type typeReference struct {
	at   uint64
	id   int64
	typ  string // the type that refers to it
	kind Kind
	text string
}

// metadata checks a metadata event (FORMAT.md, section 4).
func (w *walker) metadata(ev *index.EventHeader) {
	d := &metadataEvent{offset: ev.Offset, types: make(map[int64]describedType)}
	defer func() {
		w.s.mu.Lock()
		w.s.descriptions = append(w.s.descriptions, d)
		w.s.mu.Unlock()
	}()
	cur := wire.NewCursor(w.data[:ev.End()], int(ev.Body()), w.form)
	for range 3 {
		cur.Long() // start, duration, id
	}
	root, wrong := metatree.Read(&cur, w.metadataString)
	at := uint64(cur.Pos())
	if wrong == "" && !slices.ContainsFunc(root.Children, func(e *metatree.Element) bool { return e.Name == "metadata" }) {
		wrong, at = "it has no element \"metadata\"", ev.Offset
	}
	if wrong != "" {
		w.report(badMetadata, at, "", "metadata event at %#x: %s", w.base+ev.Offset, wrong)
		return
	}
	if rest := cur.Len(); rest > 0 {
		w.report(metadataTrailingBytes, at, "", "%s", plural("%d bytes are left after the last element", rest))
	}
	if ev.Offset == w.s.c.Header().Metadata {
		why, units := refused(root)
		if why != nil {
			w.report(refusedMetadata, uint64(why.at.At), why.typ, "%s", why.why)
		}
		for _, unit := range units {
			w.report(badUnit, uint64(unit.at.At), unit.typ, "%s", unit.why)
		}
	}
	for e := range root.Named("metadata") {
		for e := range e.Named("class") {
			w.described(d, e)
		}
	}
	d.open = slices.DeleteFunc(d.open, func(r typeReference) bool { _, ok := d.types[r.id]; return ok })
}

// metadataString checks a string of the string table.
func (w *walker) metadataString(i, at int, text wire.Text) {
	kind, what := flaw(text)
	if text.Encoding == wire.Constant {
		kind, what = malformedString, "is a constant, which metadata cannot refer to"
	}
	if what != "" {
		w.report(kind, uint64(at), "", "string %d of the metadata %s", i, what)
	}
}

// described checks the description of a type.
func (w *walker) described(d *metadataEvent, e *metatree.Element) {
	at := uint64(e.At)
	typ, _ := e.Get("name")
	id, ok := e.Number("id")
	if !ok {
		text, _ := e.Get("id")
		w.report(badTypeID, at, typ, "its id is %q, which is not a number", text)
	}
	w.named(at, typ, "the type", typ)
	super, _ := e.Get("superType")
	_, simple := e.Get("simpleType")
	var layout strings.Builder
	fmt.Fprintf(&layout, "%q %q %t", typ, super, simple)
	names := make(map[string]bool)
	for e := range e.Named("field") {
		w.field(d, e, typ, names, &layout)
	}
	for e := range e.Named("setting") {
		name, _ := e.Get("name")
		d.refer(e, typ, unknownReference, "setting "+name)
		d.annotations(e, typ, "setting "+name)
	}
	d.annotations(e, typ, "the type")
	if !ok {
		return
	}
	if other, twice := d.types[id]; twice {
		w.report(duplicateType, at, typ, "type %d is described at %#x, too, as %s", id, w.base+other.at, other.name)
	}
	d.types[id] = describedType{at, typ, layout.String()}
}

// field checks a field of a type, and adds to the layout how its values are written.
func (w *walker) field(d *metadataEvent, e *metatree.Element, typ string, names map[string]bool, layout *strings.Builder) {
	at := uint64(e.At)
	name, _ := e.Get("name")
	w.named(at, typ, "a field", name)
	if names[name] {
		w.report(duplicateField, at, typ, "another field is called %s, too", name)
	}
	names[name] = true
	d.refer(e, typ, undescribedType, "field "+name)
	d.annotations(e, typ, "field "+name)
	text, isArray := e.Get("dimension")
	if n, ok := e.Number("dimension"); isArray && (!ok || n < 0 || n > 1) {
		w.report(dimension, at, typ, "field %s has the dimension %q", name, text)
	}
	id, _ := e.Get("class")
	_, constant := e.Get("constantPool")
	fmt.Fprintf(layout, " %q %q %q %t", name, id, text, constant)
}

// named checks a name.
func (w *walker) named(at uint64, typ, what, name string) {
	odd := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError }
	if name == "" || strings.ContainsFunc(name, odd) {
		w.report(badName, at, typ, "%s is called %q", what, name)
	}
}

// annotations notes which types the annotations of an element refer to.
func (d *metadataEvent) annotations(e *metatree.Element, typ, of string) {
	for e := range e.Named("annotation") {
		d.refer(e, typ, unknownReference, "an annotation of "+of)
	}
}

// refer notes which type an element refers to.
func (d *metadataEvent) refer(e *metatree.Element, typ string, kind Kind, what string) {
	id, ok := e.Number("class")
	if !ok {
		id = -1
	}
	d.open = append(d.open, typeReference{uint64(e.At), id, typ, kind, what})
}

// noTypes reports why there are no types.
func (s *chunkCheck) noTypes(err error) {
	h := s.c.Header()
	switch {
	case h.Metadata == 0 && !h.Finished():
		return // nothing has been flushed yet
	case s.endMissing() && h.Metadata >= uint64(len(s.c.Data())):
		return // the end of the chunk is missing, and has been reported
	}
	var one [1]index.EventHeader
	n, _, _ := s.c.ReadHeaders(max(h.Metadata, s.c.FirstEvent()), uint64(len(s.c.Data())), one[:])
	switch {
	case n == 1 && one[0].Type == schema.MetadataID:
		return // the check of that event says what is wrong
	case n == 0 && s.endMissing():
		return // it reaches beyond the end of the chunk
	}
	f := s.find(metadataOffset, metadataAt)
	switch {
	case f == nil:
	case h.Metadata == 0:
		f.Text = "the header names no metadata"
	default:
		f.Text = fmt.Sprintf("no metadata event begins at %#x: %s", s.base+h.Metadata, reason(err))
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
			s.report(newerMetadata, d.offset, "", "the metadata that the header names, at %#x, is older", s.base+newest)
		}
		s.conflicts(known, d)
	}
	if s.types != nil && newest != 0 && !met {
		s.report(metadataOffset, metadataAt, "", "the metadata at %#x lies inside another event", s.base+newest)
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

// conflicts reports types whose layout differs from that in older metadata.
func (s *chunkCheck) conflicts(known map[int64]describedType, d *metadataEvent) {
	ids := make([]int64, 0, len(d.types))
	for id := range d.types {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		c := d.types[id]
		if other, ok := known[id]; ok && other.layout != c.layout {
			s.report(conflictingType, c.at, c.name, "type %d has been described at %#x with another layout, as %s", id, s.base+other.at, other.name)
		}
		known[id] = c
	}
}
