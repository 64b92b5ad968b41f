package verify

import (
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// valueProgram checks a value of a type, step by step.
type valueProgram struct {
	typ        *schema.Type
	unreadable string // why the values cannot be read; empty if they can be
	steps      []instruction
}

// opcode is what a step does.
type opcode uint8

const (
	// opVarints steps over n compressed integers.
	opVarints opcode = iota
	// opFixed steps over n bytes.
	opFixed
	// opLoad decodes an integer into loaded[n].
	opLoad
	// opKey looks for a constant.
	opKey
	// opText checks a string.
	opText
	// opArray checks the elements of an array.
	opArray
)

// The fields of an event that opLoad decodes.
const (
	loadStart = iota
	loadDuration
	loads
)

type instruction struct {
	op opcode
	n  int
	// slot is the first slot of the step in the type's plan.
	slot int
	// typ is the type of the constant.
	typ *schema.Type
	// last is the key of the constant that was found last, or 0.
	last int64
	// elem is the program of the elements.
	elem *valueProgram
}

// program returns the program for values of a type.
func (w *walker) program(typ *schema.Type) *valueProgram {
	ordinal := typ.Ordinal()
	if ordinal >= len(w.programs) {
		w.programs = append(w.programs, make([]*valueProgram, len(w.types.Types)-len(w.programs))...)
	}
	if p := w.programs[ordinal]; p != nil {
		return p
	}
	p := &valueProgram{typ: typ}
	w.programs[ordinal] = p
	plan, err := typ.Plan()
	if err != nil {
		p.unreadable = reason(err)
		return p
	}
	start, duration := -1, -1
	if typ.IsEvent() {
		start, _ = w.types.TimeAndThreadSlots(typ)
		duration = durationSlot(typ)
	}
	for i := range plan.NumSlots() {
		switch i {
		case start:
			p.steps = append(p.steps, instruction{op: opLoad, n: loadStart, slot: i})
		case duration:
			p.steps = append(p.steps, instruction{op: opLoad, n: loadDuration, slot: i})
		default:
			p.add(w.step(plan, i))
		}
	}
	return p
}

// durationSlot returns the slot with the duration in ticks; -1 if events of the type have none.
func durationSlot(typ *schema.Type) int {
	i := typ.Field("duration")
	if i < 0 {
		return -1
	}
	f := &typ.Fields[i]
	if f.Type == nil || f.Type.Kind != schema.Long || f.Array || f.Constant || f.Unit != schema.TimespanTicks {
		return -1
	}
	return f.Slot()
}

// step returns the step for a slot.
func (w *walker) step(plan *schema.Plan, i int) instruction {
	slot := plan.Slot(i)
	switch {
	case slot.Array && slot.Constant:
		keys := &valueProgram{steps: []instruction{{op: opKey, typ: slot.Type}}}
		return instruction{op: opArray, slot: i, elem: keys}
	case slot.Array:
		// The plan would have an error if that of the elements had.
		return instruction{op: opArray, slot: i, elem: w.program(slot.Type)}
	case slot.Constant:
		return instruction{op: opKey, slot: i, typ: slot.Type}
	}
	size := 0
	switch slot.Type.Kind {
	case schema.String:
		return instruction{op: opText, slot: i}
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
			return instruction{op: opVarints, slot: i, n: 1}
		}
	}
	return instruction{op: opFixed, slot: i, n: size}
}

// add appends a step, or extends the last step if both step over bytes alike.
func (p *valueProgram) add(s instruction) {
	if n := len(p.steps) - 1; n >= 0 && p.steps[n].op == s.op && (s.op == opVarints || s.op == opFixed) {
		p.steps[n].n += s.n
		return
	}
	p.steps = append(p.steps, s)
}

// name returns the path to a slot of a type, without the arrays around the type.
func name(typ *schema.Type, slot int) string {
	if typ == nil || typ.Kind != schema.Struct {
		return ""
	}
	for i := len(typ.Fields) - 1; i >= 0; i-- {
		f := &typ.Fields[i]
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
