package jvmstats

import (
	"cmp"

	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	pathWhen               = mmapjfr.Path("when")
	pathHeapUsed           = mmapjfr.Path("heapUsed")
	pathHeapCommitted      = mmapjfr.Path("heapSpace.committedSize")
	pathHeapReserved       = mmapjfr.Path("heapSpace.reservedSize")
	pathMaxSize            = mmapjfr.Path("maxSize")
	pathUsed               = mmapjfr.Path("used")
	pathCommitted          = mmapjfr.Path("committed")
	pathMax                = mmapjfr.Path("max")
	pathMetaspaceUsed      = mmapjfr.Path("metaspace.used")
	pathMetaspaceCommitted = mmapjfr.Path("metaspace.committed")
	pathMetaspaceReserved  = mmapjfr.Path("metaspace.reserved")
)

// heap is how full the Java heap is and was.
type heap struct {
	now Heap
	// configured is the greatest size that there may be. As long as no event tells it,
	// the maximum is what the memory pools may have together, which can be less, or
	// that for which there is room.
	configured, pools, reserved int64
	history                     history[HeapPoint]
}

// heapSummary comes before and after each collection.
func (v *Vitals) heapSummary(ev mmapjfr.Event, second int64) {
	used := size(ev, pathHeapUsed)
	switch ev.Str(pathWhen) {
	case "Before GC":
		v.heap.now.BeforeGC = used
	case "After GC":
		v.heap.now.AfterGC = used
	}
	v.heap.reserved = size(ev, pathHeapReserved)
	v.heap.set(ev, second, used, size(ev, pathHeapCommitted))
}

// heapUsage comes at regular times, in JDK 21 and later.
func (v *Vitals) heapUsage(ev mmapjfr.Event, second int64) {
	v.heap.pools = size(ev, pathMax)
	v.heap.set(ev, second, size(ev, pathUsed), size(ev, pathCommitted))
}

func (v *Vitals) heapConfiguration(ev mmapjfr.Event, _ int64) {
	v.heap.configured = size(ev, pathMaxSize)
}

func (h *heap) set(ev mmapjfr.Event, second, used, committed int64) {
	at := ev.End()
	if !at.Before(h.now.Time) { // events of two types are not in order
		h.now.Time, h.now.Used, h.now.Committed = at, used, committed
	}
	h.history.add(second, HeapPoint{at, used, committed}, fuller)
}

// fuller returns a point that tells the most that was used.
func fuller(a, b HeapPoint) HeapPoint {
	b.Used = max(a.Used, b.Used)
	return b
}

func (h *heap) snapshot() Heap {
	s := h.now
	s.Max = cmp.Or(h.configured, h.pools, h.reserved)
	s.History = h.history.list()
	return s
}

// metaspaceSummary comes before and after each collection.
func (v *Vitals) metaspaceSummary(ev mmapjfr.Event, _ int64) {
	v.metaspace = Metaspace{
		Time:      ev.End(),
		Used:      size(ev, pathMetaspaceUsed),
		Committed: size(ev, pathMetaspaceCommitted),
		Reserved:  size(ev, pathMetaspaceReserved),
	}
}
