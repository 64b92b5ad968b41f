package mmapjfr

import (
	"context"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

// Batches calls do with all events of the selection in batches, from several
// goroutines at once: see [Selection.Parallel] for how it ends, and for errors.
// The events of 256 KiB of a chunk come one type after the other, [BatchLen] at a time, those
// of a type in the order of the file. Each worker allocates columns for the types of the
// recording; nothing is allocated per event.
func (s *Selection) Batches(ctx context.Context, do func(worker int, b *Batch) error) error {
	return s.scan(ctx, &scan{read: func(w *worker) error { return w.batches(do) }, noOrdinals: true})
}

// batcher gathers the events of a part by their types.
type batcher struct {
	batch  Batch
	groups [][]index.EventHeader // by ordinal of the class
	filled []int                 // the ordinals of those that hold events
	do     func(worker int, b *Batch) error
}

// longRun is how many successive events of one type are decoded at once. Fewer are collected
// with others of the type.
const longRun = 32

// batches calls do with the events of the part that has been taken.
func (w *worker) batches(do func(worker int, b *Batch) error) error {
	g, headers := &w.batcher, w.part.headers
	for _, ordinal := range g.filled {
		g.groups[ordinal] = g.groups[ordinal][:0] // left by a part that failed
	}
	g.filled, g.do = g.filled[:0], do
	for len(headers) > 0 && w.err == nil {
		if w.shouldStop() {
			return nil
		}
		n := runOf(headers)
		if err := w.gather(headers[:n]); err != nil {
			return err
		}
		headers = headers[n:]
	}
	for _, ordinal := range g.filled {
		if err := w.flush(ordinal); err != nil || w.err != nil {
			return err
		}
	}
	return nil
}

// runOf returns how many headers at the beginning have the same type, at most as many as a
// batch has.
func runOf(headers []index.EventHeader) (n int) {
	headers = headers[:min(len(headers), BatchLen)]
	for n = 1; n < len(headers) && headers[n].Type == headers[0].Type; n++ {
	}
	return n
}

// gather takes successive events of one type.
func (w *worker) gather(headers []index.EventHeader) error {
	typ := w.types.EventType(headers[0].Type)
	switch {
	case !headers[0].IsEvent():
		return nil
	case typ == nil || w.filter.readsEvents():
		for i := range headers {
			if w.decodeEvent(&headers[i], noOrdinal) {
				if err := w.collect(w.event.typ, headers[i:i+1]); err != nil {
					return err
				}
			} else if w.err != nil && !w.report(&headers[i]) {
				return nil
			}
		}
		return nil
	case w.filter.wanted != nil && !w.filter.wanted[typ.Ordinal()]:
		return nil
	}
	return w.collect(typ, headers)
}

// collect adds events to others of their type, and calls do when there are enough.
func (w *worker) collect(typ *schema.Type, headers []index.EventHeader) error {
	g, ordinal := &w.batcher, typ.Ordinal()
	if ordinal >= len(g.groups) {
		g.groups = append(g.groups, make([][]index.EventHeader, len(w.types.Types)-len(g.groups))...)
	}
	if len(g.groups[ordinal])+len(headers) > BatchLen || len(headers) >= longRun {
		if err := w.flush(ordinal); err != nil || w.err != nil {
			return err
		}
	}
	if len(headers) >= longRun {
		return w.decodeBatch(typ, headers)
	}
	group := g.groups[ordinal]
	if len(group) == 0 {
		g.filled = append(g.filled, ordinal)
		if group == nil {
			group = make([]index.EventHeader, 0, BatchLen)
		}
	}
	g.groups[ordinal] = append(group, headers...)
	return nil
}

// flush calls do with the events that have been collected of a type.
func (w *worker) flush(ordinal int) error {
	g := &w.batcher
	if ordinal >= len(g.groups) || len(g.groups[ordinal]) == 0 {
		return nil
	}
	headers := g.groups[ordinal]
	g.groups[ordinal] = headers[:0]
	return w.decodeBatch(w.types.Types[ordinal], headers)
}

// decodeBatch calls do with events of a type, except those whose fields overrun the event.
func (w *worker) decodeBatch(typ *schema.Type, headers []index.EventHeader) error {
	b := &w.batcher.batch
	b.c, b.typ, b.headers = w.c, typ, headers
	if !b.decode() {
		b.headers = w.decodable(headers)
		if len(b.headers) == 0 || w.err != nil || !b.decode() {
			return nil
		}
	}
	return w.lendBatch(b)
}

// decodable returns the events whose fields lie inside them, and reports the others.
func (w *worker) decodable(headers []index.EventHeader) []index.EventHeader {
	fit := headers[:0]
	for _, h := range headers {
		if w.decodeEvent(&h, noOrdinal) {
			fit = append(fit, h)
		} else if w.err != nil && !w.report(&h) {
			return fit
		}
	}
	return fit
}
