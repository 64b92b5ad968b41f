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

// TypeSet is what the metadata of a chunk describes. It never changes; chunks
// whose metadata is the same share one.
type TypeSet struct {
	// Classes are all classes in the order of the file.
	Types []*Type
	// Region is the machine's region.
	Region Region
	// Form is how the chunk writes integers.
	IntEncoding IntEncoding

	byID      idTable
	blockKeys []BlockKeys // by ordinal
	byName    map[string]*Type
	slots     int
	linked    bool // the classes of all fields are described
	firm      int  // the classes before this one were linked without the others
}

// ByID returns the class with that number, or nil.
func (t *TypeSet) ByID(id TypeID) *Type {
	if i, ok := t.byID.lookup(id); ok {
		return t.Types[i]
	}
	return nil
}

// Ordinal returns the position in Types of the type with that number. It reports false if
// there is none. It allocates nothing.
func (t *TypeSet) Ordinal(id TypeID) (ordinal int, ok bool) { return t.byID.lookup(id) }

// DenseOrdinals returns, for each small type number, the ordinal of its type plus one, or 0 if
// there is no such type. Numbers beyond the slice are found by [TypeSet.Ordinal]. The slice
// is the set's own.
func (t *TypeSet) DenseOrdinals() []int32 { return t.byID.dense }

// Linked reports whether the types of all fields and annotations are described. A set that is
// not linked may only be used by one goroutine while [TypeSet.With] runs.
func (t *TypeSet) Linked() bool { return t.linked }

// EventType returns the event type with that number; nil if nothing describes it, or if the
// class of that number is no event type.
func (t *TypeSet) EventType(id TypeID) *Type {
	if class := t.ByID(id); class != nil && class.IsEvent() {
		return class
	}
	return nil
}

// Named returns the class of that full name, or nil.
func (t *TypeSet) Named(name string) *Type { return t.byName[name] }

// MaxSlots returns the number of slots of the class that has most.
func (t *TypeSet) MaxSlots() int { return t.slots }
