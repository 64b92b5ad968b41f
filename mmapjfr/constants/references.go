package constants

import (
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// references finds where values of a chunk refer to constants. It belongs to one
// goroutine.
type references struct {
	data    []byte
	form    wire.IntEncoding
	strings *schema.Type // of the pool of strings; nil if there is none
	shapes  map[*schema.Type]*shape
	slots   [][]uint32 // where the slots of a value lie, and of one inside it, and so on
}

// reference is a key in a value.
type reference struct {
	class *schema.Type
	key   int64
	// at is where the key lies, and next is the position behind it.
	at, next int
}

// shape is where there can be keys in the values of a class.
type shape struct {
	plan  *schema.Plan
	slots []int
}

func newReferences(p *pools) *references {
	return &references{
		data:    p.data,
		form:    p.ix.IntEncoding(),
		strings: p.k.Named(jdktypes.String),
		shapes:  make(map[*schema.Type]*shape),
	}
}

// shape returns where there can be keys in the values of a class; no slots if there are
// none, or nobody knows.
func (r *references) shape(class *schema.Type) *shape {
	if s := r.shapes[class]; s != nil {
		return s
	}
	s := &shape{}
	r.shapes[class] = s
	plan, err := class.Plan()
	if err != nil {
		return s // its values cannot be read
	}
	s.plan = plan
	for i := range plan.NumSlots() {
		if r.refers(plan.Slot(i)) {
			s.slots = append(s.slots, i)
		}
	}
	return s
}

// refers tells whether there can be keys in a slot. Plans do not hold themselves.
func (r *references) refers(s *schema.Slot) bool {
	switch {
	case s.Constant, s.Type.Kind == schema.String:
		return true
	case s.Array:
		return len(r.shape(s.Type).slots) > 0
	}
	return false
}

// classes calls do with the classes that the constants are of which values of the class
// refer to.
func (r *references) classes(class *schema.Type, do func(*schema.Type)) {
	s := r.shape(class)
	for _, i := range s.slots {
		switch slot := s.plan.Slot(i); {
		case slot.Constant:
			do(slot.Type)
		case slot.Type.Kind == schema.String:
			if r.strings != nil {
				do(r.strings)
			}
		default:
			r.classes(slot.Type, do)
		}
	}
}

// each calls do with the keys in a value of the class, in their order. It is false if
// the value does not end inside end; do has then been called with a part of them.
func (r *references) each(class *schema.Type, pos, end int, do func(reference)) bool {
	_, ok := r.inside(r.shape(class), pos, end, 0, do)
	return ok
}

// inside is each for a value that is depth arrays deep in another. It returns the
// position behind the value.
func (r *references) inside(s *shape, pos, end, depth int, do func(reference)) (next int, ok bool) {
	if s.plan == nil {
		return 0, false
	}
	if depth == len(r.slots) {
		r.slots = append(r.slots, nil)
	}
	if n := s.plan.NumSlots(); len(r.slots[depth]) < n {
		r.slots[depth] = make([]uint32, n)
	}
	at := r.slots[depth]
	if next, ok = s.plan.Layout(r.data, pos, end, at); !ok {
		return 0, false
	}
	for _, i := range s.slots {
		slot, pos := s.plan.Slot(i), int(at[i])
		if slot.Array {
			ok = r.elements(s.plan, slot, pos, end, depth, do)
		} else {
			_, ok = r.one(slot, pos, end, do)
		}
		if !ok {
			return 0, false
		}
	}
	return next, true
}

// elements is each for an array.
func (r *references) elements(plan *schema.Plan, slot *schema.Slot, pos, end, depth int, do func(reference)) bool {
	n, pos, ok := plan.ArrayHeader(r.data[:end], pos)
	if slot.Constant || slot.Type.Kind == schema.String {
		for i := 0; i < n && ok; i++ {
			pos, ok = r.one(slot, pos, end, do)
		}
		return ok
	}
	elem := r.shape(slot.Type)
	for i := 0; i < n && ok; i++ {
		pos, ok = r.inside(elem, pos, end, depth+1, do)
	}
	return ok
}

// one is each for a key or a string.
func (r *references) one(slot *schema.Slot, pos, end int, do func(reference)) (next int, ok bool) {
	class := slot.Type
	if !slot.Constant {
		if pos >= end {
			return 0, false
		}
		if wire.Encoding(r.data[pos]) != wire.Constant {
			n := wire.SkipText(r.data[pos:end], r.form)
			return pos + n, n > 0
		}
		pos++
		class = r.strings
	}
	key, n := r.form.Long(r.data[pos:end])
	if n > 0 && class != nil {
		do(reference{class, key, pos, pos + n})
	}
	return pos + n, n > 0
}
