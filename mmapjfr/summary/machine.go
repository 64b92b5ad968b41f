package summary

import (
	"fmt"
	"math"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// machine is a virtual machine, by the numbers that it gives to types. It never
// gives one number to two types.
type machine struct {
	types map[schema.TypeID]*Type
	// ranks is how many types there are of each name.
	ranks map[string]int
	// last are the types of the chunk that was entered last, and header is its header.
	last   *schema.TypeSet
	header wire.Header
}

// nameRank tells types of one name apart: the machine's first, second and so on.
type nameRank struct {
	name string
	rank int
}

// format are the numbers of the two structures that no metadata describes.
var format = []struct {
	id   schema.TypeID
	name string
	is   structure
}{{schema.MetadataID, MetadataName, metadataStructure}, {schema.CheckpointID, CheckpointName, checkpointStructure}}

func (b *collector) newMachine() *machine {
	m := &machine{types: make(map[schema.TypeID]*Type), ranks: make(map[string]int)}
	for _, f := range format {
		b.enter(m, f.id, b.prefix+f.name).structure = f.is
	}
	return m
}

// machineOf returns the machine that wrote a chunk: the one that wrote the chunk
// before, unless something speaks against that.
func (b *collector) machineOf(c *index.Chunk, view mmapjfr.Chunk, types *schema.TypeSet) *machine {
	if types == nil {
		return b.newMachine() // whatever its numbers mean
	}
	b.java.grow()
	m, h := b.machine, c.Header()
	if m != nil && m.last == types {
		m.header = h
		return m // the same numbers, whoever wrote them
	}
	if m == nil || m.header.Final() || !sameClock(m.header, h) || !m.agrees(types) {
		m = b.newMachine()
		b.machine = m
	}
	m.last, m.header = types, h
	described, err := view.Types()
	for i, class := range types.Types {
		if !class.IsEvent() {
			continue
		}
		b.java.grow()
		t := m.types[class.ID]
		if t == nil {
			t = b.enter(m, class.ID, class.Name)
		}
		if err == nil && i < len(described) {
			t.Type = described[i]
		}
	}
	return m
}

// sameClock tells whether the ticks and the time of day in two headers can be those
// of one machine. The one drifts from the other, and people set the time of day:
// other machines are mostly farther off, as many count ticks from their start.
func sameClock(a, b wire.Header) bool {
	if a.TicksPerSecond != b.TicksPerSecond || a.TicksPerSecond <= 0 {
		return false
	}
	ticks := float64(b.StartTicks-a.StartTicks) / float64(a.TicksPerSecond)
	day := float64(b.StartNanos-a.StartNanos) / 1e9
	const jitter, drift = 1, 1e-3 // a second, and so much of the time between
	return math.Abs(ticks-day) <= jitter+drift*math.Abs(day)
}

// agrees tells whether the numbers of the types are those of the machine, as far as
// it has such numbers.
func (m *machine) agrees(types *schema.TypeSet) bool {
	for _, class := range types.Types {
		if !class.IsEvent() || class.ID == schema.MetadataID || class.ID == schema.CheckpointID {
			continue
		}
		if t := m.types[class.ID]; t != nil && t.Name != class.Name {
			return false
		}
	}
	return true
}

// enter adds a type that the machine did not have.
func (b *collector) enter(m *machine, id schema.TypeID, name string) *Type {
	t := b.typeOf(nameRank{name, m.ranks[name]}, id)
	m.ranks[name]++
	m.types[id] = t
	return t
}

// unknown returns what stands for types of that number that nothing describes.
func (b *collector) unknown(id schema.TypeID) *Type {
	return b.typeOf(nameRank{name: fmt.Sprintf("%d (missing event metadata)", id)}, id)
}

func (b *collector) typeOf(at nameRank, id schema.TypeID) *Type {
	t := b.types[at]
	if t == nil {
		b.java.entries++
		t = &Type{Name: at.name, ID: int64(id)}
		b.types[at] = t
		b.sum.Types = append(b.sum.Types, t)
	}
	if t.ID != int64(id) {
		t.Renumbered = true
	}
	return t
}
