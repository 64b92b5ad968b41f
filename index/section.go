package index

import (
	"math/bits"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// section hands out the bytes of a saved section piece by piece. Once there are
// not as many as are asked for it has none any more, and is bad.
type section struct {
	b   []byte
	bad bool
}

// take returns n things of that many bytes each, and steps over what follows them
// up to a multiple of eight.
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

// done tells whether all that was asked for was there, and nothing else is.
func (s *section) done() bool { return !s.bad && len(s.b) == 0 }

func takeColumn[T number](s *section, n, size uint64) []T { return columnOf[T](s.take(n, size)) }

// loadBlocks decodes the blocks of the chunk (SAVED.md, section 3). What scalars
// say is checked here; what columns say of events can at worst lead to the wrong
// event, for every frame is checked where it is read.
func (c *Chunk) loadBlocks() (*Blocks, error) {
	s, err := c.part(c.saved.blocks, c.saved.blocksSum, "blocks")
	if err != nil {
		return nil, err
	}
	types, err := c.loadTypes()
	if err != nil {
		return nil, err
	}
	wrong := unfit("the blocks of chunk %d contradict it", c.number)
	head := s.take(1, blocksHeadLen)
	if s.bad {
		return nil, wrong
	}
	size := uint64(len(c.data))
	events, n := le.Uint64(head), le.Uint64(head[8:])
	classes, others, offsets := le.Uint64(head[16:]), le.Uint64(head[24:]), le.Uint64(head[32:])
	if n != (size+BlockSize-1)/BlockSize || events > size {
		return nil, wrong
	}
	b := &Blocks{events: events, end: size, saved: true, of: make([]*typeEvents, len(types.Types))}
	b.ordinals = takeColumn[uint64](&s, n, 8)
	b.least = takeColumn[int64](&s, n, 8)
	b.greatest = takeColumn[int64](&s, n, 8)
	b.types = takeColumn[uint64](&s, 2*n, 8)
	b.threads = takeColumn[uint64](&s, n, 8)
	classRows := s.take(classes, savedTypeLen)
	otherRows := s.take(others, savedOtherLen)
	b.first = takeColumn[uint16](&s, blockCells*n, 2)
	b.nth = takeColumn[uint16](&s, blockCells*n, 2)
	at := takeColumn[uint32](&s, offsets, 4)
	if !s.done() || !b.loadTypeEvents(types, classRows, at) || !b.loadOthers(otherRows) {
		return nil, wrong
	}
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

// loadKept decodes what there is of each class. at are the places of events of
// all classes.
func (b *Blocks) loadTypeEvents(types *schema.TypeSet, rows []byte, at []uint32) bool {
	list := make([]typeEvents, 0, len(rows)/savedTypeLen)
	for row := range slices.Chunk(rows, savedTypeLen) {
		ordinal, ok := types.Ordinal(schema.TypeID(le.Uint64(row)))
		if !ok || b.of[ordinal] != nil {
			return false
		}
		list = append(list, typeEvents{EventCount: EventCount{le.Uint64(row[8:]), le.Uint64(row[16:])}, many: le.Uint32(row[28:])&flagMany != 0})
		of, n := &list[len(list)-1], le.Uint32(row[24:])
		if of.Events > b.events || of.Bytes > b.end || uint64(n) > uint64(len(at)) {
			return false
		}
		if of.many && n > 0 || !of.many && uint64(n) != of.Events {
			return false
		}
		of.at, at = at[:n:n], at[n:]
		last := uint64(wire.HeaderLen - 1)
		for _, offset := range of.at {
			if uint64(offset) <= last || uint64(offset) >= b.end {
				return false
			}
			last = uint64(offset)
		}
		b.of[ordinal] = of
	}
	return len(at) == 0
}

func (b *Blocks) loadOthers(rows []byte) bool {
	for row := range slices.Chunk(rows, savedOtherLen) {
		id, n := schema.TypeID(le.Uint64(row)), EventCount{le.Uint64(row[8:]), le.Uint64(row[16:])}
		if _, twice := b.others[id]; twice || n.Events > b.events || n.Bytes > b.end {
			return false
		}
		b.addOther(id, n)
	}
	return true
}

// loadConstants decodes the constants of the chunk (SAVED.md, section 4).
func (c *Chunk) loadConstants() (*Constants, error) {
	s, err := c.part(c.saved.constants, c.saved.constantsSum, "constants")
	if err != nil {
		return nil, err
	}
	types, err := c.loadTypes()
	if err != nil {
		return nil, err
	}
	wrong := unfit("the constants of chunk %d contradict it", c.number)
	head := s.take(1, constantsHeadLen)
	if s.bad || le.Uint64(head) != c.header.Checkpoint {
		return nil, wrong
	}
	k := &Constants{newest: c.header.Checkpoint, saved: true}
	k.adopt(types)
	checkpoints := s.take(le.Uint64(head[8:]), checkpointLen)
	pools := s.take(le.Uint64(head[16:]), poolLen)
	tables := s.take(le.Uint64(head[24:]), tableLen)
	size := uint64(len(c.data))
	if s.bad || !k.loadPools(checkpoints, pools, size) {
		return nil, wrong
	}
	k.tables = make([]table, 0, len(tables)/tableLen)
	for row := range slices.Chunk(tables, tableLen) {
		var t table
		id := schema.TypeID(le.Uint64(row))
		class := k.types.ByID(id)
		if class == nil {
			// An older metadata event describes it.
			k.adopt(c.completeTypes())
			class = k.types.ByID(id)
		}
		if class == nil || k.tableOf[class.Ordinal()] != 0 || !t.load(row, &s, size) {
			return nil, wrong
		}
		k.tables = append(k.tables, t)
		k.tableOf[class.Ordinal()] = uint32(len(k.tables))
	}
	if !s.done() {
		return nil, wrong
	}
	return k, nil
}

func (k *Constants) loadPools(checkpoints, pools []byte, size uint64) bool {
	inside := func(offset, n uint64) bool { return offset >= wire.HeaderLen && offset <= size && n <= size-offset }
	for row := range slices.Chunk(checkpoints, checkpointLen) {
		cp := Checkpoint{
			Offset: le.Uint64(row), Size: le.Uint32(row[8:]),
			FirstPool: le.Uint32(row[12:]), Pools: le.Uint32(row[16:]), Mask: row[20],
		}
		if !inside(cp.Offset, uint64(cp.Size)) || uint64(cp.FirstPool)+uint64(cp.Pools) > uint64(len(pools)/poolLen) {
			return false
		}
		k.checkpoints = append(k.checkpoints, cp)
	}
	for row := range slices.Chunk(pools, poolLen) {
		p := Pool{schema.TypeID(le.Uint64(row)), le.Uint64(row[8:]), le.Uint64(row[16:]), le.Uint64(row[24:])}
		if !inside(p.Offset, p.Size) || p.Count > p.Size {
			return false
		}
		k.pools = append(k.pools, p)
	}
	return true
}

// load decodes a table of a chunk of that size. It goes through the column of the
// offsets once: what it says is then as good as what the sweep finds.
func (t *table) load(row []byte, s *section, size uint64) bool {
	room, flags := le.Uint64(row[24:]), le.Uint64(row[32:])
	if flags&flagHashed != 0 {
		t.multiplier, t.shift = le.Uint64(row[8:])|1, uint8(64-bits.Len64(room-1))
		if room < 16 || room&(room-1) != 0 {
			return false
		}
		t.keys = takeColumn[uint64](s, room, 8)
	} else {
		t.base = le.Uint64(row[8:])
	}
	t.low = takeColumn[uint32](s, room, 4)
	if flags&flagHigh != 0 {
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
	return greatest < size && uint64(t.n) == le.Uint64(row[16:]) && (!t.hashed() || free > 0 && t.longestRun() <= maxRun)
}

// maxRun is how many places of a hashed table may be in use one behind the other.
// With keys that are spread well it is some hundreds in the largest tables; in
// longer runs, looking for keys would take for ever.
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
