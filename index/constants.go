package index

import (
	"fmt"

	"github.com/mmapjfr/jfr/index/schema"
)

// Constants is where the checkpoints, pools and constants of a chunk lie.
type Constants struct {
	checkpoints []Checkpoint
	pools       []Pool
	// tableOf is the number of each type's table plus one, by the ordinal of the type in
	// types; 0 for types without constants.
	tableOf []uint32
	tables  []table
	types   *schema.TypeSet
	newest  uint64
	err     error
	// saved reports whether the tables lie in a saved index.
	saved bool
}

// Constants returns where the constants of the chunk lie. The first call walks through the
// checkpoints. It fails if the chunk has no types; [Constants.Err] returns what is wrong with
// checkpoints.
//
// In a recording of very many chunks, a cache drops constants again, so that those of all
// chunks stay below 1 % of its size. They are found anew when they are asked for.
func (c *Chunk) Constants() (*Constants, error) {
	if k := c.constants.Load(); k != nil {
		return k, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.constants.Load(); k != nil {
		return k, nil
	}
	types, err := c.loadTypes()
	if err != nil {
		return nil, err
	}
	var k *Constants
	c.readConstants.run(func() { k = c.makeConstants(types) })
	return k, nil
}

func (c *Chunk) makeConstants(types *schema.TypeSet) *Constants {
	if k := c.savedConstants(); k != nil {
		return k
	}
	k := &Constants{}
	k.adopt(types)
	c.sweep(k)
	c.cacheConstants(k)
	return k
}

// CachedConstants returns the constants if they are in the cache, or nil.
func (c *Chunk) CachedConstants() *Constants { return c.constants.Load() }

// setErr stores an error, unless there is one already.
func (k *Constants) setErr(err error) {
	if k.err == nil {
		k.err = err
	}
}

// adopt makes room for the types that types has beyond those known so far,
// whose ordinals it keeps.
func (k *Constants) adopt(types *schema.TypeSet) {
	k.types = types
	k.tableOf = append(k.tableOf, make([]uint32, len(types.Types)-len(k.tableOf))...)
}

// table returns the table of the type's constants; nil if it has none.
//
//gccheck:inline
func (k *Constants) table(typ *schema.Type) *table {
	if typ.Ordinal() >= len(k.tableOf) || k.tableOf[typ.Ordinal()] == 0 {
		return nil
	}
	return &k.tables[k.tableOf[typ.Ordinal()]-1]
}

// Lookup returns where the constant of the type with that key lies, from the start of the
// chunk. It reports false if no checkpoint holds it. It allocates nothing.
func (k *Constants) Lookup(typ *schema.Type, key int64) (offset uint64, ok bool) {
	t := k.table(typ)
	if t == nil {
		return 0, false
	}
	return t.lookup(uint64(key))
}

// All calls f with the key of every constant of the type and where it lies, until f returns
// false. The order is that of the table, not of the file.
func (k *Constants) All(typ *schema.Type, f func(key int64, offset uint64) bool) {
	if t := k.table(typ); t != nil {
		t.all(func(key, offset uint64) bool { return f(int64(key), offset) })
	}
}

// Len returns how many constants the type has.
func (k *Constants) Len(typ *schema.Type) int {
	if t := k.table(typ); t != nil {
		return t.n
	}
	return 0
}

// Type returns the type with that number, or nil.
func (k *Constants) Type(id schema.TypeID) *schema.Type { return k.types.ByID(id) }

// Named returns the type of that full name, or nil.
func (k *Constants) Named(name string) *schema.Type { return k.types.Named(name) }

// Checkpoints returns the checkpoints, oldest first. The slice is the index's own.
func (k *Constants) Checkpoints() []Checkpoint { return k.checkpoints }

// Pools returns the pools, in the order of their checkpoints. The slice is the
// index's own.
func (k *Constants) Pools() []Pool { return k.pools }

// Err returns the first error in the chunk's checkpoints, or nil. Constants that can be read are
// there all the same.
func (k *Constants) Err() error { return k.err }

// Saved reports whether the constants come from a saved index.
func (k *Constants) Saved() bool { return k.saved }

// Bytes returns how much memory the columns take.
func (k *Constants) Bytes() int {
	n := 32*cap(k.checkpoints) + 32*cap(k.pools) + 4*cap(k.tableOf)
	for i := range k.tables {
		n += k.tables[i].bytes()
	}
	return n
}

// String returns the numbers of checkpoints, pools and constants.
func (k *Constants) String() string {
	n := 0
	for i := range k.tables {
		n += k.tables[i].n
	}
	return fmt.Sprintf("%d checkpoints, %d pools, %d constants", len(k.checkpoints), len(k.pools), n)
}
