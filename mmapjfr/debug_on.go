//go:build jfrdebug

package mmapjfr

import (
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/jfrdebug"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// owner is the goroutine that a scratch belongs to: the goroutine that decoded the event
// which the scratch describes.
type owner struct {
	id uintptr
}

const (
	// noOwner is the owner of a scratch that any goroutine may use.
	noOwner = 0
	// expiredOwner is the owner of an event that must not be used any more.
	expiredOwner = math.MaxUint
)

// setOwner makes the calling goroutine the owner.
func (o *owner) setOwner() {
	id := jfrdebug.Goroutine()
	if id == atomic.LoadUintptr(&o.id) {
		return
	}
	if jfrdebug.InCoroutine() {
		id = noOwner
	}
	atomic.StoreUintptr(&o.id, id)
}

// checkOwner panics if the calling goroutine must not read the event of the scratch.
func (s *scratch) checkOwner() {
	if s == nil {
		return
	}
	switch id := atomic.LoadUintptr(&s.id); {
	case id == noOwner || jfrdebug.Goroutine() == 0 || id == jfrdebug.Goroutine():
	case id == expiredOwner:
		panic(fmt.Sprintf("mmapjfr: %s is called on an event that was kept after the function that got it returned; use Event.Detached", jfrdebug.CalledAs()))
	default:
		panic(fmt.Sprintf("mmapjfr: %s is called on an event that another goroutine is iterating over; use Event.Detached", jfrdebug.CalledAs()))
	}
}

// retire makes the contents of the scratch unusable. Events that shared it find their
// fields on their own from then on.
func (s *scratch) retire() {
	atomic.StoreUintptr(&s.id, noOwner)
	s.c, s.slots = nil, 0
	for i := range s.offs {
		s.offs[i] = math.MaxUint32
	}
}

// expire makes the one event that the scratch is for unusable.
func (s *scratch) expire() {
	s.retire()
	atomic.StoreUintptr(&s.id, expiredOwner)
}

// lend calls do with the event that the worker has decoded. The event becomes unusable when
// do returns.
func (w *worker) lend(do func(worker int, ev Event) error) error {
	ev, end := lendEvent(w.event)
	defer end()
	return do(w.number, ev)
}

func init() {
	jfrdebug.LendEvent = func(ev any) (any, func()) { return lendEvent(ev.(Event)) }
}

// lendEvent returns the event with a scratch of its own, and a function that makes the event
// unusable.
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

// lendBatch calls the function of the batcher with a batch. The batch and its columns become
// unusable when the function returns.
func (w *worker) lendBatch(b *Batch) error {
	lent := &Batch{c: b.c, typ: b.typ, worker: b.worker, headers: slices.Clone(b.headers), pos: slices.Clone(b.pos), narrowed: slices.Clone(b.narrowed)}
	for _, column := range b.columns {
		lent.columns = append(lent.columns, slices.Clone(column))
	}
	defer lent.expire()
	return w.batcher.do(w.number, lent)
}

// expiry says whether a batch may still be used.
type expiry struct {
	expired atomic.Bool
}

// checkExpired panics if the function that got the batch has returned.
func (x *expiry) checkExpired() {
	if x.expired.Load() {
		panic(fmt.Sprintf("mmapjfr: %s is called after the function that got the batch returned", jfrdebug.CalledAs()))
	}
}

// expire makes the batch and its columns unusable.
func (b *Batch) expire() {
	b.expired.Store(true)
	for _, column := range b.columns {
		poisonAll(column)
	}
	poisonAll(b.constants)
	poisonAll(b.strings)
	poisonAll(b.present)
	for _, column := range b.floats {
		poisonAll(column)
	}
}

// checkLateUse is called where a view finds that its bytes must not be read. It panics if the
// recording was closed and no iteration is running. While one is running Close is allowed,
// inside a loop for instance, and other loops see it at their next event.
func (c *chunk) checkLateUse() {
	if c.rec.use() == nil {
		c.rec.done()
		return // the bytes must not be read for another reason
	}
	if c.rec.users.Load() > 0 {
		return
	}
	after := "the recording was closed, or the live chunk has grown"
	switch {
	case c == poisonedChunk:
		after = "the slice that it was in has been used again"
	case c.rec.path != "":
		after = c.rec.path + " was closed"
	}
	panic(fmt.Sprintf("mmapjfr: %s is called after %s", jfrdebug.CalledAs(), after))
}

// reuse makes what is in the memory of a slice unusable, and returns an empty slice.
func reuse[T any](s []T) []T {
	poisonAll(s)
	return nil
}

// poisonAll makes the elements of a slice unusable.
func poisonAll[T any](s []T) { poisonElements(reflect.ValueOf(s[:cap(s)])) }

// poison makes the elements of a slice unusable, and the slice nil.
func poison(slice reflect.Value) {
	poisonElements(slice)
	slice.SetZero()
}

func poisonElements(slice reflect.Value) {
	for i := range slice.Len() {
		poisonElement(slice.Index(i))
	}
}

// The values of poisoned numbers and strings.
const (
	poisonNumber = 0x5A5A5A5A5A5A5A5A
	poisonText   = "mmapjfr: this slice has been used again"
)

// poisonElement replaces a value by one that cannot be of a recording. Views panic when they
// are read.
func poisonElement(e reflect.Value) {
	switch p := e.Addr().Interface().(type) {
	case *Value:
		p.c = poisonedOr(p.c)
	case *Thread:
		p.o.c = poisonedOr(p.o.c)
	case *Class:
		p.o.c = poisonedOr(p.o.c)
	case *ClassLoader:
		p.o.c = poisonedOr(p.o.c)
	case *Method:
		p.o.c = poisonedOr(p.o.c)
	case *StackTrace:
		p.o.c = poisonedOr(p.o.c)
	default:
		switch {
		case e.CanInt():
			e.SetInt(poisonNumber >> (64 - e.Type().Bits()))
		case e.CanUint():
			e.SetUint(poisonNumber >> (64 - e.Type().Bits()))
		case e.CanFloat():
			e.SetFloat(math.NaN())
		case e.Kind() == reflect.String:
			e.SetString(poisonText)
		default:
			e.SetZero()
		}
	}
}

// poisonedOr returns the chunk of poisoned views; nil for an empty view.
func poisonedOr(c *chunk) *chunk {
	if c == nil {
		return nil
	}
	return poisonedChunk
}

// poisonedChunk is the chunk of poisoned views. Its recording is closed.
var poisonedChunk = func() *chunk {
	rec := &Recording{}
	c := &chunk{rec: rec}
	rec.chunks = []*chunk{c}
	_ = rec.Close() // cannot fail: nothing is mapped
	return c
}()

// regrow is grow in builds with the tag jfrdebug. It makes a new chunk of what the chunk has
// become, so that views of what the chunk was panic.
func (l *GrowingChunk) regrow(h wire.Header, m mapfile.Mapping, same, at uint64) (err error) {
	was := l.rec
	l.newRecording(was.index.Clone(), m)
	l.c.data = m.Data() // also if it cannot be read: the old map is gone
	if m.IsMapped() {
		was.mapping = mapfile.Mapping{} // the new recording owns the map
	}
	defer func() { _ = was.Close() }() // cannot fail: nothing is mapped
	defer l.rec.recoverFault(debug.SetPanicOnFault(true), &err)
	if err := l.rec.index.Grow(h, m.Data(), same, at); err != nil {
		return err
	}
	l.reenter(l.c)
	return nil
}
