package index

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Load takes the blocks and constants from a saved index that [Index.Keep] has written for the
// file and state of the stamp. It uses the bytes in place: they must not change or move as long as
// the index is used. Columns are copied if they are not aligned to eight bytes, or if the machine
// is big-endian. Nothing else may use the index while Load runs.
//
// Load fails with an error that matches [ErrSavedIndex], and changes nothing, if the saved index
// is of another file, state or version, or is damaged. It takes time in proportion to the number
// of chunks.
//
// The part of a chunk is checked when it is first asked for: its checksum, that of samples of the
// chunk, and every number in it that could lead out of bounds. A part that does not fit is
// ignored, and the chunk itself is read.
//
// A saved index can never make this one crash, hang or allocate more than in proportion to the
// saved bytes. But a forged one with right checksums is believed: it can hide events.
func (x *Index) Load(saved []byte, s FileStamp) error {
	f, err := readSaved(saved)
	if err != nil {
		return err
	}
	was := f.header.Stamp
	switch {
	case f.header.BlockSize != BlockSize || f.header.CellSize != cellSize:
		return unfit("it has blocks of %d and cells of %d bytes", f.header.BlockSize, f.header.CellSize)
	case was.Size != s.Size:
		return unfit("it is of a recording of %d bytes, this one has %d", was.Size, s.Size)
	case was.ModTime != s.ModTime:
		return unfit("it is of a recording that was written at %s, this one was at %s", when(was), when(s))
	case s.Size != uint64(len(x.data)):
		return unfit("the stamp says %d bytes, but the recording has %d", s.Size, len(x.data))
	case f.chunks != len(x.chunks):
		return unfit("it has %d chunks, the recording %d", f.chunks, len(x.chunks))
	}
	list := make([]savedChunk, f.chunks)
	for i, c := range x.chunks {
		e := f.entry(i)
		if e.Offset != c.offset || e.Size != uint64(len(c.data)) || !bytes.Equal(e.Header[:], c.data[:len(e.Header)]) {
			return unfit("its chunk %d is not the recording's at %#x", i, c.offset)
		}
		list[i].entry = e
		list[i].file = f
		var ok, also bool
		list[i].blocks, ok = f.section(e.Blocks)
		list[i].constants, also = f.section(e.Constants)
		if !ok || !also {
			return unfit("a part of its chunk %d is not inside it", i)
		}
	}
	for i, c := range x.chunks {
		c.saved = nil
		if (list[i].blocks != nil || list[i].constants != nil) && c.savable() {
			c.saved = &list[i]
		}
	}
	return nil
}

// Loaded reports whether [Index.Load] has loaded anything.
func (x *Index) Loaded() bool {
	return slices.ContainsFunc(x.chunks, func(c *Chunk) bool { return c.saved != nil })
}

// savedFile is a saved index whose header, directory and trailer have been checked.
type savedFile struct {
	data      []byte
	header    savedHeader
	directory []byte
	// end is where the sections end.
	end    uint64
	chunks int
}

// readSaved checks header, directory and trailer (SAVED.md, sections 1 and 2).
func readSaved(saved []byte) (*savedFile, error) {
	size := uint64(len(saved))
	if size < savedHeaderLen+savedTrailerLen || string(saved[:len(SavedMagic)]) != SavedMagic {
		return nil, unfit("it is no saved index, or not all of one")
	}
	f := &savedFile{data: saved, header: fixed[savedHeader](saved)}
	if f.header.Version != savedVersion {
		return nil, unfit("it has version %d of the format, only %d can be read", f.header.Version, savedVersion)
	}
	tail := saved[size-savedTrailerLen:]
	trailer := fixed[savedTrailer](tail)
	if string(trailer.End[:]) != savedEnd || trailer.Size != size {
		return nil, unfit("it is incomplete, or other bytes follow it")
	}
	chunks := uint64(f.header.Chunks)
	if room := size - savedHeaderLen - savedTrailerLen; chunks > room/savedEntryLen || trailer.Directory != size-savedTrailerLen-chunks*savedEntryLen {
		return nil, unfit("its directory is not where it should be")
	}
	f.chunks, f.end = int(chunks), trailer.Directory
	f.directory = saved[f.end : size-savedTrailerLen]
	if checksum(saved[:savedHeaderLen], f.directory, tail[:16]) != trailer.Sum {
		return nil, unfit("the checksum of its directory is wrong")
	}
	return f, nil
}

func when(s FileStamp) string { return time.Unix(0, s.ModTime).UTC().Format(time.RFC3339Nano) }

func (f *savedFile) entry(i int) savedEntry {
	return fixed[savedEntry](f.directory[i*savedEntryLen:][:savedEntryLen])
}

// section returns a section; nil if nothing is saved. It reports false if the section is not inside
// the file.
func (f *savedFile) section(at savedRange) (b []byte, ok bool) {
	if at.Size == 0 {
		return nil, true
	}
	if at.Offset%8 != 0 || at.Offset < savedHeaderLen || at.Offset > f.end || at.Size > f.end-at.Offset {
		return nil, false
	}
	end := at.Offset + at.Size
	return f.data[at.Offset:end:end], true
}

// savedChunk is what a saved index has of a chunk.
type savedChunk struct {
	file  *savedFile
	entry savedEntry
	// blocks and constants are the sections that have not been read yet.
	blocks, constants []byte
	// sampled reports whether the samples have been compared. err is the first error; after
	// it nothing is used any more.
	sampled bool
	err     error
}

// checked returns a section after checking its checksum, and samples of the chunk.
func (c *Chunk) checked(b []byte, sum uint32, name string) (section, error) {
	s := c.saved
	if s.err != nil {
		return section{}, s.err
	}
	if !s.sampled {
		if c.sample() != s.entry.Sample {
			return section{}, unfit("the contents of chunk %d have changed", c.number)
		}
		s.sampled = true
	}
	if checksum(b) != sum {
		return section{}, unfit("the checksum of the %s of chunk %d is wrong", name, c.number)
	}
	return section{b: b}, nil
}

// savedBlocks returns the blocks if they are in the cache or in a saved index; nil if not.
func (c *Chunk) savedBlocks() *Blocks {
	if b := c.blocks.Load(); b != nil || c.saved == nil || c.saved.blocks == nil {
		return b
	}
	b, err := c.loadBlocks()
	c.saved.blocks, c.saved.err = nil, err
	if err != nil {
		return nil
	}
	c.blocks.Store(b)
	return b
}

// savedConstants returns the constants if they are in a saved index; nil if not.
func (c *Chunk) savedConstants() *Constants {
	if c.saved == nil || c.saved.constants == nil {
		return nil
	}
	k, err := c.loadConstants()
	c.saved.constants, c.saved.err = nil, err
	if err != nil {
		return nil
	}
	c.constants.Store(k)
	return k
}

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

// takeColumn returns n numbers, in place where that is possible.
func takeColumn[T number](s *section, n uint64) []T {
	return columnOf[T](s.take(n, uint64(binary.Size(T(0)))))
}

// takeRows returns n structs.
func takeRows[T any](s *section, n uint64) []T {
	b := s.take(n, uint64(binary.Size(*new(T))))
	if s.bad {
		return nil
	}
	rows := make([]T, n)
	_, _ = binary.Decode(b, le, rows) // there are as many bytes
	return rows
}

// takeHead returns the struct that a section begins with.
func takeHead[T any](s *section) (head T) {
	for _, head = range takeRows[T](s, 1) {
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
	head := takeHead[blocksHead](&s)
	size, n := uint64(len(c.data)), head.Blocks
	if s.bad || n != uint64(blocksIn(size)) || head.Events > size {
		return nil, wrong
	}
	b := &Blocks{events: head.Events, end: size, saved: true, of: make([]*typeEvents, len(types.Types))}
	b.ordinals = takeColumn[uint64](&s, n)
	b.least = takeColumn[int64](&s, n)
	b.greatest = takeColumn[int64](&s, n)
	b.types = takeColumn[uint64](&s, 2*n)
	b.threads = takeColumn[uint64](&s, n)
	rows := takeRows[savedType](&s, head.Types)
	others := takeRows[savedOther](&s, head.Others)
	b.first = takeColumn[uint16](&s, blockCells*n)
	b.nth = takeColumn[uint16](&s, blockCells*n)
	at := takeColumn[uint32](&s, head.Offsets)
	if !s.done() || !b.loadTypeEvents(types, rows, at) {
		return nil, wrong
	}
	for _, o := range others {
		if _, twice := b.others[o.ID]; twice || o.Events > b.events || o.Bytes > b.end {
			return nil, wrong
		}
		addCount(&b.others, o.ID, o.EventCount)
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
func (b *Blocks) loadTypeEvents(types *schema.TypeSet, rows []savedType, at []uint32) bool {
	list := make([]typeEvents, 0, len(rows))
	for _, t := range rows {
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
	head := takeHead[constantsHead](&s)
	if s.bad || head.Newest != c.header.Checkpoint {
		return nil, wrong
	}
	k := &Constants{newest: head.Newest, saved: true, index: c.index, base: c.offset}
	k.adopt(types)
	checkpoints := takeRows[savedCheckpoint](&s, head.Checkpoints)
	pools := columnOf[uint64](s.take(head.Pools, 8*poolWords))
	tables := takeRows[savedTable](&s, head.Tables)
	size := uint64(len(c.data))
	if s.bad || !k.loadPools(checkpoints, pools, size) {
		return nil, wrong
	}
	k.tables = make([]table, 0, len(tables))
	for _, row := range tables {
		var t table
		typ := k.types.ByID(row.ID)
		if typ == nil {
			// An older metadata event describes it.
			k.adopt(c.completeTypes())
			typ = k.types.ByID(row.ID)
		}
		if typ == nil || k.tableOf[typ.Ordinal()] != 0 || !t.load(row, &s, size) {
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

func (k *Constants) loadPools(checkpoints []savedCheckpoint, pools []uint64, size uint64) bool {
	inside := func(offset, n uint64) bool { return offset >= wire.HeaderLen && offset <= size && n <= size-offset }
	for _, cp := range checkpoints {
		if !inside(cp.Offset, uint64(cp.Size)) || uint64(cp.FirstPool)+uint64(cp.Pools) > uint64(len(pools)/poolWords) {
			return false
		}
		k.checkpoints = append(k.checkpoints, cp.Checkpoint)
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
// those that the sweep finds. A table with keys is hashed anew: a forged one could have all its
// keys in one place.
func (t *table) load(row savedTable, s *section, size uint64) bool {
	var keys []uint64
	if row.Flags&flagKeys != 0 {
		keys = takeColumn[uint64](s, row.Places)
	}
	t.base, t.low = row.Base, takeColumn[uint32](s, row.Places)
	if row.Flags&flagHigh != 0 {
		t.high = s.take(row.Places, 1)
	}
	if s.bad {
		return false
	}
	if keys != nil {
		list := make([]found, len(keys))
		for i, key := range keys {
			list[i] = found{key, t.at(uint64(i))}
			if list[i].offset-1 >= size-1 {
				return false
			}
		}
		*t = table{}
		t.add(list)
		return uint64(t.n) == row.Len && row.Places == row.Len && t.n > 0 // no key is there twice
	}
	greatest, free := uint64(0), uint64(0)
	for i := range row.Places {
		offset := t.at(i)
		greatest = max(greatest, offset)
		free += (offset - 1) >> 63
	}
	t.n = int(row.Places - free)
	return greatest < size && uint64(t.n) == row.Len && t.n > 0
}
