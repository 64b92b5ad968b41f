package jvmstats

import "github.com/mmapjfr/jfr/mmapjfr"

var (
	pathObjectClass    = mmapjfr.Path("objectClass")
	pathWeight         = mmapjfr.Path("weight")
	pathTLABSize       = mmapjfr.Path("tlabSize")
	pathAllocationSize = mmapjfr.Path("allocationSize")
)

// allocations is what was allocated, by the two ways there are to know: both tell of
// all objects, so that they must not be added up.
type allocations struct {
	sampled, buffers ranking
}

func (v *Vitals) allocationSample(ev mmapjfr.Event, second int64) {
	v.alloc.sampled.add(second, v.className(ev, pathObjectClass), size(ev, pathWeight))
}

// allocationBuffer tells that a thread got a buffer: the class is that of the first
// object in it, and stands for what will be.
func (v *Vitals) allocationBuffer(ev mmapjfr.Event, second int64) {
	v.alloc.buffers.add(second, v.className(ev, pathObjectClass), size(ev, pathTLABSize))
}

func (v *Vitals) allocationOutside(ev mmapjfr.Event, second int64) {
	v.alloc.buffers.add(second, v.className(ev, pathObjectClass), size(ev, pathAllocationSize))
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
		PerSecond: v.rate(&k.all.weight, soon),
		Recent:    k.all.weight.sum(now, minute),
	}
	for _, p := range k.top(now) {
		a.Classes = append(a.Classes, ClassAlloc{asInJava(p.name), p.weight, p.count, share(p.weight, a.Recent)})
	}
	return a
}
