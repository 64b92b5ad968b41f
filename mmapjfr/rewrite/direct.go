package rewrite

import (
	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// directTexts are the texts in events of a type of which nothing else is edited. Such events are read without following
// what they refer to.
type directTexts struct {
	plan  *schema.Plan // nil if something else is edited
	slots []directText
}

type directText struct {
	slot int
	edit TextEdit // nil if it stays
}

// directTexts returns the texts of a type.
func (s *source) directTexts(t *schema.Type) (d directTexts) {
	plan, err := t.Plan()
	if err != nil {
		return directTexts{}
	}
	for i := range plan.NumSlots() {
		slot := plan.Slot(i)
		ch := s.changes[slot]
		switch {
		case slot.Constant && slot.Type == s.strings, slot.Array && !slot.Constant && s.visitor.CanRefer(slot.Type):
			return directTexts{}
		case !slot.Constant && !slot.Array && slot.Type.Kind == schema.String:
			text := directText{slot: i}
			if ch != nil {
				text.edit = ch.text
			}
			d.slots = append(d.slots, text)
		case ch != nil:
			return directTexts{}
		}
	}
	d.plan = plan
	if len(s.offs) < plan.NumSlots() {
		s.offs = make([]uint32, plan.NumSlots())
	}
	return d
}

// eventTexts copies an event of a type with such texts. It returns false, and has done nothing, if the event does not
// fit its fields or has a text that lies in a pool.
func (s *source) eventTexts(ev *index.EventHeader, t *schema.Type, d *directTexts) bool {
	begin, pos, end := int(ev.Offset), int(ev.Body()), int(ev.End())
	if next, ok := d.plan.Layout(s.data, pos, end, s.offs); !ok || next != end {
		return false
	}
	for i := range d.slots {
		if wire.Encoding(s.data[s.offs[d.slots[i].slot]]) == wire.Constant {
			return false
		}
	}
	s.of = values{s, t, pos, end}
	var a wire.Appender // empty until a text has changed
	last := pos
	for i := range d.slots {
		at := int(s.offs[d.slots[i].slot])
		text, n := wire.ReadText(s.data[at:end], s.form)
		if d.slots[i].edit == nil || text.Encoding == wire.Null {
			continue
		}
		edited, changed := s.editNext(d.slots[i].edit, text)
		if !changed {
			continue
		}
		if a.Bytes == nil {
			a = s.beginEvent(ev)
		}
		a.Raw(s.data[last:at])
		a.Text(edited)
		last = at + n
	}
	if a.Bytes == nil {
		s.same(begin, end)
		return true
	}
	a.Raw(s.data[last:end])
	s.endEvent(ev, a.Bytes)
	return true
}
