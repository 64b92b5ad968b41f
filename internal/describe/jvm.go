package describe

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jvmid"
	"github.com/mmapjfr/jfr/internal/wire"
)

// JVM is a virtual machine that wrote some of the chunks. The JDK's reader takes all chunks for
// those of one machine: it fails where a number stands for another type than before, and it
// takes constants of one machine for those of another. So the types of all machines but the
// first get new numbers, see [JVMs].KeysApart.
type JVM struct {
	process Process
	last    wire.Header     // of the last chunk
	types   *schema.TypeSet // whose signatures are known to fit
	// signatures are those of the types, by number.
	signatures map[schema.TypeID]uint64
	numbering  *Numbering // nil if the old numbers stay
	shared     bool       // other machines have the numbering too
}

// Numbering is the new numbers of types. Machines with the same types share one where they can.
type Numbering struct {
	numbers map[schema.TypeID]schema.TypeID
	// taken are the new numbers, if keys are apart, and renumbers reports whether one of them is
	// not the old one.
	taken     map[schema.TypeID]bool
	renumbers bool
}

// Process is the process of a virtual machine: its number, and when it started, in nanoseconds
// since 1970. The zero Process is not known.
type Process struct{ ID, Started int64 }

// JVMs are the machines of the chunks so far. The machine of the last chunk comes last.
type JVMs struct {
	// KeysApart says that no two machines have constants under one key in the new recording. Then
	// only types get new numbers whose numbers stand for other types of another machine.
	KeysApart bool
	// outputs are the numbers of types in the new recording, and equal those of types with a shape,
	// if keys are apart.
	outputs map[schema.TypeID]bool
	equal   map[string][]schema.TypeID

	list []*JVM
	next schema.TypeID
	// signatures are those of the types of each set, and fresh the numbering of a machine that has
	// only that set, if keys are apart: most chunks have one of a few sets.
	signatures map[*schema.TypeSet]map[schema.TypeID]uint64
	fresh      map[*schema.TypeSet]*Numbering
}

const (
	// firstNumber is the first of the new numbers. No virtual machine has as many types.
	firstNumber = 1 << 24
	// maxJVMs is how many machines are remembered. A chunk of an earlier one is taken for
	// that of a new machine.
	maxJVMs = 256
)

// Of returns the machine of a chunk with that header and these types, and of a process if that is
// known.
func (js *JVMs) Of(h wire.Header, types *schema.TypeSet, process Process) *JVM {
	signatures := js.signatures[types]
	if signatures == nil {
		if js.signatures == nil {
			js.signatures = make(map[*schema.TypeSet]map[schema.TypeID]uint64)
		}
		signatures = make(map[schema.TypeID]uint64, len(types.Types))
		for _, typ := range types.Types {
			signatures[typ.ID] = signature(typ)
		}
		js.signatures[types] = signatures
	}
	usual := true
	for _, typ := range types.Types {
		usual = usual && typ.ID >= 0 && typ.ID < firstNumber
	}
	j := &JVM{process: process, last: h, signatures: signatures}
	for i, known := range slices.Backward(js.list) {
		if (usual || known.Renumbers() || js.KeysApart) && known.is(h, process) && known.learn(types, j.signatures) {
			known.last = h
			known.number(js, types)
			js.list = append(slices.Delete(js.list, i, i+1), known)
			return known
		}
	}
	if (js.next != 0 || !usual) && !js.KeysApart {
		j.numbering = &Numbering{numbers: make(map[schema.TypeID]schema.TypeID)}
	}
	js.next = max(js.next, firstNumber)
	j.number(js, types)
	if js.list = append(js.list, j); len(js.list) > maxJVMs {
		js.list = js.list[1:]
	}
	return j
}

// learn adds signatures. It returns false, and adds none, if one of the numbers already stands
// for another type.
func (j *JVM) learn(types *schema.TypeSet, signatures map[schema.TypeID]uint64) bool {
	if j.types == types {
		return true
	}
	for id, s := range signatures {
		if known, ok := j.signatures[id]; ok && known != s {
			return false
		}
	}
	j.types, j.signatures = types, maps.Clone(j.signatures)
	maps.Copy(j.signatures, signatures)
	return true
}

// is reports whether a chunk can be of the machine.
func (j *JVM) is(h wire.Header, process Process) bool {
	if j.process != (Process{}) && process != (Process{}) {
		return j.process == process && jvmid.SameFormat(j.last, h)
	}
	return jvmid.Same(j.last, h)
}

// number gives new numbers to types that have none, if the machine's types get new numbers.
func (j *JVM) number(js *JVMs, types *schema.TypeSet) {
	if js.KeysApart {
		j.numberOthers(js, types)
		return
	}
	if !j.Renumbers() {
		return
	}
	for _, typ := range types.Types {
		if _, ok := j.numbering.numbers[typ.ID]; !ok {
			j.numbering.numbers[typ.ID] = js.next
			js.next++
		}
	}
}

// numberOthers gives types the numbers of equal ones of other machines in the new recording, and
// new ones to those whose numbers stand for other types there.
func (j *JVM) numberOthers(js *JVMs, types *schema.TypeSet) {
	switch n := j.numbering; {
	case n == nil && js.fresh[types] != nil:
		// Equal types are there already, so each gets the number that it got then.
		j.numbering, j.shared = js.fresh[types], true
		return
	case n == nil:
		j.numbering, j.shared = &Numbering{numbers: make(map[schema.TypeID]schema.TypeID), taken: make(map[schema.TypeID]bool)}, true
		if js.outputs == nil {
			js.outputs, js.equal = make(map[schema.TypeID]bool), make(map[string][]schema.TypeID)
			js.fresh = make(map[*schema.TypeSet]*Numbering)
		}
		js.fresh[types] = j.numbering
	case !slices.ContainsFunc(types.Types, func(t *schema.Type) bool { _, ok := n.numbers[t.ID]; return !ok }):
		return
	case j.shared:
		j.numbering, j.shared = &Numbering{maps.Clone(n.numbers), maps.Clone(n.taken), n.renumbers}, false
	}
	for _, typ := range types.Types {
		j.numbering.add(js, typ)
	}
}

// add gives a type a number if it has none.
func (n *Numbering) add(js *JVMs, typ *schema.Type) {
	if _, numbered := n.numbers[typ.ID]; numbered {
		return
	}
	shape := shape(typ)
	free := func(id schema.TypeID) bool { return !n.taken[id] }
	id := typ.ID
	switch i := slices.IndexFunc(js.equal[shape], free); {
	case slices.Contains(js.equal[shape], id) && free(id):
	case i >= 0:
		id = js.equal[shape][i]
	case id < 0 || id >= firstNumber || js.outputs[id] || n.taken[id]:
		id = js.next
		js.next++
	}
	if !js.outputs[id] {
		js.outputs[id], js.equal[shape] = true, append(js.equal[shape], id)
	}
	n.numbers[typ.ID], n.taken[id] = id, true
	n.renumbers = n.renumbers || id != typ.ID
}

// shape says how values of the type lie in a chunk, by the names of types.
func shape(typ *schema.Type) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", typ.Name, typ.Super)
	for i := range typ.Fields {
		f := &typ.Fields[i]
		name := fmt.Sprint(f.TypeID)
		if f.Type != nil {
			name = f.Type.Name
		}
		fmt.Fprintf(&b, " %s %s %t %t", f.Name, name, f.Array, f.Constant)
	}
	return b.String()
}

// Renumbers reports whether the machine's types get new numbers.
func (j *JVM) Renumbers() bool {
	return j.numbering != nil && (j.numbering.taken == nil || j.numbering.renumbers)
}

// Numbering returns the numbers of the machine's types, by which machines can be compared that have
// the same types; nil if the old numbers stay. It is another one when the machine has got types
// that others lack.
func (j *JVM) Numbering() *Numbering { return j.numbering }

// ID returns the number of a type in the new recording.
func (j *JVM) ID(id schema.TypeID) schema.TypeID {
	if !j.Renumbers() {
		return id
	}
	return j.numbering.numbers[id]
}

// signature returns a hash of all that says how values of the type lie in a chunk.
func signature(typ *schema.Type) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s", typ.Name, typ.Super)
	for i := range typ.Fields {
		f := &typ.Fields[i]
		fmt.Fprintf(h, " %s %d %t %t", f.Name, f.TypeID, f.Array, f.Constant)
	}
	return h.Sum64()
}
