package writer

import (
	"hash/fnv"
	"math"
	"time"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// chunk is the chunk that is being written. Offsets count from its beginning.
type chunk struct {
	number  uint64 // from 1
	events  int
	written int // how many bytes the destination has
	pending int // bytes of constants that have not been appended
	// checkpoint and metadata are the offsets of the newest ones.
	checkpoint, metadata int
	described            *metatree.Element // the metadata there
	generation           uint8             // the state that the header has; see FORMAT.md, section 7
	// At anchor the clock of the events shows anchorTicks; a tick is a nanosecond.
	anchor      time.Time
	anchorTicks int64
	begin, last int64 // the first tick, and that of the event that began last
}

const (
	// firstTick is what the clock of the events shows when a writer begins. It leaves room for an
	// hour before that.
	firstTick      = int64(time.Hour)
	ticksPerSecond = int64(time.Second)
	maxState       = 254
	// late is how long after its end an event is written without a remark: readers expect that.
	late = int64(500 * time.Millisecond)
)

// time extends the chunk to an event.
func (c *chunk) time(begin, lasted int64) {
	if begin == unknownTime {
		return
	}
	c.last = max(c.last, begin)
	end := begin + max(lasted, 0)
	if end < begin {
		end = math.MaxInt64
	}
	if end < c.begin-late && c.generation == 1 { // readers have not seen the header
		c.begin = max(begin, 1)
	}
}

// age returns how long the chunk lasts, as far as its events show.
func (c *chunk) age() time.Duration {
	if c.events == 0 {
		return 0
	}
	return time.Duration(c.last - c.begin)
}

// beginChunk begins a chunk where the last one has ended.
func (w *Writer) beginChunk() {
	now := w.options.clock()
	old := w.chunk
	ticks := old.anchorTicks + int64(now.Sub(old.anchor))
	w.chunk = chunk{number: old.number + 1, generation: 1, anchor: now, anchorTicks: ticks, begin: ticks, last: ticks}
	w.out.Bytes = w.out.Bytes[:0]
	if w.dst.live() {
		w.chunk.written = wire.HeaderLen // begin writes it
	} else {
		w.out.Header(w.header())
	}
}

// header returns the header of the chunk as it is now.
func (w *Writer) header() wire.Header {
	c := &w.chunk
	h := wire.Header{
		Major: 2, Minor: 1, Size: wire.HeaderLen, State: c.generation, TicksPerSecond: ticksPerSecond,
		StartNanos: c.anchor.UnixNano() - (c.anchorTicks - c.begin), StartTicks: c.begin,
	}
	if c.metadata > 0 {
		h.Size, h.Checkpoint, h.Metadata = uint64(w.end()), uint64(c.checkpoint), uint64(c.metadata)
		h.DurationNanos = max(w.ticks(), c.last) - c.begin
	}
	h.Flags = wire.FlagCompressed
	return h
}

// end returns the offset at which the next byte is appended.
func (w *Writer) end() int { return w.chunk.written + len(w.out.Bytes) }

// ticks returns what the clock of the events shows.
func (w *Writer) ticks() int64 {
	return w.chunk.anchorTicks + int64(w.options.clock().Sub(w.chunk.anchor))
}

// appendMetadata appends metadata unless the chunk has it already. Its id is a hash of its content: the
// JDK's reader takes two with one id for equal.
func (w *Writer) appendMetadata() {
	if w.metadata == nil {
		w.metadata = w.types.tree(w.options.region)
		var a wire.Appender
		metatree.Append(&a, w.metadata)
		hash := fnv.New64a()
		_, _ = hash.Write(a.Bytes) // it cannot fail
		w.metadataID = int64(hash.Sum64()>>8) + 1
	}
	if w.chunk.described == w.metadata {
		return
	}
	w.chunk.described, w.chunk.metadata = w.metadata, w.end()
	metatree.AppendEvent(&w.out, w.ticks(), w.metadataID, w.metadata)
}

const (
	checkpointType = 1
	// Bits of a checkpoint's mask (FORMAT.md, section 6.1).
	maskFlush, maskHeader = 1, 2
)

// beginCheckpoint appends the beginning of a checkpoint, up to its pools.
func (w *Writer) beginCheckpoint(mask uint8, pools int) (at int) {
	offset := w.end()
	at = w.out.BeginEvent()
	w.out.Long(checkpointType)
	head := wire.CheckpointHead{Start: w.ticks(), Mask: mask, Pools: pools}
	if w.chunk.checkpoint > 0 {
		head.Delta = int64(w.chunk.checkpoint - offset)
	}
	w.out.CheckpointHead(head)
	w.chunk.checkpoint = offset
	return at
}

// appendEnd appends what a flush or a chunk ends with. It returns the header.
func (w *Writer) appendEnd(mask, state uint8) wire.Header {
	w.appendMetadata()
	w.appendConstants()
	at := w.beginCheckpoint(mask|maskHeader, 1)
	w.out.Long(w.types.named[jdktypes.ChunkHeader].id)
	w.out.Count(1)
	w.out.Long(1) // its key
	w.out.Count(wire.HeaderLen)
	w.out.Raw(make([]byte, wire.HeaderLen))
	w.out.EndEvent(at)
	w.chunk.generation = state
	h := w.header()
	rest := wire.Appender{Bytes: w.out.Bytes[:len(w.out.Bytes)-wire.HeaderLen]}
	rest.Header(h)
	return h
}

// flush writes what has been appended, and lets the header lead to it.
func (w *Writer) flush() error {
	state := w.chunk.generation%maxState + 1
	h := w.appendEnd(maskFlush, state)
	if err := w.writeOut(); err != nil {
		return err
	}
	return w.dst.update(h)
}

// writeOut hands what has been appended to the destination.
func (w *Writer) writeOut() error {
	if err := w.dst.writeAt(w.out.Bytes, int64(w.chunk.written)); err != nil {
		return err
	}
	w.chunk.written += len(w.out.Bytes)
	w.out.Bytes = w.out.Bytes[:0]
	return nil
}

// endChunk ends the chunk. Where others follow the file, the next one is there before they see the
// end of this one.
func (w *Writer) endChunk(final bool) error {
	h := w.appendEnd(0, wire.StateFinished)
	if !w.dst.live() {
		first := wire.Appender{Bytes: w.out.Bytes[:0]}
		first.Header(h)
	}
	if err := w.writeOut(); err != nil {
		return err
	}
	if final {
		return w.dst.update(h)
	}
	w.beginChunk()
	w.forget()
	if err := w.dst.begin(w.header()); err != nil {
		return err
	}
	if err := w.dst.update(h); err != nil {
		return err
	}
	w.dst.advance()
	return nil
}
