//go:build jfrdebug

package mmapjfr

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/lease"
)

// lend calls do with the event that the worker has come to, which is good for nothing
// when do returns.
func (w *worker) lend(do func(worker int, ev Event) error) error {
	ev, end := lendEvent(w.event)
	defer end()
	return do(w.number, ev)
}

func init() {
	lease.Event = func(ev any) (any, func()) { return lendEvent(ev.(Event)) }
}

// lendEvent returns the event with a scratch of its own, and what ends its time.
func lendEvent(ev Event) (Event, func()) {
	s := &scratch{}
	if ev.s != nil {
		*s = *ev.s
		s.offs = slices.Clone(s.offs)
		s.own = slices.Clone(s.own)
		s.setOwner()
	}
	ev.s = s
	return ev, s.expire
}

// lendBatch calls what the batcher is for with a batch, which is good for nothing when
// that returns: nor are its columns.
func (w *worker) lendBatch(b *Batch) error {
	lent := &Batch{c: b.c, class: b.class, headers: slices.Clone(b.headers), pos: slices.Clone(b.pos), narrowed: slices.Clone(b.narrowed)}
	for _, column := range b.columns {
		lent.columns = append(lent.columns, slices.Clone(column))
	}
	defer lent.expire()
	return w.batcher.do(w.number, lent)
}

// expiry reports whether a batch may still be used.
type expiry struct {
	expired atomic.Bool
}

// checkExpired panics if the batch was kept too long.
func (x *expiry) checkExpired() {
	if x.expired.Load() {
		panic(fmt.Sprintf("mmapjfr: %s is called after the function that got the batch returned", accessor()))
	}
}

// expire ends the time of the batch.
func (b *Batch) expire() {
	b.expired.Store(true)
	for _, column := range b.columns {
		poisonAll(column)
	}
	poisonAll(b.constants)
	poisonAll(b.strings)
	for _, column := range b.floats {
		poisonAll(column)
	}
}
