package mmapjfr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
)

// workerCount returns how many goroutines read at once, see the option [Workers].
func (r *Recording) workerCount() int { return parallel.Workers(r.workers) }

// Parallel calls do with every event of the selection, from several goroutines at once: as
// many as [Workers] says. They are numbered from 0; calls
// with the same number never overlap. Events come in the order of the file within each
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

// Count returns how many events the selection has, with as many goroutines as [Workers] says. If
// its filters ask for types alone, it counts headers, also of events whose fields iterating cannot
// read. Otherwise it decodes the events, and the error joins what cannot be read.
func (s *Selection) Count(ctx context.Context) (uint64, error) {
	var n atomic.Uint64
	err := s.scan(ctx, &scan{noOrdinals: true, read: func(w *worker) error {
		n.Add(w.count())
		return nil
	}})
	return n.Load(), err
}

// count counts the selected events of the part, and reports those that cannot be read.
func (w *worker) count() (n uint64) {
	w.ahead = 0
	for i := range w.part.headers {
		h := &w.part.headers[i]
		if !h.IsEvent() || w.isUnwanted(h) {
			continue
		}
		known := !w.filter.readsEvents() && w.directType(h).plan != nil
		if known || w.decodeEvent(h, noOrdinal) {
			n++
		} else if w.err != nil && !w.report(h) {
			break
		}
	}
	return n
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
	workers := s.workers
	x.workers = make([]*worker, workers)
	parallel.Share(workers, len(x.chunks), func(i int) bool { return x.chunks[i].hasParts(x) }, x.work)
	for _, w := range x.workers {
		w.giveBack()
	}
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

// lent is memory of workers that those of the next scan use: many scans are of a small chunk.
type lent struct {
	headers []index.EventHeader
	runs    []run
	groups  [][]index.EventHeader
	columns [][]int64
	pos     []int
}

var lending = sync.Pool{New: func() any { return new(lent) }}

// borrow takes memory that a worker of a scan before has given back.
func (w *worker) borrow() {
	m := lending.Get().(*lent)
	w.part.headers, w.part.runs = m.headers, m.runs
	w.batcher.groups, w.batcher.batch.columns, w.batcher.batch.pos = m.groups, m.columns, m.pos
}

// giveBack gives the memory of a worker to later ones. A worker that has not begun has none.
func (w *worker) giveBack() {
	if w == nil {
		return
	}
	groups := w.batcher.groups
	for i := range groups {
		groups[i] = groups[i][:0]
	}
	lending.Put(&lent{w.part.headers, w.part.runs, groups, w.batcher.batch.columns, w.batcher.batch.pos})
	w.part, w.batcher = part{}, batcher{}
}

// work reads parts of a chunk until none are left. Each worker is made when it is first used.
func (x *scan) work(number, chunk int) {
	w := x.workers[number]
	if w == nil {
		w = &worker{decoder: decoder{rec: x.sel.rec, sel: x.sel}, scan: x, number: number}
		w.borrow()
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
	sc.partDone()
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
			at := ord
			if ord != noOrdinal {
				ord++
			}
			if w.isUnwanted(h) {
				continue // as most are where few are selected
			}
			if w.shouldStop() {
				return nil
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
	// unknown has the first event of each unknown type of a chunk.
	unknown map[typeOfChunk]scanError
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
	return fmt.Sprintf("there are %d more errors", e.N)
}

func (e *scanErrors) add(x scanError) {
	if errors.Is(x.err, ErrUnknownType) {
		typ := typeOfChunk{x.chunk, x.typ}
		if first, ok := e.unknown[typ]; !ok || compareErrors(x, first) < 0 {
			if e.unknown == nil {
				e.unknown = make(map[typeOfChunk]scanError)
			}
			e.unknown[typ] = x
		}
		return
	}
	e.list = append(e.list, x)
	e.shorten()
}

// shorten sorts the list, and leaves out what is more than it can hold.
func (e *scanErrors) shorten() {
	slices.SortStableFunc(e.list, compareErrors)
	if more := len(e.list) - maxScanErrors; more > 0 {
		e.list = e.list[:maxScanErrors]
		e.omitted += more
	}
}

// contains reports whether one of the errors matches err.
func (e *scanErrors) contains(err error) bool {
	return slices.ContainsFunc(e.list, func(x scanError) bool { return errors.Is(x.err, err) })
}

func compareErrors(a, b scanError) int {
	return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.offset, b.offset))
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
	e.list = slices.AppendSeq(e.list, maps.Values(e.unknown))
	e.shorten()
	var errs []error
	for _, x := range e.list {
		errs = append(errs, x.err)
	}
	if e.omitted > 0 {
		errs = append(errs, &OmittedErrors{e.omitted})
	}
	return errors.Join(errs...)
}

// partSize is how many bytes of a chunk a part covers. Tests set it.
var partSize uint64 = parallel.PartSize

// sharedChunk is a chunk that several workers read together. One worker at a time reads event
// headers, part by part; decoding the events of a part takes longer, and is done by all
// workers at once.
type sharedChunk struct {
	c *chunk

	mu      sync.Mutex // guards what follows
	started bool
	done    bool
	filter  *chunkFilter
	headers headerScanner
	taken   int // how many parts have been taken
	reading int // how many of them are being read
}

// part is what a worker has taken of a chunk: the events that begin in the same partSize
// bytes.
type part struct {
	id      partID
	filter  *chunkFilter
	headers []index.EventHeader
	runs    []run
}

// run is headers that follow one another in the chunk: the position of the first header in
// the part, and how many events of the chunk come before it.
type run struct {
	first int
	ord   uint64
}

// takePart takes the next part. It is false if no part is left.
func (sc *sharedChunk) takePart(x *scan, p *part) (ok bool) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.done {
		return false
	}
	if x.ctx.Err() != nil {
		x.stop(context.Cause(x.ctx))
	}
	id := partID{sc.c.ix.Number(), sc.taken}
	if x.isOver(id) {
		return false
	}
	broken := sc.readPart(x, p)
	if len(p.headers) > 0 {
		p.id, p.filter = id, sc.filter
		sc.taken++
		sc.reading++
	}
	if broken == nil && len(p.headers) > 0 {
		return true
	}
	sc.finish(x, broken)
	sc.leave()
	return len(p.headers) > 0
}

// readPart reads the headers of a part; none at the end of the chunk. The error says what ends
// the chunk too early.
func (sc *sharedChunk) readPart(x *scan, p *part) (err error) {
	p.headers, p.runs = p.headers[:0], p.runs[:0]
	defer sc.c.rec.recoverFault(debug.SetPanicOnFault(true), &err)
	if !sc.started {
		if err := sc.start(x); err != nil {
			return err
		}
	}
	offset, more := sc.headers.position()
	if !more {
		return sc.headers.err()
	}
	end := (offset/partSize + 1) * partSize
	sc.c.rec.readAhead(sc.c.ix.Offset()+offset, sc.c.ix.Offset()+min(end, sc.c.ix.Size()))
	for {
		if len(p.headers) == cap(p.headers) {
			p.headers = append(p.headers, make([]index.EventHeader, max(2*headersPerRead, cap(p.headers)))...)[:len(p.headers)]
		}
		n, ord, err := sc.headers.read(end, p.headers[len(p.headers):cap(p.headers)])
		if n > 0 {
			p.runs = append(p.runs, run{len(p.headers), ord})
			p.headers = p.headers[:len(p.headers)+n]
		}
		if n == 0 || err != nil {
			return err
		}
	}
}

// partDone ends the reading of a part. After the last one the chunk is idle: a scan of many chunks
// takes no more memory than those at work do.
func (sc *sharedChunk) partDone() {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.reading--
	sc.leave()
}

// leave makes the chunk idle if all of it has been read.
func (sc *sharedChunk) leave() {
	if sc.done && sc.reading == 0 {
		sc.c.ix.SetIdle(true)
		sc.c.ix.Pass(0, sc.c.ix.Size()) // also metadata and constants
	}
}

// start compiles the selection for the chunk.
func (sc *sharedChunk) start(x *scan) error {
	sc.started = true
	sc.c.ix.SetIdle(false)
	if err := sc.c.ix.LeadingErr(); err != nil {
		x.report(scanError{chunk: sc.c.ix.Number(), err: err})
	}
	x.sel.fetch(sc.c.ix.Number() - x.sel.chunks[0].ix.Number())
	types, err := sc.c.ix.Types()
	if err != nil {
		return err
	}
	if sc.filter, err = x.sel.chunkFilter(sc.c, types); err != nil {
		return err
	}
	sc.headers = sc.filter.headers(x.sel.rec.workers)
	sc.headers.noOrdinals = x.noOrdinals
	return nil
}

// finish ends the chunk, and reports what is wrong with its end. If the chunk is known to
// lack its end, only that is reported.
func (sc *sharedChunk) finish(x *scan, broken error) {
	sc.done = true
	number, trail := sc.c.ix.Number(), sc.c.ix.TrailingErr()
	if broken != nil && !sc.c.ix.EndExplains(broken) {
		x.report(scanError{chunk: number, offset: math.MaxUint64 - 1, err: broken})
	}
	for _, err := range sc.c.ix.Salvaged().Errors() {
		x.report(scanError{chunk: number, offset: math.MaxUint64, err: err})
	}
	if trail != nil {
		x.report(scanError{chunk: number, offset: math.MaxUint64, err: trail})
	}
	if x.chunkRead != nil {
		x.chunkRead(number, sc.taken)
	}
}

// abandon ends the chunk because the rest of the file is missing.
func (sc *sharedChunk) abandon(x *scan, err error) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if !sc.done {
		sc.finish(x, err)
	}
}

// hasParts reports whether a part may be left.
func (sc *sharedChunk) hasParts(x *scan) bool {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return !sc.done && !x.isOver(partID{sc.c.ix.Number(), sc.taken})
}
