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
	ev, end := lent(w.event)
	defer end()
	return do(w.number, ev)
}

func init() {
	lease.Event = func(ev any) (any, func()) { return lent(ev.(Event)) }
}

// lent returns the event with a scratch of its own, and what ends its time.
func lent(ev Event) (Event, func()) {
	s := &scratch{}
	if ev.s != nil {
		*s = *ev.s
		s.offs = slices.Clone(s.offs)
		s.own = slices.Clone(s.own)
		s.take()
	}
	ev.s = s
	return ev, s.expire
}

// lendBatch calls what the batcher is for with a batch, which is good for nothing when
// that returns: nor are its columns.
func (w *worker) lendBatch(b *Batch) error {
	lent := &Batch{c: b.c, class: b.class, records: slices.Clone(b.records), pos: slices.Clone(b.pos), cut: slices.Clone(b.cut)}
	for _, column := range b.columns {
		lent.columns = append(lent.columns, slices.Clone(column))
	}
	defer lent.expire()
	return w.batcher.do(w.number, lent)
}

// term tells whether a batch may still be used.
type term struct {
	over atomic.Bool
}

// checkTerm panics if the batch was kept too long.
func (t *term) checkTerm() {
	if t.over.Load() {
		panic(fmt.Sprintf("mmapjfr: %s is called after the function that got the batch returned", accessor()))
	}
}

// expire ends the time of the batch.
func (b *Batch) expire() {
	b.over.Store(true)
	for _, column := range b.columns {
		spoilAll(column)
	}
	spoilAll(b.places)
	spoilAll(b.texts)
	for _, column := range b.floats {
		spoilAll(column)
	}
}
