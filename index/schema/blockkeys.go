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
	// Time and Thread are the slots of the start time and of the thread; -1 if the type has
	// none.
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

// startTimeField is the field that tells when an event began.
const startTimeField = "startTime"

// threadFields are the fields that tell which thread an event is of, the first ones first:
// the thread that it happened in, the one that was sampled, the one that it is about.
var threadFields = [...]string{"eventThread", "sampledThread", "thread"}

// fillBlockKeys fills in the keys of the types that have none yet.
func (t *TypeSet) fillBlockKeys() {
	events := 0
	for _, class := range t.Types[:len(t.blockKeys)] {
		if class.IsEvent() {
			events++
		}
	}
	for _, class := range t.Types[len(t.blockKeys):] {
		m := BlockKeys{Time: slotOf(class.StartTime()), Thread: slotOf(class.Thread()), Type: class}
		if !class.IsEvent() { // it has no events
			t.blockKeys = append(t.blockKeys, m)
			continue
		}
		m.Types[events/64%2] = 1 << (events % 64)
		events++
		m.Near = m.Time >= 0 && (m.Thread < 0 || m.Thread > m.Time) && class.plan.varintsFirst(int(max(m.Time, m.Thread))+1)
		t.blockKeys = append(t.blockKeys, m)
	}
}

// StartTime returns the field that tells when an event began; nil if the class
// has none that counts ticks.
func (c *Type) StartTime() *Field {
	if i := c.Field(startTimeField); i >= 0 && c.planErr == nil {
		if f := &c.Fields[i]; !f.Array && !f.Constant && f.Type.Kind == Long {
			return f
		}
	}
	return nil
}

// Thread returns the field that tells which thread an event is of: eventThread, or else
// sampledThread, thread, or the first field that refers to a thread; nil if the class has
// none.
func (c *Type) Thread() *Field {
	if c.planErr != nil {
		return nil
	}
	for _, name := range threadFields {
		if i := c.Field(name); i >= 0 && c.Fields[i].refersToThread() {
			return &c.Fields[i]
		}
	}
	for i := range c.Fields {
		wire.Step()
		// A path cannot name a field without a name, or with brackets in it.
		if f := &c.Fields[i]; f.refersToThread() && f.Name != "" && !strings.ContainsAny(f.Name, "[]") {
			return f
		}
	}
	return nil
}

// The class of a field that is damaged may not be described.
func (f *Field) refersToThread() bool {
	return !f.Array && f.Constant && f.Type != nil && f.Type.Name == jdktypes.Thread
}

func slotOf(f *Field) int32 {
	if f == nil {
		return -1
	}
	return int32(f.slot)
}

// TimeAndThreadSlots returns in which slots of its events a class tells when they began and
// which thread they are of, see [Type.Thread]; -1 if it does not.
func (t *TypeSet) TimeAndThreadSlots(class *Type) (time, thread int) {
	m := &t.blockKeys[class.ordinal]
	return int(m.Time), int(m.Thread)
}

// varintsFirst tells whether the first n slots are compressed integers, and few.
func (p *Plan) varintsFirst(n int) bool {
	return n <= NearSlots && len(p.ops) > 0 && p.ops[0].code == opVarints && n <= int(p.ops[0].n)
}
