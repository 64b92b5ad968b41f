package schema

import (
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// BlockKeys is what the block builder needs of a type: where the values lie by which blocks
// are filtered.
type BlockKeys struct {
	// Types is the bit of the event type, in one of the two halves of a set of types; zero
	// if the type is no event type.
	Types [2]uint64
	// Time and Thread are the slots of the start time and of the key of the thread; -1 if the type
	// has none.
	Time, Thread int32
	// Near reports whether the time, and the thread after it if there is one, are among the
	// first NearSlots fields of the event, all compressed integers.
	Near bool
	// Type is the type that the keys are of.
	Type *Type
}

// NearSlots is how many slots time and thread are looked for among: with more than that,
// reading them all costs more than finding the two slots by the plan.
const NearSlots = 8

// BlockKeys returns the keys of each type, by ordinal. The slice is the set's own.
func (t *TypeSet) BlockKeys() []BlockKeys { return t.blockKeys }

// startTimeField is the field with the time at which an event began.
const startTimeField = "startTime"

// threadFields are the fields with the thread of an event: the thread that it happened
// in, or else the one that was sampled, or the one that it is about.
var threadFields = [...]string{"eventThread", "sampledThread", "thread"}

// fillBlockKeys fills in the keys of the types that have none yet.
func (t *TypeSet) fillBlockKeys() {
	events := 0
	for _, typ := range t.Types[:len(t.blockKeys)] {
		if typ.IsEvent() {
			events++
		}
	}
	for _, typ := range t.Types[len(t.blockKeys):] {
		m := BlockKeys{Time: slotOf(typ.StartTime()), Thread: -1, Type: typ}
		if f := typ.Thread(); f != nil && f.Constant {
			m.Thread = slotOf(f)
		}
		if !typ.IsEvent() { // it has no events
			t.blockKeys = append(t.blockKeys, m)
			continue
		}
		m.Types[events/64%2] = 1 << (events % 64)
		events++
		m.Near = m.Time >= 0 && (m.Thread < 0 || m.Thread > m.Time) && typ.plan.varintsFirst(int(max(m.Time, m.Thread))+1)
		t.blockKeys = append(t.blockKeys, m)
	}
}

// StartTime returns the field with the time at which an event began: that called startTime, if a
// long lies there, be it in a simple type. Its values are ticks, whatever unit its annotations
// name, as for the JDK. StartTime returns nil if there is no such field.
func (t *Type) StartTime() *Field {
	if i := t.Field(startTimeField); i >= 0 && t.planErr == nil && t.Fields[i].isLong() {
		return &t.Fields[i]
	}
	return nil
}

// isLong reports whether a long lies in place.
func (f *Field) isLong() bool {
	if f.Array || f.Constant {
		return false
	}
	for in := range f.Type.Wrapped() {
		if in.Array || in.Constant {
			return false
		}
		f = in
	}
	return f.Type != nil && f.Type.Kind == Long // a primitive type can have any fields, which no plan checks
}

// Thread returns the field with the thread of an event, which it refers to or which lies in it:
// eventThread, or else sampledThread, thread, or the first field that is a thread. It returns nil
// if the type has none.
func (t *Type) Thread() *Field {
	if t.planErr != nil {
		return nil
	}
	for _, name := range threadFields {
		if i := t.Field(name); i >= 0 && t.Fields[i].isThread() {
			return &t.Fields[i]
		}
	}
	for i := range t.Fields {
		wire.Step()
		// A path cannot name a field without a name, or with brackets in it.
		if f := &t.Fields[i]; f.isThread() && f.Name != "" && !strings.ContainsAny(f.Name, "[]") {
			return f
		}
	}
	return nil
}

// The type of a damaged field may not be described.
func (f *Field) isThread() bool {
	return !f.Array && f.Type != nil && f.Type.Name == jdktypes.Thread
}

func slotOf(f *Field) int32 {
	if f == nil {
		return -1
	}
	return int32(f.slot)
}

// TimeAndThreadSlots returns the slots of [Type.StartTime] and of the key of [Type.Thread]; -1 for
// a field that the type does not have, or a thread that lies in the event.
func (t *TypeSet) TimeAndThreadSlots(typ *Type) (time, thread int) {
	m := &t.blockKeys[typ.ordinal]
	return int(m.Time), int(m.Thread)
}

// varintsFirst reports whether the first n slots are compressed integers, and at most NearSlots.
func (p *Plan) varintsFirst(n int) bool {
	return n <= NearSlots && len(p.ops) > 0 && p.ops[0].code == opVarints && n <= int(p.ops[0].n)
}
