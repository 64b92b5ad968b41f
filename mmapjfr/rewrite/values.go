package rewrite

import (
	"context"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/refs"
	"github.com/mmapjfr/jfr/internal/wire"
)

// values are those of an event or a constant that lies between pos and end.
type values struct {
	s        *source
	t        *schema.Type
	pos, end int
	memo     Memo
	ch       *change // of the text that is edited; nil if nothing has been noted of the value
	at       int     // of the text, among what has been noted
}

// Context returns that of the copy.
func (v *values) Context() context.Context { return v.s.ctx }

// Memo returns what is kept about the text.
func (v *values) Memo() Memo { return v.memo }

// Text returns the text of a field.
func (v *values) Text(field string) (string, bool) {
	if v.ch != nil && v.ch.t != v.t {
		if text, ok := v.beside(field); ok {
			return text, true
		}
	}
	slot, ok := v.s.names.textSlot(v.t, field)
	if !ok {
		return "", false
	}
	at, ok := v.s.slotOffset(v.t, v.pos, v.end, slot)
	if !ok {
		return "", false
	}
	return v.s.textAt(at, v.end)
}

// beside returns the text of a field of the same element of an array of structs.
func (v *values) beside(field string) (string, bool) {
	want, ok := v.s.names.textSlot(v.ch.t, field)
	if !ok {
		return "", false
	}
	plan, err := v.ch.t.Plan()
	if err != nil {
		return "", false
	}
	step := 1
	if want < v.ch.slot {
		step = -1
	}
	own := v.s.noted[v.at].Slot
	for at := v.at + step; at >= 0 && at < len(v.s.noted) && v.s.noted[at].Slot != own; at += step {
		wire.Step()
		if max(at-v.at, v.at-at) > farthestBeside {
			break
		}
		if v.s.noted[at].Slot == plan.Slot(want) {
			return v.s.notedText(&v.s.noted[at])
		}
	}
	return "", false
}

// farthestBeside is how many texts and references may lie between two fields of an element. A field is asked for
// once for each text of the element.
const farthestBeside = 1 << 10

// slotOffset returns where a slot of the value of a type lies.
func (s *source) slotOffset(t *schema.Type, pos, end, slot int) (at int, ok bool) {
	plan, err := t.Plan()
	if err != nil {
		return 0, false
	}
	// Of a value with many fields all slots are found at once: there may be a question for each.
	if n := plan.NumSlots(); n > fewSlots {
		if s.laid.t != t || s.laid.pos != pos || s.laid.end != end {
			if len(s.laid.offs) < n {
				s.laid.offs = make([]uint32, n)
			}
			s.laid.t = nil
			if _, ok := plan.Layout(s.data, pos, end, s.laid.offs); !ok {
				return 0, false
			}
			s.laid.t, s.laid.pos, s.laid.end = t, pos, end
		}
		return int(s.laid.offs[slot]), true
	}
	return plan.SlotOffset(s.data[:end], pos, slot)
}

const fewSlots = 64

// laidOut is where the slots of a value lie.
type laidOut struct {
	t        *schema.Type
	pos, end int
	offs     []uint32
}

// Previous returns the text of the element before.
func (v *values) Previous() (string, bool) {
	if v.ch == nil || v.at == 0 {
		return "", false
	}
	own, before := &v.s.noted[v.at], &v.s.noted[v.at-1]
	if before.Slot != own.Slot || !own.Slot.Array || before.To+1 < own.From || before.Count {
		return "", false
	}
	return v.s.notedText(before)
}

// notedText returns a text that has been noted.
func (s *source) notedText(r *refs.Reference) (string, bool) {
	if r.Type != nil { // its encoding is the byte before its key
		return s.textAt(r.From-1, r.To)
	}
	return s.textAt(r.From, r.To)
}

// textAt returns the text that lies at a place, or in the pool; false for null.
func (s *source) textAt(at, end int) (string, bool) {
	text, n := wire.ReadText(s.data[at:end], s.form)
	if text.Encoding == wire.Constant {
		if s.strings == nil {
			return "", false
		}
		long, inPool, ok := s.pooledText(text.Key)
		if !ok || long != nil {
			return long.view(), ok
		}
		text = inPool
	}
	if n == 0 || text.Encoding == wire.Null {
		return "", false
	}
	if view, ok := text.View(); ok {
		return view, true
	}
	return string(text.Append(nil)), true
}
