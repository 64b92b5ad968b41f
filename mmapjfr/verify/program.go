package verify

import (
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// program is what to do with a value of a class, step by step.
type program struct {
	class *schema.Type
	plan  *schema.Plan
	steps []step
}

// deed is what to do in a step.
type deed uint8

const (
	// stepOver steps over n compressed integers.
	stepOver deed = iota
	// stepFixed steps over n bytes.
	stepFixed
	// keep keeps an integer, as the number n of those that are kept.
	keep
	// key looks for a constant.
	key
	// text checks a string.
	text
	// array goes through the elements of an array.
	array
)

// Numbers that are kept of an event.
const (
	keptStart = iota
	keptDuration
	keptLen
)

type step struct {
	deed deed
	n    int
	// slot is the first one of the class's plan that the step is about.
	slot int
	// class is the class of the constant.
	class *schema.Type
	// last is the key of the constant that was found last; 0 stands for null.
	last int64
	// elem is the program of the elements.
	elem *program
}

// program returns what to do with values of the class; nil if they have no layout.
func (w *walker) program(class *schema.Type) *program {
	ordinal := class.Ordinal()
	if ordinal >= len(w.programs) {
		w.programs = append(w.programs, make([]*program, len(w.types.Types)-len(w.programs))...)
	}
	if p := w.programs[ordinal]; p != nil {
		return p
	}
	plan, err := class.Plan()
	if err != nil {
		return nil
	}
	p := &program{class: class, plan: plan}
	start, duration := -1, -1
	if class.IsEvent() {
		start, _ = w.types.TimeAndThreadSlots(class)
		duration = durationSlot(class)
	}
	for i := range plan.NumSlots() {
		switch i {
		case start:
			p.steps = append(p.steps, step{deed: keep, n: keptStart, slot: i})
		case duration:
			p.steps = append(p.steps, step{deed: keep, n: keptDuration, slot: i})
		default:
			p.add(w.step(plan, i))
		}
	}
	w.programs[ordinal] = p
	return p
}

// durationSlot returns the slot in which events of the class tell how many ticks they
// lasted; -1 if they do not.
func durationSlot(class *schema.Type) int {
	i := class.Field("duration")
	if i < 0 {
		return -1
	}
	f := &class.Fields[i]
	if f.Type == nil || f.Type.Kind != schema.Long || f.Array || f.Constant || f.Unit != schema.TimespanTicks {
		return -1
	}
	return f.Slot()
}

// step returns what to do with a slot.
func (w *walker) step(plan *schema.Plan, i int) step {
	slot := plan.Slot(i)
	switch {
	case slot.Array && slot.Constant:
		keys := &program{steps: []step{{deed: key, class: slot.Type}}}
		return step{deed: array, slot: i, elem: keys}
	case slot.Array:
		// The plan would have an error if that of the elements had.
		return step{deed: array, slot: i, elem: w.program(slot.Type)}
	case slot.Constant:
		return step{deed: key, slot: i, class: slot.Type}
	}
	size := 0
	switch slot.Type.Kind {
	case schema.String:
		return step{deed: text, slot: i}
	case schema.Bool, schema.Byte:
		size = 1
	case schema.Float:
		size = 4
	case schema.Double:
		size = 8
	case schema.Short, schema.Char:
		size = wire.ShortLen
	case schema.Int:
		size = wire.IntLen
	case schema.Long:
		size = wire.LongLen
	}
	switch slot.Type.Kind {
	case schema.Short, schema.Char, schema.Int, schema.Long:
		if w.form == wire.Compressed {
			return step{deed: stepOver, slot: i, n: 1}
		}
	}
	return step{deed: stepFixed, slot: i, n: size}
}

// add adds a step, or lets the last one go further.
func (p *program) add(s step) {
	if n := len(p.steps) - 1; n >= 0 && p.steps[n].deed == s.deed && (s.deed == stepOver || s.deed == stepFixed) {
		p.steps[n].n += s.n
		return
	}
	p.steps = append(p.steps, s)
}

// name returns the name of the field that a slot of the class is, with those of the
// structs that it is inside of.
func name(class *schema.Type, slot int) string {
	if class == nil || class.Kind != schema.Struct {
		return ""
	}
	for i := len(class.Fields) - 1; i >= 0; i-- {
		f := &class.Fields[i]
		if f.Slot() > slot {
			continue
		}
		if f.Constant || f.Array || f.Type == nil || f.Type.Kind != schema.Struct {
			return f.Name
		}
		return join(f.Name, name(f.Type, slot-f.Slot()))
	}
	return ""
}

func join(outer, inner string) string {
	if outer == "" || inner == "" {
		return outer + inner
	}
	return outer + "." + inner
}
