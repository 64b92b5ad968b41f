package mmapjfr

import (
	"context"
	"sync"
)

// Fold reads the events of the selection on several goroutines, as
// [Selection.Parallel] does, and sums them up in the order of the file. Each 256
// KiB of a chunk have a sum of their own, which begins as the zero T: add is
// called with it for every event in order. Then join adds to a sum the one that
// follows in the file.
//
// The sums, and the order in which they are joined, depend on the file and the selection
// alone. So the result does not depend on the number of workers, even if adding is not
// associative, as with floating point, or if the order matters.
//
// Calls of add for the same sum never overlap, and neither do calls of join. Errors are those
// of Parallel. With errors about what cannot be read Fold returns the sum of all that can.
func Fold[T any](ctx context.Context, s *Selection, add func(sum *T, ev Event) error, join func(sum, next *T)) (T, error) {
	f := newFolding(s, join)
	return f.scan(ctx, s, &scan{read: func(w *worker) error {
		return w.events(func(worker int, ev Event) error { return add(f.sum(worker), ev) })
	}})
}

// foldBatches is [Fold] for batches of events.
func foldBatches(
	ctx context.Context, s *Selection, add func(sum *any, b *Batch) error, join func(sum, next *any),
) (any, error) {
	f := newFolding(s, join)
	return f.scan(ctx, s, &scan{noOrdinals: true, read: func(w *worker) error {
		return w.batches(func(worker int, b *Batch) error { return add(f.sum(worker), b) })
	}})
}

// folding is the sums of a [Fold].
type folding[T any] struct {
	join    func(sum, next *T)
	current []*T // by worker; nil if there is nothing yet

	first int // number of the first chunk of the selection

	mu     sync.Mutex // guards what follows
	chunks []sums[T]
	next   int // the chunk to be joined next, among those of the selection
	total  T
}

func newFolding[T any](s *Selection, join func(sum, next *T)) *folding[T] {
	f := &folding[T]{join: join, current: make([]*T, s.workers), chunks: make([]sums[T], len(s.chunks))}
	if len(s.chunks) > 0 {
		f.first = s.chunks[0].ix.Number()
	}
	return f
}

// scan returns the sum of what the scan adds.
func (f *folding[T]) scan(ctx context.Context, s *Selection, x *scan) (T, error) {
	x.partRead, x.chunkRead = f.partRead, f.chunkRead
	err := s.scan(ctx, x)
	return f.total, err
}

// sums are the sums of a chunk: of the parts that have been joined, and of parts that wait for
// one before them.
type sums[T any] struct {
	sum    *T
	joined int
	parts  int // how many parts the chunk has, if it has ended
	ended  bool
	wait   map[int]*T
}

// sum returns the sum of the part that a worker reads.
func (f *folding[T]) sum(worker int) *T {
	if f.current[worker] == nil {
		f.current[worker] = new(T)
	}
	return f.current[worker]
}

// partRead joins the sum of a part that a worker has read.
func (f *folding[T]) partRead(worker int, id partID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &f.chunks[id.chunk-f.first]
	if c.wait == nil {
		c.wait = make(map[int]*T)
	}
	c.wait[id.part], f.current[worker] = f.current[worker], nil
	for sum, ok := c.wait[c.joined]; ok; sum, ok = c.wait[c.joined] {
		delete(c.wait, c.joined)
		c.joined++
		switch {
		case c.sum == nil:
			c.sum = sum
		case sum != nil:
			f.join(c.sum, sum)
		}
	}
	f.advance()
}

// chunkRead sets how many parts a chunk has.
func (f *folding[T]) chunkRead(chunk, parts int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &f.chunks[chunk-f.first]
	c.parts, c.ended = parts, true
	f.advance()
}

// advance adds the chunks that are complete to the total, in their order.
func (f *folding[T]) advance() {
	for ; f.next < len(f.chunks); f.next++ {
		c := &f.chunks[f.next]
		if !c.ended || c.joined < c.parts {
			return
		}
		if c.sum != nil {
			f.join(&f.total, c.sum)
		}
		*c = sums[T]{}
	}
}
