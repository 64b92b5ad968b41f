package mmapjfr

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/mmapjfr/jfr/internal/wire"
)

// What has become of the bytes of a recording.
const (
	statusClosed    uint32 = 1 << iota // they have been given back
	statusChanged                      // they are others
	statusTruncated                    // some have gone
)

var (
	errFileTruncated = fmt.Errorf("%w: the file was cut while it was read", ErrTruncated)
	errFileChanged   = fmt.Errorf("the file has %w; read a copy of it, or open it with CopyOnOpen", ErrChanged)
)

// withName returns the error with the name of the recording.
func (r *Recording) withName(err error) error {
	if r.name == "" {
		return fmt.Errorf("mmapjfr: %w", err)
	}
	return fmt.Errorf("mmapjfr: %s: %w", r.name, err)
}

// formatErr makes a FormatError for an offset of the recording.
//
//go:noinline
func (r *Recording) formatErr(chunk int, offset uint64, err error) error {
	return &FormatError{Err: err, Section: "event", Offset: offset, Chunk: chunk, File: r.name}
}

// setStatus notes what has become of the bytes, where all who read them see it.
func (r *Recording) setStatus(what uint32) {
	if r.status.Or(what)&what != 0 {
		return
	}
	for _, c := range r.chunks {
		c.status.Or(what)
	}
}

// FileErr tells what has happened to the file of a mapped recording since it was opened:
// [ErrClosed], an error that matches [ErrTruncated] if bytes have gone that were asked
// for, or are missing now, or one that matches [ErrChanged] if it has been written to. It
// is nil if nothing is known of that kind. It looks at the file, and costs a system call.
//
// It is for those who read values outside of an iteration: values have no errors, and
// answer as if nothing were there where they cannot be read. Iterations tell of it
// themselves.
func (r *Recording) FileErr() error {
	if err := r.statusErr(); err != nil {
		return err
	}
	_ = r.checkFile()
	return r.statusErr()
}

// statusErr returns what has been found out before.
func (r *Recording) statusErr() error {
	switch status := r.status.Load(); {
	case status&statusClosed != 0:
		return ErrClosed
	case status&statusChanged != 0:
		return r.withName(errFileChanged)
	case status&statusTruncated != 0:
		return r.withName(errFileTruncated)
	}
	return nil
}

// checkFile looks whether the file is still the one that was opened. That a recorder adds to
// it is no change; nor is that another file has its name now, for the old one is mapped.
// What else changes a file shows in the time at which it was last written to, or in the
// headers of the chunks.
func (r *Recording) checkFile() error {
	size, written := r.fileWritten()
	switch {
	case !written:
		return nil
	case size < r.size:
		r.setStatus(statusTruncated)
		return r.withName(errFileTruncated)
	}
	return r.compareChunks(r.info == nil || size > r.info.Size())
}

// fileWritten tells whether somebody has written to the file since it was opened, and how long
// it is now.
func (r *Recording) fileWritten() (size int64, ok bool) {
	was := r.info
	switch {
	case !r.shared:
		return 0, false
	case was == nil: // it is live, and written to all the time
		return r.size, true
	}
	now, err := os.Stat(r.path)
	if err != nil || !os.SameFile(was, now) {
		return 0, false
	}
	return now.Size(), now.Size() < r.size || !now.ModTime().Equal(was.ModTime())
}

// compareChunks looks whether the chunks are still those that were there, when the file has been
// written to. Nothing can be said against that if it has grown, or if one of them had not
// been finished.
func (r *Recording) compareChunks(grown bool) error {
	same := true
	for _, c := range r.chunks {
		grown = grown || c.ix.TrailingErr() != nil
		same = same && c.headerUnchanged()
	}
	if (!grown || !same) && r.status.Load()&statusTruncated == 0 {
		r.setStatus(statusChanged)
	}
	return r.statusErr()
}

// addCause returns the error, and why it came if that is what has happened to the file.
func (r *Recording) addCause(err error) error {
	if err == nil || errors.Is(err, ErrTruncated) || errors.Is(err, ErrChanged) || errors.Is(err, ErrClosed) {
		return err
	}
	why := r.checkFile()
	if why == nil {
		return err
	}
	if e, ok := err.(*FormatError); ok { // which has the name already
		both := *e
		both.Err = fmt.Errorf("%w: %w", errors.Unwrap(why), e.Err)
		return &both
	}
	return fmt.Errorf("%w: %w", why, err)
}

// checkUnchanged is the end of what finds something by itself: it tells if another chunk is where
// it was found. Who reads what has gone is told by a fault.
func (c *chunk) checkUnchanged() error {
	if !c.rec.shared || c.headerUnchanged() || c.status.Load()&statusTruncated != 0 {
		return nil
	}
	return c.rec.compareChunks(false)
}

// headerUnchanged tells whether the chunk's header is that of the chunk that was opened. What a
// recorder rewrites in it does not count. It costs next to nothing.
func (c *chunk) headerUnchanged() (ok bool) {
	if c.traps() {
		defer c.guard(debug.SetPanicOnFault(true))
	}
	return headerIDOf(c.data) == c.headerID
}

// headerID is what no recorder changes in the header of a chunk; zero if there is no header.
type headerID struct {
	nanos, ticks int64
	major        uint16
}

func headerIDOf(chunk []byte) headerID {
	h, _ := wire.ReadHeader(chunk)
	return headerID{h.StartNanos, h.StartTicks, h.Major}
}
