// Package refs visits the references to constants that a value holds: keys in its fields and
// in arrays, and strings that lie in the pool of strings.
package refs

import (
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Visitor finds references in the values of one chunk. It belongs to one goroutine. It
// allocates for the first value of each type only.
type Visitor struct {
	data    []byte
	form    wire.IntEncoding
	strings *schema.Type // the type of pooled strings; nil if the chunk has no such type
	shapes  []*shape     // by the ordinal of the type; of two sets of types, the last that was asked for
	offs    [][]uint32   // by depth: where the slots of a value lie
	also    func(t *schema.Type, slot int) bool
	counts  bool
	texts   bool // keys of other constants than strings are passed over
}

// Reference is a key in a value, or what [Visitor.Also] asks for.
type Reference struct {
	// Slot is the slot of the innermost struct that holds the key.
	Slot *schema.Slot
	// Type is the type of the constant, and Key its key; 0 mostly stands for null. Type is nil if
	// this is no key.
	Type *schema.Type
	Key  int64
	// From and To are where the key begins and ends, from the start of the chunk.
	From, To int
	// Count reports whether this is the number of elements before an array, which Key is then.
	Count bool
}

// shape is where values of a type can hold keys.
type shape struct {
	t     *schema.Type
	plan  *schema.Plan // nil if values of the type cannot be read
	slots []int
	also  []bool // the slots whose values are visited whatever they are; nil if there are none
}

// New returns a visitor for the bytes of a chunk. Strings is the type of pooled strings, or nil.
func New(data []byte, form wire.IntEncoding, strings *schema.Type) *Visitor {
	return &Visitor{data: data, form: form, strings: strings}
}

// Also makes the visitor visit the values of more slots: integers, and strings that are no
// constants, with their encoding. With counts it visits the numbers of elements of arrays, too.
// Call it before any other method.
func (v *Visitor) Also(wanted func(t *schema.Type, slot int) bool, counts bool) {
	v.also, v.counts = wanted, counts
}

// OnlyTexts makes the visitor pass over keys of constants other than strings. Call it before any
// other method.
func (v *Visitor) OnlyTexts() { v.texts = true }

func (v *Visitor) shape(t *schema.Type) *shape {
	if i := t.Ordinal(); i < len(v.shapes) && v.shapes[i] != nil && v.shapes[i].t == t {
		return v.shapes[i]
	}
	return v.newShape(t)
}

func (v *Visitor) newShape(t *schema.Type) *shape {
	s := &shape{t: t}
	if n := t.Ordinal() + 1; n > len(v.shapes) {
		v.shapes = append(v.shapes, make([]*shape, n-len(v.shapes))...)
	}
	v.shapes[t.Ordinal()] = s
	plan, err := t.Plan()
	if err != nil {
		return s
	}
	s.plan = plan
	for i := range plan.NumSlots() {
		wire.Step()
		also := v.also != nil && v.also(t, i)
		if also && s.also == nil {
			s.also = make([]bool, plan.NumSlots())
		}
		if also {
			s.also[i] = true
		}
		if also || v.canRefer(plan.Slot(i)) || v.counts && plan.Slot(i).Array {
			s.slots = append(s.slots, i)
		}
	}
	return s
}

// canRefer reports whether a slot can hold keys. It ends, as no plan holds itself.
func (v *Visitor) canRefer(s *schema.Slot) bool {
	switch {
	case s.Constant:
		return !v.texts || s.Type == v.strings
	case s.Type.Kind == schema.String:
		return true
	case s.Array:
		return v.CanRefer(s.Type)
	}
	return false
}

// CanRefer reports whether values of the type can hold references.
func (v *Visitor) CanRefer(t *schema.Type) bool { return len(v.shape(t).slots) > 0 }

// Types calls visit with the types of the constants that values of t can refer to.
func (v *Visitor) Types(t *schema.Type, visit func(*schema.Type)) {
	s := v.shape(t)
	for _, i := range s.slots {
		switch slot := s.plan.Slot(i); {
		case slot.Constant:
			visit(slot.Type)
		case slot.Type.Kind != schema.String:
			v.Types(slot.Type, visit)
		case v.strings != nil:
			visit(v.strings)
		}
	}
}

// Value visits the references of the value of type t that lies between pos and end, in their
// order. It returns where the value ends. It is false if the value does not end before end;
// some references may have been visited then.
func (v *Visitor) Value(t *schema.Type, pos, end int, visit func(Reference)) (next int, ok bool) {
	return v.value(v.shape(t), pos, end, 0, visit)
}

// LayOut finds the slots of a value of type t, for [Visitor.LaidOut]. The slice is valid
// until the next call of the visitor's methods.
func (v *Visitor) LayOut(t *schema.Type, pos, end int) (offs []uint32, ok bool) {
	offs, _, ok = v.layOut(v.shape(t), pos, end, 0)
	return offs, ok
}

// LaidOut is [Visitor.Value] for the value that was laid out last.
func (v *Visitor) LaidOut(t *schema.Type, end int, visit func(Reference)) bool {
	return v.slots(v.shape(t), end, 0, visit)
}

func (v *Visitor) layOut(s *shape, pos, end, depth int) (offs []uint32, next int, ok bool) {
	if s.plan == nil {
		return nil, 0, false
	}
	if depth == len(v.offs) {
		v.offs = append(v.offs, nil)
	}
	if n := s.plan.NumSlots(); len(v.offs[depth]) < n {
		v.offs[depth] = make([]uint32, n)
	}
	next, ok = s.plan.Layout(v.data, pos, end, v.offs[depth])
	return v.offs[depth], next, ok
}

// value is Value for a value that lies depth arrays deep in another.
func (v *Visitor) value(s *shape, pos, end, depth int, visit func(Reference)) (next int, ok bool) {
	if _, next, ok = v.layOut(s, pos, end, depth); !ok {
		return 0, false
	}
	return next, v.slots(s, end, depth, visit)
}

func (v *Visitor) slots(s *shape, end, depth int, visit func(Reference)) (ok bool) {
	offs := v.offs[depth]
	for _, i := range s.slots {
		wire.Step()
		slot, pos := s.plan.Slot(i), int(offs[i])
		also := s.also != nil && s.also[i]
		if slot.Array {
			ok = v.array(s.plan, slot, pos, end, depth, also, visit)
		} else {
			_, ok = v.one(slot, pos, end, also, visit)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (v *Visitor) array(plan *schema.Plan, slot *schema.Slot, pos, end, depth int, also bool, visit func(Reference)) bool {
	from := pos
	n, pos, ok := plan.ArrayHeader(v.data[:end], pos)
	if ok && v.counts {
		visit(Reference{Slot: slot, Key: int64(n), From: from, To: pos, Count: true})
	}
	if slot.Constant || slot.Type.Kind != schema.Struct {
		if !also && !slot.Constant && slot.Type.Kind != schema.String {
			return ok
		}
		for i := 0; i < n && ok; i++ {
			pos, ok = v.one(slot, pos, end, also, visit)
		}
		return ok
	}
	elem := v.shape(slot.Type)
	for i := 0; i < n && ok; i++ {
		pos, ok = v.value(elem, pos, end, depth+1, visit)
	}
	return ok
}

// one visits the value of a slot, or the element of an array, that lies at pos.
func (v *Visitor) one(slot *schema.Slot, pos, end int, also bool, visit func(Reference)) (next int, ok bool) {
	t := slot.Type
	switch {
	case slot.Constant:
	case t.Kind == schema.String:
		if pos >= end {
			return 0, false
		}
		if wire.Encoding(v.data[pos]) != wire.Constant {
			n := wire.SkipText(v.data[pos:end], v.form)
			if n > 0 && also {
				visit(Reference{Slot: slot, From: pos, To: pos + n})
			}
			return pos + n, n > 0
		}
		pos++
		t = v.strings
	default:
		n := v.width(t, pos, end)
		if n > 0 {
			visit(Reference{Slot: slot, From: pos, To: pos + n})
		}
		return pos + n, n > 0
	}
	key, n := v.form.Long(v.data[pos:end])
	if n > 0 && t != nil {
		visit(Reference{Slot: slot, Type: t, Key: key, From: pos, To: pos + n})
	}
	return pos + n, n > 0
}

// width returns how many bytes the number of a primitive type at pos has; 0 if it does not end
// before end.
func (v *Visitor) width(t *schema.Type, pos, end int) (n int) {
	switch t.Kind {
	case schema.Bool, schema.Byte:
		n = 1
	case schema.Float:
		n = 4
	case schema.Double:
		n = 8
	case schema.Char, schema.Short:
		_, n = v.form.Short(v.data[pos:end])
	case schema.Int:
		_, n = v.form.Int(v.data[pos:end])
	default:
		_, n = v.form.Long(v.data[pos:end])
	}
	if n > end-pos {
		return 0
	}
	return n
}
