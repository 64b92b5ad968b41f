package index

import (
	"math/bits"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// section hands out the bytes of a saved section piece by piece. When fewer bytes are left than
// are asked for, it becomes bad and hands out none any more.
type section struct {
	b   []byte
	bad bool
}

// take returns n things of that many bytes each, and steps over the padding after them, up to a
// multiple of eight.
func (s *section) take(n, size uint64) []byte {
	if s.bad || n > uint64(len(s.b))/size {
		s.bad = true
		return nil
	}
	end := n * size
	b := s.b[:end:end]
	s.b = s.b[min((end+7)&^7, uint64(len(s.b))):]
	return b
}

// done reports whether all that was asked for was there, and nothing else is.
func (s *section) done() bool { return !s.bad && len(s.b) == 0 }

func takeColumn[T number](s *section, n, size uint64) []T { return columnOf[T](s.take(n, size)) }

// takeHead returns the struct that a section begins with.
func takeHead[T any](s *section, size uint64) (head T) {
	if b := s.take(1, size); !s.bad {
		head = fixed[T](b)
	}
	return head
}

// loadBlocks decodes the blocks of the chunk (SAVED.md, section 3). It checks all counts. Wrong
// columns can at worst lead to the wrong event, for every event header is checked when it is read.
func (c *Chunk) loadBlocks() (*Blocks, error) {
	s, err := c.checked(c.saved.blocks, c.saved.entry.BlocksSum, "blocks")
	if err != nil {
		return nil, err
	}
	types, err := c.loadTypes()
	if err != nil {
		return nil, err
	}
	wrong := unfit("the blocks of chunk %d contradict it", c.number)
	head := takeHead[blocksHead](&s, blocksHeadLen)
	size, n := uint64(len(c.data)), head.Blocks
	if s.bad || n != uint64(blocksIn(size)) || head.Events > size {
		return nil, wrong
	}
	b := &Blocks{events: head.Events, end: size, saved: true, of: make([]*typeEvents, len(types.Types))}
	b.ordinals = takeColumn[uint64](&s, n, 8)
	b.least = takeColumn[int64](&s, n, 8)
	b.greatest = takeColumn[int64](&s, n, 8)
	b.types = takeColumn[uint64](&s, 2*n, 8)
	b.threads = takeColumn[uint64](&s, n, 8)
	rows := s.take(head.Types, savedTypeLen)
	others := s.take(head.Others, savedOtherLen)
	b.first = takeColumn[uint16](&s, blockCells*n, 2)
	b.nth = takeColumn[uint16](&s, blockCells*n, 2)
	at := takeColumn[uint32](&s, head.Offsets, 4)
	if !s.done() || !b.loadTypeEvents(types, rows, at) || !b.loadOthers(others) {
		return nil, wrong
	}
	events := head.Events
	for _, n := range b.of {
		if n != nil {
			events -= n.Events
		}
	}
	for _, n := range b.others {
		events -= n.Events
	}
	if events != 0 {
		return nil, wrong
	}
	return b, nil
}

// loadTypeEvents decodes the events of each type. at is where the events of all types begin.
func (b *Blocks) loadTypeEvents(types *schema.TypeSet, rows []byte, at []uint32) bool {
	list := make([]typeEvents, 0, len(rows)/savedTypeLen)
	for row := range slices.Chunk(rows, savedTypeLen) {
		t := fixed[savedType](row)
		n := uint64(t.Offsets)
		ordinal, ok := types.Ordinal(t.ID)
		if !ok || b.of[ordinal] != nil || t.Events > b.events || t.Bytes > b.end || n > uint64(len(at)) {
			return false
		}
		many := t.Flags&flagMany != 0
		if many && n > 0 || !many && n != t.Events {
			return false
		}
		last := uint64(wire.HeaderLen - 1)
		for _, offset := range at[:n] {
			if uint64(offset) <= last || uint64(offset) >= b.end {
				return false
			}
			last = uint64(offset)
		}
		list = append(list, typeEvents{EventCount: t.EventCount, many: many, at: at[:n:n]})
		b.of[ordinal], at = &list[len(list)-1], at[n:]
	}
	return len(at) == 0
}

func (b *Blocks) loadOthers(rows []byte) bool {
	for row := range slices.Chunk(rows, savedOtherLen) {
		o := fixed[savedOther](row)
		if _, twice := b.others[o.ID]; twice || o.Events > b.events || o.Bytes > b.end {
			return false
		}
		b.addOther(o.ID, o.EventCount)
	}
	return true
}

// loadConstants decodes the constants of the chunk (SAVED.md, section 4).
func (c *Chunk) loadConstants() (*Constants, error) {
	s, err := c.checked(c.saved.constants, c.saved.entry.ConstantsSum, "constants")
	if err != nil {
		return nil, err
	}
	types, err := c.loadTypes()
	if err != nil {
		return nil, err
	}
	wrong := unfit("the constants of chunk %d contradict it", c.number)
	head := takeHead[constantsHead](&s, constantsHeadLen)
	if s.bad || head.Newest != c.header.Checkpoint {
		return nil, wrong
	}
	k := &Constants{newest: head.Newest, saved: true}
	k.adopt(types)
	checkpoints := s.take(head.Checkpoints, checkpointLen)
	pools := s.take(head.Pools, poolWords*8)
	tables := s.take(head.Tables, savedTableLen)
	size := uint64(len(c.data))
	if s.bad || !k.loadPools(checkpoints, columnOf[uint64](pools), size) {
		return nil, wrong
	}
	k.tables = make([]table, 0, len(tables)/savedTableLen)
	for row := range slices.Chunk(tables, savedTableLen) {
		var t table
		saved := fixed[savedTable](row)
		typ := k.types.ByID(saved.ID)
		if typ == nil {
			// An older metadata event describes it.
			k.adopt(c.completeTypes())
			typ = k.types.ByID(saved.ID)
		}
		if typ == nil || k.tableOf[typ.Ordinal()] != 0 || !t.load(saved, &s, size) {
			return nil, wrong
		}
		k.tables = append(k.tables, t)
		k.tableOf[typ.Ordinal()] = uint32(len(k.tables))
	}
	if !s.done() {
		return nil, wrong
	}
	return k, nil
}

func (k *Constants) loadPools(checkpoints []byte, pools []uint64, size uint64) bool {
	inside := func(offset, n uint64) bool { return offset >= wire.HeaderLen && offset <= size && n <= size-offset }
	for row := range slices.Chunk(checkpoints, checkpointLen) {
		cp := fixed[savedCheckpoint](row).Checkpoint
		if !inside(cp.Offset, uint64(cp.Size)) || uint64(cp.FirstPool)+uint64(cp.Pools) > uint64(len(pools)/poolWords) {
			return false
		}
		k.checkpoints = append(k.checkpoints, cp)
	}
	for row := range slices.Chunk(pools, poolWords) { // there can be very many
		p := Pool{schema.TypeID(row[0]), row[1], row[2], row[3]}
		if !inside(p.Offset, p.Size) || p.Count > p.Size {
			return false
		}
		k.pools = append(k.pools, p)
	}
	return true
}

// load decodes a table of a chunk of that size. It checks all offsets, so they can be trusted as
// those that the sweep finds.
func (t *table) load(saved savedTable, s *section, size uint64) bool {
	room := saved.Room
	if saved.Flags&flagHashed != 0 {
		t.multiplier, t.shift = saved.Base|1, uint8(64-bits.Len64(room-1))
		if room < 16 || room&(room-1) != 0 {
			return false
		}
		t.keys = takeColumn[uint64](s, room, 8)
	} else {
		t.base = saved.Base
	}
	t.low = takeColumn[uint32](s, room, 4)
	if saved.Flags&flagHigh != 0 {
		t.high = s.take(room, 1)
	}
	if s.bad {
		return false
	}
	greatest, free := uint64(0), uint64(0)
	for i := range room {
		offset := t.at(i)
		greatest = max(greatest, offset)
		free += (offset - 1) >> 63
	}
	t.n = int(room - free)
	return greatest < size && uint64(t.n) == saved.Len && (!t.hashed() || free > 0 && t.longestRun() <= maxRun)
}

// maxRun bounds how many neighbouring places of a hashed table may be in use. With keys that are
// spread well there are some hundreds in the largest tables. A longer run would make every lookup
// slow.
const maxRun = 4096

func (t *table) longestRun() (longest int) {
	run := 0
	for i := range t.low {
		if run++; t.at(uint64(i)) == 0 {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// own copies the columns.
func (t *table) own() {
	t.keys, t.low, t.high = slices.Clone(t.keys), slices.Clone(t.low), slices.Clone(t.high)
}
