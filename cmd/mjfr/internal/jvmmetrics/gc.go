package jvmmetrics

import (
	"github.com/mmapjfr/jfr/mmapjfr"
)

// pauses are the limits of buckets for pauses: from the microseconds of ZGC to collections of the
// whole heap.
var pauses = []float64{1e-5, 1e-4, 1e-3, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// collections adds metrics of garbage collections and safepoints.
func (c *catalog) collections() {
	const event, phase, cpuTime = "jdk.GarbageCollection", "jdk.GCPhasePause", "jdk.GCCPUTime"
	whole := c.histogram("jvm_gc_collection_seconds",
		"How long collections took from beginning to end, the program running or not", pauses, from(event), "gc")
	stops := c.histogram("jvm_gc_pause_seconds",
		"How long the program stood still in a collection, all its pauses together", pauses, from(event), "gc", "cause")
	phases := c.histogram("jvm_gc_phase_pause_seconds",
		"How long each pause of a collection took", pauses, from(phase), "phase")
	cpu := c.counter("jvm_gc_cpu_seconds_total",
		"Processor time that collections took", from(cpuTime), "mode")

	name, cause, sum := mmapjfr.Path("name"), mmapjfr.Path("cause"), mmapjfr.Path("sumOfPauses")
	c.on(event, func(ev mmapjfr.Event) {
		gc := ev.Str(name)
		whole.took(ev, labels{gc})
		if ev.Has(sum) {
			stops.observe(ev.Timespan(sum), labels{gc, ev.Str(cause)})
		}
	}, "threshold=0ms")
	c.on(phase, func(ev mmapjfr.Event) { phases.took(ev, labels{ev.Str(name)}) }, "threshold=0ms")
	user, system := mmapjfr.Path("userTime"), mmapjfr.Path("systemTime")
	c.on(cpuTime, func(ev mmapjfr.Event) {
		cpu.addSeconds(ev, user, labels{"user"})
		cpu.addSeconds(ev, system, labels{"system"})
	})
	c.safepoints()
}

// safepoints adds metrics of all pauses that the JVM imposes on threads.
func (c *catalog) safepoints() {
	const begin, end = "jdk.SafepointBegin", "jdk.SafepointEnd"
	reach := c.histogram("jvm_safepoint_begin_seconds",
		"How long it took until all threads had stopped for a safepoint", pauses, from(begin))
	whole := c.histogram("jvm_safepoint_seconds",
		"How long safepoints took, from the first thread that was to stop until all could go on", pauses, from(begin, end))
	pairs := map[int64]safepoint{}
	c.onRestart(func(int64) { clear(pairs) })
	join := func(id int64, s safepoint) {
		switch {
		case s.start != 0 && s.end != 0:
			whole.observe(between(s.start, s.end), labels{})
			delete(pairs, id)
			return
		case len(pairs) >= maxPairs: // most of them will never be complete
			clear(pairs)
		}
		pairs[id] = s
	}
	id := mmapjfr.Path("safepointId")
	c.on(begin, func(ev mmapjfr.Event) {
		reach.took(ev, labels{})
		if ev.Has(id) {
			n := ev.Int(id)
			join(n, safepoint{ev.StartNanos(), pairs[n].end})
		}
	}, "threshold=0ms")
	c.on(end, func(ev mmapjfr.Event) {
		n := ev.Int(id)
		join(n, safepoint{pairs[n].start, ev.EndNanos()})
	}, "threshold=0ms")
}

// safepoint has the times of a safepoint in nanoseconds since 1970; 0 if its event has not arrived.
// There is one safepoint at a time, but in a file the event of its end can precede that of its
// beginning.
type safepoint struct{ start, end int64 }

// maxPairs is the number of incomplete safepoints that are kept.
const maxPairs = 64
