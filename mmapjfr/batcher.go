package mmapjfr

import (
	"context"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

// Batches calls do with all events of the selection in batches, from several
// goroutines at once: see [Selection.Parallel] for how it ends, and for errors.
// The events of 256 KiB of a chunk come in the order of the file for each type,
// one type after the other, [BatchLen] at a time. It allocates columns for the
// types that there are, for each worker, and nothing per event.
func (s *Selection) Batches(ctx context.Context, do func(worker int, b *Batch) error) error {
	return s.scan(ctx, &scan{read: func(w *worker) error { return w.batches(do) }, uncounted: true})
}

// batcher gathers the events of a part by their types.
type batcher struct {
	batch  Batch
	groups [][]index.EventHeader // by ordinal of the class
	begun  []int                 // the ordinals of those that hold events
	do     func(worker int, b *Batch) error
}

// longRun is how many events of one type in a row are decoded where their frames
// are. Fewer are gathered with others of the type.
const longRun = 32

// batches calls do with the events of the part that has been taken.
func (w *worker) batches(do func(worker int, b *Batch) error) error {
	g, records := &w.batcher, w.part.records
	for _, ordinal := range g.begun {
		g.groups[ordinal] = g.groups[ordinal][:0] // of a part that was given up
	}
	g.begun, g.do = g.begun[:0], do
	for len(records) > 0 && w.err == nil {
		if w.stops() {
			return nil
		}
		n := runOf(records)
		if err := w.gather(records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	for _, ordinal := range g.begun {
		if err := w.flush(ordinal); err != nil || w.err != nil {
			return err
		}
	}
	return nil
}

// runOf returns how many frames of the same type there are at the beginning, at
// most as many as a batch has.
func runOf(records []index.EventHeader) (n int) {
	records = records[:min(len(records), BatchLen)]
	for n = 1; n < len(records) && records[n].Type == records[0].Type; n++ {
	}
	return n
}

// gather takes events of one type that follow one another.
func (w *worker) gather(records []index.EventHeader) error {
	class := w.types.EventType(records[0].Type)
	switch {
	case !records[0].IsEvent():
		return nil
	case class == nil || w.wish.judges():
		for i := range records {
			if w.take(&records[i], noOrdinal) {
				if err := w.collect(w.event.class, records[i:i+1]); err != nil {
					return err
				}
			} else if w.err != nil && !w.tell(&records[i]) {
				return nil
			}
		}
		return nil
	case w.wish.classes != nil && !w.wish.classes[class.Ordinal()]:
		return nil
	}
	return w.collect(class, records)
}

// collect puts events with others of their class, and calls do when there are
// enough.
func (w *worker) collect(class *schema.Type, records []index.EventHeader) error {
	g, ordinal := &w.batcher, class.Ordinal()
	if ordinal >= len(g.groups) {
		g.groups = append(g.groups, make([][]index.EventHeader, len(w.types.Types)-len(g.groups))...)
	}
	if len(g.groups[ordinal])+len(records) > BatchLen || len(records) >= longRun {
		if err := w.flush(ordinal); err != nil || w.err != nil {
			return err
		}
	}
	if len(records) >= longRun {
		return w.decode(class, records)
	}
	group := g.groups[ordinal]
	if len(group) == 0 {
		g.begun = append(g.begun, ordinal)
		if group == nil {
			group = make([]index.EventHeader, 0, BatchLen)
		}
	}
	g.groups[ordinal] = append(group, records...)
	return nil
}

// flush calls do with the events that have been put together for a class.
func (w *worker) flush(ordinal int) error {
	g := &w.batcher
	if ordinal >= len(g.groups) || len(g.groups[ordinal]) == 0 {
		return nil
	}
	records := g.groups[ordinal]
	g.groups[ordinal] = records[:0]
	return w.decode(w.types.Types[ordinal], records)
}

// decode calls do with events of a class, but for those that do not fit.
func (w *worker) decode(class *schema.Type, records []index.EventHeader) error {
	b := &w.batcher.batch
	b.c, b.class, b.records = w.c, class, records
	if !b.decode() {
		b.records = w.fitting(records)
		if len(b.records) == 0 || w.err != nil || !b.decode() {
			return nil
		}
	}
	return w.lendBatch(b)
}

// fitting keeps the events whose fields lie inside them, and tells of the others.
func (w *worker) fitting(records []index.EventHeader) []index.EventHeader {
	kept := records[:0]
	for _, rec := range records {
		if w.take(&rec, noOrdinal) {
			kept = append(kept, rec)
		} else if w.err != nil && !w.tell(&rec) {
			return kept
		}
	}
	return kept
}
