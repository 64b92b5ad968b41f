package mmapjfr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/internal/eventreader"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// chunkBuffer makes a growing chunk of events that arrive one after the other. Of all flushes
// it retains what later events need, which is metadata and checkpoints; of other events it
// holds only those since the last flush. So it is as large as the constants and one flush.
//
// The chunk that it makes is room for a header, what is retained, and then the events of the
// flush as they arrived.
type chunkBuffer struct {
	immutable bool // bytes that have been handed out must never change
	header    wire.Header
	// retained is the room for the header and what is retained, flush what has arrived since
	// the last flush, and lastRetained the length of retained at that flush.
	retained, flush []byte
	lastRetained    int
	// flushOffset is where in its file the first byte of flush lies. metadataOffset is where the
	// newest metadata event does, or where it should if there is no such event.
	flushOffset, metadataOffset uint64
	hasFlushes                  bool // the chunk has had a checkpoint that ends a flush
	// undo has the state before each metadata event and checkpoint in flush.
	undo []bufferState
}

// bufferState is what a metadata event or a checkpoint changes.
type bufferState struct {
	flush, retained      int // the lengths
	metadata, checkpoint uint64
	metadataOffset       uint64
}

// begin begins a chunk with this header, whose first event lies at an offset of its file.
func (p *chunkBuffer) begin(h wire.Header, offset uint64) {
	h.Metadata, h.Checkpoint = 0, 0
	*p = chunkBuffer{immutable: p.immutable, header: h, flushOffset: offset, metadataOffset: offset, flush: p.flush[:0], undo: p.undo[:0]}
	p.retained = make([]byte, wire.HeaderLen)
	p.lastRetained = len(p.retained)
}

// update takes over a newer header of the chunk, except for what its events say.
func (p *chunkBuffer) update(h wire.Header) {
	h.Metadata, h.Checkpoint = p.header.Metadata, p.header.Checkpoint
	p.header = h
}

// empty reports whether nothing has arrived since the last flush.
func (p *chunkBuffer) empty() bool { return len(p.flush) == 0 }

// add adds an event and reports whether it ends a flush. Without metadata no event does. A
// checkpoint that cannot be read is an error, but events after it can be added.
func (p *chunkBuffer) add(event []byte) (flushed bool, err error) {
	start := p.flushOffset + uint64(len(p.flush))
	before := bufferState{len(p.flush), len(p.retained), p.header.Metadata, p.header.Checkpoint, p.metadataOffset}
	p.flush = append(p.flush, event...)
	form := p.header.IntEncoding()
	_, n := form.Count(event)
	typ, m := form.Long(event[n:])
	switch schema.TypeID(typ) {
	case schema.MetadataID:
		p.undo = append(p.undo, before)
		p.header.Metadata, p.metadataOffset = uint64(len(p.retained)), start
		p.retained = append(p.retained, event...)
	case schema.CheckpointID:
		p.undo = append(p.undo, before)
		mask, ok := p.addCheckpoint(event, n, n+m)
		if !ok {
			return false, &FormatError{Err: fmt.Errorf("%w: event ends inside its head", ErrCorrupt), Section: checkpointSection, Offset: start}
		}
		flushed = mask&index.CheckpointFlush != 0 && p.header.Metadata != 0 && !eventreader.HidesChunk(p.flush)
		p.hasFlushes = p.hasFlushes || flushed
	}
	return flushed, nil
}

// truncate removes the event that holds the byte of flush at an index, and all after it.
func (p *chunkBuffer) truncate(i int) {
	from := 0
	form := p.header.IntEncoding()
	for from < len(p.flush) {
		size, _ := form.Count(p.flush[from:])
		if from+int(size) > i {
			break
		}
		from += int(size)
	}
	for n := len(p.undo) - 1; n >= 0 && p.undo[n].flush >= from; n-- {
		s := p.undo[n]
		p.retained, p.undo = p.retained[:s.retained], p.undo[:n]
		p.header.Metadata, p.header.Checkpoint, p.metadataOffset = s.metadata, s.checkpoint, s.metadataOffset
	}
	p.flush = p.flush[:from]
}

// checkpointSection is the section of errors about a checkpoint that cannot be read.
const checkpointSection = "checkpoint"

// addCheckpoint retains a checkpoint with a delta to the one that was retained before it.
func (p *chunkBuffer) addCheckpoint(event []byte, typeAt, body int) (mask uint8, ok bool) {
	cur := wire.NewCursor(event, body, p.header.IntEncoding())
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
	retained := p.retained
	if p.header.IntEncoding() == wire.FixedWidth {
		retained = append(retained, event[:deltaAt]...)
		retained = binary.BigEndian.AppendUint64(retained, delta)
	} else {
		head := deltaAt - typeAt
		retained = appendVarint(retained, uint64(sizeLen+head+varintLen+len(event)-restAt), sizeLen)
		retained = append(retained, event[typeAt:deltaAt]...)
		retained = appendVarint(retained, delta, varintLen)
	}
	p.retained = append(retained, event[restAt:]...)
	p.header.Checkpoint = at
	return mask, true
}

// The lengths that a size and a delta are written in. Varints may be longer than they need be.
const (
	sizeLen   = 5
	varintLen = 9
)

// appendVarint appends v as a varint of size bytes (index/FORMAT.md, section 2.1).
func appendVarint(dst []byte, v uint64, size int) []byte {
	for i := range size - 1 {
		dst = append(dst, byte(v>>(7*i))|0x80)
	}
	last := byte(v >> (7 * (size - 1)))
	if size < varintLen {
		last &= 0x7f // only the ninth byte has eight bits of the number
	}
	return append(dst, last)
}

// takeBuffer makes the chunk one of what has arrived since the last time, and returns where
// that lies.
func (g *GrowingChunk) takeBuffer(p *chunkBuffer) (ByteRange, error) {
	h, same := p.header, p.lastRetained
	retained := uint64(len(p.retained))
	data := append(p.retained, p.flush...)
	if p.immutable {
		// Events of the last flush still use the memory after what was retained then.
		data = slices.Concat(p.retained, p.flush)
	} else {
		p.retained = data[:retained]
	}
	h.Size = uint64(len(data))
	if g.rec == nil {
		same = 0
	}
	at := p.flushOffset - retained
	p.lastRetained, p.flushOffset = int(retained), p.flushOffset+uint64(len(p.flush))
	p.flush, p.undo = p.flush[:0], p.undo[:0]
	err := g.grow(h, mapfile.New(data, nil), uint64(same), at)
	var broken *FormatError
	if errors.As(err, &broken) {
		// The metadata event that could not be read lies elsewhere in the file.
		broken.Offset += p.metadataOffset - at - max(h.Metadata, wire.HeaderLen)
	}
	return ByteRange{From: retained, To: uint64(len(data))}, err
}
