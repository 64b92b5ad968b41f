package rewrite

import (
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// directTexts are the texts in values of a type of which nothing else is edited. Such values are read without following
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
	pos, end := int(ev.Body()), int(ev.End())
	edited, _, ok := s.texts(d, t, ev, pos, pos, end)
	switch {
	case !ok:
		return false
	case edited == nil:
		s.same(int(ev.Offset), end, 1)
	default:
		s.endEvent(ev, edited)
	}
	return true
}

// texts edits the texts of the value of a type that lies between pos and end: the body of an event, or a constant if ev
// is nil. It returns the event with its head, or the constant with its key, which begins at from; nil if nothing
// changes. It returns false, and has called no edit, for a value that is not as eventTexts needs it.
func (s *source) texts(d *directTexts, t *schema.Type, ev *index.EventHeader, from, pos, end int) (out []byte, next int, ok bool) {
	next, ok = d.plan.Layout(s.data, pos, end, s.offs)
	if !ok || ev != nil && next != end {
		return nil, 0, false
	}
	for i := range d.slots {
		if wire.Encoding(s.data[s.offs[d.slots[i].slot]]) == wire.Constant {
			return nil, 0, false
		}
	}
	s.of = values{s: s, t: t, pos: pos, end: end}
	a := wire.Appender{Encoding: s.form} // empty until a text has changed
	last := from
	for i := range d.slots {
		at := int(s.offs[d.slots[i].slot])
		edit := d.slots[i].edit
		if edit == nil || wire.Encoding(s.data[at]) == wire.Null {
			continue
		}
		var edited string
		var changed bool
		view, n := s.shortText(at)
		if n > 0 {
			edited, changed = edit(view, &s.of)
		} else {
			var text wire.Text
			text, n = wire.ReadText(s.data[at:end], s.form)
			edited, changed = s.editNext(edit, text)
		}
		if !changed {
			continue
		}
		if a.Bytes == nil && ev != nil {
			a = s.beginEvent(ev)
		} else if a.Bytes == nil {
			a.Bytes = s.take(0)
		}
		a.Raw(s.data[last:at])
		a.Text(edited)
		last = at + n
	}
	if a.Bytes == nil && last == from {
		return nil, next, true
	}
	a.Raw(s.data[last:next])
	s.room[0] = a.Bytes
	return a.Bytes, next, true
}

// shortText returns the text that lies at a place, if it is a short one of ASCII characters, as most are that lie in
// events, and its length with its encoding; 0 if it is another one. The text ends before the chunk does.
func (s *source) shortText(at int) (view string, n int) {
	const longest = 2 * wire.WordLen
	if s.form != wire.Compressed || at+2+longest > len(s.data) {
		return "", 0
	}
	size := int(s.data[at+1])
	if wire.Encoding(s.data[at]) < wire.UTF8 || size == 0 || size > longest || !wire.ShortASCII(s.data, at+2, size) {
		return "", 0
	}
	return wire.View(s.data[at+2 : at+2+size]), 2 + size
}
