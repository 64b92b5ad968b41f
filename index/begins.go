package index

import (
	"bytes"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// nextChunk returns where the next chunk begins from an offset on, or the end of the
// recording.
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

// begins reports whether a chunk begins at an offset to which no frame leads. What may be
// the copy of a header is one only if it leads to metadata.
func (x *Index) begins(at uint64) bool {
	h, ok := wire.ReadHeader(x.data[min(at, uint64(len(x.data))):])
	if !ok || !h.Readable() {
		return false
	}
	return x.leads(at, h) || h.Plausible() && !x.copied(at, h)
}

// copied reports whether what looks like a header lies in a checkpoint, as a copy: behind
// its length, which may be padded, or at the end of the checkpoint that it says is the
// newest, with which the chunk ends (FORMAT.md, section 6.2).
func (x *Index) copied(at uint64, h wire.Header) bool {
	before := x.data[:at]
	if bytes.HasSuffix(before, []byte{wire.HeaderLen}) || bytes.HasSuffix(before, []byte{wire.HeaderLen | 0x80, 0x80, 0x80, 0}) {
		return true
	}
	return x.inCheckpoint(at, h)
}

// inCheckpoint reports whether a copy of a header ends with the checkpoint that it says is
// the newest.
func (x *Index) inCheckpoint(at uint64, h wire.Header) bool {
	size, end := h.Size-h.Checkpoint, at+wire.HeaderLen
	if size > end {
		return false
	}
	c := Chunk{data: x.data[:end], encoding: h.Form()}
	rec, ok := c.eventHeader(end - size)
	return ok && rec.Type == schema.CheckpointID && uint64(rec.Size) == size
}

// leads reports whether a header leads to what begins like a metadata event: it has
// strings, the first of which can be read.
func (x *Index) leads(at uint64, h wire.Header) bool {
	c := Chunk{data: x.data[at:], encoding: h.Form()}
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

// firstStrings is how many strings of a metadata event are looked at. The JDK's has
// some thousand.
const firstStrings = 16
