package jvmstats

import (
	"cmp"
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// heap is the use of the Java heap, now and before.
type heap struct {
	now Heap
	// configured is the greatest size of the heap. If no event has it, the maximum is that of the
	// memory pools together, which can be less, or the reserved size.
	configured, pools, reserved int64
	history                     history[HeapPoint]
}

// heapSummary takes an event before or after a collection.
func (v *Vitals) heapSummary(ev mmapjfr.Event, second int64) {
	used := size(ev, v.at("heapUsed"))
	switch ev.Str(v.at("when")) {
	case "Before GC":
		v.heap.now.BeforeGC = used
	case "After GC":
		v.heap.now.AfterGC = used
	}
	v.heap.reserved = size(ev, v.at("heapSpace.reservedSize"))
	v.heap.set(ev, second, used, size(ev, v.at("heapSpace.committedSize")))
}

// heapUsage takes a periodic event, in JDK 21 and later.
func (v *Vitals) heapUsage(ev mmapjfr.Event, second int64) {
	v.heap.pools = size(ev, v.at("max"))
	v.heap.set(ev, second, size(ev, v.at("used")), size(ev, v.at("committed")))
}

func (v *Vitals) heapConfiguration(ev mmapjfr.Event, _ int64) {
	v.heap.configured = size(ev, v.at("maxSize"))
}

func (h *heap) set(ev mmapjfr.Event, second, used, committed int64) {
	at := ev.End()
	if !at.Before(h.now.Time.Time) { // events of the two types are not in order
		h.now.Time, h.now.Used, h.now.Committed = jsonout.At(at), used, committed
	}
	h.history.add(second, HeapPoint{jsonout.At(at), used, committed}, fuller)
}

// fuller returns a point with the greater use.
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

// metaspaceSummary takes an event before or after a collection.
func (v *Vitals) metaspaceSummary(ev mmapjfr.Event, _ int64) {
	v.metaspace = Metaspace{
		Time:      jsonout.At(ev.End()),
		Used:      size(ev, v.at("metaspace.used")),
		Committed: size(ev, v.at("metaspace.committed")),
		Reserved:  size(ev, v.at("metaspace.reserved")),
	}
}

// collections are collections and their pauses. There is an event for each pause, and one for each
// collection with the sum of its pauses. Either can be disabled. The events of pauses count if
// there are any, because those of collections can come much later.
type collections struct {
	each, summed pauses
	causes       ranking
	young, old   string
}

// pauses is the number and the length of pauses.
type pauses struct {
	count      uint64
	total      time.Duration
	at         time.Time // when the last one ended
	last       time.Duration
	recent     tally
	recentPeak ring
}

func (p *pauses) add(ev mmapjfr.Event, second int64, sum, longest time.Duration) {
	p.count++
	p.total += sum
	p.at, p.last = ev.End(), longest
	p.recent.add(second, int64(sum))
	p.recentPeak.raise(second, int64(longest))
}

func (v *Vitals) gcPause(ev mmapjfr.Event, second int64) {
	d := length(ev.Duration())
	v.gc.each.add(ev, second, d, d)
}

func (v *Vitals) gcCollection(ev mmapjfr.Event, second int64) {
	sum := length(ev.Timespan(v.at("sumOfPauses")))
	v.gc.summed.add(ev, second, sum, length(ev.Timespan(v.at("longestPause"))))
	v.name = append(v.name[:0], ev.Str(v.at("cause"))...)
	v.gc.causes.add(second, v.name, int64(sum))
}

func (v *Vitals) gcConfiguration(ev mmapjfr.Event, _ int64) {
	v.gc.young = text(ev, v.at("youngCollector"), v.gc.young)
	v.gc.old = text(ev, v.at("oldCollector"), v.gc.old)
}

func (g *collections) snapshot(c *clock) GC {
	p := &g.each
	if p.count == 0 {
		p = &g.summed
	}
	now := c.second()
	s := GC{
		Time:    jsonout.At(p.at),
		Last:    p.last,
		Recent:  p.recent.count.sum(now, minute),
		Sum:     time.Duration(p.recent.weight.sum(now, minute)),
		Longest: time.Duration(p.recentPeak.peak(now, minute)),
		Count:   p.count,
		Total:   p.total,
		Young:   g.young,
		Old:     g.old,
	}
	s.Share = s.Sum.Seconds() / c.covered(minute)
	for _, p := range g.causes.top(now) {
		s.Causes = append(s.Causes, Cause{p.name, p.count, time.Duration(p.weight)})
	}
	return s
}

// allocations is the allocated bytes, measured in two ways. Both are about all objects, so they
// must not be added up.
type allocations struct {
	sampled, buffers ranking
	weights          *profile.Weights
}

// weighs takes an event that says what samples weigh.
func (v *Vitals) weighs(ev mmapjfr.Event, _ int64) { v.alloc.weights.Add(ev) }

func (v *Vitals) allocationSample(ev mmapjfr.Event, second int64) {
	v.alloc.sampled.add(second, v.className(ev, v.at("objectClass")), max(v.alloc.weights.Allocated(ev), 0))
}

func (v *Vitals) allocation() Allocation {
	now := v.clock.second()
	k, source := &v.alloc.sampled, "jdk.ObjectAllocationSample"
	if !k.seen(now) {
		k, source = &v.alloc.buffers, "jdk.ObjectAllocationInNewTLAB"
	}
	if k.rows == nil {
		return Allocation{}
	}
	a := Allocation{
		Source:    source,
		PerSecond: v.rate(&k.all.weight, rateSeconds),
		Recent:    k.all.weight.sum(now, minute),
	}
	for _, p := range k.top(now) {
		a.Classes = append(a.Classes, ClassAlloc{asInJava(p.name), p.weight, p.count, share(p.weight, a.Recent)})
	}
	return a
}
