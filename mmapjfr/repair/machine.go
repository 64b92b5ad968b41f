package repair

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

// machine is a virtual machine whose chunks are in the recording. The JDK's reader goes
// by the numbers of classes and the keys of constants as if all chunks were of one: it
// fails where a number stands for another class than before, and takes constants of one
// machine for those of the other. So the classes of all machines but the first get
// numbers of their own.
type machine struct {
	rate   int64
	start  float64 // of the last chunk, in nanoseconds
	end    float64 // of that chunk, as its header says
	origin float64 // when its clock showed 0, by that chunk
	// classes are what is known of the classes by their numbers.
	classes map[schema.TypeID]uint64
	// numbers are the new ones; nil if the numbers stay.
	numbers map[schema.TypeID]schema.TypeID
}

// machines are those that chunks are of, the last one at the end.
type machines struct {
	list []*machine
	next schema.TypeID
}

const (
	// firstNumber is the first of the new numbers. No virtual machine has as many classes.
	firstNumber = 1 << 24
	// maxMachines is how many machines are remembered. A chunk of one before them is
	// taken for that of another.
	maxMachines = 16
	// apart is how far clocks may seem to be apart, in nanoseconds, that are one, besides
	// one part in driftShare of the time between: the time of day is adjusted while the
	// ticks go on, and how fast they go is measured, or only what the processor is sold as.
	apart      = 250e6
	driftShare = 100
	// atOnce is how soon behind one chunk the next begins, in nanoseconds, if it does.
	atOnce = 5e6
)

// of returns the machine of a chunk.
func (ms *machines) of(c *index.Chunk, types *schema.TypeSet) *machine {
	h := c.Header()
	m := &machine{rate: h.TicksPerSecond, classes: make(map[schema.TypeID]uint64, len(types.Types))}
	m.start = float64(h.StartNanos)
	m.end = m.start + float64(h.DurationNanos)
	m.origin = m.start - float64(h.StartTicks)/(float64(h.TicksPerSecond)/1e9)
	usual := true
	for _, class := range types.Types {
		m.classes[class.ID] = signature(class)
		usual = usual && class.ID >= 0 && class.ID < firstNumber
	}
	for i, known := range slices.Backward(ms.list) {
		if (usual || known.renumbers()) && known.ticksAs(m) && known.learn(m.classes) {
			known.start, known.end, known.origin = m.start, m.end, m.origin
			known.number(ms, types)
			ms.list = append(slices.Delete(ms.list, i, i+1), known)
			return known
		}
	}
	if ms.next == 0 && usual {
		ms.next = firstNumber
	} else {
		ms.next = max(ms.next, firstNumber)
		m.numbers = make(map[schema.TypeID]schema.TypeID)
		m.number(ms, types)
	}
	if ms.list = append(ms.list, m); len(ms.list) > maxMachines {
		ms.list = ms.list[1:]
	}
	return m
}

// ticksAs tells whether two chunks can be of one machine: they have the same clock, or
// the second begins where the first ended. On some machines the rate of the clock is not
// what they say, by far.
func (m *machine) ticksAs(next *machine) bool {
	if m.rate != next.rate {
		return false
	}
	return math.Abs(next.start-m.end) < atOnce || math.Abs(m.origin-next.origin) <= apart+math.Abs(m.start-next.start)/driftShare
}

// learn adds classes, unless one of them has a number that stands for another.
func (m *machine) learn(classes map[schema.TypeID]uint64) bool {
	for id, s := range classes {
		if known, ok := m.classes[id]; ok && known != s {
			return false
		}
	}
	for id, s := range classes {
		m.classes[id] = s
	}
	return true
}

// number gives new numbers to classes that have none.
func (m *machine) number(ms *machines, types *schema.TypeSet) {
	if m.numbers == nil {
		return
	}
	for _, class := range types.Types {
		if _, ok := m.numbers[class.ID]; !ok {
			m.numbers[class.ID] = ms.next
			ms.next++
		}
	}
}

// renumbers tells whether classes get new numbers.
func (m *machine) renumbers() bool { return m.numbers != nil }

// id returns the number of a class in the new recording.
func (m *machine) id(id schema.TypeID) schema.TypeID {
	if m.numbers == nil {
		return id
	}
	return m.numbers[id]
}

// signature is a sum of what the values of a class are like.
func signature(class *schema.Type) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s", class.Name, class.Super)
	for i := range class.Fields {
		f := &class.Fields[i]
		fmt.Fprintf(h, " %s %d %t %t", f.Name, f.TypeID, f.Array, f.Constant)
	}
	return h.Sum64()
}
