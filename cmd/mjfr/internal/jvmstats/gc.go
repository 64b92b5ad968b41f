package jvmstats

import (
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// collections are collections and their pauses. There is an event for each pause, and one for each
// collection with the sum of its pauses. Either can be disabled. The events of pauses count if
// there are any, because those of collections can come much later.
type collections struct {
	each, summed pauseSums
	causes       ranking
	young, old   string
}

// pauseSums is the number and the length of pauses.
type pauseSums struct {
	count      uint64
	total      time.Duration
	at         time.Time // when the last one ended
	last       time.Duration
	recent     tally
	recentPeak ring
}

func (p *pauseSums) add(at time.Time, second, sum, longest int64) {
	p.count++
	p.total += time.Duration(sum)
	p.at, p.last = at, time.Duration(longest)
	p.recent.add(second, sum)
	p.recentPeak.raise(second, longest)
}

// collections adds metrics of garbage collections and safepoints.
func (v *Vitals) collections() {
	longest, cause := mmapjfr.Path("longestPause"), mmapjfr.Path("cause")
	collection := func(ev mmapjfr.Event, sum float64) {
		peak, ok := seconds(ev, longest)
		if !ok {
			peak = 0
		}
		v.gc.summed.add(ev.End(), v.second, nanos(sum), nanos(peak))
		v.name = append(v.name[:0], ev.Str(cause)...)
		v.gc.causes.add(v.second, v.name, nanos(sum))
	}
	pause := func(ev mmapjfr.Event, length float64) {
		v.gc.each.add(ev.End(), v.second, nanos(length), nanos(length))
	}
	young, old := mmapjfr.Path("youngCollector"), mmapjfr.Path("oldCollector")
	v.on("jdk.GCConfiguration", "period=beginChunk")
	v.handle("jdk.GCConfiguration", func(ev mmapjfr.Event) {
		v.gc.young, v.gc.old = text(ev, young, v.gc.young), text(ev, old, v.gc.old)
	})
	v.on("jdk.GarbageCollection", "threshold=0ms",
		value{pauses, "jvm_gc_collection_seconds", "How long collections took from beginning to end, the program running or not", "duration", seconds, "gc:name"},
		value{pauses, "jvm_gc_pause_seconds", "How long the program stood still in a collection, all its pauses together", "sumOfPauses", and(seconds, collection), "gc:name, cause:cause"})
	v.on("jdk.GCPhasePause", "threshold=0ms",
		value{pauses, "jvm_gc_phase_pause_seconds", "How long each pause of a collection took", "duration", and(seconds, pause), "phase:name"})
	v.on("jdk.GCCPUTime", "metrics:",
		value{counter, "jvm_gc_cpu_seconds_total", "Processor time that collections took", "userTime", seconds, "mode=user"},
		value{counter, "jvm_gc_cpu_seconds_total", "", "systemTime", seconds, "mode=system"})
	v.safepoints()
}

func (v *Vitals) collectionsNow() GC {
	p := &v.gc.each
	if p.count == 0 {
		p = &v.gc.summed
	}
	now := v.clock.second()
	s := GC{
		Time:    jsonout.At(p.at),
		Last:    p.last,
		Recent:  p.recent.count.sum(now, minute),
		Sum:     time.Duration(p.recent.weight.sum(now, minute)),
		Longest: time.Duration(p.recentPeak.peak(now, minute)),
		Count:   p.count,
		Total:   p.total,
		Young:   v.gc.young,
		Old:     v.gc.old,
	}
	s.Share = s.Sum.Seconds() / v.clock.covered(minute)
	for _, p := range v.gc.causes.top(now) {
		s.Causes = append(s.Causes, Cause{p.name, p.count, time.Duration(p.weight)})
	}
	return s
}

// safepoints adds metrics of all pauses that the JVM imposes on threads.
func (v *Vitals) safepoints() {
	const begin, end = "jdk.SafepointBegin", "jdk.SafepointEnd"
	v.on(begin, "metrics: threshold=0ms",
		value{pauses, "jvm_safepoint_begin_seconds", "How long it took until all threads had stopped for a safepoint", "duration", seconds, ""})
	v.on(end, "metrics: threshold=0ms")
	whole := v.metric(begin, pauses, "jvm_safepoint_seconds",
		"How long safepoints took, from the first thread that was to stop until all could go on")
	v.metric(end, pauses, whole.name, "")
	pairs := map[int64]safepoint{}
	v.onRestart(func(int64) { clear(pairs) })
	join := func(id int64, s safepoint) {
		switch {
		case s.start != 0 && s.end != 0:
			whole.put(s.end, between(s.start, s.end), labels{})
			delete(pairs, id)
			return
		case len(pairs) >= maxPairs: // most of them will never be complete
			clear(pairs)
		}
		pairs[id] = s
	}
	id := mmapjfr.Path("safepointId")
	v.handle(begin, func(ev mmapjfr.Event) {
		if ev.Has(id) {
			n := ev.Int(id)
			join(n, safepoint{ev.StartNanos(), pairs[n].end})
		}
	})
	v.handle(end, func(ev mmapjfr.Event) {
		n := ev.Int(id)
		join(n, safepoint{pairs[n].start, engine.EventEndNanos(ev)})
	})
}

// safepoint has the times of a safepoint in nanoseconds since 1970; 0 if its event has not arrived.
// There is one safepoint at a time, but in a file the event of its end can precede that of its
// beginning.
type safepoint struct{ start, end int64 }

// maxPairs is the number of incomplete safepoints that are kept.
const maxPairs = 64

// between returns the seconds between two times in nanoseconds since 1970.
func between(start, end int64) float64 { return time.Duration(end - start).Seconds() }
