package mmapjfr

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/parallel"
)

// Workers returns how many goroutines read at once, see the option [Workers].
func (r *Recording) Workers() int { return parallel.Workers(r.workers) }

// Parallel calls do with every event of the selection, from several goroutines
// at once. Workers are numbered from 0 up to [Recording.Workers]; calls with the
// same number never overlap. Events come in the order of the file within each
// 256 KiB of a chunk, and otherwise in any order; [Fold] gives results that do
// not depend on it. An event is valid until do returns, unless it is detached.
//
// It returns when all is read. The first error of do, in the order of the file,
// ends it and is returned: events that come before it in the file are all given
// to do, of those behind it some may have been. When the context is cancelled it
// ends as soon as the calls that are under way have returned, with the cause.
// What cannot be read of the recording does not end it: these errors are
// returned together, in the order of the file, when all else has been read: the
// first 32, and a [OmittedErrors] if there are more. A panic of do comes out of
// Parallel.
//
// The recording stays mapped until it returns, also after Close, which ends it
// with [ErrClosed]. It allocates what a cursor does, and 24 bytes for each of
// some thousand frames, for each worker, and nothing per event.
func (s *Selection) Parallel(ctx context.Context, do func(worker int, ev Event) error) error {
	return s.scan(ctx, &scan{read: func(w *worker) error { return w.events(do) }})
}

// scan is one reading of a selection by several workers. Each takes a part of a
// chunk at a time.
type scan struct {
	ctx context.Context
	sel *Selection
	// read reads the part that a worker has taken. Its error ends the scan.
	read func(w *worker) error
	// uncounted tells that nobody asks for the ordinals of events.
	uncounted bool
	// partRead, if there is one, is told when a worker has read a part, and
	// chunkRead how many parts a chunk has had.
	partRead  func(worker int, at spot)
	chunkRead func(chunk, parts int)

	lots  []lot
	begun atomic.Int64 // lots that somebody has begun with

	halt atomic.Bool // that there is an end, or a failure
	mu   sync.Mutex  // guards what follows
	end  error       // why nobody is to go on
	// failure is what do returned, and failed where that was.
	failure error
	failed  spot
	faults  faults
}

// spot is the place of a part in a recording.
type spot struct {
	chunk, part int
}

func (a spot) before(b spot) bool {
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
	x.ctx, x.sel, x.lots = ctx, s, make([]lot, len(s.chunks))
	for i, c := range s.chunks {
		x.lots[i].c = c
	}
	defer context.AfterFunc(ctx, func() { x.stop(context.Cause(ctx)) })()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	workers := s.rec.Workers()
	parallel.ForEach(workers, workers, func(worker, _ int) { x.work(worker) })
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.end != nil:
		return x.end
	case x.failure != nil:
		return x.failure
	}
	if err := s.rec.FileErr(); err != nil && !x.faults.tell(err) {
		x.faults.add(fault{chunk: len(s.rec.chunks), err: err})
	}
	return x.faults.of(s)
}

// stop ends the scan for a reason that has nothing to do with events.
func (x *scan) stop(reason error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.end == nil {
		x.end = reason
	}
	x.halt.Store(true)
}

// fail ends the scan for all that comes behind a part.
func (x *scan) fail(at spot, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failure == nil || at.before(x.failed) {
		x.failure, x.failed = err, at
	}
	x.halt.Store(true)
}

// over tells whether a part need not be read any more. Those before a failure
// are: one of them may hold the first.
func (x *scan) over(at spot) bool {
	if !x.halt.Load() {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.end != nil || x.failure != nil && x.failed.before(at)
}

func (x *scan) blame(f fault) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.faults.add(f)
}

// worker is one of those who read: what it has taken, and what it reads with.
type worker struct {
	reader
	scan    *scan
	number  int
	part    part
	batcher batcher
}

// work reads parts until there are none left.
func (x *scan) work(number int) {
	w := &worker{reader: reader{rec: x.sel.rec, sel: x.sel}, scan: x, number: number}
	for i := x.lot(); i < len(x.lots); i = x.lot() {
		for l := &x.lots[i]; l.take(x, &w.part); {
			w.finish(l)
		}
	}
}

// lot returns the number of a lot that nobody has begun with, or, when there is
// none, of the first one that is not done.
func (x *scan) lot() int {
	if i := int(x.begun.Add(1)) - 1; i < len(x.lots) {
		return i
	}
	for i := range x.lots {
		if x.lots[i].left(x) {
			return i
		}
	}
	return len(x.lots)
}

// finish reads the part that has been taken.
func (w *worker) finish(l *lot) {
	x, p := w.scan, &w.part
	if w.wish == nil || w.c != l.c {
		w.enter(l.c)
		w.want(p.wish)
	}
	if err := w.guarded(); err != nil {
		x.fail(p.at, err)
	}
	if w.err != nil {
		l.abandon(x, w.err)
		w.err = nil
	}
	if x.partRead != nil {
		x.partRead(w.number, p.at)
	}
}

// guarded reads the part and returns the first error of those that are called
// with events. A fault of the map is left in w.err: the parts behind are lost, too.
func (w *worker) guarded() error {
	defer w.rec.guard(debug.SetPanicOnFault(true), &w.err)
	return w.scan.read(w)
}

// events calls do with the events of the part that are wanted, and tells of what
// comes to be wrong with them.
func (w *worker) events(do func(worker int, ev Event) error) error {
	p := &w.part
	w.ahead = 0
	if len(p.records) > 0 {
		w.ahead = p.records[len(p.records)-1].End()
	}
	for i, run := range p.runs {
		end := len(p.records)
		if i+1 < len(p.runs) {
			end = p.runs[i+1].first
		}
		ord := run.ord
		for j := run.first; j < end; j++ {
			rec := &p.records[j]
			if !rec.IsEvent() {
				continue
			}
			if w.stops() {
				return nil
			}
			at := ord
			if ord != noOrdinal {
				ord++
			}
			if w.take(rec, at) {
				if err := w.lend(do); err != nil {
					return err
				}
			} else if w.err != nil && !w.tell(rec) {
				return nil
			}
		}
	}
	return nil
}

// stops tells whether the rest of the part need not be read.
func (w *worker) stops() bool {
	if w.c.isGone() {
		w.scan.stop(w.rec.known())
	}
	return w.scan.halt.Load() && w.scan.over(w.part.at)
}

// tell tells what is wrong with an event. It is false if the map has lost its
// end, and all the rest with it.
func (w *worker) tell(rec *index.EventHeader) bool {
	if w.err = w.rec.explain(w.err); errors.Is(w.err, ErrTruncated) {
		return false
	}
	w.scan.blame(fault{chunk: w.part.at.chunk, at: rec.Offset, err: w.err, unknown: rec.Type})
	w.err = nil
	return true
}
