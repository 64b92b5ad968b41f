package index

import (
	"bytes"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// nextChunk returns where the next chunk begins from an offset on, or the end of the recording.
func (x *Index) nextChunk(from uint64) uint64 {
	for from < uint64(len(x.data)) {
		i := bytes.Index(x.data[from:], []byte(wire.Magic))
		if i < 0 {
			break
		}
		wire.StepBytes(i + 8)
		if from += uint64(i); x.begins(from) {
			return from
		}
		from++
	}
	return uint64(len(x.data))
}

// begins reports whether a chunk begins at an offset. A header that may be a copy counts only if
// it leads to metadata.
func (x *Index) begins(at uint64) bool {
	h, ok := wire.ReadHeader(x.data[min(at, uint64(len(x.data))):])
	if !ok || !h.Readable() {
		return false
	}
	return x.leads(at, h) || h.Plausible() && !x.copied(at, h)
}

// copied reports whether what looks like a header is a copy in a checkpoint (FORMAT.md, section
// 6.2). Before a copy stands its length, which may be padded. The last copy ends with the
// checkpoint that it names as the newest, at the end of the chunk.
func (x *Index) copied(at uint64, h wire.Header) bool {
	return followsLength(x.data[:at]) || x.inCheckpoint(at, h)
}

// followsLength reports whether what follows these bytes is a copy of a header, by its length.
func followsLength(before []byte) bool {
	return bytes.HasSuffix(before, []byte{wire.HeaderLen}) || bytes.HasSuffix(before, []byte{wire.HeaderLen | 0x80, 0x80, 0x80, 0})
}

// inCheckpoint reports whether a copy of a header ends with the checkpoint that it names as the
// newest.
func (x *Index) inCheckpoint(at uint64, h wire.Header) bool {
	size, end := h.Size-h.Checkpoint, at+wire.HeaderLen
	if size > end {
		return false
	}
	c := Chunk{data: x.data[:end], encoding: h.IntEncoding()}
	rec, ok := c.eventHeader(end - size)
	return ok && rec.Type == schema.CheckpointID && uint64(rec.Size) == size
}

// leads reports whether a header leads to bytes that begin like a metadata event: it has strings,
// the first of which can be read.
func (x *Index) leads(at uint64, h wire.Header) bool {
	c := Chunk{data: x.data[at:], encoding: h.IntEncoding()}
	rec, ok := c.eventHeader(h.Metadata)
	if !ok || h.Metadata < wire.HeaderLen || rec.Type != schema.MetadataID || rec.Size < leastMetadata {
		return false
	}
	cur := wire.NewCursor(c.data[:rec.End()], int(rec.Body()), c.encoding)
	for range 3 {
		cur.Long() // start, duration, id
	}
	n := min(cur.Count(), firstStrings)
	for range n {
		cur.Text()
	}
	return cur.OK() && n == firstStrings
}

// firstStrings is how many strings of a metadata event are read. Those of the JDK have some
// thousand.
const firstStrings = 16

// scan adds the chunks. End returns the offset after a chunk. Lost, if it is not nil, returns the
// chunk between two offsets whose header is lost, or nil.
func (x *Index) scan(end func(*Chunk) uint64, lost func(from, to uint64) *Chunk) {
	var lead error
	for offset := uint64(0); offset < uint64(len(x.data)); {
		c, err := x.newChunk(offset)
		if err != nil {
			x.needAll()
			next := x.nextChunk(offset + 1)
			if lost != nil {
				c = lost(offset, next)
			}
			if lead == nil && (c == nil || c.offset > offset) {
				lead = err
			}
			if offset = next; c == nil {
				continue
			}
		}
		c.lead, lead = lead, nil
		x.chunks = append(x.chunks, c)
		offset = end(c)
	}
	x.trail = lead
}

// newChunk reads the header at an offset. It fails if no chunk of a supported version begins there.
func (x *Index) newChunk(offset uint64) (*Chunk, error) {
	c := &Chunk{index: x, number: len(x.chunks), offset: offset}
	x.need(offset, offset+wire.HeaderLen)
	h, ok := wire.ReadHeader(x.data[offset:])
	if !ok {
		left := uint64(len(x.data)) - offset
		return nil, c.fail("chunk header", 0, errtree.Detailf(ErrTrailing, "no chunk begins here, %d bytes before the end", left))
	}
	if err := CheckVersion(h); err != nil {
		return nil, c.fail("chunk header", 0, err)
	}
	if min(h.Size, uint64(len(x.data))-offset) > maxChunk {
		return nil, c.fail("chunk header", 0, errtree.Detailf(ErrUnsupported, "chunk of %d bytes", h.Size))
	}
	c.header, c.encoding = h, h.IntEncoding()
	return c, nil
}

// endChunk finds where a chunk ends, and returns the offset after it. It believes the header as
// far as the file agrees.
func (x *Index) endChunk(c *Chunk) (next uint64) {
	left := uint64(len(x.data)) - c.offset
	size := c.header.Size
	c.trail = nil
	switch {
	case size >= wire.HeaderLen && size <= left:
		c.setEnd(size)
		next = c.offset + size
		if c.header.Finished() {
			return x.endEarly(c, next)
		}
		x.needAll()
		// Bytes after the last flush are not to be believed, and no chunk of the same
		// virtual machine follows; but files that were joined may go on.
		if _, ok := wire.ReadHeader(x.data[next:]); !ok {
			if c.header.Metadata != 0 && !x.leads(c.offset, c.header) {
				if early := x.endEarly(c, next); early < next {
					return early
				}
			}
			next = x.nextChunk(next)
		}
		c.trail = c.fail("chunk header", 0, unfinished(next-c.offset-size))
		return next
	case size < wire.HeaderLen:
		x.needAll()
		next = x.nextChunk(c.offset + wire.HeaderLen)
		c.setEnd(next - c.offset)
		c.trail = c.fail("chunk header", 0, corrupt("chunk size %d is less than a header's", size))
		return next
	}
	x.needAll()
	next = x.nextChunk(c.offset + wire.HeaderLen)
	c.setEnd(next - c.offset)
	switch {
	case next < uint64(len(x.data)):
		c.trail = c.overlaps(next)
	case c.header.Metadata != 0 && !c.header.Finished():
		c.trail = c.fail("chunk header", 0, errtree.Detailf(ErrUnfinished, "its header was never completed; it says it has %d bytes, and %d are there", size, left))
	case c.header.Metadata == 0:
		c.trail = c.fail("chunk header", 0, errtree.Detailf(ErrUnfinished, "its header was never completed"))
	default:
		c.trail = c.fail("chunk header", 0, truncated(size, left))
	}
	return next
}

// endEarly ends a finished chunk where another one begins inside it, if no chunk begins at its end
// and its events do not lead there. Then the end of the chunk is missing, and another file was
// joined to it. endEarly returns the offset after the chunk.
func (x *Index) endEarly(c *Chunk, end uint64) (next uint64) {
	x.needHeader(end) // more than is read, because the next header is
	rest := x.data[end:]
	if n := min(len(rest), len(wire.Magic)); string(rest[:n]) == wire.Magic[:n] {
		return end
	}
	x.needAll()
	next = x.nextChunk(c.offset + wire.HeaderLen)
	if next >= end {
		return end
	}
	if last, ok := c.leadsTo(end - c.offset); ok && next-c.offset < last {
		return end // it is in an event
	}
	c.setEnd(next - c.offset)
	c.trail = c.overlaps(next)
	return next
}

// leadsTo reports whether the events of the chunk lead from its header to an offset, and returns
// where the last of them begins.
func (c *Chunk) leadsTo(end uint64) (last uint64, ok bool) {
	pos := uint64(wire.HeaderLen)
	for pos < end && c.index.walked < walkedShare*uint64(len(c.index.data)) {
		rec, ok := c.eventHeader(pos)
		if !ok {
			return last, false
		}
		c.index.walked += uint64(rec.Size)
		last, pos = pos, rec.End()
	}
	return last, pos == end
}

// walkedShare is how many times the bytes of a recording may be followed to find the ends of its
// chunks.
const walkedShare = 4

// overlaps returns the error of a chunk inside which another one begins.
func (c *Chunk) overlaps(next uint64) error {
	return c.fail("chunk header", 0, corrupt("chunk size %d, but the next chunk begins after %d bytes", c.header.Size, next-c.offset))
}

// truncated returns the error of a chunk whose end is missing.
func truncated(size, there uint64) error {
	return errtree.Detailf(ErrTruncated, "the chunk says it has %d bytes, and %d are there; copy it again, its end is missing", size, there)
}

// unfinished returns the error of a chunk with that many bytes after its last flush.
func unfinished(after uint64) error {
	if after == 0 {
		return errtree.Detailf(ErrUnfinished, "it ends with its last flush")
	}
	return errtree.Detailf(ErrUnfinished, "it was read up to its last flush; %d bytes after that are not complete", after)
}
