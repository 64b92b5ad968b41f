package mmapjfr

import (
	"errors"
	"fmt"
	"os"
	"path"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Protect calls do, which may read what the recording holds. The recording stays
// mapped until do returns, also after Close. Protect returns the error of do, and
// [ErrClosed] if the recording is closed already. If the file is cut while do reads it, do
// ends there and the error matches [ErrTruncated]; if others write to the file and do
// panics because of that, the error matches [ErrChanged]. Stop reading then.
func (r *Recording) Protect(do func() error) (err error) {
	if err := r.use(); err != nil {
		return err
	}
	defer r.done()
	defer r.recoverFault(debug.SetPanicOnFault(true), &err)
	return do()
}

// Protect is [Recording.Protect] of the recording that the chunk belongs to. Read views of
// strings in it, see [Value.StrView]. It returns [ErrClosed] for the zero Chunk, too.
func (c Chunk) Protect(do func() error) error {
	if c.c == nil {
		return ErrClosed
	}
	return c.c.rec.Protect(do)
}

// recoverFault is deferred by functions that read the map and return an error. When a file
// is cut while it is mapped, reads beyond its new end fault; recoverFault turns the fault
// into an error that matches ErrTruncated. It does the same for a saved index. Faults at
// other addresses panic on. It restores the earlier value of debug.SetPanicOnFault.
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

// recoverFault is deferred by functions that read the map and return no error. What cannot
// be read is then as if it were not there, and the next function that returns an error
// reports the fault. All faults of views end here; a view without a chunk reads nothing.
func (c *chunk) recoverFault(before bool) {
	debug.SetPanicOnFault(before)
	if p := recover(); p != nil {
		if c == nil {
			parallel.Repeat(p)
		}
		_ = c.rec.faultErr(p) // sets the status, which statusErr returns
	}
}

// faultErr returns what is wrong with the file if that explains the panic. It passes
// other panics on.
func (r *Recording) faultErr(p any) error {
	if e, ok := p.(*index.FetchError); ok {
		return r.unfetched(e.Err)
	}
	fault, ok := p.(interface{ Addr() uintptr })
	if !ok {
		// Bytes may have changed after they were checked.
		if _, ok := p.(runtime.Error); !ok {
			parallel.Repeat(p)
		}
		if state, _ := r.fileState(); state == fileUnchanged || !panicIsOurs() {
			parallel.Repeat(p)
		}
		r.setStatus(statusChanged)
		return r.withName(errFileChanged)
	}
	switch r.regionOf(fault.Addr()) {
	case fileMemory:
		r.setStatus(statusTruncated)
		return r.withName(errFileTruncated)
	case savedIndexMemory:
		return r.withName(fmt.Errorf("%w: the saved index was cut while it was used", ErrTruncated))
	}
	parallel.Repeat(p)
	return nil
}

// memoryRegion is what lies at an address.
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

// The status of the bytes of a recording: a set of these bits.
const (
	statusClosed    uint32 = 1 << iota // the bytes have been given back
	statusChanged                      // others have written to the file
	statusTruncated                    // some bytes are missing
	statusUnfetched                    // some bytes could not be fetched
)

var (
	errFileTruncated = fmt.Errorf("%w: the file was cut while it was read", ErrTruncated)
	errFileChanged   = fmt.Errorf("the file has %w; read a copy of it, or open it with CopyOnOpen", ErrChanged)
)

// withName returns the error with the name of the recording.
func (r *Recording) withName(err error) error {
	if r.name == "" {
		return err
	}
	return namedError{r.name, err}
}

// namedError is an error with the name of the recording.
type namedError struct {
	name string
	err  error
}

func (e namedError) Error() string  { return e.name + ": " + e.err.Error() }
func (e namedError) Unwrap() error  { return e.err }
func (e namedError) Unnamed() error { return e.err }

// formatErr returns a FormatError for an offset of the recording.
//
//go:noinline
func (r *Recording) formatErr(chunk int, offset uint64, err error) error {
	return &FormatError{Err: err, Section: "event", Offset: offset, Chunk: chunk, File: r.name}
}

// setStatus adds bits to the status, where all readers of the bytes see them.
func (r *Recording) setStatus(what uint32) {
	if r.status.Or(what)&what != 0 {
		return
	}
	for _, c := range r.chunks {
		c.status.Or(what)
	}
}

// FileErr returns what has happened to the file of a mapped recording since it was opened:
// [ErrClosed]; an error that matches [ErrTruncated] if bytes are missing, now or when they
// were read; one that matches [ErrChanged] if others have written to the file; or nil. It
// costs a system call.
//
// Call it after reading values outside of an iteration. Values have no errors: where they
// cannot be read, they answer as if nothing were there. Iterations report the same errors
// themselves.
func (r *Recording) FileErr() error {
	if err := r.statusErr(); err != nil {
		return err
	}
	_ = r.checkFile()
	return r.statusErr()
}

// statusErr returns the error of the status, or nil. It does not look at the file.
func (r *Recording) statusErr() error {
	switch status := r.status.Load(); {
	case status&statusClosed != 0:
		return ErrClosed
	case status&statusChanged != 0:
		return r.withName(errFileChanged)
	case status&statusTruncated != 0:
		return r.withName(errFileTruncated)
	case status&statusUnfetched != 0:
		return r.failed.Load()
	}
	return nil
}

// checkFile checks that the file is as it was when it was opened, and sets the status if it is
// not. Bytes that a recorder appends are no change. Neither is another file under the same
// name, since the old file stays mapped. Other changes show in the modification time or in
// the headers of the chunks.
func (r *Recording) checkFile() error {
	state, size := r.fileState()
	switch {
	case state != fileWritten:
		return nil
	case size < r.size:
		r.setStatus(statusTruncated)
		return r.withName(errFileTruncated)
	}
	return r.compareChunks(r.info == nil || size > r.info.Size())
}

// fileState is what the system says of a mapped file, compared with when it was opened.
type fileState uint8

const (
	fileUnknown   fileState = iota // it may have been written to: its path does not lead to it any more
	fileUnchanged                  // it has the bytes that it had
	fileWritten                    // others have written to it
)

// fileState returns what has become of the file, and its size. A program that writes to a file
// can restore the time of the last write, but not the time of the last change, where the system
// has one.
func (r *Recording) fileState() (state fileState, size int64) {
	was := r.info
	switch {
	case !r.shared || r.source != nil:
		return fileUnchanged, r.size
	case was == nil: // it is live, and written to all the time
		return fileWritten, r.size
	}
	now, err := os.Stat(r.path)
	switch {
	case err != nil || !os.SameFile(was, now):
		return fileUnknown, r.size
	case now.Size() < r.size || !now.ModTime().Equal(was.ModTime()):
		return fileWritten, now.Size()
	case now.Size() != was.Size() || mapfile.ChangeTime(now) != mapfile.ChangeTime(was):
		return fileUnknown, now.Size()
	}
	return fileUnchanged, now.Size()
}

// panicIsOurs reports whether a function of the library has panicked, or one of the standard
// library that it called, and not a handler. It is called while a deferred function handles the
// panic.
func panicIsOurs() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "runtime."):
			panicking = true
		case parallel.Repeats(frame.Function):
			panicking = false // the first panic is further down, or was in another goroutine
		case panicking && isStandard(frame.Function):
		case panicking:
			return strings.HasPrefix(frame.Function, module) && !strings.Contains(frame.Function, "_test.")
		}
		if !more {
			return false
		}
	}
}

// isStandard reports whether a function is in the standard library: the path of its package begins
// without a dot, and no module of the program has it.
func isStandard(function string) bool {
	name := strings.LastIndexByte(function, '/') + 1
	last, _, _ := strings.Cut(function[name:], ".")
	pkg := function[:name] + last
	if host, _, _ := strings.Cut(pkg, "/"); pkg == "main" || strings.Contains(host, ".") {
		return false
	}
	info, ok := debug.ReadBuildInfo()
	return !ok || !slices.ContainsFunc(append(info.Deps, &info.Main), func(m *debug.Module) bool {
		return pkg == m.Path || strings.HasPrefix(pkg, m.Path+"/")
	})
}

// module is what the names of the library's functions begin with.
var module = path.Dir(reflect.TypeFor[Recording]().PkgPath()) + "/"

// compareChunks checks, after others have written to the file, that the chunks are still the same.
// If they are, a file that has grown, or whose last chunk was not finished, has not
// changed.
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

// addCause returns the error, and adds to it what has happened to the file, if anything has.
func (r *Recording) addCause(err error) error {
	if err == nil || errors.Is(err, ErrTruncated) || errors.Is(err, ErrChanged) || errors.Is(err, ErrClosed) {
		return err
	}
	why := r.checkFile()
	if why == nil {
		return err
	}
	if e, ok := err.(*FormatError); ok { // it names the file already
		both := *e
		both.Err = fmt.Errorf("%w: %w", errors.Unwrap(why), e.Err)
		return &both
	}
	return fmt.Errorf("%w: %w", why, err)
}

// checkUnchanged returns an error if another chunk lies where this one did. Functions that look
// something up call it at their end. Missing bytes need no check: reading them faults.
func (c *chunk) checkUnchanged() error {
	if !c.rec.shared || c.headerUnchanged() || c.status.Load()&statusTruncated != 0 {
		return nil
	}
	return c.rec.compareChunks(false)
}

// headerUnchanged reports whether the chunk's header is still that of the chunk that was opened, but
// for the fields that a recorder rewrites. It costs some nanoseconds.
func (c *chunk) headerUnchanged() (ok bool) {
	if c.mayFault() {
		defer c.recoverFault(debug.SetPanicOnFault(true))
	}
	return headerIDOf(c.data) == c.headerID
}

// headerID is the part of a chunk header that no recorder rewrites; zero if there is no header.
type headerID struct {
	nanos, ticks int64
	major        uint16
}

func headerIDOf(chunk []byte) headerID {
	h, _ := wire.ReadHeader(chunk)
	return headerID{h.StartNanos, h.StartTicks, h.Major}
}
