package repair

import (
	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// references counts references to constants that are nowhere.
type references struct {
	constants *index.Constants
	described *description
	text      *schema.Type // java.lang.String
	form      wire.IntEncoding
	data      []byte
	offs      []uint32 // room for the slots of an event
	missing   map[*schema.Type]uint64
	// patching tells that it goes through constants, and that keys in them which lead
	// nowhere are to be patched; within is the class of the constant.
	patching bool
	within   *schema.Type
	patches  []patch
}

func newReferences(c *index.Chunk, k *index.Constants, d *description) *references {
	types := d.types
	return &references{
		constants: k, described: d, text: named(types, jdktypes.String), form: c.IntEncoding(), data: c.Data(),
		offs: make([]uint32, types.MaxSlots()), missing: make(map[*schema.Type]uint64),
	}
}

// layOut finds the fields of an event, which lie between pos and end. It is false if they
// do not fit.
func (r *references) layOut(p *schema.Plan, pos, end int) bool {
	_, ok := p.Layout(r.data, pos, end, r.offs)
	return ok
}

// event looks at the references of the event that was laid out last.
func (r *references) event(p *schema.Plan, end int) {
	for i := range p.NumSlots() {
		if refers(p.Slot(i)) {
			r.slot(p, i, int(r.offs[i]), end)
		}
	}
}

// refers tells whether there can be references in a slot.
func refers(s *schema.Slot) bool { return s.Constant || s.Array || s.Type.Kind == schema.String }

// value looks at the references of a value that begins at pos, and fits.
func (r *references) value(p *schema.Plan, pos, end int) {
	for i := range p.NumSlots() {
		if refers(p.Slot(i)) {
			if at, ok := p.SlotOffset(r.data[:end], pos, i); ok {
				r.slot(p, i, at, end)
			}
		}
	}
}

func (r *references) slot(p *schema.Plan, i, at, end int) {
	s := p.Slot(i)
	if !s.Array {
		r.one(s, at, end)
		return
	}
	if !s.Constant && s.Type.Kind != schema.Struct && s.Type.Kind != schema.String {
		return
	}
	n, at, ok := p.ArrayHeader(r.data[:end], at)
	if !ok {
		return
	}
	elem, err := s.Type.Plan()
	for range n {
		r.one(s, at, end)
		if s.Constant {
			at += r.long(at)
		} else if err != nil {
			return
		} else if at, ok = elem.Skip(r.data[:end], at); !ok {
			return
		}
	}
}

func (r *references) long(at int) int {
	_, n := r.form.Long(r.data[at:])
	return n
}

// one looks at a single value of a slot.
func (r *references) one(s *schema.Slot, at, end int) {
	switch {
	case s.Constant:
		key, n := r.form.Long(r.data[at:end])
		missing := r.key(s.Type, key)
		if missing || key == 0 && r.needs(s.Type) {
			r.patch(s, at, n)
		}
	case s.Type.Kind == schema.String:
		if text, n := wire.ReadText(r.data[at:end], r.form); n > 0 && text.Encoding == wire.Constant && r.text != nil {
			r.key(r.text, text.Key)
		}
	default:
		if p, err := s.Type.Plan(); err == nil {
			r.value(p, at, end)
		}
	}
}

// key counts a reference, and tells whether it leads nowhere.
func (r *references) key(class *schema.Type, key int64) (missing bool) {
	if key == 0 { // null, wherever there is none
		return false
	}
	missing = !r.has(class, key)
	if missing {
		r.missing[class]++
	}
	return missing
}

// has reports whether there is such a constant, and it is written.
func (r *references) has(class *schema.Type, key int64) bool {
	_, ok := r.constants.Lookup(class, key)
	return ok && r.described.pools(class)
}

// needs tells whether what is gone through must have a constant of the class.
func (r *references) needs(class *schema.Type) bool {
	if !r.patching || r.has(class, 0) {
		return false
	}
	switch r.within.CurrentName() {
	case jdktypes.Method:
		return class.Name == jdktypes.Class || class.CurrentName() == jdktypes.Symbol
	case jdktypes.Class:
		return class.CurrentName() == jdktypes.Symbol
	case jdktypes.Reference:
		return class.CurrentName() == jdktypes.OldObject
	}
	return class.CurrentName() == jdktypes.Method
}

// patch takes note of a key in a constant that leads nowhere.
func (r *references) patch(s *schema.Slot, at, n int) {
	if !r.patching || len(r.patches) == maxPatches || !r.described.pools(s.Type) {
		return
	}
	descriptor := false
	if i := r.within.Field(descriptorField); i >= 0 && r.within.CurrentName() == jdktypes.Method {
		p, err := r.within.Plan()
		descriptor = err == nil && p.Slot(r.within.Fields[i].Slot()) == s
	}
	if key := standInFor(s.Type, descriptor); key != 0 {
		r.patches = append(r.patches, patch{uint64(at), uint8(n), key})
	}
}
