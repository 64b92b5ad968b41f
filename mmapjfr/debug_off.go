//go:build !jfrdebug

package mmapjfr

import (
	"reflect"

	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// reuse returns an empty slice in the memory of one that is not used any more.
func reuse[T any](s []T) []T { return s[:0] }

// poison makes what is in a slice unusable, and the slice nil. Only builds with the tag
// jfrdebug do.
func poison(reflect.Value) {}

// late is called where a view finds that its bytes have gone. Only builds with the tag
// jfrdebug do something about it.
func (c *chunk) checkLateUse() {}

// lend calls do with the event that the worker has come to.
func (w *worker) lend(do func(worker int, ev Event) error) error { return do(w.number, w.event) }

// lendBatch calls what the batcher is for with a batch.
func (w *worker) lendBatch(b *Batch) error { return w.batcher.do(w.number, b) }

// expiry tells, in builds with the tag jfrdebug, whether a batch may still be used.
type expiry struct{}

// checkExpired panics if the batch was kept too long.
func (expiry) checkExpired() {}

// owner is the goroutine that a scratch belongs to, in builds with the tag jfrdebug.
type owner struct{}

// setOwner makes the goroutine that calls the owner.
func (*owner) setOwner() {}

// checkOwner panics if an event is read that this goroutine must not read.
func (*scratch) checkOwner() {}

// retire ends the time in which the scratch tells about events: what was in it cannot
// be used any more.
func (*scratch) retire() {}

// regrow is grow for builds with the tag jfrdebug.
func (l *GrowingChunk) regrow(wire.Header, mapfile.Mapping, uint64, uint64) error { return nil }
