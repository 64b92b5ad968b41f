package index

import (
	"bytes"
	"hash/maphash"
	"sync"

	"github.com/mmapjfr/jfr/internal/wire"
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
	IntEncoding wire.IntEncoding

	byID   idTable
	marks  []mark // by ordinal
	byName map[string]*Type
	slots  int
	linked bool // the classes of all fields are described
	firm   int  // the classes before this one were linked without the others
}

// ByID returns the class with that number, or nil.
func (t *TypeSet) ByID(id TypeID) *Type {
	if i, ok := t.byID.lookup(id); ok {
		return t.Types[i]
	}
	return nil
}

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

// typesCache finds the Types of metadata that has been read before: chunks of
// one virtual machine mostly repeat theirs to the byte.
type typesCache struct {
	mu   sync.Mutex
	seed maphash.Seed
	seen map[uint64][]seenTypes
}

// seenTypes are the types of the tree that lies between two offsets of the
// recording.
type seenTypes struct {
	from, to uint64
	types    *TypeSet
}

// typesOf returns the types of the metadata tree that lies between two offsets
// of the recording, reading it if it is new.
func (x *Index) typesOf(form wire.IntEncoding, from, to uint64, read func() (*tree, error)) (*TypeSet, error) {
	tc := &x.types
	tc.mu.Lock()
	defer tc.mu.Unlock()
	if tc.seen == nil {
		tc.seed, tc.seen = maphash.MakeSeed(), make(map[uint64][]seenTypes)
	}
	data := x.data[from:to]
	wire.StepBytes(len(data))
	sum := maphash.Bytes(tc.seed, data)
	for _, s := range tc.seen[sum] {
		if s.types.IntEncoding == form && bytes.Equal(x.data[s.from:s.to], data) {
			return s.types, nil
		}
	}
	t, err := read()
	if err != nil {
		return nil, err
	}
	types := newTypes(form, t)
	if types.linked {
		// Others are completed with what else their chunk describes.
		tc.seen[sum] = append(tc.seen[sum], seenTypes{from, to, types})
	}
	return types, nil
}
