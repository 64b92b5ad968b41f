//go:build !jfrdebug

package mmapjfr

import (
	"reflect"

	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// What builds with the tag jfrdebug check (debug_on.go) costs nothing in this one.

// owner is the goroutine that a scratch belongs to, where that is checked.
type owner struct{}

func (*owner) setOwner() {}

func (*scratch) checkOwner() {}

func (*scratch) retire() {}

// lend calls do with the event that the worker has decoded.
func (w *worker) lend(do func(worker int, ev Event) error) error { return do(w.number, w.event) }

// lendBatch calls the function of the batcher with a batch.
func (w *worker) lendBatch(b *Batch) error { return w.batcher.do(w.number, b) }

// expiry says whether a batch may still be used, where that is checked.
type expiry struct{}

func (expiry) checkExpired() {}

func (c *chunk) checkLateUse() {}

// reuse returns an empty slice in the memory of one that is no longer used.
func reuse[T any](s []T) []T { return s[:0] }

func poison(reflect.Value) {}

// regrow is called in builds with the tag jfrdebug only.
func (l *GrowingChunk) regrow(wire.Header, mapfile.Mapping, uint64, uint64) error { return nil }
