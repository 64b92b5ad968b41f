package mmapjfr

import (
	"iter"
	"runtime/debug"

	"github.com/mmapjfr/jfr/index/schema"
)

// array returns how many elements the array of the field at pos has, and where
// the first is; none if it does not fit the bytes.
func array(f *schema.Field, b []byte, pos int) (n, first int) {
	if plan := f.Plan(); plan != nil {
		n, first, _ = plan.ArrayHeader(b, pos)
	}
	return n, first
}

// skipElement returns where the element behind the one at pos begins.
func (c *chunk) skipElement(f *schema.Field, b []byte, pos int) (next int, ok bool) {
	elem := f.Elem()
	if elem == nil {
		return 0, false
	}
	return elem.Skip(b, pos)
}

// element returns where element i of the array at pos begins.
func (c *chunk) element(f *schema.Field, b []byte, pos, i int) (at int, ok bool) {
	n, at := array(f, b, pos)
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
func (v Value) Len() (n int) {
	if v.c.traps() {
		defer v.c.guard(debug.SetPanicOnFault(true))
	}
	if v.at.kind() != KindArray {
		t, _ := v.text()
		return len(t.Bytes)
	}
	n, _ = array(v.field, v.bytes(), v.at.pos())
	return n
}

// Index returns element i of an array; an absent value if there is none. It
// steps over the elements before it: use [Value.Elements] to read them all.
func (v Value) Index(i int) (e Value) {
	if v.at.kind() != KindArray || i < 0 {
		return Value{}
	}
	if v.c.traps() {
		defer v.c.guard(debug.SetPanicOnFault(true))
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
	n, at := v.elements()
	for i := range n {
		e, next, ok := v.nextElement(at, i > 0)
		if !ok || !yield(e) {
			return
		}
		at = next
	}
}

// elements returns how many elements there are, and where the first one begins.
func (v Value) elements() (n, at int) {
	if v.c.traps() {
		defer v.c.guard(debug.SetPanicOnFault(true))
	}
	return array(v.field, v.bytes(), v.at.pos())
}

// nextElement returns the element that begins there, or the one behind it, and where it
// does. It gets the bytes anew, for the loop may have closed the recording.
func (v Value) nextElement(at int, behind bool) (e Value, next int, ok bool) {
	if v.c.traps() {
		defer v.c.guard(debug.SetPanicOnFault(true))
	}
	b := v.bytes()
	if behind {
		if at, ok = v.c.skipElement(v.field, b, at); !ok {
			return Value{}, 0, false
		}
	}
	return v.c.valueOf(v.field, b, at, true, 0), at, true
}
