package index

import (
	"fmt"
	"slices"
)

// Constants is where the checkpoints, pools and constants of a chunk lie.
type Constants struct {
	checkpoints []Checkpoint
	pools       []Pool
	// tableOf is the number of each class's table plus one, by the ordinal of
	// the class in the types that the tables were made with.
	tableOf []uint32
	tables  []table
	types   *Types
	newest  uint64
	err     error
}

// Constants returns where the constants of the chunk lie, going through its
// checkpoints on first use. It fails if the chunk has no types; what is wrong
// with checkpoints is told by [Constants.Err].
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
	k := &Constants{}
	k.adopt(types)
	c.sweep(k)
	c.constants.Store(k)
	return k, nil
}

// Loaded returns the constants if they have been asked for before, or nil.
func (c *Chunk) Loaded() *Constants { return c.constants.Load() }

// sweep enters the checkpoints that k does not hold yet.
func (c *Chunk) sweep(k *Constants) {
	newest := c.header.Checkpoint
	if newest == 0 {
		return
	}
	heads, err := c.chain(newest, k.newest)
	k.newest = newest
	k.keep(err)
	s := sweeper{chunk: c, constants: k}
	s.grow()
	// Oldest first: where a key comes twice in a chunk, the one in the oldest
	// checkpoint counts, and there the last, as it is for the JDK.
	for i := len(heads) - 1; i >= 0; i-- {
		k.keep(s.checkpoint(&heads[i]))
	}
	s.finish()
}

// keep remembers the first thing that is wrong.
func (k *Constants) keep(err error) {
	if k.err == nil {
		k.err = err
	}
}

// sweeper goes through pools and gathers what it finds by class.
type sweeper struct {
	chunk     *Chunk
	constants *Constants
	// found is what has been found of each class, by ordinal; what is to count
	// comes first.
	found [][]found
	// begun is where in found the constants of the checkpoint at hand begin, plus
	// one; 0 if it has had none of the class.
	begun []int
	// classes are the ordinals of the classes that it has had.
	classes []int
}

// grow makes room for all classes.
func (s *sweeper) grow() {
	n := len(s.constants.types.Classes) - len(s.found)
	s.found = append(s.found, make([][]found, n)...)
	s.begun = append(s.begun, make([]int, n)...)
}

func (s *sweeper) checkpoint(h *checkpointHead) error {
	k := s.constants
	cp := h.Checkpoint
	cp.FirstPool = uint32(len(k.pools))
	defer func() {
		cp.Pools = uint32(len(k.pools)) - cp.FirstPool
		k.checkpoints = append(k.checkpoints, cp)
		for _, ordinal := range s.classes {
			slices.Reverse(s.found[ordinal][s.begun[ordinal]-1:])
			s.begun[ordinal] = 0
		}
		s.classes = s.classes[:0]
	}()
	for range h.left {
		at := uint64(h.cur.Pos())
		id := ClassID(h.cur.Long())
		count := h.cur.Count()
		if !h.cur.OK() {
			return s.chunk.fail("pool", at, corrupt("the checkpoint ends inside the pool's head"))
		}
		class := s.class(id)
		if class == nil {
			return s.chunk.fail("pool", at, corrupt("class %d is not described; the rest of the checkpoint cannot be read", id))
		}
		p := Pool{Class: id, Offset: uint64(h.cur.Pos())}
		err := s.pool(h, class, &p, count)
		k.pools = append(k.pools, p)
		if err != nil {
			return err
		}
	}
	return nil
}

// class returns the class of a pool. If the newest metadata has forgotten it, an
// older metadata event of the chunk may still describe it.
func (s *sweeper) class(id ClassID) *Class {
	k := s.constants
	class := k.types.Class(id)
	if class == nil {
		k.adopt(s.chunk.completeTypes())
		s.grow()
		class = k.types.Class(id)
	}
	return class
}

// adopt makes room for the classes that types has beyond those known so far,
// whose ordinals it keeps.
func (k *Constants) adopt(types *Types) {
	k.types = types
	k.tableOf = append(k.tableOf, make([]uint32, len(types.Classes)-len(k.tableOf))...)
}

// pool notes where each constant of a pool lies.
func (s *sweeper) pool(h *checkpointHead, class *Class, p *Pool, count int) error {
	plan, err := class.Plan()
	if err != nil {
		return s.chunk.fail("pool", p.Offset, err)
	}
	form := s.chunk.form
	b := s.chunk.data[:h.Offset+uint64(h.Size)]
	pos := h.cur.Pos()
	list := s.found[class.ordinal]
	if s.begun[class.ordinal] == 0 {
		s.begun[class.ordinal] = len(list) + 1
		s.classes = append(s.classes, class.ordinal)
	}
	for range count {
		key, n := form.Long(b[pos:])
		end, ok := plan.Skip(b, pos+n)
		if n == 0 || !ok {
			err = s.chunk.fail("constant", uint64(pos), corrupt("%s number %d of %d does not fit its checkpoint", class.Name, p.Count, count))
			break
		}
		list = append(list, found{uint64(key), uint64(pos + n)})
		p.Count++
		pos = end
	}
	s.found[class.ordinal] = list
	p.Size = uint64(pos) - p.Offset
	h.cur.Seek(pos)
	return err
}

func (s *sweeper) finish() {
	k := s.constants
	for ordinal, list := range s.found {
		if len(list) == 0 {
			continue
		}
		if k.tableOf[ordinal] == 0 {
			k.tables = append(k.tables, table{})
			k.tableOf[ordinal] = uint32(len(k.tables))
		}
		k.tables[k.tableOf[ordinal]-1].add(list)
	}
}

// table returns where the constants of the class are found; nil if there are none.
func (k *Constants) table(class *Class) *table {
	if class.ordinal >= len(k.tableOf) || k.tableOf[class.ordinal] == 0 {
		return nil
	}
	return &k.tables[k.tableOf[class.ordinal]-1]
}

// Lookup returns where the constant of the class with that key lies, from the
// start of the chunk. It is false if no checkpoint holds one. It allocates
// nothing.
func (k *Constants) Lookup(class *Class, key int64) (offset uint64, ok bool) {
	t := k.table(class)
	if t == nil {
		return 0, false
	}
	return t.lookup(uint64(key))
}

// All calls f with the key of every constant of the class and where it lies,
// until f returns false. The order is that of the table, not of the file.
func (k *Constants) All(class *Class, f func(key int64, offset uint64) bool) {
	if t := k.table(class); t != nil {
		t.all(func(key, offset uint64) bool { return f(int64(key), offset) })
	}
}

// Len returns how many constants of the class there are.
func (k *Constants) Len(class *Class) int {
	if t := k.table(class); t != nil {
		return t.n
	}
	return 0
}

// Class returns the class with that number, or nil.
func (k *Constants) Class(id ClassID) *Class { return k.types.Class(id) }

// Named returns the class of that full name, or nil.
func (k *Constants) Named(name string) *Class { return k.types.Named(name) }

// Checkpoints returns the checkpoints, oldest first. The slice is the index's own.
func (k *Constants) Checkpoints() []Checkpoint { return k.checkpoints }

// Pools returns the pools, in the order of their checkpoints. The slice is the
// index's own.
func (k *Constants) Pools() []Pool { return k.pools }

// Err returns the first thing that is wrong with the chunk's checkpoints, or
// nil. Constants that could be read are there all the same.
func (k *Constants) Err() error { return k.err }

// Bytes returns how much memory the columns take.
func (k *Constants) Bytes() int {
	n := 32*cap(k.checkpoints) + 32*cap(k.pools) + 4*cap(k.tableOf)
	for i := range k.tables {
		n += k.tables[i].bytes()
	}
	return n
}

// String tells how much there is.
func (k *Constants) String() string {
	n := 0
	for i := range k.tables {
		n += k.tables[i].n
	}
	return fmt.Sprintf("%d checkpoints, %d pools, %d constants", len(k.checkpoints), len(k.pools), n)
}
