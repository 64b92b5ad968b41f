package index

import (
	"bytes"

	"github.com/mmapjfr/jfr/internal/wire"
)

// findChunks adds the chunks that there are, and goes through each of them: where the
// next one begins is known only when it is known where the frames of one end.
func (x *Index) findChunks() (found []*salvager) {
	end := uint64(len(x.data))
	var lead error
	for offset := uint64(0); offset < end; {
		c, err := x.newChunk(offset)
		if err != nil {
			next := x.nextChunk(offset + 1)
			if c = x.headless(offset, next); c == nil {
				if lead == nil {
					lead = err
				}
				offset = next
				continue
			}
			if c.offset > offset && lead == nil {
				lead = err
			}
		}
		c.lead, lead = lead, nil
		x.chunks = append(x.chunks, c)
		s := x.explore(c)
		found = append(found, s)
		offset = c.offset + s.next
	}
	x.gap = lead
	return found
}

// headless returns the chunk, between two places, whose header is lost, if a checkpoint
// has a copy of it; nil if none has. The last copy is the one that says most.
func (x *Index) headless(from, to uint64) (c *Chunk) {
	for at := from; at < to; at++ {
		i := bytes.Index(x.data[at:to], []byte(wire.Magic))
		if i < 0 {
			break
		}
		at += uint64(i)
		h, ok := wire.ReadHeader(x.data[at:to])
		if !ok || !h.Readable() || !saneClock(h) || h.Size < wire.HeaderLen || !x.inCheckpoint(at, h) {
			continue
		}
		end := at + wire.HeaderLen
		if h.Size > end-from || c != nil && end-h.Size != c.offset {
			continue
		}
		c = &Chunk{index: x, number: len(x.chunks), offset: end - h.Size, header: h, form: h.Form()}
	}
	return c
}

// nextChunk returns where the next chunk begins from an offset on, or the end of the
// recording.
func (x *Index) nextChunk(from uint64) uint64 {
	for from < uint64(len(x.data)) {
		i := bytes.Index(x.data[from:], []byte(wire.Magic))
		if i < 0 {
			break
		}
		if from += uint64(i); x.begins(from) {
			return from
		}
		from++
	}
	return uint64(len(x.data))
}

// begins tells whether a chunk begins at an offset to which no frame leads. What may be
// the copy of a header is one only if it leads to metadata.
func (x *Index) begins(at uint64) bool {
	h, ok := wire.ReadHeader(x.data[min(at, uint64(len(x.data))):])
	if !ok || !h.Readable() {
		return false
	}
	return x.leads(at, h) || saneClock(h) && !x.copied(at, h)
}

// copied tells whether what looks like a header lies in a checkpoint, as a copy: behind
// its length, which may be padded, or at the end of the checkpoint that it says is the
// newest, with which the chunk ends (FORMAT.md, section 6.2).
func (x *Index) copied(at uint64, h wire.Header) bool {
	before := x.data[:at]
	if bytes.HasSuffix(before, []byte{wire.HeaderLen}) || bytes.HasSuffix(before, []byte{wire.HeaderLen | 0x80, 0x80, 0x80, 0}) {
		return true
	}
	return x.inCheckpoint(at, h)
}

// inCheckpoint tells whether a copy of a header ends with the checkpoint that it says is
// the newest.
func (x *Index) inCheckpoint(at uint64, h wire.Header) bool {
	size, end := h.Size-h.Checkpoint, at+wire.HeaderLen
	if size > end {
		return false
	}
	c := Chunk{data: x.data[:end], form: h.Form()}
	rec, ok := c.frame(end - size)
	return ok && rec.Type == CheckpointID && uint64(rec.Size) == size
}

// leads tells whether a header leads to what begins like a metadata event: it has
// strings, the first of which can be read.
func (x *Index) leads(at uint64, h wire.Header) bool {
	c := Chunk{data: x.data[at:], form: h.Form()}
	rec, ok := c.frame(h.Metadata)
	if !ok || h.Metadata < wire.HeaderLen || rec.Type != MetadataID || rec.Size < leastMetadata {
		return false
	}
	cur := wire.NewCursor(c.data[:rec.End()], int(rec.Body()), c.form)
	for range 3 {
		cur.Long() // start, duration, id
	}
	n := min(cur.Count(), firstStrings)
	for range n {
		cur.Text()
	}
	return cur.OK() && n == firstStrings
}

// firstStrings is how many strings of a metadata event are looked at. The JDK's has
// some thousand.
const firstStrings = 16
