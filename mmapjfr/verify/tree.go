package verify

import (
	"fmt"
	"strconv"

	"github.com/mmapjfr/jfr/internal/wire"
)

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
