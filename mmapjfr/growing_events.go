package mmapjfr

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/mmapjfr/jfr/internal/wire"
)

// eventReader reads the frames of events out of something that cannot be gone back in.
type eventReader struct {
	source   stickyReader
	buffered *bufio.Reader
	form     wire.IntEncoding
	offset   uint64 // of what comes next
	buf      []byte
}

// stickyReader keeps the error that ended a reader: bufio.Reader gives it to whoever looks
// ahead, and then no more.
type stickyReader struct {
	r   io.Reader
	err error
}

func (s *stickyReader) Read(b []byte) (n int, err error) {
	if s.err == nil {
		n, s.err = s.r.Read(b)
	}
	return n, s.err
}

const (
	// readAhead is how much is read at a time.
	readAhead = 64 << 10
	// maxEventHead is how many bytes the size and the type of an event take at most.
	maxEventHead = 9 + 9
)

func newEventReader(r io.Reader, form wire.IntEncoding) *eventReader {
	f := &eventReader{source: stickyReader{r: r}, form: form}
	f.buffered = bufio.NewReaderSize(&f.source, readAhead)
	return f
}

// reset goes on with another source.
func (f *eventReader) reset(r io.Reader, offset uint64) {
	f.source = stickyReader{r: r}
	f.buffered.Reset(&f.source)
	f.offset = offset
}

// next returns the next frame, which is valid until the next call and must end at that
// offset or before. At the end it returns io.EOF, inside a frame io.ErrUnexpectedEOF, and an
// error that matches ErrCorrupt for what cannot be a frame. It takes memory for what has come,
// not for what a size says.
func (f *eventReader) next(end uint64) ([]byte, error) {
	size, err := f.peek()
	if err != nil {
		return nil, err
	}
	if size > end-f.offset {
		err := fmt.Errorf("%w: event size %d exceeds the %d bytes left in the chunk", ErrCorrupt, size, end-f.offset)
		return nil, f.formatErr(err)
	}
	f.buf = reuse(f.buf)
	for left := size; left > 0; {
		piece := int(min(left, readAhead))
		f.buf = append(f.buf, make([]byte, piece)...)
		got, err := io.ReadFull(f.buffered, f.buf[len(f.buf)-piece:])
		f.offset += uint64(got)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		left -= uint64(piece)
	}
	return f.buf, nil
}

// peek returns the size of the next frame. It waits for no more than the bytes of its head.
func (f *eventReader) peek() (size uint64, err error) {
	for want := max(1, min(f.buffered.Buffered(), maxEventHead)); ; want++ {
		head, err := f.buffered.Peek(want)
		if len(head) == 0 {
			return 0, err
		}
		size, n := f.form.Count(head)
		_, m := f.form.Long(head[n:])
		switch {
		case n > 0 && m > 0 && (size < uint64(n+m) || size > maxEventSize):
			return 0, f.formatErr(fmt.Errorf("%w: event of %d bytes", ErrCorrupt, size))
		case n > 0 && m > 0:
			return size, nil
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
	}
}

func (f *eventReader) formatErr(err error) error {
	return &FormatError{Err: err, Section: "event", Offset: f.offset}
}

// skip goes on behind n bytes, or at the end if there are not so many.
func (f *eventReader) skip(n uint64) error {
	for n > 0 {
		done, err := f.buffered.Discard(int(min(n, readAhead)))
		f.offset += uint64(done)
		if err != nil {
			return err
		}
		n -= uint64(done)
	}
	return nil
}

// maxEventSize bounds the size of an event, as it does in a file.
const maxEventSize = 1<<32 - 1
