package rewrite

import (
	"hash/fnv"
	"math"
	"strings"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// kept returns the types that are described: event types that stay, and all that they lead to.
func kept(types *schema.TypeSet, dropped []bool) (list []*schema.Type) {
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
		if t.IsEvent() {
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

// metadata returns the metadata event of a chunk that is made anew.
func (p *Plan) metadata(d *describe.Description, dropped []bool, form wire.IntEncoding, ticks int64) []byte {
	root := d.Tree(kept(d.Types(), dropped))
	if p.Convert {
		current := make(map[string]string)
		for _, t := range d.Types().Types {
			current[t.Name] = t.CurrentName()
		}
		visit(root, func(e *metatree.Element) { rename(e, current) })
	}
	if p.Edits != nil {
		visit(root, func(e *metatree.Element) { edit(e, p.Edits) })
	}
	tree := wire.Appender{Encoding: form}
	metatree.Append(&tree, root)
	h := fnv.New64a()
	_, _ = h.Write(tree.Bytes) // it returns no error
	// The same content has the same id, by which readers know metadata that they have read already.
	id := int64(h.Sum64()&(math.MaxInt64>>15)) | 1<<40
	a := wire.Appender{Encoding: form}
	metatree.AppendEvent(&a, ticks, id, root)
	return a.Bytes
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

// edit edits the texts of an element.
func edit(e *metatree.Element, edits Edits) {
	for i := range e.Attrs {
		a := &e.Attrs[i]
		switch {
		case e.Name == "class" && (a.Name == "name" || a.Name == "superType"):
			a.Value = edits.Described(TypeName, a.Value)
		case e.Name == "field" && a.Name == "name":
			a.Value = edits.Described(FieldName, a.Value)
		case e.Name == "setting" && a.Name == "name":
			a.Value = edits.Described(SettingName, a.Value)
		case e.Name == "setting" && a.Name == "defaultValue":
			a.Value = edits.Described(Default, a.Value)
		case e.Name == "annotation" && a.Name != "class", e.Name == "region" && !strings.HasPrefix(a.Name, "gmt") && a.Name != "dst" && a.Name != "ticks":
			a.Value = edits.Described(Annotated, a.Value)
		}
	}
}
