package jvmmetrics

import "github.com/mmapjfr/jfr/mmapjfr"

// allocation is about how many bytes the program's objects take. The metrics tell the
// same by different means; they are not to be added up.
func (c *catalog) allocation() {
	const (
		sample          = "jdk.ObjectAllocationSample"
		inside, outside = "jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"
		byThread        = "jdk.ThreadAllocationStatistics"
	)
	threads := c.counter("jvm_threads_allocated_bytes_total",
		"Bytes that threads have allocated, but for what those that ended did at last", from(byThread))
	sampled := c.counter("jvm_allocation_sampled_bytes_total",
		"Bytes that samples of allocations stand for", from(sample))
	tlabs := c.counter("jvm_allocation_tlab_bytes_total",
		"Bytes of the buffers that threads got for new objects, and of objects outside of them",
		from(inside, outside), "where")

	c.on(byThread, c.allocatedByThreads(threads), "period=5s")
	weight := mmapjfr.Path("weight")
	c.on(sample, func(ev mmapjfr.Event) { sampled.addInt(ev, weight, labels{}) }, noStack, "throttle=150/s")
	buffer, object := mmapjfr.Path("tlabSize"), mmapjfr.Path("allocationSize")
	c.ifRecorded(inside, func(ev mmapjfr.Event) { tlabs.addInt(ev, buffer, labels{"tlab"}) })
	c.ifRecorded(outside, func(ev mmapjfr.Event) { tlabs.addInt(ev, object, labels{"outside"}) })
}

// maxThreads is how many threads at a time are known by what they have allocated.
const maxThreads = 100_000

// rounds knows how much each thread has allocated. The JVM tells of all threads that
// live, one after the other: that is a round, and it ends when a thread comes again.
// Threads that a whole round does not tell of have ended.
type rounds struct {
	number  int
	threads map[int64]threadSum
}

type threadSum struct {
	bytes int64
	at    int64 // nanoseconds since 1970
	round int
}

// more returns how much more a thread has allocated than was known. A thread that has
// less than before is another one, of another JVM.
func (r *rounds) more(at, thread, bytes int64) int64 {
	t, ok := r.threads[thread]
	if bytes < 0 || ok && late(at, t.at) || !ok && len(r.threads) >= maxThreads {
		return 0
	}
	if ok && t.round == r.number {
		r.number++
		// New threads may have been told of before the one that came again: they
		// have the number of the round before.
		for key, t := range r.threads {
			if t.round < r.number-2 {
				delete(r.threads, key)
			}
		}
	}
	r.threads[thread] = threadSum{bytes, at, r.number}
	if bytes < t.bytes {
		return bytes
	}
	return bytes - t.bytes
}

// allocatedByThreads returns what is to be done with events that tell how much a thread
// has allocated in its life.
func (c *catalog) allocatedByThreads(sum *summed) func(mmapjfr.Event) {
	r := &rounds{threads: map[int64]threadSum{}}
	c.onRestart(func(began int64) {
		for key, t := range r.threads {
			if t.at < began {
				delete(r.threads, key)
			}
		}
	})
	thread, bytes := mmapjfr.Path("thread"), mmapjfr.Path("allocated")
	return func(ev mmapjfr.Event) {
		if !ev.Has(bytes) {
			return
		}
		sum.add(float64(r.more(ev.StartNanos(), ev.Get(thread).Key(), ev.Int(bytes))), labels{})
	}
}
