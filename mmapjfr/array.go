package mmapjfr

import (
	"iter"

	"github.com/mmapjfr/jfr/index"
)

// array returns how many elements the array at pos has and where the first is.
func (c *chunk) array(b []byte, pos int) (n, first int) {
	count, size := c.form.Count(b[min(pos, len(b)):])
	first = pos + size
	if size == 0 || count > uint64(len(b)-first) {
		return 0, 0
	}
	return int(count), first
}

// skipElement returns where the element behind the one at pos begins.
func (c *chunk) skipElement(f *index.Field, b []byte, pos int) (next int, ok bool) {
	elem := f.Elem()
	if elem == nil {
		return 0, false
	}
	return elem.Skip(b, pos)
}

// element returns where element i of the array at pos begins.
func (c *chunk) element(f *index.Field, b []byte, pos, i int) (at int, ok bool) {
	n, at := c.array(b, pos)
	if i >= n {
		return 0, false
	}
	for ok = true; i > 0 && ok; i-- {
		at, ok = c.skipElement(f, b, at)
	}
	return at, ok
}

// Len returns the number of elements of an array, or of bytes of a string as it
// lies in the file; 0 for other values.
func (v Value) Len() int {
	if v.at.kind() != KindArray {
		t, _ := v.text()
		return len(t.Bytes)
	}
	n, _ := v.c.array(v.bytes(), v.at.pos())
	return n
}

// Index returns element i of an array; an absent value if there is none. It
// steps over the elements before it: use [Value.Elements] to read them all.
func (v Value) Index(i int) Value {
	if v.at.kind() != KindArray || i < 0 {
		return Value{}
	}
	b := v.bytes()
	at, ok := v.c.element(v.field, b, v.at.pos(), i)
	if !ok {
		return Value{}
	}
	return v.c.valueOf(v.field, b, at, true, 0)
}

// Elements returns the elements of an array, in order; none for other values.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) { v.eachElement(yield) }
}

func (v Value) eachElement(yield func(Value) bool) {
	if v.at.kind() != KindArray {
		return
	}
	b := v.bytes()
	n, at := v.c.array(b, v.at.pos())
	for range n {
		if !yield(v.c.valueOf(v.field, b, at, true, 0)) {
			return
		}
		b = v.bytes() // the loop may have closed the recording
		var ok bool
		if at, ok = v.c.skipElement(v.field, b, at); !ok {
			return
		}
	}
}
