//go:build jfrdebug

package mmapjfr

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/goid"
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
