package mmapjfr

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/mmapjfr/jfr/internal/wire"
)

// frames reads the frames of events out of something that cannot be gone back in.
type frames struct {
	source source
	in     *bufio.Reader
	form   wire.IntEncoding
	offset uint64 // of what comes next
	buf    []byte
}

// source keeps the error that ended a reader: bufio.Reader gives it to whoever looks
// ahead, and then no more.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (n int, err error) {
	if s.err == nil {
		n, s.err = s.r.Read(b)
	}
	return n, s.err
}

const (
	// readAhead is how much is read at a time.
	readAhead = 64 << 10
	// maxFrameHead is how many bytes the size and the type of an event take at most.
	maxFrameHead = 9 + 9
)

func newFrames(r io.Reader, form wire.IntEncoding) *frames {
	f := &frames{source: source{r: r}, form: form}
	f.in = bufio.NewReaderSize(&f.source, readAhead)
	return f
}

// reset goes on with another source.
func (f *frames) reset(r io.Reader, offset uint64) {
	f.source = source{r: r}
	f.in.Reset(&f.source)
	f.offset = offset
}

// next returns the next frame, which is valid until the next call and must end at that
// offset or before. At the end it returns io.EOF, inside a frame io.ErrUnexpectedEOF, and an
// error that matches ErrCorrupt for what cannot be a frame. It takes memory for what has come,
// not for what a size says.
func (f *frames) next(end uint64) ([]byte, error) {
	size, err := f.peek()
	if err != nil {
		return nil, err
	}
	if size > end-f.offset {
		err := fmt.Errorf("%w: event size %d exceeds the %d bytes left in the chunk", ErrCorrupt, size, end-f.offset)
		return nil, f.fail(err)
	}
	f.buf = again(f.buf)
	for left := size; left > 0; {
		piece := int(min(left, readAhead))
		f.buf = append(f.buf, make([]byte, piece)...)
		got, err := io.ReadFull(f.in, f.buf[len(f.buf)-piece:])
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
func (f *frames) peek() (size uint64, err error) {
	for want := max(1, min(f.in.Buffered(), maxFrameHead)); ; want++ {
		head, err := f.in.Peek(want)
		if len(head) == 0 {
			return 0, err
		}
		size, n := f.form.Count(head)
		_, m := f.form.Long(head[n:])
		switch {
		case n > 0 && m > 0 && (size < uint64(n+m) || size > maxFrame):
			return 0, f.fail(fmt.Errorf("%w: event of %d bytes", ErrCorrupt, size))
		case n > 0 && m > 0:
			return size, nil
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
	}
}

func (f *frames) fail(err error) error {
	return &FormatError{Err: err, Section: "event", Offset: f.offset}
}

// skip goes on behind n bytes, or at the end if there are not so many.
func (f *frames) skip(n uint64) error {
	for n > 0 {
		done, err := f.in.Discard(int(min(n, readAhead)))
		f.offset += uint64(done)
		if err != nil {
			return err
		}
		n -= uint64(done)
	}
	return nil
}

// maxFrame bounds the size of an event, as it does in a file.
const maxFrame = 1<<32 - 1
