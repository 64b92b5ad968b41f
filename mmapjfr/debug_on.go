//go:build jfrdebug

package mmapjfr

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/goid"
	"github.com/mmapjfr/jfr/internal/lease"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// owner is the goroutine that a scratch belongs to: the one that went to the event which
// it tells about now.
type owner struct {
	id uintptr // anyone if it belongs to none
}

const (
	noOwner = 0
	// expiredOwner is the owner of an event whose time is over.
	expiredOwner = math.MaxUint
)

// setOwner makes the goroutine that calls the owner.
func (o *owner) setOwner() {
	id := goid.Current()
	if id == atomic.LoadUintptr(&o.id) {
		return
	}
	if isCoroutine() {
		id = noOwner
	}
	atomic.StoreUintptr(&o.id, id)
}

// isCoroutine tells whether the goroutine is one of iter.Pull, which runs only while the
// goroutine that reads the events waits.
func isCoroutine() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if f.Function == "runtime.corostart" {
			return true
		}
		if !more {
			return false
		}
	}
}

// checkOwner panics if an event is read that this goroutine must not read.
func (s *scratch) checkOwner() {
	if s == nil {
		return
	}
	switch id := atomic.LoadUintptr(&s.id); {
	case id == noOwner || goid.Current() == 0 || id == goid.Current():
	case id == expiredOwner:
		panic(fmt.Sprintf("mmapjfr: %s is called on an event that was kept after the function that got it returned; use Event.Detached", accessor()))
	default:
		panic(fmt.Sprintf("mmapjfr: %s is called on an event that another goroutine is iterating over; use Event.Detached", accessor()))
	}
}

// retire ends the time in which the scratch tells about events: what was in it cannot
// be used any more. The events find their fields by themselves.
func (s *scratch) retire() {
	atomic.StoreUintptr(&s.id, noOwner)
	s.c, s.slots, s.own = nil, 0, nil
	for i := range s.offs {
		s.offs[i] = math.MaxUint32
	}
}

// expire ends the time of the one event that the scratch is for.
func (s *scratch) expire() {
	s.retire()
	atomic.StoreUintptr(&s.id, expiredOwner)
}

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

// late is called where a view finds that its bytes have gone. It panics if that is
// because the recording was closed. While some iteration still goes on it does not:
// Close may be called inside a loop, and other loops come to know of it at their next
// event.
func (c *chunk) checkLateUse() {
	if c.rec.use() == nil {
		c.rec.done()
		return // they have gone for another reason
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
	panic(fmt.Sprintf("mmapjfr: %s is called after %s", accessor(), after))
}

// reuse returns an empty slice for what was in the memory of one that is not used any
// more. Whoever still uses that finds nothing there that can be taken for something.
func reuse[T any](s []T) []T {
	poisonAll(s)
	return nil
}

// poisonAll makes what is in a slice unusable.
func poisonAll[T any](s []T) { poisonElements(reflect.ValueOf(s[:cap(s)])) }

// poison makes what is in a slice unusable, and the slice nil.
func poison(slice reflect.Value) {
	poisonElements(slice)
	slice.SetZero()
}

func poisonElements(slice reflect.Value) {
	for i := range slice.Len() {
		poisonElement(slice.Index(i))
	}
}

// What has been spoilt is.
const (
	poisonNumber = 0x5A5A5A5A5A5A5A5A
	poisonText   = "mmapjfr: this slice has been used again"
)

// poisonElement makes of a value one that nobody takes for that of a recording. A view
// panics when it is looked into.
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

// poisonedOr returns the chunk of views that have been spoilt, for all but empty ones.
func poisonedOr(c *chunk) *chunk {
	if c == nil {
		return nil
	}
	return poisonedChunk
}

// poisonedChunk is the chunk of views that have been spoilt: one of a recording that is closed.
var poisonedChunk = func() *chunk {
	rec := &Recording{}
	c := &chunk{rec: rec}
	rec.chunks = []*chunk{c}
	_ = rec.Close() // there is nothing that could fail
	return c
}()

// regrow is grow for builds with the tag jfrdebug: what the chunk has become is another
// chunk, and views of what it was panic.
func (l *GrowingChunk) regrow(h wire.Header, m mapfile.Mapping, same, at uint64) (err error) {
	was := l.rec
	l.newRecording(was.index.Clone(), m)
	l.c.data = m.Data() // also if it cannot be read: what was mapped before goes
	if m.IsMapped() {
		was.mapping = mapfile.Mapping{} // the map goes on
	}
	defer func() { _ = was.Close() }() // there is no map to be given back
	defer l.rec.guard(debug.SetPanicOnFault(true), &err)
	if err := l.rec.index.Grow(h, m.Data(), same, at); err != nil {
		return err
	}
	l.reenter(l.c)
	return nil
}

// accessor returns the name of the function that the package was called by, such as
// "Event.Str".
func accessor() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	here, more := frames.Next()
	name := "an accessor"
	for more {
		var f runtime.Frame
		f, more = frames.Next()
		ours := filepath.Dir(f.File) == filepath.Dir(here.File) && !strings.HasSuffix(f.File, "_test.go")
		if !ours && !strings.HasPrefix(f.Function, "runtime.") {
			break
		}
		if called := exported.FindStringSubmatch(noise.ReplaceAllString(f.Function, "")); ours && called != nil {
			name = called[1]
		}
	}
	return name
}

var (
	// noise is what a function has in its name besides what it is known by.
	noise = regexp.MustCompile(`\(\*|\)|\[.*?\]|[.-](func|range|gowrap)?\d+|-fm$`)
	// exported finds the name of a function, with its type, that can be called from
	// elsewhere.
	exported = regexp.MustCompile(`((?:\b[A-Z]\w*\.)?[A-Z]\w*)$`)
)
