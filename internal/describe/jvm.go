package describe

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jvmid"
	"github.com/mmapjfr/jfr/internal/wire"
)

// JVM is a virtual machine that wrote some of the chunks. The JDK's reader takes all chunks for
// those of one machine: it fails where a number stands for another type than before, and it
// takes constants of one machine for those of another. So the types of all machines but the
// first get new numbers.
type JVM struct {
	last  wire.Header     // of the last chunk
	types *schema.TypeSet // whose signatures are known to fit
	// signatures are those of the types, by number.
	signatures map[schema.TypeID]uint64
	// numbers are the new numbers; nil if the old ones stay.
	numbers map[schema.TypeID]schema.TypeID
}

// JVMs are the machines of the chunks so far. The machine of the last chunk comes last.
type JVMs struct {
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
	maxJVMs = 16
)

// Of returns the machine of a chunk with that header and these types.
func (js *JVMs) Of(h wire.Header, types *schema.TypeSet) *JVM {
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
	j := &JVM{last: h, signatures: js.signatures}
	for i, known := range slices.Backward(js.list) {
		if (usual || known.Renumbers()) && jvmid.Same(known.last, h) && known.learn(types, j.signatures) {
			known.last = h
			known.number(js, types)
			js.list = append(slices.Delete(js.list, i, i+1), known)
			return known
		}
	}
	if js.next == 0 && usual {
		js.next = firstNumber
	} else {
		js.next = max(js.next, firstNumber)
		j.numbers = make(map[schema.TypeID]schema.TypeID)
		j.number(js, types)
	}
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

// number gives new numbers to types that have none, if the machine's types get new numbers.
func (j *JVM) number(js *JVMs, types *schema.TypeSet) {
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

// Renumbers reports whether the machine's types get new numbers.
func (j *JVM) Renumbers() bool { return j.numbers != nil }

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
