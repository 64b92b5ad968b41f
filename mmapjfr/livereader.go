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
	in      *frames
	pieces  pieces
	live    *GrowingChunk
	keep    bool
	strings *StringTable
	// end is where the chunk ends, or the last one did; 0 if only what follows will tell.
	end    uint64
	inside bool // that a chunk has begun
	// lost tells that something was no recording, and is passed over.
	lost bool
	// over tells that the reader has failed.
	over bool
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
	return &ChunkStream{in: newFrames(r, wire.Compressed), keep: o.keepEvents, strings: o.table()}, nil
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
func (r *ChunkStream) Next() (*GrowingChunk, Span, error) {
	for !r.over {
		if !r.inside {
			if err := r.header(); err != nil {
				return nil, Span{}, r.ended(err)
			}
		}
		flushed, err := r.frame()
		broken, _ := errors.AsType[*FormatError](err) // allocates nothing where there is no error
		switch {
		case errors.Is(err, errChunkEnds):
			r.inside = false
			if !r.pieces.empty() {
				return r.absorb(nil)
			}
		case broken != nil && broken.Section == sectionCheckpoint:
			return nil, Span{}, err // the frames behind it can be read
		case err != nil:
			r.inside = false
			r.lost = r.end == 0
			err = r.ended(err)
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = r.unfinished(err)
			}
			if r.rest() {
				return r.absorb(err)
			}
			return nil, Span{}, err
		case flushed:
			return r.absorb(nil)
		}
	}
	return nil, Span{}, io.EOF
}

// ended takes note of errors after which nothing can be read.
func (r *ChunkStream) ended(err error) error {
	var broken *FormatError
	r.over = r.over || !errors.As(err, &broken)
	return err
}

// errChunkEnds says that no frame follows, but another chunk or nothing.
var errChunkEnds = errors.New("the chunk ends")

// absorb makes the live chunk one of what has come.
func (r *ChunkStream) absorb(err error) (*GrowingChunk, Span, error) {
	if r.live == nil {
		r.live = &GrowingChunk{keep: r.keep, strings: r.strings}
	}
	span, e := r.live.absorb(&r.pieces)
	if r.live.rec == nil {
		return nil, Span{}, errors.Join(err, e)
	}
	return r.live, span, errors.Join(err, e)
}

// rest tells whether what has come of a chunk that ends too early can be delivered: all of
// it where flushes are not told apart.
func (r *ChunkStream) rest() bool {
	p := &r.pieces
	return !p.empty() && p.header.Metadata != 0 && (!p.flushed || r.end != 0)
}

// unfinished returns what the end of all bytes means inside a chunk.
func (r *ChunkStream) unfinished(err error) error {
	offset := r.in.offset
	switch {
	case r.end != 0:
		err = fmt.Errorf("%w: %d bytes of the chunk are missing", ErrTruncated, r.end-offset)
	case r.pieces.empty() && errors.Is(err, io.EOF) && r.pieces.flushed:
		return io.EOF
	default:
		err = fmt.Errorf("%w: it was read up to its last flush", ErrUnfinished)
	}
	return &FormatError{Err: err, Section: "chunk", Offset: offset}
}

// frame reads the next frame of the chunk. It tells whether that ends a flush.
func (r *ChunkStream) frame() (flushed bool, err error) {
	end := r.end
	if end == 0 {
		end = math.MaxUint64
	}
	switch {
	case r.in.offset >= end || r.end == 0 && r.another():
		return false, errChunkEnds
	case r.another():
		err := fmt.Errorf("%w: %d bytes of the chunk are missing, but another one begins", ErrCorrupt, r.end-r.in.offset)
		r.end = r.in.offset
		return false, &FormatError{Err: err, Section: "chunk", Offset: r.in.offset}
	}
	frame, err := r.in.next(end)
	if err != nil {
		return false, err
	}
	return r.pieces.add(frame)
}

// another tells whether another chunk begins here.
func (r *ChunkStream) another() bool {
	head, _ := r.in.in.Peek(len(wire.Magic))
	if string(head) != wire.Magic {
		return false
	}
	head, _ = r.in.in.Peek(wire.HeaderLen)
	return plausible(head)
}

// plausible tells whether b begins with something that can be no event, but a chunk header.
func plausible(b []byte) bool {
	h, ok := wire.ReadHeader(b)
	return ok && h.Readable() && h.Minor < 16 && h.TicksPerSecond > 0 && h.StartNanos > 0
}

// header reads the header of the next chunk.
func (r *ChunkStream) header() error {
	if r.in.offset < r.end { // the last chunk could not be read to its end
		if err := r.in.skip(r.end - r.in.offset); err != nil {
			return err
		}
	}
	if r.lost {
		if err := r.seek(); err != nil {
			return err
		}
	}
	head, err := r.in.in.Peek(wire.HeaderLen)
	if len(head) == 0 {
		return err
	}
	at := r.in.offset
	fail := func(err error) error { return &FormatError{Err: err, Section: "chunk header", Offset: at} }
	h, ok := wire.ReadHeader(head)
	switch {
	case ok && h.Readable():
		r.begin(h)
		return r.in.skip(wire.HeaderLen)
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case err != nil && bytes.HasPrefix(head, []byte(wire.Magic[:min(len(head), len(wire.Magic))])):
		err = fail(fmt.Errorf("%w: %d bytes of a chunk header of %d", ErrTruncated, len(head), wire.HeaderLen))
		return errors.Join(err, r.in.skip(uint64(len(head))))
	case ok:
		err = fail(index.CheckVersion(h))
	case at > 0:
		err = fail(fmt.Errorf("%w: no chunk begins here", ErrTrailing))
	default:
		err = fail(fmt.Errorf("%w: it does not begin with % x", ErrNotRecording, wire.Magic))
	}
	r.lost = true
	return errors.Join(err, r.in.skip(1))
}

// begin begins a chunk.
func (r *ChunkStream) begin(h wire.Header) {
	if wire.Debug && r.live != nil {
		_ = r.live.Close() // there is no map that could fail to be given back
	}
	at := r.in.offset
	r.end = 0
	if h.Finished() && h.Size >= wire.HeaderLen {
		r.end = at + min(h.Size, math.MaxUint64-at)
	}
	r.in.form = h.Form()
	r.pieces.keep = r.keep
	r.pieces.begin(h, at+wire.HeaderLen)
	r.live, r.inside, r.lost = nil, true, false
}

// seek goes to the next thing that looks like a chunk header, and is not the copy of one that
// lies in a checkpoint (index/FORMAT.md, section 6), behind its length.
func (r *ChunkStream) seek() error {
	before := byte(0)
	for {
		if _, err := r.in.in.Peek(1); err != nil {
			return err
		}
		ahead, err := r.in.in.Peek(r.in.in.Buffered())
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
		if err := r.in.skip(uint64(i)); err != nil {
			return err
		}
		if !found {
			continue
		}
		if before != wire.HeaderLen && r.another() {
			return nil
		}
		before = wire.Magic[0]
		if err := r.in.skip(1); err != nil {
			return err
		}
	}
}
