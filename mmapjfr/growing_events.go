package mmapjfr

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mmapjfr/jfr/internal/wire"
)

// eventReader reads the bytes of events, one event after the other, from a reader that cannot
// seek.
type eventReader struct {
	source   stickyReader
	buffered *bufio.Reader
	form     wire.IntEncoding
	offset   uint64 // of the next byte
	buf      []byte // the last event, or as much of it as could be read
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

const (
	// readAhead is how many bytes are read at once.
	readAhead = 64 << 10
	// maxEventHead is the greatest length of the size and the type of an event.
	maxEventHead = 9 + 9
	// maxEventSize bounds the size of an event, as it does in a file.
	maxEventSize = 1<<32 - 1
)

func newEventReader(r io.Reader, form wire.IntEncoding) *eventReader {
	e := &eventReader{source: stickyReader{r: r}, form: form}
	e.buffered = bufio.NewReaderSize(&e.source, readAhead)
	return e
}

// reset continues with another reader.
func (e *eventReader) reset(r io.Reader, offset uint64) {
	e.source = stickyReader{r: r}
	e.buffered.Reset(&e.source)
	e.offset = offset
}

// unread gives back the last bytes that were read.
func (e *eventReader) unread(data []byte) {
	e.source.back = slices.Concat(data, e.ahead(), e.source.back)
	e.buffered.Reset(&e.source)
	e.offset -= uint64(len(data))
}

// ahead returns the bytes that have been read ahead.
func (e *eventReader) ahead() []byte {
	ahead, _ := e.buffered.Peek(e.buffered.Buffered()) // cannot fail
	return ahead
}

// next returns the next event, which is valid until the next call and must end at offset end
// or before. The error is io.EOF at the end, io.ErrUnexpectedEOF inside an event, and matches
// ErrCorrupt for bytes that cannot be an event. It allocates for the bytes that arrive, not
// for what a size says.
func (e *eventReader) next(end uint64) ([]byte, error) {
	e.buf = reuse(e.buf)
	size, err := e.peekSize()
	if err != nil {
		return nil, err
	}
	if size > end-e.offset {
		return nil, e.formatErr(fmt.Errorf("%w: event size %d exceeds the %d bytes left in the chunk", ErrCorrupt, size, end-e.offset))
	}
	for left := size; left > 0; {
		n, have := int(min(left, readAhead)), len(e.buf)
		e.buf = append(e.buf, make([]byte, n)...)
		got, err := io.ReadFull(e.buffered, e.buf[have:])
		e.offset += uint64(got)
		if err != nil {
			e.buf = e.buf[:have+got]
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		left -= uint64(n)
	}
	return e.buf, nil
}

// peekSize returns the size of the next event. It waits for the bytes of size and type only.
func (e *eventReader) peekSize() (size uint64, err error) {
	for want := max(1, min(e.buffered.Buffered(), maxEventHead)); ; want++ {
		head, err := e.buffered.Peek(want)
		if len(head) == 0 {
			return 0, err
		}
		size, n := e.form.Count(head)
		_, m := e.form.Long(head[n:])
		switch {
		case n > 0 && m > 0 && (size < uint64(n+m) || size > maxEventSize):
			return 0, e.formatErr(fmt.Errorf("%w: event of %d bytes", ErrCorrupt, size))
		case n > 0 && m > 0:
			return size, nil
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
	}
}

func (e *eventReader) formatErr(err error) error {
	return &FormatError{Err: err, Section: "event", Offset: e.offset}
}

// skip discards n bytes, or all if there are fewer.
func (e *eventReader) skip(n uint64) error {
	for n > 0 {
		done, err := e.buffered.Discard(int(min(n, readAhead)))
		e.offset += uint64(done)
		if err != nil {
			return err
		}
		n -= uint64(done)
	}
	return nil
}

// findHeader returns the index of the first thing in data that looks like a chunk header, and
// begins before limit, or -1. Copies of headers in checkpoints are left out (index/FORMAT.md,
// section 6.2). With partial the last bytes may be the beginning of a header.
func findHeader(data []byte, limit int, partial bool) int {
	for from := 0; from < limit; from++ {
		i := bytes.Index(data[from:], []byte(wire.Magic))
		if i < 0 || from+i >= limit {
			return -1
		}
		from += i
		rest := data[from:]
		if isCopy(data[:from]) {
			continue
		}
		if isHeader(rest) || partial && len(rest) < wire.HeaderLen {
			return from
		}
	}
	return -1
}

// isCopy reports whether a header after these bytes is the copy of one: an array with as many
// bytes as a header has, the only constant of its pool, with the key 1.
func isCopy(before []byte) bool {
	for _, head := range [...]string{"\x01\x01\x44", "\x01\x01\xc4\x80\x80\x00", "\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x44"} {
		if bytes.HasSuffix(before, []byte(head)) {
			return true
		}
	}
	return false
}

// hidesChunk reports whether a chunk begins inside the events in data, as when the end of a
// chunk is missing and another one was joined to it: a header with events after it, as far as
// data reaches. That events are misread is only noticed some events later.
func hidesChunk(data []byte) bool {
	for range maxHidden {
		i := findHeader(data, len(data), true)
		if i < 0 {
			return false
		}
		data = data[i:]
		h, ok := wire.ReadHeader(data)
		if !ok || onlyEvents(data[wire.HeaderLen:], h.IntEncoding()) {
			return true
		}
		data = data[1:]
	}
	return false
}

// maxHidden is how many headers hidesChunk looks at.
const maxHidden = 4

// onlyEvents reports whether data, whose end may be missing, can be events.
func onlyEvents(data []byte, form wire.IntEncoding) bool {
	for {
		size, n := form.Count(data)
		_, m := form.Long(data[n:])
		switch {
		case n == 0 || m == 0 || size >= uint64(len(data)):
			return true
		case size < uint64(n+m):
			return false
		}
		data = data[size:]
	}
}

// isHeader reports whether b begins with a chunk header. No event can begin with the same bytes.
func isHeader(b []byte) bool {
	h, ok := wire.ReadHeader(b)
	return ok && h.Plausible()
}
