package mmapjfr

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Protect calls do, which may read what [Recording.Index] leads to. The recording stays
// mapped until it returns, also after Close. It returns the error of do, [ErrClosed] if
// the recording is closed already, and an error that matches [ErrTruncated] if the file
// is cut while it is read, or [ErrChanged] if it is written to so that do comes to grief:
// do ends there, and nobody should read on.
func (r *Recording) Protect(do func() error) (err error) {
	if err := r.use(); err != nil {
		return err
	}
	defer r.done()
	defer r.recoverFault(debug.SetPanicOnFault(true), &err)
	return do()
}

// Protect is [Recording.Protect] of the recording that the chunk belongs to. It is for those
// who read views of strings, see [Value.StrView]. It returns [ErrClosed] for the zero Chunk, too.
func (c Chunk) Protect(do func() error) error {
	if c.c == nil {
		return ErrClosed
	}
	return c.c.rec.Protect(do)
}

// guard is deferred by what reads the map and returns an error. A file that is cut while
// it is mapped makes reads beyond its new end fault; guard turns such a fault into an
// error that matches ErrTruncated. The same goes for a saved index. Faults at other
// addresses go on as they were. It puts back what debug.SetPanicOnFault was before.
func (r *Recording) recoverFault(before bool, errp *error) {
	debug.SetPanicOnFault(before)
	if p := recover(); p != nil {
		*errp = r.faultErr(p)
	}
}

// mayFault reports whether what reads the chunk must be ready for a fault. Memory of our own
// does not fault: neither a recording that is in memory, nor what a window holds (see
// decoder.go), nor a number that has been decoded. A trap costs about 5 ns, which is half of
// what it takes to read a number, so it is set only where this is true.
func (c *chunk) mayFault() bool { return c != nil && c.mapped }

// guard is deferred by what reads the map and returns no error: what cannot be read is
// then as if it were not there, and the next who can tell of it does. It is the one place
// where views meet faults; a view without a chunk reads nothing.
func (c *chunk) recoverFault(before bool) {
	debug.SetPanicOnFault(before)
	if p := recover(); p != nil {
		if c == nil {
			panic(p)
		}
		_ = c.rec.faultErr(p) // it is kept for those who ask
	}
}

// faultErr returns what is wrong with the file if that is why somebody panicked. Other
// panics go on.
func (r *Recording) faultErr(p any) error {
	fault, ok := p.(interface{ Addr() uintptr })
	if !ok {
		// Bytes that had been checked may have become others.
		_, ok := p.(runtime.Error)
		if _, written := r.fileWritten(); ok && written {
			r.setStatus(statusChanged)
			return r.withName(errFileChanged)
		}
		panic(p)
	}
	switch r.regionOf(fault.Addr()) {
	case fileMemory:
		r.setStatus(statusTruncated)
		return r.withName(errFileTruncated)
	case savedIndexMemory:
		return r.withName(fmt.Errorf("%w: %w: the saved index was cut while it was used", ErrTruncated, ErrSavedIndex))
	}
	panic(p)
}

// memoryRegion is what of a recording lies at an address.
type memoryRegion uint8

const (
	otherMemory memoryRegion = iota
	fileMemory
	savedIndexMemory
)

func (r *Recording) regionOf(addr uintptr) memoryRegion {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.mapping.Contains(addr):
		return fileMemory
	case r.saved.Contains(addr):
		return savedIndexMemory
	}
	return otherMemory
}

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
	if c.mayFault() {
		defer c.recoverFault(debug.SetPanicOnFault(true))
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
