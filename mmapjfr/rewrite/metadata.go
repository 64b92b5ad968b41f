package rewrite

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// remaining returns the types that are described: event types that stay, and all that they lead to.
func remaining(types *schema.TypeSet, dropped []bool) (list []*schema.Type) {
	stays := make([]bool, len(types.Types))
	var visit func(t *schema.Type)
	annotations := func(notes []schema.Annotation) {
		for i := range notes {
			visit(notes[i].Type)
		}
	}
	visit = func(t *schema.Type) {
		if t == nil || stays[t.Ordinal()] || dropped[t.Ordinal()] {
			return
		}
		stays[t.Ordinal()] = true
		annotations(t.Annotations)
		for i := range t.Fields {
			visit(t.Fields[i].Type)
			annotations(t.Fields[i].Annotations)
		}
		for i := range t.Settings {
			visit(t.Settings[i].Type)
			annotations(t.Settings[i].Annotations)
		}
	}
	for _, t := range types.Types {
		if t.IsEvent() || t.Kind != schema.Struct {
			visit(t)
		}
	}
	// The JDK's reader finds strings by their type, whatever refers to it, and keys by that of long.
	for _, t := range types.Types {
		if stays[t.Ordinal()] || t.Kind != schema.Struct {
			list = append(list, t)
		}
	}
	return list
}

// descriptions are the metadata of chunks that are made: chunks with the same types share it.
type descriptions struct {
	mu    sync.Mutex
	known map[describedAs]*metadata
}

type describedAs struct {
	d    *describe.Description
	form wire.IntEncoding
}

// metadata is what a metadata event says. The same content has the same id, by which readers know metadata that they
// have read already.
type metadata struct {
	tree []byte
	id   int64
}

// event returns the metadata event of a chunk: its head and its tree.
func (all *descriptions) event(p *Plan, c *inputChunk, form wire.IntEncoding, ticks int64) piece {
	all.mu.Lock()
	defer all.mu.Unlock()
	m := all.known[describedAs{c.described, form}]
	if m == nil {
		m = p.metadata(c.described, c.dropped, form)
		if all.known == nil {
			all.known = make(map[describedAs]*metadata)
		}
		all.known[describedAs{c.described, form}] = m
	}
	a := wire.Appender{Encoding: form}
	metatree.AppendEventHead(&a, ticks, m.id, len(m.tree))
	return piece{a.Bytes, m.tree}
}

// metadata makes the metadata for types.
func (p *Plan) metadata(d *describe.Description, dropped []bool, form wire.IntEncoding) *metadata {
	root := d.Tree(remaining(d.Types(), dropped))
	if p.Convert {
		current := make(map[string]string)
		for _, t := range d.Types().Types {
			current[t.Name] = t.CurrentName()
		}
		visit(root, func(e *metatree.Element) { rename(e, current) })
	}
	if p.Edits != nil {
		types, names := d.ByNumber(), make(fieldNames)
		visit(root, func(e *metatree.Element) { edit(e, types, names, p.Edits) })
	}
	tree := wire.Appender{Encoding: form}
	metatree.Append(&tree, root)
	h := fnv.New64a()
	_, _ = h.Write(tree.Bytes) // it returns no error
	return &metadata{tree.Bytes, int64(h.Sum64()&(math.MaxInt64>>15)) | 1<<40}
}

// visit calls f with an element and all below it.
func visit(e *metatree.Element, f func(*metatree.Element)) {
	f(e)
	for _, child := range e.Children {
		visit(child, f)
	}
}

// rename gives types the names of format 2.
func rename(e *metatree.Element, current map[string]string) {
	for i := range e.Attrs {
		a := &e.Attrs[i]
		if name, ok := current[a.Value]; ok && e.Name == "class" && (a.Name == "name" || a.Name == "superType") {
			a.Value = name
		}
	}
}

// edit edits the texts of an element. Types are those of annotations, among others.
func edit(e *metatree.Element, types map[string]*schema.Type, names fieldNames, edits Edits) {
	var annotation *schema.Type
	if e.Name == "annotation" {
		class, _ := e.Get("class")
		annotation = types[class]
	}
	for i := range e.Attrs {
		a := &e.Attrs[i]
		switch {
		case e.Name == "class" && (a.Name == "name" || a.Name == "superType"):
			a.Value = editTypeName(e, a, types, edits)
		case e.Name == "field" && a.Name == "name":
			a.Value = edits.Described(FieldName, a.Value)
		case e.Name == "setting" && a.Name == "name":
			a.Value = edits.Described(SettingName, a.Value)
		case e.Name == "setting" && a.Name == "defaultValue":
			a.Value = edits.Described(Default, a.Value)
		case e.Name == "annotation":
			if a.Name != "class" && isFreeText(annotation, names, a.Name, a.Value) {
				a.Value = edits.Described(Annotated, a.Value)
			}
		case e.Name == "region" && !strings.HasPrefix(a.Name, "gmt") && a.Name != "dst" && a.Name != "ticks":
			a.Value = edits.Described(Annotated, a.Value)
		}
	}
}

// editTypeName returns what takes the place of the name of a type, or of its super type. Edits see the name as it is in the
// recording, which need not be one in Java.
func editTypeName(e *metatree.Element, a *metatree.Attribute, types map[string]*schema.Type, edits Edits) string {
	id, _ := e.Get("id")
	typ := types[id]
	if a.Name != "name" || typ == nil || !typ.IsEvent() || describe.JavaName(typ.Name) != a.Value {
		return edits.Described(TypeName, a.Value)
	}
	return describe.JavaName(edits.Described(TypeName, typ.Name))
}

// isFreeText reports whether a member of an annotation is a text that readers do not parse: neither a number, nor one of
// the words that say of which unit a field is, or how a setting is to be used.
func isFreeText(annotation *schema.Type, names fieldNames, member, text string) bool {
	if annotation == nil {
		return true
	}
	i := names.find(annotation, member)
	if dash := strings.LastIndexByte(member, '-'); i < 0 && dash > 0 { // an element of an array
		i = names.find(annotation, member[:dash])
	}
	if i >= 0 && annotation.Fields[i].Type.Kind != schema.String {
		return false
	}
	return !strings.HasPrefix(annotation.CurrentName(), "jdk.jfr.") || !slices.Contains(annotationWords, text)
}

// annotationWords are the texts that annotations of the JDK have.
var annotationWords = strings.Fields(`TICKS NANOSECONDS MICROSECONDS MILLISECONDS SECONDS SECONDS_SINCE_EPOCH MILLISECONDS_SINCE_EPOCH
	NANOSECONDS_SINCE_EPOCH BITS BYTES everyChunk beginChunk endChunk true false`)
