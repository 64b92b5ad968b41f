package schema

import "github.com/mmapjfr/jfr/internal/wire"

// idTable finds the ordinal of a type by its id: by position where ids are small, as they
// are in practice, and by a map where they are not.
type idTable struct {
	// dense has the ordinal plus one for each small id, 0 where there is no type.
	dense  []int32
	sparse map[TypeID]int32
	// limit is the least id that does not belong into dense.
	limit TypeID
}

// The dense form has an entry for each id below the greatest one. So it is for ids below
// maxDenseID, and in a set of few types only for lower ones. Virtual machines number types
// from 0 on.
const (
	maxDenseID   = 1 << 14
	leastDense   = 1 << 10
	densePerType = 64
)

// newIDTable returns a table for n types.
func newIDTable(n int) idTable {
	return idTable{limit: TypeID(min(maxDenseID, leastDense+densePerType*n))}
}

// set makes ordinal the answer for id.
func (t *idTable) set(id TypeID, ordinal int) {
	wire.Step()
	if id < 0 || id >= t.limit {
		if t.sparse == nil {
			t.sparse = make(map[TypeID]int32)
		}
		t.sparse[id] = int32(ordinal)
		return
	}
	if missing := int(id) + 1 - len(t.dense); missing > 0 {
		t.dense = append(t.dense, make([]int32, missing)...)
	}
	t.dense[id] = int32(ordinal + 1)
}

func (t *idTable) lookup(id TypeID) (ordinal int, ok bool) {
	if uint64(id) < uint64(len(t.dense)) {
		v := t.dense[id]
		return int(v) - 1, v != 0
	}
	if len(t.sparse) == 0 {
		return 0, false
	}
	v, ok := t.sparse[id]
	return int(v), ok
}
