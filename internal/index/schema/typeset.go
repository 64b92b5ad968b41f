package schema

import "github.com/mmapjfr/jfr/internal/wire"

// IntEncoding is how a chunk writes its integers (FORMAT.md, section 2).
type IntEncoding = wire.IntEncoding

// The encodings of integers.
const (
	Compressed = wire.Compressed
	FixedWidth = wire.FixedWidth
)

// Region is where and in which language the virtual machine ran.
type Region struct {
	// Locale is the default locale, such as "en_US".
	Locale string
	// GMTOffset is the standard offset from UTC, in milliseconds.
	GMTOffset int64
	// DST is what summer time adds to it, in milliseconds.
	DST int64
}

// TypeSet is the types that the metadata of a chunk describes. It never changes; chunks with the
// same metadata share one.
type TypeSet struct {
	// Types are all types in the order of the file.
	Types []*Type
	// Region is the machine's region.
	Region Region
	// IntEncoding is how the chunk writes integers.
	IntEncoding IntEncoding

	byID         idTable
	blockKeys    []BlockKeys // by ordinal
	byName       map[string]*Type
	slots        int
	linked       bool // the types of all fields are described
	linkedBefore int  // the types before this ordinal were linked without the others
}

// ByID returns the type with that number, or nil.
func (t *TypeSet) ByID(id TypeID) *Type {
	if i, ok := t.byID.lookup(id); ok {
		return t.Types[i]
	}
	return nil
}

// Ordinal returns the position in Types of the type with that number. It reports false if
// there is no such type. It allocates nothing.
func (t *TypeSet) Ordinal(id TypeID) (ordinal int, ok bool) { return t.byID.lookup(id) }

// DenseOrdinals returns, for each small type number, the ordinal of its type plus one, or 0 if
// there is no such type. Numbers beyond the slice are found by [TypeSet.Ordinal]. The slice
// is the set's own.
func (t *TypeSet) DenseOrdinals() []int32 { return t.byID.dense }

// Linked reports whether the types of all fields and annotations are described. A set that is
// not linked may only be used by one goroutine while [TypeSet.With] runs.
func (t *TypeSet) Linked() bool { return t.linked }

// EventType returns the event type with that number; nil if that type is not described or is no
// event type.
func (t *TypeSet) EventType(id TypeID) *Type {
	if typ := t.ByID(id); typ != nil && typ.IsEvent() {
		return typ
	}
	return nil
}

// Named returns the type of that full name, or nil. A name is the recorded one or today's.
func (t *TypeSet) Named(name string) *Type { return t.byName[CurrentName(name)] }

// MaxSlots returns the greatest number of slots of a type.
func (t *TypeSet) MaxSlots() int { return t.slots }

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
