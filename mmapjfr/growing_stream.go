package mmapjfr

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mmapjfr/jfr/internal/eventreader"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/stringtable"
	"github.com/mmapjfr/jfr/internal/wire"
)

// ChunkStream reads chunks from a reader that cannot seek, such as a pipe or a connection:
// recordings one after the other, or the bytes that a virtual machine sends while it records.
// It holds the constants of a chunk and the events of one flush.
//
// A ChunkStream belongs to one goroutine.
type ChunkStream struct {
	events     *eventreader.Reader
	buffer     chunkBuffer
	chunk      *GrowingChunk
	keepEvents bool
	strings    *stringtable.Table
	// end is where the chunk ends, or the last one did; 0 if its header does not say.
	end uint64
	// inChunk reports that a chunk has begun, searching that bytes are skipped up to the next
	// header, and readerFailed that nothing more can be read.
	inChunk, searching, readerFailed bool
	// rescanned is how many bytes have been searched for headers once more.
	rescanned uint64
}

// readChunks returns a stream of the chunks that r holds. Of the options only keepEvents and
// shareStrings have an effect. Nothing is read before next.
func readChunks(r io.Reader, opts ...Option) (*ChunkStream, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	return &ChunkStream{events: eventreader.New(r, wire.Compressed), keepEvents: o.keepEvents, strings: o.table()}, nil
}

// next waits for the next flush. It returns the chunk that the flush belongs to, and the range
// of its events. It returns another chunk when a new one has begun; events of the chunk before
// are then invalid, unless events are kept. An error may come together with a range.
//
// The error is io.EOF at the end. A [FormatError] says what cannot be read; the next call of
// Next continues after that. If no chunk is known to begin there, it continues at the next
// bytes that look like a chunk header. Other errors are those of the reader; after them Next
// returns io.EOF.
func (r *ChunkStream) next() (*GrowingChunk, ByteRange, error) {
	for !r.readerFailed {
		if !r.inChunk {
			if err := r.readHeader(); err != nil {
				return nil, ByteRange{}, r.noteErr(err)
			}
		}
		flushed, err := r.readEvent()
		switch {
		case err == nil && flushed:
			return r.takeBuffer(nil)
		case err == nil:
		case errors.Is(err, errChunkEnds):
			r.inChunk = false
			if r.endHidesChunk() {
				if err := r.findJoined(io.EOF); err != nil {
					return r.deliverRest(err)
				}
			}
			if !r.buffer.empty() {
				return r.takeBuffer(nil)
			}
		default:
			return r.failed(err)
		}
	}
	return nil, ByteRange{}, io.EOF
}

// failed returns what Next returns after an error inside a chunk.
func (r *ChunkStream) failed(err error) (*GrowingChunk, ByteRange, error) {
	joined := r.findJoined(err)
	broken, _ := errors.AsType[*FormatError](err)
	switch {
	case joined != nil:
		r.inChunk, err = false, joined
	case broken != nil && broken.Section == checkpointSection:
		return nil, ByteRange{}, err // the events after it can be read
	default:
		r.inChunk, r.searching = false, r.end == 0
		err = r.noteErr(err)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = r.endErr(err)
		}
	}
	return r.deliverRest(err)
}

// findJoined looks for the header of another chunk in what has been read since the last flush.
// If there is one, the end of this chunk is missing, and a recording was joined to what is left
// of it: the event that reaches over the end has hidden the header. findJoined returns to the
// header, and returns an error that says so. It returns nil if there is no header, or if err is
// not about bytes that have been read.
func (r *ChunkStream) findJoined(err error) error {
	if _, ok := errors.AsType[*FormatError](err); !ok && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	p, e := &r.buffer, r.events
	read := append(p.flush, e.Event...)
	p.flush = read[:len(p.flush)]
	if r.rescanned += uint64(len(read)); r.rescanned > maxRescans*e.Offset {
		return nil
	}
	_, _ = e.Peek(eventreader.MaxEventHead + wire.HeaderLen) // or as many bytes as there are
	i := eventreader.FindHeader(append(read, e.Ahead()...), len(read)+eventreader.MaxEventHead, false)
	at := p.flushOffset + uint64(max(i, 0))
	if i < 0 || r.end != 0 && at >= r.end {
		return nil
	}
	if i < len(read) {
		e.Unread(read[i:])
	} else {
		_ = e.Skip(uint64(i - len(read))) // of bytes that have been read ahead
	}
	e.Forget()
	p.truncate(i)
	if r.end == 0 {
		return &FormatError{Err: fmt.Errorf("%w: it ends inside an event, and another chunk begins", ErrUnfinished), Section: "chunk", Offset: at}
	}
	return r.endsEarly(at)
}

// endHidesChunk reports whether the last events of a chunk that ends here hide the header of
// another one. Where the header says where the chunk ends, a chunk that begins there shows that
// nothing is missing. Where it does not, events that are misread may end at a header by chance.
func (r *ChunkStream) endHidesChunk() bool {
	p := &r.buffer
	switch {
	case p.empty():
		return false
	case r.end == 0:
		return eventreader.HidesChunk(p.flush)
	// chunkBegins waits for bytes, which may be a long time in coming.
	case len(r.events.Ahead()) == 0 || r.chunkBegins():
		return false
	}
	return eventreader.FindHeader(append(p.flush, r.events.Ahead()...), len(p.flush), false) >= 0
}

// headerFollows reports whether the last bytes of an event are the first ones of a header, as
// far as that can be seen without waiting for bytes.
func (r *ChunkStream) headerFollows(event []byte) bool {
	var buf [len(wire.Magic) - 1 + wire.HeaderLen]byte
	end := event[max(0, len(event)-(len(wire.Magic)-1)):]
	n := copy(buf[:], end)
	return eventreader.FindHeader(buf[:n+copy(buf[n:], r.events.Ahead())], n, false) >= 0
}

// maxRescans bounds how many times the bytes read may be searched for headers, all in all.
const maxRescans = 4

// endsEarly ends a chunk at an offset where another one begins, and returns an error that says
// so.
func (r *ChunkStream) endsEarly(at uint64) error {
	err := fmt.Errorf("%w: %d bytes of the chunk are missing, but another one begins", ErrCorrupt, r.end-at)
	r.end = at
	return &FormatError{Err: err, Section: "chunk", Offset: at}
}

// noteErr notes whether anything can be read after an error, and returns the error.
func (r *ChunkStream) noteErr(err error) error {
	var broken *FormatError
	r.readerFailed = r.readerFailed || !errors.As(err, &broken) || r.events.Failed(err)
	return err
}

// errChunkEnds says that the chunk has no more events: another chunk follows, or nothing.
var errChunkEnds = errors.New("the chunk ends")

// takeBuffer makes the chunk one of what has arrived.
func (r *ChunkStream) takeBuffer(err error) (*GrowingChunk, ByteRange, error) {
	if r.chunk == nil {
		r.chunk = &GrowingChunk{keepEvents: r.keepEvents, strings: r.strings}
	}
	events, e := r.chunk.takeBuffer(&r.buffer)
	if r.chunk.rec == nil {
		return nil, ByteRange{}, errors.Join(err, e)
	}
	return r.chunk, events, errors.Join(err, e)
}

// deliverRest returns the events since the last flush of a chunk that ends too early, together
// with the error: if the size of the chunk is known, or if it has no flushes.
func (r *ChunkStream) deliverRest(err error) (*GrowingChunk, ByteRange, error) {
	if p := &r.buffer; p.empty() || p.header.Metadata == 0 || p.hasFlushes && r.end == 0 {
		return nil, ByteRange{}, err
	}
	return r.takeBuffer(err)
}

// endErr returns the error of a chunk inside which all bytes end.
func (r *ChunkStream) endErr(err error) error {
	offset := r.events.Offset
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

// readEvent reads the next event of the chunk into the buffer. It reports whether the event
// ends a flush.
func (r *ChunkStream) readEvent() (flushed bool, err error) {
	end := r.end
	if end == 0 {
		end = math.MaxUint64
	}
	switch {
	case r.events.Offset >= end || r.end == 0 && r.chunkBegins():
		return false, errChunkEnds
	case r.chunkBegins():
		return false, r.endsEarly(r.events.Offset)
	}
	event, err := r.events.Next(end)
	if err != nil {
		return false, err
	}
	flushed, err = r.buffer.add(event)
	r.events.Event = event[:0] // the buffer has a copy
	return flushed && !r.headerFollows(event), err
}

// chunkBegins reports whether a chunk header comes next.
func (r *ChunkStream) chunkBegins() bool {
	head, _ := r.events.Peek(len(wire.Magic))
	if string(head) != wire.Magic {
		return false
	}
	head, _ = r.events.Peek(wire.HeaderLen)
	return eventreader.IsHeader(head)
}

// readHeader reads the header of the next chunk.
func (r *ChunkStream) readHeader() error {
	if r.events.Offset < r.end { // the chunk before could not be read to its end
		if err := r.events.Skip(r.end - r.events.Offset); err != nil {
			return err
		}
	}
	if r.searching {
		if err := r.seekHeader(); err != nil {
			return err
		}
	}
	head, err := r.events.Peek(wire.HeaderLen)
	if len(head) == 0 {
		return err
	}
	at := r.events.Offset
	fail := func(err error) error { return &FormatError{Err: err, Section: "chunk header", Offset: at} }
	h, ok := wire.ReadHeader(head)
	switch {
	case ok && h.Readable():
		r.begin(h)
		return r.events.Skip(wire.HeaderLen)
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case err != nil && bytes.HasPrefix(head, []byte(wire.Magic[:min(len(head), len(wire.Magic))])):
		err = fail(fmt.Errorf("%w: %d bytes of a chunk header of %d", ErrTruncated, len(head), wire.HeaderLen))
		return errors.Join(err, r.events.Skip(uint64(len(head))))
	case ok:
		err = fail(index.CheckVersion(h))
	case at > 0:
		err = fail(fmt.Errorf("%w: no chunk begins here", ErrTrailing))
	default:
		err = fail(fmt.Errorf("%w: it does not begin with % x", ErrNotRecording, wire.Magic))
	}
	r.searching = true
	return errors.Join(err, r.events.Skip(1))
}

// begin begins a chunk.
func (r *ChunkStream) begin(h wire.Header) {
	if wire.Debug && r.chunk != nil {
		_ = r.chunk.close() // nothing is mapped that could fail to be unmapped
	}
	at := r.events.Offset
	r.end = 0
	if h.Finished() && h.Size >= wire.HeaderLen {
		r.end = at + min(h.Size, math.MaxUint64-at)
	}
	r.events.Encoding = h.IntEncoding()
	r.buffer.immutable = r.keepEvents
	r.buffer.begin(h, at+wire.HeaderLen)
	r.chunk, r.inChunk, r.searching = nil, true, false
}

// seekHeader skips bytes up to the next thing that looks like a chunk header.
func (r *ChunkStream) seekHeader() error {
	const before = 12 // bytes that FindHeader looks at
	// No header begins at the first bytes. They stay for what FindHeader sees of them.
	for seen := 0; ; {
		_, err := r.events.Peek(seen + wire.HeaderLen)
		ahead := r.events.Ahead()
		switch i := eventreader.FindHeaderFrom(ahead, seen, len(ahead), false); {
		case i >= 0:
			return r.events.Skip(uint64(i))
		case err != nil:
			_ = r.events.Skip(uint64(len(ahead))) // they have been read ahead
			return err
		}
		searched := len(ahead) - wire.HeaderLen + 1
		seen = min(searched, before)
		if err := r.events.Skip(uint64(searched - seen)); err != nil {
			return err
		}
	}
}
