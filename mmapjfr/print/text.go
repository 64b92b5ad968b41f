package print

import (
	"github.com/mmapjfr/jfr/mmapjfr"
)

// textRenderer writes events as jfr print does without an option for a format, or
// with --exact.
type textRenderer struct {
	base
	exact bool
	iso   clock // for times in fields whose annotations are no content types
	event mmapjfr.Event
	begin int // where the text of the event begins
	// outer writes the events that enclose others, which can be of other chunks; nil
	// until there is one.
	outer *textRenderer
}

func newText(o *Options) *textRenderer {
	return &textRenderer{
		base:  base{options: o, clock: clock{format: textFormat}, templates: newTemplates(fillText, textHead, textDepth)},
		exact: o.Format == Exact, iso: clock{format: isoFormat},
	}
}

func (r *textRenderer) append(dst []byte, it *item) []byte {
	e := r.enter(dst, it.event)
	dst = append(dst, e.head...)
	for _, ev := range it.context {
		dst = r.appendContext(dst, ev)
	}
	dst = r.appendEvent(dst, e.fields)
	return append(dst, "}\n\n"...)
}

// textHead returns what stands before the fields of the events of a type.
func textHead(t mmapjfr.Type) []byte { return []byte(t.Name() + " {\n") }

// enter begins with an event that is appended to dst.
func (r *textRenderer) enter(dst []byte, ev mmapjfr.Event) *eventTemplate {
	r.base.enter(dst, ev)
	r.iso.setZone(r.clock.zone)
	r.event, r.begin = ev, len(dst)
	return r.templates.event(ev.Type())
}

// appendEvent appends the fields of the event, and after them its thread and its stack
// trace.
func (r *textRenderer) appendEvent(dst []byte, t *template) []byte {
	var thread, stack mmapjfr.Value
	var threadField, stackField *fieldTemplate
	i := 0
	for _, field := range r.event.Value().Fields() {
		s := &t.fields[i]
		i++
		switch s.text.position {
		case omitted:
			continue
		case threadLast:
			thread, threadField = field, s
			continue
		case stackLast:
			stack, stackField = field, s
			continue
		case unlessZero:
			if field.Kind() == mmapjfr.KindLong && field.Int() == 0 {
				continue
			}
		}
		dst = append(dst, s.head...)
		dst = r.appendValue(dst, s, field, textDepth, "")
	}
	if thread.Kind() != mmapjfr.KindNone {
		dst = append(dst, threadField.head...)
		dst = append(r.appendConstant(dst, threadField, thread), '\n')
	}
	if stack.Kind() != mmapjfr.KindNone {
		dst = append(dst, stackField.head...)
		dst = r.appendConstant(dst, stackField, stack)
	}
	return dst
}

// appendContext appends the contextual fields of an event that encloses the one that is
// being written.
func (r *textRenderer) appendContext(dst []byte, ev mmapjfr.Event) []byte {
	if r.outer == nil {
		r.outer = newText(r.options)
	}
	t := r.outer.enter(dst, ev).fields
	i := 0
	for _, field := range ev.Value().Fields() {
		s := &t.fields[i]
		i++
		if s.text.context != nil {
			dst = append(dst, s.text.context...)
			dst = r.outer.appendValue(dst, s, field, textDepth, "")
		}
	}
	return dst
}
