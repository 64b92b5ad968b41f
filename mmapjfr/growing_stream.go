package mmapjfr

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/wire"
)

// ChunkStream reads chunks out of something that cannot be gone back in, such as a pipe or a
// connection: files one after the other, or what a virtual machine hands out while it
// records. It keeps the constants of a chunk and the events of one flush.
//
// It belongs to one goroutine.
type ChunkStream struct {
	events     *eventReader
	buffer     chunkBuffer
	chunk      *GrowingChunk
	keepEvents bool
	strings    *StringTable
	// end is where the chunk ends, or the last one did; 0 if only what follows will tell.
	end     uint64
	inChunk bool // that a chunk has begun
	// lost tells that something was no recording, and is passed over.
	searching bool
	// over tells that the reader has failed.
	readerFailed bool
}

// ReadChunks returns a reader of the chunks that come out of r. Of the options only
// [KeepEvents] has an effect. Nothing is read before [ChunkStream.Next].
func ReadChunks(r io.Reader, opts ...Option) (*ChunkStream, error) {
	var o options
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	return &ChunkStream{events: newEventReader(r, wire.Compressed), keepEvents: o.keepEvents, strings: o.table()}, nil
}

// Next waits for the next flush, and returns the chunk that it belongs to, with the part in
// which its events are. The chunk is another one than before when a new one has begun; the
// events of the one before are then no longer valid, unless they are kept. An error may come
// together with a part.
//
// It fails with io.EOF at the end. Errors that match [FormatError] say what cannot be read:
// calling Next again goes on behind it. Where no chunk is known to begin, that is at the next
// thing that looks like a chunk header. Other errors are those of the reader, after which
// there is only io.EOF.
func (r *ChunkStream) Next() (*GrowingChunk, ByteRange, error) {
	for !r.readerFailed {
		if !r.inChunk {
			if err := r.readHeader(); err != nil {
				return nil, ByteRange{}, r.noteErr(err)
			}
		}
		flushed, err := r.readEvent()
		broken, _ := errors.AsType[*FormatError](err) // allocates nothing where there is no error
		switch {
		case errors.Is(err, errChunkEnds):
			r.inChunk = false
			if !r.buffer.empty() {
				return r.takeBuffer(nil)
			}
		case broken != nil && broken.Section == checkpointSection:
			return nil, ByteRange{}, err // the frames behind it can be read
		case err != nil:
			r.inChunk = false
			r.searching = r.end == 0
			err = r.noteErr(err)
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = r.endErr(err)
			}
			if r.canDeliverRest() {
				return r.takeBuffer(err)
			}
			return nil, ByteRange{}, err
		case flushed:
			return r.takeBuffer(nil)
		}
	}
	return nil, ByteRange{}, io.EOF
}

// noteErr takes note of errors after which nothing can be read.
func (r *ChunkStream) noteErr(err error) error {
	var broken *FormatError
	r.readerFailed = r.readerFailed || !errors.As(err, &broken)
	return err
}

// errChunkEnds says that no frame follows, but another chunk or nothing.
var errChunkEnds = errors.New("the chunk ends")

// takeBuffer makes the live chunk one of what has come.
func (r *ChunkStream) takeBuffer(err error) (*GrowingChunk, ByteRange, error) {
	if r.chunk == nil {
		r.chunk = &GrowingChunk{keepEvents: r.keepEvents, strings: r.strings}
	}
	span, e := r.chunk.takeBuffer(&r.buffer)
	if r.chunk.rec == nil {
		return nil, ByteRange{}, errors.Join(err, e)
	}
	return r.chunk, span, errors.Join(err, e)
}

// canDeliverRest tells whether what has come of a chunk that ends too early can be delivered: all of
// it where flushes are not told apart.
func (r *ChunkStream) canDeliverRest() bool {
	p := &r.buffer
	return !p.empty() && p.header.Metadata != 0 && (!p.hasFlushes || r.end != 0)
}

// endErr returns what the end of all bytes means inside a chunk.
func (r *ChunkStream) endErr(err error) error {
	offset := r.events.offset
	switch {
	case r.end != 0:
		err = fmt.Errorf("%w: %d bytes of the chunk are missing", ErrTruncated, r.end-offset)
	case r.buffer.empty() && errors.Is(err, io.EOF) && r.buffer.hasFlushes:
		return io.EOF
	default:
		err = fmt.Errorf("%w: it was read up to its last flush", ErrUnfinished)
	}
	return &FormatError{Err: err, Section: "chunk", Offset: offset}
}

// readEvent reads the next frame of the chunk. It tells whether that ends a flush.
func (r *ChunkStream) readEvent() (flushed bool, err error) {
	end := r.end
	if end == 0 {
		end = math.MaxUint64
	}
	switch {
	case r.events.offset >= end || r.end == 0 && r.chunkBegins():
		return false, errChunkEnds
	case r.chunkBegins():
		err := fmt.Errorf("%w: %d bytes of the chunk are missing, but another one begins", ErrCorrupt, r.end-r.events.offset)
		r.end = r.events.offset
		return false, &FormatError{Err: err, Section: "chunk", Offset: r.events.offset}
	}
	frame, err := r.events.next(end)
	if err != nil {
		return false, err
	}
	return r.buffer.add(frame)
}

// chunkBegins tells whether another chunk begins here.
func (r *ChunkStream) chunkBegins() bool {
	head, _ := r.events.buffered.Peek(len(wire.Magic))
	if string(head) != wire.Magic {
		return false
	}
	head, _ = r.events.buffered.Peek(wire.HeaderLen)
	return plausible(head)
}

// plausible tells whether b begins with something that can be no event, but a chunk header.
func plausible(b []byte) bool {
	h, ok := wire.ReadHeader(b)
	return ok && h.Readable() && h.Minor < 16 && h.TicksPerSecond > 0 && h.StartNanos > 0
}

// readHeader reads the header of the next chunk.
func (r *ChunkStream) readHeader() error {
	if r.events.offset < r.end { // the last chunk could not be read to its end
		if err := r.events.skip(r.end - r.events.offset); err != nil {
			return err
		}
	}
	if r.searching {
		if err := r.seekHeader(); err != nil {
			return err
		}
	}
	head, err := r.events.buffered.Peek(wire.HeaderLen)
	if len(head) == 0 {
		return err
	}
	at := r.events.offset
	fail := func(err error) error { return &FormatError{Err: err, Section: "chunk header", Offset: at} }
	h, ok := wire.ReadHeader(head)
	switch {
	case ok && h.Readable():
		r.begin(h)
		return r.events.skip(wire.HeaderLen)
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case err != nil && bytes.HasPrefix(head, []byte(wire.Magic[:min(len(head), len(wire.Magic))])):
		err = fail(fmt.Errorf("%w: %d bytes of a chunk header of %d", ErrTruncated, len(head), wire.HeaderLen))
		return errors.Join(err, r.events.skip(uint64(len(head))))
	case ok:
		err = fail(index.CheckVersion(h))
	case at > 0:
		err = fail(fmt.Errorf("%w: no chunk begins here", ErrTrailing))
	default:
		err = fail(fmt.Errorf("%w: it does not begin with % x", ErrNotRecording, wire.Magic))
	}
	r.searching = true
	return errors.Join(err, r.events.skip(1))
}

// begin begins a chunk.
func (r *ChunkStream) begin(h wire.Header) {
	if wire.Debug && r.chunk != nil {
		_ = r.chunk.Close() // there is no map that could fail to be given back
	}
	at := r.events.offset
	r.end = 0
	if h.Finished() && h.Size >= wire.HeaderLen {
		r.end = at + min(h.Size, math.MaxUint64-at)
	}
	r.events.form = h.Form()
	r.buffer.immutable = r.keepEvents
	r.buffer.begin(h, at+wire.HeaderLen)
	r.chunk, r.inChunk, r.searching = nil, true, false
}

// seekHeader goes to the next thing that looks like a chunk header, and is not the copy of one that
// lies in a checkpoint (index/FORMAT.md, section 6), behind its length.
func (r *ChunkStream) seekHeader() error {
	before := byte(0)
	for {
		if _, err := r.events.buffered.Peek(1); err != nil {
			return err
		}
		ahead, err := r.events.buffered.Peek(r.events.buffered.Buffered())
		if err != nil {
			return err
		}
		i := bytes.IndexByte(ahead, wire.Magic[0])
		if i < 0 {
			i = len(ahead)
		}
		if i > 0 {
			before = ahead[i-1]
		}
		found := i < len(ahead)
		if err := r.events.skip(uint64(i)); err != nil {
			return err
		}
		if !found {
			continue
		}
		if before != wire.HeaderLen && r.chunkBegins() {
			return nil
		}
		before = wire.Magic[0]
		if err := r.events.skip(1); err != nil {
			return err
		}
	}
}
