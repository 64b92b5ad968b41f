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
	x.trail = lead
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
		c = &Chunk{index: x, number: len(x.chunks), offset: end - h.Size, header: h, encoding: h.Form()}
	}
	return c
}
