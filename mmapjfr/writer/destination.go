package writer

import (
	"io"

	"github.com/mmapjfr/jfr/internal/wire"
)

// destination is where chunks go. The writer calls begin for a chunk, and advance when the one before
// it, if there is one, is complete; the other methods are about the chunk before that.
type destination interface {
	// live reports whether a chunk can be written in parts.
	live() bool
	// begin writes the header of the chunk that follows.
	begin(h wire.Header) error
	// advance goes to that chunk.
	advance()
	// writeAt writes bytes at an offset of the chunk.
	writeAt(b []byte, offset int64) error
	// update rewrites the header.
	update(h wire.Header) error
	close() error
}

// streamDestination writes each chunk at once.
type streamDestination struct{ dst io.Writer }

func (s *streamDestination) live() bool               { return false }
func (s *streamDestination) begin(wire.Header) error  { return nil }
func (s *streamDestination) advance()                 {}
func (s *streamDestination) update(wire.Header) error { return nil }
func (s *streamDestination) close() error             { return nil }

func (s *streamDestination) writeAt(b []byte, _ int64) error {
	n, err := s.dst.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// file is what a fileDestination needs of a file.
type file interface {
	io.WriterAt
	io.Closer
}

// fileDestination writes chunks one after the other, each at any time.
type fileDestination struct {
	file file
	// at is where the chunk begins, and next where the next one does; until it is known how long the
	// chunk is, that is where it has ended so far.
	at, next int64
}

func (f *fileDestination) live() bool { return true }

func (f *fileDestination) begin(h wire.Header) error {
	return write(f.file, appendHeader(nil, h), f.next)
}

func (f *fileDestination) advance() { f.at = f.next }

func (f *fileDestination) writeAt(b []byte, offset int64) error {
	f.next = f.at + offset + int64(len(b))
	return write(f.file, b, f.at+offset)
}

func (f *fileDestination) update(h wire.Header) error { return updateHeader(f.file, h, f.at) }

func (f *fileDestination) close() error { return f.file.Close() }

func appendHeader(b []byte, h wire.Header) []byte {
	a := wire.Appender{Bytes: b}
	a.Header(h)
	return a.Bytes
}

func write(dst io.WriterAt, b []byte, at int64) error {
	n, err := dst.WriteAt(b, at)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// stateAt is where in a header the state is.
const stateAt = 64

// updateHeader rewrites the header of a chunk by the protocol of FORMAT.md, section 7: readers see
// the state change first and last.
func updateHeader(dst io.WriterAt, h wire.Header, at int64) error {
	if err := write(dst, []byte{wire.StateUpdating}, at+stateAt); err != nil {
		return err
	}
	state := h.State
	h.State = wire.StateUpdating
	if err := write(dst, appendHeader(nil, h), at); err != nil {
		return err
	}
	return write(dst, []byte{state}, at+stateAt)
}
