//go:build !jfrdebug

package mmapjfr

// lend calls do with the event that the worker has come to.
func (w *worker) lend(do func(worker int, ev Event) error) error { return do(w.number, w.event) }

// lendBatch calls what the batcher is for with a batch.
func (w *worker) lendBatch(b *Batch) error { return w.batcher.do(w.number, b) }

// expiry tells, in builds with the tag jfrdebug, whether a batch may still be used.
type expiry struct{}

// checkExpired panics if the batch was kept too long.
func (expiry) checkExpired() {}
