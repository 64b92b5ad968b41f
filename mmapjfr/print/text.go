package print

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// textRenderer writes events as jfr print does without an option for a format, or
// with --exact.
type textRenderer struct {
	exact      bool
	stackDepth int
	zone       *time.Location // nil for that of each recording
	templates  templates
	constants  constCache
	clock      clock
	iso        clock // for times in fields whose annotations are no content types
	event      mmapjfr.Event
	begin      int      // where the text of the event begins
	units      []uint16 // of strings that are not plain
	// outer writes the events that enclose others, which can be of other chunks; nil
	// until there is one.
	outer *textRenderer
}

func newText(o *Options) *textRenderer {
	return &textRenderer{
		exact: o.Format == Exact, stackDepth: o.StackDepth, zone: o.Zone,
		templates: newTemplates(fillText, textHead, textDepth),
		clock:     clock{format: textFormat}, iso: clock{format: isoFormat},
	}
}

func (r *textRenderer) append(dst []byte, it *item) []byte {
	e := r.enter(it.event)
	r.begin = len(dst)
	dst = append(dst, e.head...)
	for _, ev := range it.context {
		dst = r.appendContext(dst, ev)
	}
	dst = r.appendEvent(dst, e.fields)
	return append(dst, "}\n\n"...)
}

// textHead returns what stands before the fields of the events of a type.
func textHead(t mmapjfr.Type) []byte { return []byte(t.Name() + " {\n") }

// enter begins with an event.
func (r *textRenderer) enter(ev mmapjfr.Event) *eventTemplate {
	if chunk := ev.Chunk(); r.constants.enter(chunk) {
		r.clock.enter(chunk, r.zone)
		r.iso.enter(chunk, r.zone)
	}
	r.event = ev
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
		r.outer = newText(&Options{Format: r.format(), StackDepth: r.stackDepth, Zone: r.zone})
	}
	t := r.outer.enter(ev).fields
	r.outer.begin = len(dst)
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

func (r *textRenderer) format() Format {
	if r.exact {
		return Exact
	}
	return Text
}
