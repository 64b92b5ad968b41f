package describe

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/index/schema"
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
	// numbers are the new numbers; nil if the old ones stay.
	numbers map[schema.TypeID]schema.TypeID
	// taken are the new numbers, if keys are apart, and renumbers reports whether one of them is not the old one.
	taken     map[schema.TypeID]bool
	renumbers bool
}

// Process is the process of a virtual machine: its number, and when it started, in nanoseconds since 1970. The zero
// Process is not known.
type Process struct{ ID, Started int64 }

// JVMs are the machines of the chunks so far. The machine of the last chunk comes last.
type JVMs struct {
	// KeysApart says that no two machines have constants under one key in the new recording. Then only types get new
	// numbers whose numbers stand for other types of another machine.
	KeysApart bool
	// outputs are the numbers of types in the new recording, and equal those of types with a shape, if keys are apart.
	outputs map[schema.TypeID]bool
	equal   map[string][]schema.TypeID

	list []*JVM
	next schema.TypeID
	// signed is the set of types whose signatures were made last: most chunks have those of the chunk before.
	signed     *schema.TypeSet
	signatures map[schema.TypeID]uint64
}

const (
	// firstNumber is the first of the new numbers. No virtual machine has as many types.
	firstNumber = 1 << 24
	// maxJVMs is how many machines are remembered. A chunk of an earlier one is taken for
	// that of a new machine.
	maxJVMs = 256
)

// Of returns the machine of a chunk with that header and these types, and of a process if that is known.
func (js *JVMs) Of(h wire.Header, types *schema.TypeSet, process Process) *JVM {
	if js.signed != types {
		js.signed, js.signatures = types, make(map[schema.TypeID]uint64, len(types.Types))
		for _, typ := range types.Types {
			js.signatures[typ.ID] = signature(typ)
		}
	}
	usual := true
	for _, typ := range types.Types {
		usual = usual && typ.ID >= 0 && typ.ID < firstNumber
	}
	j := &JVM{process: process, last: h, signatures: js.signatures}
	for i, known := range slices.Backward(js.list) {
		if (usual || known.Renumbers() || js.KeysApart) && known.is(h, process) && known.learn(types, j.signatures) {
			known.last = h
			known.number(js, types)
			js.list = append(slices.Delete(js.list, i, i+1), known)
			return known
		}
	}
	if (js.next != 0 || !usual) && !js.KeysApart {
		j.numbers = make(map[schema.TypeID]schema.TypeID)
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
		if _, ok := j.numbers[typ.ID]; !ok {
			j.numbers[typ.ID] = js.next
			js.next++
		}
	}
}

// numberOthers gives types the numbers of equal ones of other machines in the new recording, and new ones to those whose
// numbers stand for other types there.
func (j *JVM) numberOthers(js *JVMs, types *schema.TypeSet) {
	if js.outputs == nil {
		js.outputs, js.equal = make(map[schema.TypeID]bool), make(map[string][]schema.TypeID)
	}
	if j.numbers == nil {
		j.numbers, j.taken = make(map[schema.TypeID]schema.TypeID), make(map[schema.TypeID]bool)
	}
	for _, typ := range types.Types {
		if _, numbered := j.numbers[typ.ID]; numbered {
			continue
		}
		shape := shape(typ)
		free := func(id schema.TypeID) bool { return !j.taken[id] }
		id := typ.ID
		switch i := slices.IndexFunc(js.equal[shape], free); {
		case slices.Contains(js.equal[shape], id) && free(id):
		case i >= 0:
			id = js.equal[shape][i]
		case id < 0 || id >= firstNumber || js.outputs[id] || j.taken[id]:
			id = js.next
			js.next++
		}
		if !js.outputs[id] {
			js.outputs[id], js.equal[shape] = true, append(js.equal[shape], id)
		}
		j.numbers[typ.ID], j.taken[id] = id, true
		j.renumbers = j.renumbers || id != typ.ID
	}
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
func (j *JVM) Renumbers() bool { return j.numbers != nil && (j.taken == nil || j.renumbers) }

// ID returns the number of a type in the new recording.
func (j *JVM) ID(id schema.TypeID) schema.TypeID {
	if !j.Renumbers() {
		return id
	}
	return j.numbers[id]
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
