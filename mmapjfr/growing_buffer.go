package mmapjfr

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// chunkBuffer makes a live chunk out of frames that come one after the other. It keeps what
// later events need, metadata events and checkpoints, and of the others only those since
// the last flush: so it is as large as the constants of the chunk and one flush.
//
// What it makes is a chunk with a place for the header, all that is kept, and behind that
// the frames of the flush as they came.
type chunkBuffer struct {
	immutable bool // that what has been taken must never change
	header    wire.Header
	// kept is the place for the header and what is kept, and flush what has come since the
	// last one; before is how long kept was then.
	retained, flush []byte
	lastRetained    int
	// at is where in its file the first byte of flush lies, and metadata where the newest
	// metadata event does; or where it should, if there is none.
	flushOffset, metadataOffset uint64
	// flushed tells that the chunk has had a checkpoint that ends a flush.
	hasFlushes bool
}

// begin makes it a chunk of this header, whose first event lies at an offset of its file.
func (p *chunkBuffer) begin(h wire.Header, at uint64) {
	h.Metadata, h.Checkpoint = 0, 0
	*p = chunkBuffer{immutable: p.immutable, header: h, flushOffset: at, metadataOffset: at, flush: p.flush[:0]}
	p.retained = make([]byte, wire.HeaderLen)
	p.lastRetained = len(p.retained)
}

// update takes from a newer header of the chunk what is not told by frames.
func (p *chunkBuffer) update(h wire.Header) {
	h.Metadata, h.Checkpoint = p.header.Metadata, p.header.Checkpoint
	p.header = h
}

// empty tells whether nothing has come since the last flush.
func (p *chunkBuffer) empty() bool { return len(p.flush) == 0 }

// add adds a frame. It tells whether that ends a flush; without metadata nothing does. A
// checkpoint that cannot be read is an error, but what follows can be added.
func (p *chunkBuffer) add(frame []byte) (flushed bool, err error) {
	start := p.flushOffset + uint64(len(p.flush))
	p.flush = append(p.flush, frame...)
	form := p.header.Form()
	_, n := form.Count(frame)
	typ, m := form.Long(frame[n:])
	switch schema.TypeID(typ) {
	case schema.MetadataID:
		p.header.Metadata, p.metadataOffset = uint64(len(p.retained)), start
		p.retained = append(p.retained, frame...)
	case schema.CheckpointID:
		mask, ok := p.checkpoint(frame, n, n+m)
		if !ok {
			return false, &FormatError{Err: fmt.Errorf("%w: event ends inside its head", ErrCorrupt), Section: checkpointSection, Offset: start}
		}
		flushed = mask&index.CheckpointFlush != 0 && p.header.Metadata != 0
		p.hasFlushes = p.hasFlushes || flushed
	}
	return flushed, nil
}

// checkpointSection is what an error says of a checkpoint that cannot be read.
const checkpointSection = "checkpoint"

// checkpoint keeps a checkpoint, with a delta that leads to the one that was kept before.
func (p *chunkBuffer) checkpoint(frame []byte, typeAt, body int) (mask uint8, ok bool) {
	cur := wire.NewCursor(frame, body, p.header.Form())
	cur.Long() // start
	cur.Long() // duration
	deltaAt := cur.Pos()
	cur.Long()
	restAt := cur.Pos()
	mask = cur.Byte()
	if !cur.OK() {
		return 0, false
	}
	at := uint64(len(p.retained))
	delta := p.header.Checkpoint - at // wraps around: it leads back
	if p.header.Checkpoint == 0 {
		delta = 0
	}
	kept := p.retained
	if p.header.Form() == wire.FixedWidth {
		kept = append(kept, frame[:deltaAt]...)
		kept = appendBigEndian(kept, delta)
	} else {
		head := deltaAt - typeAt
		kept = appendVarint(kept, uint64(sizeLen+head+varintLen+len(frame)-restAt), sizeLen)
		kept = append(kept, frame[typeAt:deltaAt]...)
		kept = appendVarint(kept, delta, varintLen)
	}
	p.retained = append(kept, frame[restAt:]...)
	p.header.Checkpoint = at
	return mask, true
}

// The lengths that a size and a delta are written in. Longer than need be is allowed.
const (
	sizeLen   = 5
	varintLen = 9
)

// appendVarint appends a varint of that many bytes (index/FORMAT.md, section 2.1).
func appendVarint(dst []byte, v uint64, size int) []byte {
	for i := range size - 1 {
		dst = append(dst, byte(v>>(7*i))|0x80)
	}
	last := byte(v >> (7 * (size - 1)))
	if size < varintLen {
		last &= 0x7f // only the ninth has eight bits
	}
	return append(dst, last)
}

func appendBigEndian(dst []byte, v uint64) []byte {
	for i := range 8 {
		dst = append(dst, byte(v>>(56-8*i)))
	}
	return dst
}

// takeBuffer makes the live chunk one of what has come since the last time, and returns where
// that lies.
func (l *GrowingChunk) takeBuffer(p *chunkBuffer) (ByteRange, error) {
	h, same := p.header, p.lastRetained
	kept := uint64(len(p.retained))
	data := append(p.retained, p.flush...)
	if p.immutable {
		// Events of the last flush still have the memory behind what was kept then.
		data = slices.Concat(p.retained, p.flush)
	} else {
		p.retained = data[:kept]
	}
	h.Size = uint64(len(data))
	if l.rec == nil {
		same = 0
	}
	at := p.flushOffset - kept
	p.lastRetained, p.flushOffset, p.flush = int(kept), p.flushOffset+uint64(len(p.flush)), p.flush[:0]
	err := l.grow(h, mapfile.New(data, nil), uint64(same), at)
	var broken *FormatError
	if errors.As(err, &broken) {
		// It is the metadata event that could not be read, where it is kept.
		broken.Offset += p.metadataOffset - at - max(h.Metadata, wire.HeaderLen)
	}
	return ByteRange{From: kept, To: uint64(len(data))}, err
}
