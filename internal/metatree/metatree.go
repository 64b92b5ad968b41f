// Package metatree reads and writes the tree of elements that a metadata event holds, for packages
// that check or rewrite metadata. Package internal/index/schema, which the library reads types by,
// has a reader of its own: the two check each other.
package metatree

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Element is an element of the tree (FORMAT.md, section 4.1).
type Element struct {
	// At is where the element begins, as a position of the cursor; 0 if it was not read.
	At       int
	Name     string
	Attrs    []Attribute
	Children []*Element
}

// Attribute is an attribute of an element.
type Attribute struct{ Name, Value string }

// Set adds an attribute, and returns the element.
func (e *Element) Set(name, value string) *Element {
	e.Attrs = append(e.Attrs, Attribute{name, value})
	return e
}

// Add adds a child with a name, and returns the child.
func (e *Element) Add(name string) *Element {
	child := &Element{Name: name}
	e.Children = append(e.Children, child)
	return child
}

// Get returns the value of an attribute, of two with the same name the first; "" and false if it
// is missing.
func (e *Element) Get(name string) (string, bool) {
	for _, a := range e.Attrs {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// Number returns the value of an attribute as a number; false if it is missing or not a number.
func (e *Element) Number(name string) (int64, bool) {
	text, _ := e.Get(name)
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// Named returns the children with a name.
func (e *Element) Named(name string) iter.Seq[*Element] {
	return func(yield func(*Element) bool) {
		for _, child := range e.Children {
			if child.Name == name && !yield(child) {
				return
			}
		}
	}
}

// maxDepth is how deep elements may nest. Virtual machines write five levels.
const maxDepth = 64

// Read reads the string table at the cursor and the tree after it. It calls check with the number
// and the position of each string. If something is wrong at the position of the cursor afterwards,
// Read says what.
func Read(cur *wire.Cursor, check func(i, at int, text wire.Text)) (root *Element, wrong string) {
	r := reader{cur: cur}
	r.readStrings(check)
	root = r.element(0)
	return root, r.wrong
}

// reader reads until something is wrong, and then nothing more.
type reader struct {
	cur     *wire.Cursor
	strings []string
	wrong   string
}

func (r *reader) fail(format string, args ...any) { r.wrong = fmt.Sprintf(format, args...) }

func (r *reader) readStrings(check func(i, at int, text wire.Text)) {
	n := r.cur.Count()
	if !r.cur.OK() {
		r.fail("it ends inside its head, or has more strings than bytes")
		return
	}
	var buf []byte
	for i := range n {
		at := r.cur.Pos()
		text := r.cur.Text()
		if !r.cur.OK() {
			r.fail("string %d of %d does not fit, or has none of the encodings", i, n)
			return
		}
		check(i, at, text)
		buf = text.Append(buf[:0])
		r.strings = append(r.strings, string(buf))
	}
}

func (r *reader) element(depth int) *Element {
	e := &Element{At: r.cur.Pos()}
	if depth > maxDepth {
		r.fail("elements nest deeper than %d", maxDepth)
	}
	e.Name = r.text()
	for range r.count(e, "attributes") {
		if e.Set(r.text(), r.text()); r.wrong != "" {
			return e
		}
	}
	for range r.count(e, "children") {
		if e.Children = append(e.Children, r.element(depth+1)); r.wrong != "" {
			return e
		}
	}
	return e
}

// count reads the number of things that an element has. Each takes a byte or more.
func (r *reader) count(e *Element, things string) int {
	if r.wrong != "" {
		return 0
	}
	n := r.cur.Count()
	if !r.cur.OK() {
		r.fail("element %q has more %s than there are bytes", e.Name, things)
	}
	return n
}

// text reads a string by its number.
func (r *reader) text() string {
	if r.wrong != "" {
		return ""
	}
	i := r.cur.Int()
	switch {
	case !r.cur.OK():
		r.fail("it ends inside an element")
	case uint32(i) >= uint32(len(r.strings)):
		r.fail("string %d is missing: there are %d strings", i, len(r.strings))
	default:
		return r.strings[i]
	}
	return ""
}

// Append appends the string table of a tree, and the tree after it.
func Append(a *wire.Appender, root *Element) {
	numbers := make(map[string]int32)
	var texts []string
	tree := wire.Appender{Encoding: a.Encoding}
	number := func(text string) {
		n, ok := numbers[text]
		if !ok {
			n = int32(len(texts))
			numbers[text], texts = n, append(texts, text)
		}
		tree.Int(n)
	}
	root.append(&tree, number)
	a.Count(len(texts))
	for _, text := range texts {
		a.Text(text)
	}
	a.Raw(tree.Bytes)
}

// append appends an element, with the numbers of its texts.
func (e *Element) append(a *wire.Appender, number func(text string)) {
	number(e.Name)
	a.Count(len(e.Attrs))
	for _, attr := range e.Attrs {
		number(attr.Name)
		number(attr.Value)
	}
	a.Count(len(e.Children))
	for _, c := range e.Children {
		c.append(a, number)
	}
}

// AppendEvent appends a metadata event with an id, written at a tick.
func AppendEvent(a *wire.Appender, ticks, id int64, root *Element) {
	tree := wire.Appender{Encoding: a.Encoding}
	Append(&tree, root)
	AppendEventHead(a, ticks, id, len(tree.Bytes))
	a.Raw(tree.Bytes)
}

// AppendEventHead appends what a metadata event has before its tree, which takes a number of bytes.
func AppendEventHead(a *wire.Appender, ticks, id int64, tree int) {
	at := a.BeginEvent()
	a.Long(metadataType)
	a.Long(ticks)
	a.Long(0) // duration
	a.Long(id)
	a.SetSize(at, uint32(len(a.Bytes)-at+tree))
}

const metadataType = 0 // FORMAT.md, section 4

// Same reports whether two elements mean the same. The order of attributes has no meaning, nor has
// that of children with different names.
func Same(a, b *Element) bool {
	return a.Name == b.Name && slices.Equal(sorted(a), sorted(b)) && slices.EqualFunc(grouped(a), grouped(b), Same)
}

func grouped(e *Element) []*Element {
	return slices.SortedStableFunc(slices.Values(e.Children), func(a, b *Element) int { return strings.Compare(a.Name, b.Name) })
}

func sorted(e *Element) []Attribute {
	return slices.SortedFunc(slices.Values(e.Attrs), func(a, b Attribute) int {
		return strings.Compare(a.Name+"\x00"+a.Value, b.Name+"\x00"+b.Value)
	})
}
