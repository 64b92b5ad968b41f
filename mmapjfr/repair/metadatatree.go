package repair

import (
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/wire"
)

// element is an element of the tree that a metadata event holds (FORMAT.md, section
// 4.1).
type element struct {
	name     string
	attrs    []attribute
	children []*element
}

type attribute struct{ name, value string }

func (e *element) attr(name, value string) *element {
	e.attrs = append(e.attrs, attribute{name, value})
	return e
}

// value returns the value of an attribute; "" and false if it is missing.
func (e *element) value(name string) (string, bool) {
	if i := slices.IndexFunc(e.attrs, func(a attribute) bool { return a.name == name }); i >= 0 {
		return e.attrs[i].value, true
	}
	return "", false
}

func (e *element) child(name string) *element {
	c := &element{name: name}
	e.children = append(e.children, c)
	return c
}

// same reports whether two elements say the same. The order of attributes means nothing,
// nor does that of children of different names.
func (e *element) same(o *element) bool {
	return e.name == o.name && slices.Equal(e.sorted(), o.sorted()) &&
		slices.EqualFunc(e.grouped(), o.grouped(), (*element).same)
}

// layout returns what the element of a type says of its values: no settings and no
// annotations.
func (e *element) layout() *element {
	l := &element{name: e.name, attrs: e.attrs}
	for _, c := range e.children {
		if c.name == "field" {
			l.children = append(l.children, c.layout())
		}
	}
	return l
}

func (e *element) grouped() []*element {
	return slices.SortedStableFunc(slices.Values(e.children), func(a, b *element) int { return strings.Compare(a.name, b.name) })
}

func (e *element) sorted() []attribute {
	return slices.SortedFunc(slices.Values(e.attrs), func(a, b attribute) int {
		return strings.Compare(a.name+"\x00"+a.value, b.name+"\x00"+b.value)
	})
}

// maxDepth bounds how deep elements may nest. Virtual machines write five.
const maxDepth = 64

// readMetadata reads the string table where the cursor stands, and the tree after it.
// It returns nil if they do not fit, or hold what the JDK stumbles over: texts that are
// null or constants.
func readMetadata(cur wire.Cursor) *element {
	n := cur.Count()
	texts := make([]string, 0, min(n, 1<<12))
	var buf []byte
	for range n {
		t := cur.Text()
		if !cur.OK() || t.Encoding == wire.Null || t.Encoding == wire.Constant {
			return nil
		}
		buf = t.Append(buf[:0])
		texts = append(texts, string(buf))
	}
	r := elementReader{cur, texts}
	root := r.read(0)
	if !r.cur.OK() {
		return nil
	}
	for _, e := range root.children {
		if _, ok := e.value("dst"); e.name == "region" && !ok { // as older virtual machines write it
			e.attr("dst", "0")
		}
	}
	return root
}

type elementReader struct {
	cur   wire.Cursor
	texts []string
}

// read reads an element, or anything if that does not fit: the cursor is not OK then.
func (r *elementReader) read(depth int) *element {
	e := &element{name: r.text()}
	if depth > maxDepth {
		r.cur.Seek(-1)
	}
	for range r.cur.Count() {
		e.attr(r.text(), r.text())
		if !r.cur.OK() {
			return e
		}
	}
	for range r.cur.Count() {
		e.children = append(e.children, r.read(depth+1))
		if !r.cur.OK() {
			return e
		}
	}
	return e
}

func (r *elementReader) text() string {
	i := r.cur.Int()
	if uint32(i) >= uint32(len(r.texts)) {
		r.cur.Seek(-1)
		return ""
	}
	return r.texts[i]
}

// append writes the string table of the tree and the tree.
func (e *element) append(enc *encoder) {
	numbers := make(map[string]uint32)
	var texts []string
	e.each(func(text string) {
		if _, ok := numbers[text]; !ok {
			numbers[text] = uint32(len(texts))
			texts = append(texts, text)
		}
	})
	enc.int(uint32(len(texts)))
	for _, text := range texts {
		enc.text(text)
	}
	e.appendTree(enc, numbers)
}

// each calls f with every text of the tree.
func (e *element) each(f func(text string)) {
	f(e.name)
	for _, a := range e.attrs {
		f(a.name)
		f(a.value)
	}
	for _, c := range e.children {
		c.each(f)
	}
}

func (e *element) appendTree(enc *encoder, numbers map[string]uint32) {
	enc.int(numbers[e.name])
	enc.int(uint32(len(e.attrs)))
	for _, a := range e.attrs {
		enc.int(numbers[a.name])
		enc.int(numbers[a.value])
	}
	enc.int(uint32(len(e.children)))
	for _, c := range e.children {
		c.appendTree(enc, numbers)
	}
}
