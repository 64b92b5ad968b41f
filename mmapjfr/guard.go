package mmapjfr

import (
	"fmt"
	"runtime"
	"runtime/debug"
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
	defer r.guard(debug.SetPanicOnFault(true), &err)
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
func (r *Recording) guard(before bool, errp *error) {
	debug.SetPanicOnFault(before)
	if p := recover(); p != nil {
		*errp = r.blame(p)
	}
}

// traps reports whether what reads the chunk must be ready for a fault. Memory of our own
// does not fault: neither a recording that is in memory, nor what a window holds (see
// window.go), nor a number that has been decoded. A trap costs about 5 ns, which is half of
// what it takes to read a number, so it is set only where this is true.
func (c *chunk) traps() bool { return c != nil && c.mapped }

// guard is deferred by what reads the map and returns no error: what cannot be read is
// then as if it were not there, and the next who can tell of it does. It is the one place
// where views meet faults; a view without a chunk reads nothing.
func (c *chunk) guard(before bool) {
	debug.SetPanicOnFault(before)
	if p := recover(); p != nil {
		if c == nil {
			panic(p)
		}
		_ = c.rec.blame(p) // it is kept for those who ask
	}
}

// blame returns what is wrong with the file if that is why somebody panicked. Other
// panics go on.
func (r *Recording) blame(p any) error {
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
	switch r.mapped(fault.Addr()) {
	case theFile:
		r.setStatus(statusTruncated)
		return r.withName(errFileTruncated)
	case theSavedIndex:
		return r.withName(fmt.Errorf("%w: %w: the saved index was cut while it was used", ErrTruncated, ErrSavedIndex))
	}
	panic(p)
}

// mappedPart is what of a recording lies at an address.
type mappedPart uint8

const (
	noPart mappedPart = iota
	theFile
	theSavedIndex
)

func (r *Recording) mapped(addr uintptr) mappedPart {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.mapping.Contains(addr):
		return theFile
	case r.saved.Contains(addr):
		return theSavedIndex
	}
	return noPart
}
