package mmapjfr

import (
	"fmt"
	"runtime/debug"
)

// Guard calls do, which may read what [Recording.Index] leads to. The recording stays
// mapped until it returns, also after Close. It returns the error of do, [ErrClosed] if
// the recording is closed already, and an error that matches [ErrTruncated] if the file
// is cut while it is read: do ends there, and nobody should read on.
func (r *Recording) Guard(do func() error) (err error) {
	if err := r.use(); err != nil {
		return err
	}
	defer r.done()
	defer r.guard(debug.SetPanicOnFault(true), &err)
	return do()
}

// guard is deferred by what reads the map. A file that is cut while it is mapped
// makes reads beyond its new end fault; guard turns such a fault into an error
// that matches ErrTruncated. The same goes for a saved index. Faults at other
// addresses go on as they were. It puts back what debug.SetPanicOnFault was before.
func (r *Recording) guard(before bool, errp *error) {
	debug.SetPanicOnFault(before)
	p := recover()
	if p == nil {
		return
	}
	fault, ok := p.(interface{ Addr() uintptr })
	switch {
	case ok && r.mapping.holds(fault.Addr()):
		*errp = fmt.Errorf("mmapjfr: %w: the file was cut while it was read", ErrTruncated)
	case ok && r.saved.holds(fault.Addr()):
		*errp = fmt.Errorf("mmapjfr: %w: %w: the saved index was cut while it was used", ErrTruncated, ErrSavedIndex)
	default:
		panic(p)
	}
}
