package index

import (
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// mark is what the cut into blocks needs of a class: where to find what blocks
// tell of their events.
type mark struct {
	// types is the bit of the event type, in one of the two halves of a set of types;
	// none if the class is no event type.
	types [2]uint64
	// time and thread are the slots of the start time and of the thread; -1 if the
	// class has none.
	time, thread int32
	// near tells whether the time, and the thread behind it if there is one, are
	// among the first few fields of the event, all compressed integers.
	near  bool
	class *Type
}

// startTimeField is the field that tells when an event began.
const startTimeField = "startTime"

// threadFields are the fields that tell which thread an event is of, the first ones first:
// the thread that it happened in, the one that was sampled, the one that it is about.
var threadFields = [...]string{"eventThread", "sampledThread", "thread"}

// mark fills in the marks of the classes that have none yet.
func (t *TypeSet) mark() {
	events := 0
	for _, class := range t.Types[:len(t.marks)] {
		if class.IsEvent() {
			events++
		}
	}
	for _, class := range t.Types[len(t.marks):] {
		m := mark{time: slotOf(class.StartTime()), thread: slotOf(class.Thread()), class: class}
		if !class.IsEvent() { // it has no events
			t.marks = append(t.marks, m)
			continue
		}
		m.types[events/64%2] = 1 << (events % 64)
		events++
		m.near = m.time >= 0 && (m.thread < 0 || m.thread > m.time) && class.plan.varintsFirst(int(max(m.time, m.thread))+1)
		t.marks = append(t.marks, m)
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

// threadBit is the bit of a thread in a set of threads. Threads share bits.
//
//gccheck:inline
func threadBit(key int64) uint64 { return 1 << (uint64(key) * 0x9E3779B97F4A7C15 >> 58) }
