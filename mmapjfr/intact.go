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
	closed  uint32 = 1 << iota // they have been given back
	changed                    // they are others
	cut                        // some have gone
)

var (
	errCut     = fmt.Errorf("%w: the file was cut while it was read", ErrTruncated)
	errChanged = fmt.Errorf("the file has %w; read a copy of it, or open it with CopyOnOpen", ErrChanged)
)

// failure returns the error with the name of the recording.
func (r *Recording) failure(err error) error {
	if r.name == "" {
		return fmt.Errorf("mmapjfr: %w", err)
	}
	return fmt.Errorf("mmapjfr: %s: %w", r.name, err)
}

// fail makes a FormatError for an offset of the recording.
//
//go:noinline
func (r *Recording) fail(chunk int, offset uint64, err error) error {
	return &FormatError{Err: err, Section: "event", Offset: offset, Chunk: chunk, File: r.name}
}

// trouble notes what has become of the bytes, where all who read them see it.
func (r *Recording) trouble(what uint32) {
	if r.fate.Or(what)&what != 0 {
		return
	}
	for _, c := range r.chunks {
		c.fate.Or(what)
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
	if err := r.known(); err != nil {
		return err
	}
	_ = r.check()
	return r.known()
}

// known returns what has been found out before.
func (r *Recording) known() error {
	switch fate := r.fate.Load(); {
	case fate&closed != 0:
		return ErrClosed
	case fate&changed != 0:
		return r.failure(errChanged)
	case fate&cut != 0:
		return r.failure(errCut)
	}
	return nil
}

// check looks whether the file is still the one that was opened. That a recorder adds to
// it is no change; nor is that another file has its name now, for the old one is mapped.
// What else changes a file shows in the time at which it was last written to, or in the
// headers of the chunks.
func (r *Recording) check() error {
	size, written := r.written()
	switch {
	case !written:
		return nil
	case size < r.size:
		r.trouble(cut)
		return r.failure(errCut)
	}
	return r.compare(r.info == nil || size > r.info.Size())
}

// written tells whether somebody has written to the file since it was opened, and how long
// it is now.
func (r *Recording) written() (size int64, ok bool) {
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

// compare looks whether the chunks are still those that were there, when the file has been
// written to. Nothing can be said against that if it has grown, or if one of them had not
// been finished.
func (r *Recording) compare(grown bool) error {
	same := true
	for _, c := range r.chunks {
		grown = grown || c.ix.TrailingErr() != nil
		same = same && c.intact()
	}
	if (!grown || !same) && r.fate.Load()&cut == 0 {
		r.trouble(changed)
	}
	return r.known()
}

// explain returns the error, and why it came if that is what has happened to the file.
func (r *Recording) explain(err error) error {
	if err == nil || errors.Is(err, ErrTruncated) || errors.Is(err, ErrChanged) || errors.Is(err, ErrClosed) {
		return err
	}
	why := r.check()
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

// settle is the end of what finds something by itself: it tells if another chunk is where
// it was found. Who reads what has gone is told by a fault.
func (c *chunk) settle() error {
	if !c.rec.shared || c.intact() || c.fate.Load()&cut != 0 {
		return nil
	}
	return c.rec.compare(false)
}

// intact tells whether the chunk's header is that of the chunk that was opened. What a
// recorder rewrites in it does not count. It costs next to nothing.
func (c *chunk) intact() (ok bool) {
	if c.traps() {
		defer c.guard(debug.SetPanicOnFault(true))
	}
	return startOf(c.data) == c.start
}

// start is what no recorder changes in the header of a chunk; zero if there is no header.
type start struct {
	nanos, ticks int64
	major        uint16
}

func startOf(chunk []byte) start {
	h, _ := wire.ReadHeader(chunk)
	return start{h.StartNanos, h.StartTicks, h.Major}
}
