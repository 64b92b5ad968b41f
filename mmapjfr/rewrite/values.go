package rewrite

import (
	"strings"

	"github.com/mmapjfr/jfr/index/schema"
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

// Memo returns what is kept about the text.
func (v *values) Memo() Memo { return v.memo }

// Text returns the text of a field.
func (v *values) Text(field string) (string, bool) {
	if v.ch != nil && v.ch.t != v.t {
		if text, ok := v.beside(field); ok {
			return text, true
		}
	}
	slot, ok := textSlot(v.t, field)
	if !ok {
		return "", false
	}
	plan, err := v.t.Plan()
	if err != nil {
		return "", false
	}
	at, ok := plan.SlotOffset(v.s.data[:v.end], v.pos, slot)
	if !ok {
		return "", false
	}
	return v.s.textAt(at, v.end)
}

// textSlot returns the slot of a field with a text, which may lie in structs: then the name is the path to it.
func textSlot(t *schema.Type, field string) (slot int, ok bool) {
	for {
		name, rest, more := strings.Cut(field, ".")
		i := t.Field(name)
		if i < 0 || t.Fields[i].Array || t.Fields[i].Constant {
			return 0, false
		}
		slot += t.Fields[i].Slot()
		if t = t.Fields[i].Type; !more {
			return slot, t.Kind == schema.String
		}
		field = rest
	}
}

// beside returns the text of a field of the same element of an array of structs.
func (v *values) beside(field string) (string, bool) {
	want, ok := textSlot(v.ch.t, field)
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
		if v.s.noted[at].Slot == plan.Slot(want) {
			return v.s.notedText(&v.s.noted[at])
		}
	}
	return "", false
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
