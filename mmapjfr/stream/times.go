package stream

import "github.com/mmapjfr/jfr/index"

// times finds when events of a type ended without finding all of their fields.
type times struct {
	plan            *index.Plan // nil if it takes the event itself to tell
	start, duration int         // slots; -1 for a duration that there is none of
}

// timesOf returns where events of a type tell when they ended.
func timesOf(class *index.Type) times {
	plan, err := class.Plan()
	start := class.StartTime()
	if err != nil || start == nil || !isLong(start) {
		return times{}
	}
	t := times{plan: plan, start: start.Slot(), duration: -1}
	if i := class.Field("duration"); i >= 0 {
		f := &class.Fields[i]
		if !isLong(f) {
			return times{}
		}
		t.duration = f.Slot()
	}
	return t
}

func isLong(f *index.Field) bool {
	return f.Type != nil && f.Type.Kind == index.Long && !f.Array && !f.Constant
}

// end returns at which tick an event ended. It is false if only the event itself can tell, or
// what is wrong with it.
func (t *times) end(ix *index.Chunk, rec *index.EventHeader) (ticks int64, ok bool) {
	if t.plan == nil {
		return 0, false
	}
	b, form := ix.Data()[:rec.End()], ix.IntEncoding()
	for _, slot := range [...]int{t.start, t.duration} {
		if slot < 0 {
			continue
		}
		at, found := t.plan.SlotOffset(b, int(rec.Body()), slot)
		if !found {
			return 0, false
		}
		n, size := form.Long(b[at:])
		if size == 0 {
			return 0, false
		}
		ticks += n
	}
	return ticks, true
}
