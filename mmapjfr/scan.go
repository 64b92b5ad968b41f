package mmapjfr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
)

// Workers returns how many goroutines read at once, see the option [Workers].
func (r *Recording) Workers() int { return parallel.Workers(r.workers) }

// Parallel calls do with every event of the selection, from several goroutines
// at once. Workers are numbered from 0 up to [Recording.Workers]; calls with the
// same number never overlap. Events come in the order of the file within each
// 256 KiB of a chunk, and otherwise in any order; [Fold] gives results that do
// not depend on the order. An event is valid until do returns, unless it is detached.
//
// Parallel returns when all events have been read. The first error of do, in the order of
// the file, ends it and is returned: do has got all events before that error, and may have
// got some after it. When the context is cancelled, Parallel returns the cause as soon as
// the running calls of do have returned. Damage of the recording does not end it: the
// errors are returned together at the end, in the order of the file. They are the first 32,
// and an [OmittedErrors] if there are more. A panic of do comes out of Parallel.
//
// The recording stays mapped until Parallel returns, also after Close, which ends it
// with [ErrClosed]. Each worker allocates what a cursor does, and 24 bytes for each of
// some thousand event headers; nothing is allocated per event.
func (s *Selection) Parallel(ctx context.Context, do func(worker int, ev Event) error) error {
	return s.scan(ctx, &scan{read: func(w *worker) error { return w.events(do) }})
}

// scan is one reading of a selection by several workers. Each worker takes a part of a
// chunk at a time: the events that begin in the same 256 KiB, see [parallel.PartSize].
type scan struct {
	ctx context.Context
	sel *Selection
	// read reads the part that a worker has taken. An error of read ends the scan.
	read func(w *worker) error
	// uncounted is set if the ordinals of events are not needed.
	noOrdinals bool
	// partRead, if not nil, is called when a worker has read a part, and chunkRead when
	// all parts of a chunk have been taken.
	partRead  func(worker int, at partID)
	chunkRead func(chunk, parts int)

	chunks  []sharedChunk
	workers []*worker // by number; nil until used

	halted  atomic.Bool // stopErr or failErr is set
	mu      sync.Mutex  // guards what follows
	stopErr error       // why all workers stop
	// failure is the first error of do, in the order of the file, and failedAt its part.
	failErr  error
	failedAt partID
	errs     scanErrors
}

// partID is the place of a part in a recording.
type partID struct {
	chunk, part int
}

func (a partID) before(b partID) bool {
	return a.chunk < b.chunk || a.chunk == b.chunk && a.part < b.part
}

func (s *Selection) scan(ctx context.Context, x *scan) error {
	if s.err != nil {
		return s.err
	}
	if err := s.rec.use(); err != nil {
		return err
	}
	defer s.rec.done()
	x.ctx, x.sel, x.chunks = ctx, s, make([]sharedChunk, len(s.chunks))
	for i, c := range s.chunks {
		x.chunks[i].c = c
	}
	defer context.AfterFunc(ctx, func() { x.stop(context.Cause(ctx)) })()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	workers := s.rec.Workers()
	x.workers = make([]*worker, workers)
	parallel.Share(workers, len(x.chunks), func(i int) bool { return x.chunks[i].hasParts(x) }, x.work)
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.stopErr != nil:
		return x.stopErr
	case x.failErr != nil:
		return x.failErr
	}
	if err := s.rec.FileErr(); err != nil && !x.errs.contains(err) {
		x.errs.add(scanError{chunk: len(s.rec.chunks), err: err})
	}
	return x.errs.join(s)
}

// stop ends the scan at once.
func (x *scan) stop(reason error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stopErr == nil {
		x.stopErr = reason
	}
	x.halted.Store(true)
}

// fail ends the scan for all parts after this one.
func (x *scan) fail(id partID, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failErr == nil || id.before(x.failedAt) {
		x.failErr, x.failedAt = err, id
	}
	x.halted.Store(true)
}

// isOver reports whether the part need not be read any more. Parts before a failure are read:
// one of them may hold the first error.
func (x *scan) isOver(id partID) bool {
	if !x.halted.Load() {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.stopErr != nil || x.failErr != nil && x.failedAt.before(id)
}

func (x *scan) report(f scanError) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.errs.add(f)
}

// worker is a goroutine of a scan, with the part that it has taken.
type worker struct {
	decoder
	scan    *scan
	number  int
	part    part
	batcher batcher
}

// work reads parts of a chunk until none are left. Each worker is made when it is first used.
func (x *scan) work(number, chunk int) {
	w := x.workers[number]
	if w == nil {
		w = &worker{decoder: decoder{rec: x.sel.rec, sel: x.sel}, scan: x, number: number}
		x.workers[number] = w
	}
	for sc := &x.chunks[chunk]; sc.takePart(x, &w.part); {
		w.process(sc)
	}
}

// process reads the part that the worker has taken.
func (w *worker) process(sc *sharedChunk) {
	x, p := w.scan, &w.part
	if w.filter == nil || w.c != sc.c {
		w.enter(sc.c)
		w.setFilter(p.filter)
	}
	if err := w.readProtected(); err != nil {
		x.fail(p.id, err)
	}
	if w.err != nil {
		sc.abandon(x, w.err)
		w.err = nil
	}
	if x.partRead != nil {
		x.partRead(w.number, p.id)
	}
}

// readProtected reads the part and returns the first error of those that are called
// with events. It leaves a fault of the map in w.err: the parts after it are lost, too.
func (w *worker) readProtected() error {
	defer w.rec.recoverFault(debug.SetPanicOnFault(true), &w.err)
	return w.scan.read(w)
}

// events calls do with the selected events of the part, and reports those that cannot be
// read.
func (w *worker) events(do func(worker int, ev Event) error) error {
	p := &w.part
	w.ahead = 0
	if len(p.headers) > 0 {
		w.ahead = p.headers[len(p.headers)-1].End()
	}
	for i, run := range p.runs {
		end := len(p.headers)
		if i+1 < len(p.runs) {
			end = p.runs[i+1].first
		}
		ord := run.ord
		for j := run.first; j < end; j++ {
			h := &p.headers[j]
			if !h.IsEvent() {
				continue
			}
			if w.shouldStop() {
				return nil
			}
			at := ord
			if ord != noOrdinal {
				ord++
			}
			if w.decodeEvent(h, at) {
				if err := w.lend(do); err != nil {
					return err
				}
			} else if w.err != nil && !w.report(h) {
				return nil
			}
		}
	}
	return nil
}

// shouldStop reports whether the rest of the part need not be read.
func (w *worker) shouldStop() bool {
	if w.c.isGone() {
		w.scan.stop(w.rec.statusErr())
	}
	return w.scan.halted.Load() && w.scan.isOver(w.part.id)
}

// report adds what is wrong with an event to the errors of the scan. It is false if the file
// was cut, so that all the rest is lost.
func (w *worker) report(h *index.EventHeader) bool {
	if w.err = w.rec.addCause(w.err); errors.Is(w.err, ErrTruncated) {
		return false
	}
	w.scan.report(scanError{chunk: w.part.id.chunk, offset: h.Offset, err: w.err, typ: h.Type})
	w.err = nil
	return true
}

// maxScanErrors is how many errors a parallel scan lists.
const maxScanErrors = 32

// scanError is an error of a scan, and where in the recording it is.
type scanError struct {
	chunk  int
	offset uint64
	err    error
	// typ is the type of the event, for an unknown type, which is reported once for each
	// chunk.
	typ schema.TypeID
}

// scanErrors are the first errors of a scan, whose workers find errors in any order.
type scanErrors struct {
	list    []scanError
	omitted int
	// unknown holds the unknown types that have been reported, by chunk.
	reportedTypes map[typeOfChunk]bool
}

type typeOfChunk struct {
	chunk int
	id    schema.TypeID
}

// OmittedErrors stands at the end of a long list of errors for those that are not listed.
type OmittedErrors struct {
	// N is the number of errors that are not listed.
	N int
}

// Error says how many there are.
func (e *OmittedErrors) Error() string {
	return fmt.Sprintf("mmapjfr: there are %d more errors", e.N)
}

func (e *scanErrors) add(x scanError) {
	if errors.Is(x.err, ErrUnknownType) && !e.isNew(x) {
		return
	}
	e.list = append(e.list, x)
	slices.SortStableFunc(e.list, compareErrors)
	if len(e.list) > maxScanErrors {
		e.list = e.list[:maxScanErrors]
		e.omitted++
	}
}

// contains reports whether one of the errors matches err.
func (e *scanErrors) contains(err error) bool {
	return slices.ContainsFunc(e.list, func(x scanError) bool { return errors.Is(x.err, err) })
}

func compareErrors(a, b scanError) int {
	return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.offset, b.offset))
}

// isNew reports whether an unknown type has not been reported. If it has been, but further
// on in the chunk, the earlier place replaces that one.
func (e *scanErrors) isNew(x scanError) bool {
	typ := typeOfChunk{x.chunk, x.typ}
	if !e.reportedTypes[typ] {
		if e.reportedTypes == nil {
			e.reportedTypes = make(map[typeOfChunk]bool)
		}
		e.reportedTypes[typ] = true
		return true
	}
	i := slices.IndexFunc(e.list, func(y scanError) bool {
		return y.chunk == x.chunk && y.typ == x.typ && errors.Is(y.err, ErrUnknownType)
	})
	switch {
	case i >= 0 && compareErrors(x, e.list[i]) < 0:
		e.list[i] = x
		slices.SortStableFunc(e.list, compareErrors)
	case i < 0 && len(e.list) == maxScanErrors && compareErrors(x, e.list[maxScanErrors-1]) < 0:
		// The other place comes after all that are listed.
		e.list[maxScanErrors-1] = x
		slices.SortStableFunc(e.list, compareErrors)
	}
	return false
}

// join adds what is wrong with the chunks of the selection, and joins all errors. It
// returns nil if nothing is wrong.
func (e *scanErrors) join(s *Selection) error {
	for _, c := range s.chunks {
		if err := c.constantsErr(); err != nil {
			e.add(scanError{chunk: c.ix.Number(), offset: math.MaxUint64 - 2, err: err})
		}
	}
	if err := s.rec.index.TrailingErr(); err != nil && s.whole {
		e.add(scanError{chunk: len(s.rec.chunks), err: err})
	}
	var errs []error
	for _, x := range e.list {
		errs = append(errs, x.err)
	}
	if e.omitted > 0 {
		errs = append(errs, &OmittedErrors{e.omitted})
	}
	return errors.Join(errs...)
}
