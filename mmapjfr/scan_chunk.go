package mmapjfr

import (
	"context"
	"math"
	"runtime/debug"
	"sync"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/parallel"
)

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
	}
	if broken == nil && len(p.headers) > 0 {
		return true
	}
	sc.finish(x, broken)
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

// start compiles the selection for the chunk.
func (sc *sharedChunk) start(x *scan) error {
	sc.started = true
	if err := sc.c.ix.LeadingErr(); err != nil {
		x.report(scanError{chunk: sc.c.ix.Number(), err: err})
	}
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
