// Package eventreader reads events from readers that cannot seek, such as pipes, and finds chunk
// headers in bytes. It decodes no fields.
package eventreader

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Reader reads the bytes of events, one event after the other, from a reader that cannot seek.
type Reader struct {
	source   stickyReader
	buffered *bufio.Reader
	// Encoding is that of the chunk's integers.
	Encoding wire.IntEncoding
	// Offset is that of the next byte.
	Offset uint64
	// Event is the last event, or as much of it as could be read.
	Event []byte
}

// stickyReader reads what has been given back, then r. It repeats the error of r, which
// bufio.Reader returns once only.
type stickyReader struct {
	back []byte
	r    io.Reader
	err  error
}

func (s *stickyReader) Read(b []byte) (n int, err error) {
	if len(s.back) > 0 {
		n = copy(b, s.back)
		s.back = s.back[n:]
		return n, nil
	}
	if s.err == nil {
		n, s.err = s.r.Read(b)
	}
	return n, s.err
}

// Failed reports whether an error is, or comes from, what the reader of the bytes returned.
func (e *Reader) Failed(err error) bool {
	return e.source.err != nil && e.source.err != io.EOF && errors.Is(err, e.source.err)
}

const (
	// readAhead is how many bytes are read at once.
	readAhead = 64 << 10
	// MaxEventHead is the greatest length of the size and the type of an event.
	MaxEventHead = 9 + 9
	// maxEventSize bounds the size of an event, as it does in a file.
	maxEventSize = 1<<32 - 1
)

// New returns a reader of the events that r holds.
func New(r io.Reader, encoding wire.IntEncoding) *Reader {
	e := &Reader{source: stickyReader{r: r}, Encoding: encoding}
	e.buffered = bufio.NewReaderSize(&e.source, readAhead)
	return e
}

// Reset continues with another reader.
func (e *Reader) Reset(r io.Reader, offset uint64) {
	e.source = stickyReader{r: r}
	e.buffered.Reset(&e.source)
	e.Offset = offset
}

// Unread gives back the last bytes that were read.
func (e *Reader) Unread(data []byte) {
	e.source.back = slices.Concat(data, e.Ahead(), e.source.back)
	e.buffered.Reset(&e.source)
	e.Offset -= uint64(len(data))
}

// Ahead returns the bytes that have been read ahead.
func (e *Reader) Ahead() []byte {
	ahead, _ := e.buffered.Peek(e.buffered.Buffered()) // cannot fail
	return ahead
}

// Next returns the next event, which is valid until the next call and must end at offset end
// or before. The error is io.EOF at the end, io.ErrUnexpectedEOF inside an event, and matches
// ErrCorrupt for bytes that cannot be an event. It allocates for the bytes that arrive, not
// for what a size says.
func (e *Reader) Next(end uint64) ([]byte, error) {
	e.Forget()
	size, err := e.peekSize()
	if err != nil {
		return nil, err
	}
	if size > end-e.Offset {
		return nil, e.FormatErr(fmt.Errorf("%w: event size %d exceeds the %d bytes left in the chunk", index.ErrCorrupt, size, end-e.Offset))
	}
	for left := size; left > 0; {
		n, have := int(min(left, readAhead)), len(e.Event)
		e.Event = append(e.Event, make([]byte, n)...)
		got, err := io.ReadFull(e.buffered, e.Event[have:])
		e.Offset += uint64(got)
		if err != nil {
			e.Event = e.Event[:have+got]
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		left -= uint64(n)
	}
	return e.Event, nil
}

// reuse returns an empty slice in the memory of one that is no longer used. Builds that check
// themselves make what is in it unusable.
func reuse(b []byte) []byte {
	if wire.Debug {
		copy(b[:cap(b)], bytes.Repeat([]byte{0x5A}, cap(b)))
		return nil
	}
	return b[:0]
}

// peekSize returns the size of the next event. It waits for the bytes of size and type only.
func (e *Reader) peekSize() (size uint64, err error) {
	for want := max(1, min(e.buffered.Buffered(), MaxEventHead)); ; want++ {
		head, err := e.buffered.Peek(want)
		if len(head) == 0 {
			return 0, err
		}
		size, n := e.Encoding.Count(head)
		_, m := e.Encoding.Long(head[n:])
		switch {
		case n > 0 && m > 0 && (size < uint64(n+m) || size > maxEventSize):
			return 0, e.FormatErr(fmt.Errorf("%w: event of %d bytes", index.ErrCorrupt, size))
		case n > 0 && m > 0:
			return size, nil
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
	}
}

// FormatErr returns the error of the event that should begin at the next byte.
func (e *Reader) FormatErr(err error) error {
	return &index.FormatError{Err: err, Section: "event", Offset: e.Offset}
}

// Peek returns the next n bytes without reading them, see [bufio.Reader.Peek].
func (e *Reader) Peek(n int) ([]byte, error) { return e.buffered.Peek(n) }

// Forget empties Event.
func (e *Reader) Forget() { e.Event = reuse(e.Event) }

// Skip discards n bytes, or all if there are fewer.
func (e *Reader) Skip(n uint64) error {
	for n > 0 {
		done, err := e.buffered.Discard(int(min(n, readAhead)))
		e.Offset += uint64(done)
		if err != nil {
			return err
		}
		n -= uint64(done)
	}
	return nil
}
