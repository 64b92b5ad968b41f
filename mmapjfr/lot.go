package mmapjfr

import (
	"context"
	"math"
	"runtime/debug"
	"sync"

	"github.com/mmapjfr/jfr/index"
)

// partSize is how many bytes of a chunk a part covers. Tests set it.
var partSize uint64 = 256 << 10

// lot is a chunk that several workers read together. Where events begin is found
// by one of them at a time, part by part; all have the frames of their own part
// to work at, which takes longer.
type lot struct {
	c *chunk

	mu     sync.Mutex // guards what follows
	begun  bool
	done   bool
	wish   *wish
	places places
	parts  int // how many have been taken
}

// part is what a worker has taken of a lot: all events that begin in the same
// partSize bytes.
type part struct {
	at      spot
	wish    *wish
	records []index.EventHeader
	runs    []run
}

// run is a row of events without others in between: where among the records it
// begins, and how many events of the chunk come before it.
type run struct {
	first int
	ord   uint64
}

// take takes the next part. It is false if there is none.
func (l *lot) take(x *scan, p *part) (ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return false
	}
	if x.ctx.Err() != nil {
		x.stop(context.Cause(x.ctx))
	}
	at := spot{l.c.ix.Number(), l.parts}
	if x.over(at) {
		return false
	}
	broken := l.read(x, p)
	if len(p.records) > 0 {
		p.at, p.wish = at, l.wish
		l.parts++
	}
	if broken == nil && len(p.records) > 0 {
		return true
	}
	l.finish(x, broken)
	return len(p.records) > 0
}

// read reads the frames of a part. It reads none at the end, and tells what ends
// the lot too early.
func (l *lot) read(x *scan, p *part) (err error) {
	p.records, p.runs = p.records[:0], p.runs[:0]
	defer l.c.rec.guard(debug.SetPanicOnFault(true), &err)
	if !l.begun {
		if err := l.begin(x); err != nil {
			return err
		}
	}
	offset, more := l.places.where()
	if !more {
		return l.places.err()
	}
	end := (offset/partSize + 1) * partSize
	for {
		if len(p.records) == cap(p.records) {
			p.records = append(p.records, make([]index.EventHeader, max(2*batch, cap(p.records)))...)[:len(p.records)]
		}
		n, ord, err := l.places.read(end, p.records[len(p.records):cap(p.records)])
		if n > 0 {
			p.runs = append(p.runs, run{len(p.records), ord})
			p.records = p.records[:len(p.records)+n]
		}
		if n == 0 || err != nil {
			return err
		}
	}
}

// begin finds out what is wanted of the chunk.
func (l *lot) begin(x *scan) error {
	l.begun = true
	if err := l.c.ix.LeadingErr(); err != nil {
		x.blame(fault{chunk: l.c.ix.Number(), err: err})
	}
	types, err := l.c.ix.Types()
	if err != nil {
		return err
	}
	if l.wish, err = x.sel.wish(l.c, types); err != nil {
		return err
	}
	l.places = l.wish.places(x.sel.rec.workers)
	l.places.uncounted = x.uncounted
	return nil
}

// finish ends the lot. If it is known that the chunk's end is missing then that
// is why it breaks off, and told just once.
func (l *lot) finish(x *scan, broken error) {
	l.done = true
	number, trail := l.c.ix.Number(), l.c.ix.TrailingErr()
	if broken != nil && !l.c.ix.EndExplains(broken) {
		x.blame(fault{chunk: number, at: math.MaxUint64 - 1, err: broken})
	}
	for _, err := range l.c.ix.Salvaged().Errors() {
		x.blame(fault{chunk: number, at: math.MaxUint64, err: err})
	}
	if trail != nil {
		x.blame(fault{chunk: number, at: math.MaxUint64, err: trail})
	}
	if x.chunkRead != nil {
		x.chunkRead(number, l.parts)
	}
}

// abandon ends the lot because the map has lost what is behind.
func (l *lot) abandon(x *scan, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.done {
		l.finish(x, err)
	}
}

// left tells whether there may be a part that is still to be taken.
func (l *lot) left(x *scan) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.done && !x.over(spot{l.c.ix.Number(), l.parts})
}
