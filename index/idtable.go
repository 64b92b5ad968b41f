package index

import (
	"math/bits"

	"github.com/mmapjfr/jfr/internal/wire"
)

// idTable finds the class of an id: by position where ids are small, as they
// are in practice, by open addressing where they are not.
type idTable struct {
	dense []int32
	keys  []TypeID
	vals  []int32
	shift uint
	// limit is the least id that is not in the dense form.
	limit TypeID
}

// The dense form is for ids below maxDenseID, and in a table of few classes only for
// lower ones: it has an entry for each. Virtual machines count classes from 0 on.
const (
	maxDenseID    = 1 << 14
	leastDense    = 1 << 10
	densePerClass = 64
)

func newIDTable(n int) idTable {
	logSize := bits.Len(uint(2 * n))
	return idTable{
		keys:  make([]TypeID, 1<<logSize),
		vals:  make([]int32, 1<<logSize),
		shift: uint(64 - logSize),
		limit: TypeID(min(maxDenseID, leastDense+densePerClass*n)),
	}
}

// set makes ordinal the answer for id. The table must have been made for as
// many ids as are set.
func (t *idTable) set(id TypeID, ordinal int) {
	if id >= 0 && id < t.limit {
		for int(id) >= len(t.dense) {
			wire.Step()
			t.dense = append(t.dense, 0)
		}
		t.dense[id] = int32(ordinal + 1)
		return
	}
	i := t.slot(id)
	t.keys[i], t.vals[i] = id, int32(ordinal+1)
}

func (t *idTable) slot(id TypeID) uint64 {
	mask := uint64(len(t.keys) - 1)
	i := hash(uint64(id)) >> t.shift
	for t.vals[i] != 0 && t.keys[i] != id {
		wire.Step()
		i = (i + 1) & mask
	}
	return i
}

func (t *idTable) lookup(id TypeID) (ordinal int, ok bool) {
	if uint64(id) < uint64(len(t.dense)) {
		v := t.dense[id]
		return int(v) - 1, v != 0
	}
	if id >= 0 && id < t.limit || len(t.keys) == 0 {
		return 0, false
	}
	v := t.vals[t.slot(id)]
	return int(v) - 1, v != 0
}
