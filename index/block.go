package index

import "sort"

// blockSize is how far, at least, the events lie apart whose offsets are kept.
const blockSize = 8 << 10

// Blocks cuts the events of a chunk into runs of about 8 KiB that begin where
// an event begins, so that any event is found by going through one of them.
type Blocks struct {
	// offsets holds where each block begins, from the start of the chunk.
	offsets []uint64
	// ordinals holds how many events come before each block.
	ordinals []uint64
	events   uint64
	end      uint64
	err      error
}

// IsEvent tells whether the frame is that of an event, and not of one of the two
// structures of the format that are framed like events.
func (r Record) IsEvent() bool { return r.Type != MetadataID && r.Type != CheckpointID }

// Blocks returns the blocks of the chunk, going through the frames of all its
// events on first use.
func (c *Chunk) Blocks() *Blocks {
	if b := c.blocks.Load(); b != nil {
		return b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.blocks.Load(); b != nil {
		return b
	}
	b := &Blocks{end: c.Events()}
	c.cut(b)
	c.blocks.Store(b)
	return b
}

// cut goes on where b ends.
func (c *Chunk) cut(b *Blocks) {
	var buf [256]Record
	for {
		n, next, err := c.Records(b.end, buf[:])
		for _, rec := range buf[:n] {
			if last := len(b.offsets) - 1; last < 0 || rec.Offset-b.offsets[last] >= blockSize {
				b.offsets = append(b.offsets, rec.Offset)
				b.ordinals = append(b.ordinals, b.events)
			}
			if rec.IsEvent() {
				b.events++
			}
		}
		b.end, b.err = next, err
		if err != nil || n < len(buf) {
			return
		}
	}
}

// Events returns how many events there are, as far as they can be read.
func (b *Blocks) Events() uint64 { return b.events }

// Err returns what ended the walk over the events too early, or nil.
func (b *Blocks) Err() error { return b.err }

// Bytes returns how much memory the blocks take.
func (b *Blocks) Bytes() int { return 8*cap(b.offsets) + 8*cap(b.ordinals) }

// Find returns the frame of the event that begins at offset, and how many
// events of the chunk come before it. It fails if no event begins there. It
// goes through one block and allocates nothing but the error.
func (c *Chunk) Find(offset uint64) (rec Record, ordinal uint64, err error) {
	b := c.Blocks()
	i := sort.Search(len(b.offsets), func(i int) bool { return b.offsets[i] > offset }) - 1
	if i < 0 || offset >= b.end {
		if b.err != nil && offset >= b.end {
			return Record{}, 0, b.err
		}
		return Record{}, 0, c.fail("event", offset, ErrNoEvent)
	}
	ordinal = b.ordinals[i]
	for pos := b.offsets[i]; pos <= offset; pos = rec.End() {
		rec, err = c.record(pos)
		if err != nil {
			return Record{}, 0, err
		}
		if pos == offset {
			break
		}
		if rec.IsEvent() {
			ordinal++
		}
	}
	if rec.Offset != offset || !rec.IsEvent() {
		return Record{}, 0, c.fail("event", offset, ErrNoEvent)
	}
	return rec, ordinal, nil
}
