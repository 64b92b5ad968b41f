package jvmmetrics

import (
	"github.com/mmapjfr/jfr/mmapjfr"
)

// memory adds metrics of the heap, of other areas of memory, and of their pools.
func (c *catalog) memory() {
	const (
		heapUsage, poolUsage   = "jdk.GCHeapMemoryUsage", "jdk.GCHeapMemoryPoolUsage"
		heapSummary, heapLimit = "jdk.GCHeapSummary", "jdk.GCHeapConfiguration"
		metaspace, codeCache   = "jdk.MetaspaceSummary", "jdk.CodeCacheStatistics"
	)
	areas := space{
		used: c.gauge("jvm_memory_used_bytes", "Bytes in use of the heap, and of metaspace and code cache (nonheap)",
			from(heapUsage, heapSummary, metaspace, codeCache), "area"),
		committed: c.gauge("jvm_memory_committed_bytes", "Bytes that the operating system has granted to the heap",
			from(heapUsage, heapSummary), "area"),
		most: c.gauge("jvm_memory_max_bytes", "Bytes that the heap can grow to",
			from(heapUsage, heapLimit), "area"),
	}
	initial := c.gauge("jvm_memory_init_bytes", "Bytes that the heap has to begin with", from(heapLimit), "area")
	pools := space{
		used: c.gauge("jvm_memory_pool_used_bytes", "Bytes in use of a memory pool",
			from(poolUsage, metaspace, codeCache), "pool"),
		committed: c.gauge("jvm_memory_pool_committed_bytes", "Bytes that the operating system has granted to a memory pool",
			from(poolUsage, metaspace), "pool"),
		most: c.gauge("jvm_memory_pool_max_bytes", "Bytes that a memory pool can grow to, -1 if there is no limit of its own",
			from(poolUsage, metaspace, codeCache), "pool"),
	}
	afterGC := c.gauge("jvm_gc_heap_used_bytes", "Bytes in use of the heap before and after the last collection",
		from(heapSummary), "when")

	heap := labels{"heap"}
	c.on(heapUsage, func(ev mmapjfr.Event) { areas.set(ev, plainSizes, heap) }, "period=5s")
	name := mmapjfr.Path("name")
	c.on(poolUsage, func(ev mmapjfr.Event) { pools.set(ev, plainSizes, labels{ev.Str(name)}) }, "period=5s")
	when, used := mmapjfr.Path("when"), mmapjfr.Path("heapUsed")
	committed := mmapjfr.Path("heapSpace.committedSize")
	c.on(heapSummary, func(ev mmapjfr.Event) {
		areas.used.setInt(ev, used, heap)
		areas.committed.setInt(ev, committed, heap)
		afterGC.setInt(ev, used, labels{whenOf(ev.Str(when))})
	})
	max, first := mmapjfr.Path("maxSize"), mmapjfr.Path("initialSize")
	c.on(heapLimit, func(ev mmapjfr.Event) {
		areas.most.setInt(ev, max, heap)
		initial.setInt(ev, first, heap)
	})

	beside := c.newNonheap(areas.used)
	c.on(metaspace, beside.metaspaceInto(pools))
	c.on(codeCache, beside.codeInto(pools, c.codeCache(codeCache)), "period=10s")
	c.nativeMemory()
	c.directBuffers()
}

// space is the metrics of a piece of memory.
type space struct{ used, committed, most *sampled }

// sizes are the paths to the values of a space; nil for a value that is missing.
type sizes struct{ used, committed, most *mmapjfr.FieldPath }

var plainSizes = sizes{mmapjfr.Path("used"), mmapjfr.Path("committed"), mmapjfr.Path("max")}

func (s *space) set(ev mmapjfr.Event, of sizes, l labels) {
	s.used.setInt(ev, of.used, l)
	s.committed.setInt(ev, of.committed, l)
	if of.most != nil {
		s.most.setInt(ev, of.most, l)
	}
}

// whenOf returns a label for "Before GC" and "After GC".
func whenOf(when string) string {
	switch when {
	case "Before GC":
		return "before"
	case "After GC":
		return "after"
	}
	return when
}

// nativeMemory adds metrics of memory for the JVM itself. The JVM tracks it only on request.
func (c *catalog) nativeMemory() {
	const each, total = "jdk.NativeMemoryUsage", "jdk.NativeMemoryUsageTotal"
	committed := c.gauge("jvm_native_memory_committed_bytes",
		"Bytes granted by the operating system, by what the JVM uses them for; needs -XX:NativeMemoryTracking",
		from(each, total), "pool")
	reserved := c.gauge("jvm_native_memory_reserved_bytes",
		"Bytes of addresses reserved, by what the JVM uses them for; needs -XX:NativeMemoryTracking",
		from(each, total), "pool")
	kind := mmapjfr.Path("type")
	granted, held := mmapjfr.Path("committed"), mmapjfr.Path("reserved")
	c.on(each, func(ev mmapjfr.Event) {
		l := labels{ev.Str(kind)}
		committed.setInt(ev, granted, l)
		reserved.setInt(ev, held, l)
	}, "period=10s")
	c.on(total, func(ev mmapjfr.Event) {
		committed.setInt(ev, granted, labels{"Total"})
		reserved.setInt(ev, held, labels{"Total"})
	}, "period=10s")
}

// directBuffers adds metrics of the buffers of java.nio outside the heap.
func (c *catalog) directBuffers() {
	const event = "jdk.DirectBufferStatistics"
	used := c.gauge("jvm_buffer_pool_used_bytes", "Bytes in use of a pool of buffers", from(event), "pool")
	capacity := c.gauge("jvm_buffer_pool_capacity_bytes", "Bytes that the buffers of a pool can hold", from(event), "pool")
	buffers := c.gauge("jvm_buffer_pool_used_buffers", "Buffers of a pool", from(event), "pool")
	most := c.gauge("jvm_buffer_pool_max_bytes", "Bytes that the buffers of a pool may take", from(event), "pool")
	inUse, room := mmapjfr.Path("memoryUsed"), mmapjfr.Path("totalCapacity")
	count, limit := mmapjfr.Path("count"), mmapjfr.Path("maxCapacity")
	c.on(event, func(ev mmapjfr.Event) {
		direct := labels{"direct"}
		used.setInt(ev, inUse, direct)
		capacity.setInt(ev, room, direct)
		buffers.setInt(ev, count, direct)
		most.setInt(ev, limit, direct)
	}, "period=5s")
}

// nonheap adds up the areas outside the heap, which no single event has. There is no sum before all
// areas are known.
type nonheap struct {
	sum *sampled
	// metaspace is the size of classes in bytes, with compressed ones; -1 if it is not known.
	// Java's own sum counts compressed ones twice.
	metaspace float64
	// code is the used bytes of each code heap. There is one, or there are three.
	code map[string]float64
	// metaspaceAt and codeAt are the times of these values in nanoseconds since 1970.
	metaspaceAt, codeAt int64
}

// maxCodeHeaps is more than any JVM has.
const maxCodeHeaps = 8

func (c *catalog) newNonheap(sum *sampled) *nonheap {
	n := &nonheap{sum: sum, metaspace: -1, code: map[string]float64{}}
	c.onRestart(func(began int64) {
		if n.metaspaceAt < began {
			n.metaspace = -1
		}
		if n.codeAt < began {
			clear(n.code)
		}
	})
	return n
}

// update sets the sum at the time of an event that has changed it.
func (n *nonheap) update(ev mmapjfr.Event) {
	if n.metaspace < 0 || len(n.code) == 0 {
		return
	}
	sum := n.metaspace
	for _, used := range n.code {
		sum += used
	}
	n.sum.set(ev.StartNanos(), sum, labels{"nonheap"})
}

// metaspaceInto returns the handler of events about metaspace.
func (n *nonheap) metaspaceInto(pools space) func(mmapjfr.Event) {
	all := sizes{used: mmapjfr.Path("metaspace.used"), committed: mmapjfr.Path("metaspace.committed")}
	compressed := sizes{
		mmapjfr.Path("classSpace.used"), mmapjfr.Path("classSpace.committed"), mmapjfr.Path("classSpace.reserved"),
	}
	return func(ev mmapjfr.Event) {
		pools.set(ev, all, labels{"Metaspace"})
		if ev.Int(compressed.most) > 0 { // otherwise classes are not compressed
			pools.set(ev, compressed, labels{"Compressed Class Space"})
		}
		if ev.Has(all.used) {
			n.metaspace, n.metaspaceAt = float64(ev.Int(all.used)), ev.StartNanos()
			n.update(ev)
		}
	}
}

// codeInto returns the handler of events about a heap of compiled code. The used part is the size
// less the unallocated part.
func (n *nonheap) codeInto(pools space, counts func(mmapjfr.Event, labels)) func(mmapjfr.Event) {
	name, free := mmapjfr.Path("codeBlobType"), mmapjfr.Path("unallocatedCapacity")
	start, end := mmapjfr.Path("startAddress"), mmapjfr.Path("reservedTopAddress")
	return func(ev mmapjfr.Event) {
		heap := labels{ev.Str(name)}
		counts(ev, heap)
		size, unallocated := ev.Uint(end)-ev.Uint(start), ev.Uint(free)
		if !ev.Has(free) || ev.Uint(start) > ev.Uint(end) || unallocated > size {
			return // the values contradict each other, or are missing
		}
		used := size - unallocated
		pools.used.set(ev.StartNanos(), float64(used), heap)
		pools.most.set(ev.StartNanos(), float64(size), heap)
		n.codeAt = ev.StartNanos()
		if _, ok := n.code[heap[0]]; ok || len(n.code) < maxCodeHeaps {
			n.code[heap[0]] = float64(used)
		}
		n.update(ev)
	}
}

// codeCache adds metrics of the heaps of compiled code. It returns the handler of events about one
// heap.
func (c *catalog) codeCache(event string) func(mmapjfr.Event, labels) {
	entries := c.gauge("jvm_code_cache_entries", "Pieces of code in a heap of compiled code", from(event), "pool")
	methods := c.gauge("jvm_code_cache_methods", "Methods in a heap of compiled code", from(event), "pool")
	full := c.cumulative("jvm_code_cache_full_total", "How often a heap of compiled code was full", from(event), "pool")
	pieces, compiled, times := mmapjfr.Path("entryCount"), mmapjfr.Path("methodCount"), mmapjfr.Path("fullCount")
	return func(ev mmapjfr.Event, heap labels) {
		entries.setInt(ev, pieces, heap)
		methods.setInt(ev, compiled, heap)
		full.setInt(ev, times, heap)
	}
}

// allocation adds metrics of allocated bytes. They measure the same in different ways, so they must
// not be added up.
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

// maxThreads is the greatest number of threads in rounds.
const maxThreads = 100_000

// rounds has the allocated bytes of each thread. The JVM records all live threads one after the
// other. That is a round; it ends when a thread comes again. A thread that is missing in a whole
// round has ended.
type rounds struct {
	number  int
	threads map[int64]threadSum
}

type threadSum struct {
	bytes int64
	at    int64 // nanoseconds since 1970
	round int
}

// more returns how much a thread has allocated since its last event. If the number is less than
// before, the thread is one of another JVM.
func (r *rounds) more(at, thread, bytes int64) int64 {
	t, ok := r.threads[thread]
	if bytes < 0 || ok && late(at, t.at) || !ok && len(r.threads) >= maxThreads {
		return 0
	}
	if ok && t.round == r.number {
		r.number++
		// New threads may have come before the one that came again. They have the number of the
		// round before.
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

// allocatedByThreads returns the handler of events with the allocated bytes of a thread since its
// start.
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
