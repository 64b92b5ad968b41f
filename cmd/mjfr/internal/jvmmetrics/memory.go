package jvmmetrics

import (
	"maps"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// memory adds metrics of the heap, of other areas of memory, and of their pools.
func (c *catalog) memory() {
	const summary, used = "jdk.GCHeapSummary", "jvm_memory_used_bytes"
	c.on("jdk.GCHeapMemoryUsage", "period=5s",
		value{gauge, used, "Bytes in use of the heap, and of metaspace and code cache (nonheap)", "used", number, "area=heap"},
		value{gauge, "jvm_memory_committed_bytes", "Bytes that the operating system has granted to the heap", "committed", number, "area=heap"},
		value{gauge, "jvm_memory_max_bytes", "Bytes that the heap can grow to", "max", number, "area=heap"})
	c.on("jdk.GCHeapMemoryPoolUsage", "period=5s",
		value{gauge, "jvm_memory_pool_used_bytes", "Bytes in use of a memory pool", "used", number, "pool:name"},
		value{gauge, "jvm_memory_pool_committed_bytes", "Bytes that the operating system has granted to a memory pool", "committed", number, "pool:name"},
		value{gauge, "jvm_memory_pool_max_bytes", "Bytes that a memory pool can grow to, -1 if there is no limit of its own", "max", number, "pool:name"})
	c.on(summary, "",
		value{gauge, used, "", "heapUsed", number, "area=heap"},
		value{gauge, "jvm_memory_committed_bytes", "", "heapSpace.committedSize", number, "area=heap"})
	afterGC := c.metric(summary, gauge, "jvm_gc_heap_used_bytes", "Bytes in use of the heap before and after the last collection", "when")
	when, heapUsed := mmapjfr.Path("when"), mmapjfr.Path("heapUsed")
	c.handle(summary, func(ev mmapjfr.Event) {
		if n, ok := number(ev, heapUsed); ok {
			afterGC.put(ev.StartNanos(), n, labels{whenOf(ev.Str(when))})
		}
	})
	c.on("jdk.GCHeapConfiguration", "",
		value{gauge, "jvm_memory_max_bytes", "", "maxSize", number, "area=heap"},
		value{gauge, "jvm_memory_init_bytes", "Bytes that the heap has to begin with", "initialSize", number, "area=heap"})
	c.nonheap()
	c.nonheapSum(used)
	// The JVM tracks memory for itself only on request.
	for _, native := range [][2]string{{"jdk.NativeMemoryUsage", "pool:type"}, {"jdk.NativeMemoryUsageTotal", "pool=Total"}} {
		c.on(native[0], "period=10s",
			value{gauge, "jvm_native_memory_committed_bytes", "Bytes granted by the operating system, by what the JVM uses them for; needs -XX:NativeMemoryTracking", "committed", number, native[1]},
			value{gauge, "jvm_native_memory_reserved_bytes", "Bytes of addresses reserved, by what the JVM uses them for; needs -XX:NativeMemoryTracking", "reserved", number, native[1]})
	}
	// These are the buffers of java.nio outside the heap.
	c.on("jdk.DirectBufferStatistics", "period=5s",
		value{gauge, "jvm_buffer_pool_used_bytes", "Bytes in use of a pool of buffers", "memoryUsed", number, "pool=direct"},
		value{gauge, "jvm_buffer_pool_capacity_bytes", "Bytes that the buffers of a pool can hold", "totalCapacity", number, "pool=direct"},
		value{gauge, "jvm_buffer_pool_used_buffers", "Buffers of a pool", "count", number, "pool=direct"},
		value{gauge, "jvm_buffer_pool_max_bytes", "Bytes that the buffers of a pool may take", "maxCapacity", number, "pool=direct"})
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

// maxCodeHeaps is more than any JVM has.
const maxCodeHeaps = 8

const metaspace, codeCache = "jdk.MetaspaceSummary", "jdk.CodeCacheStatistics"

// nonheap adds metrics of metaspace and of the heaps of compiled code.
func (c *catalog) nonheap() {
	reserved := mmapjfr.Path("classSpace.reserved")
	compressed := func(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
		n, ok := number(ev, p)
		return n, ok && ev.Int(reserved) > 0 // otherwise classes are not compressed
	}
	const pool, committed, most = "jvm_memory_pool_used_bytes", "jvm_memory_pool_committed_bytes", "jvm_memory_pool_max_bytes"
	const all, classes = "pool=Metaspace", "pool=Compressed Class Space"
	c.on(metaspace, "",
		value{gauge, pool, "", "metaspace.used", number, all},
		value{gauge, committed, "", "metaspace.committed", number, all},
		value{gauge, pool, "", "classSpace.used", compressed, classes},
		value{gauge, committed, "", "classSpace.committed", compressed, classes},
		value{gauge, most, "", "classSpace.reserved", compressed, classes})
	c.on(codeCache, "period=10s",
		value{gauge, pool, "", "", codeUsed, "pool:codeBlobType"},
		value{gauge, most, "", "", codeSize, "pool:codeBlobType"},
		value{gauge, "jvm_code_cache_entries", "Pieces of code in a heap of compiled code", "entryCount", number, "pool:codeBlobType"},
		value{gauge, "jvm_code_cache_methods", "Methods in a heap of compiled code", "methodCount", number, "pool:codeBlobType"},
		value{cumulative, "jvm_code_cache_full_total", "How often a heap of compiled code was full", "fullCount", number, "pool:codeBlobType"})
}

// nonheapSum adds up the areas outside the heap, which no single event has. There is no sum before
// all areas are known.
func (c *catalog) nonheapSum(used string) {
	var (
		total = c.metric(metaspace, gauge, used, "")
		// space is the size of classes in bytes, with compressed ones; -1 if it is not known. Java's
		// own sum counts compressed ones twice.
		space = -1.0
		// code is the used bytes of each code heap. There is one, or there are three.
		code = map[string]float64{}
		// spaceAt and codeAt are the times of these values in nanoseconds since 1970.
		spaceAt, codeAt int64
	)
	c.metric(codeCache, gauge, used, "")
	update := func(at int64) {
		if space < 0 || len(code) == 0 {
			return
		}
		sum := space
		for _, n := range code {
			sum += n
		}
		total.put(at, sum, labels{"nonheap"})
	}
	usedSpace, heap := mmapjfr.Path("metaspace.used"), mmapjfr.Path("codeBlobType")
	c.handle(metaspace, func(ev mmapjfr.Event) {
		if n, ok := number(ev, usedSpace); ok {
			space, spaceAt = n, ev.StartNanos()
			update(spaceAt)
		}
	})
	c.handle(codeCache, func(ev mmapjfr.Event) {
		n, ok := codeUsed(ev, nil)
		if !ok {
			return
		}
		name := ev.Str(heap)
		if _, known := code[name]; known || len(code) < maxCodeHeaps {
			code[name] = n
		}
		codeAt = ev.StartNanos()
		update(codeAt)
	})
	c.onRestart(func(began int64) {
		if spaceAt < began {
			space = -1
		}
		if codeAt < began {
			clear(code)
		}
	})
}

var (
	codeFree  = mmapjfr.Path("unallocatedCapacity")
	codeStart = mmapjfr.Path("startAddress")
	codeEnd   = mmapjfr.Path("reservedTopAddress")
)

// codeSize reads the size of a heap of compiled code, unless the values contradict each other or
// are missing.
func codeSize(ev mmapjfr.Event, _ *mmapjfr.FieldPath) (float64, bool) {
	start, end := ev.Uint(codeStart), ev.Uint(codeEnd)
	return float64(end - start), ev.Has(codeFree) && start <= end && ev.Uint(codeFree) <= end-start
}

// codeUsed reads the used part of a heap of compiled code: the size less the unallocated part.
func codeUsed(ev mmapjfr.Event, _ *mmapjfr.FieldPath) (float64, bool) {
	size, ok := codeSize(ev, nil)
	return size - float64(ev.Uint(codeFree)), ok
}

// allocation adds metrics of allocated bytes. They measure the same in different ways, so they must
// not be added up.
func (c *catalog) allocation() {
	const byThread = "jdk.ThreadAllocationStatistics"
	c.on(byThread, "period=5s")
	c.allocatedByThreads(byThread, c.metric(byThread, counter, "jvm_threads_allocated_bytes_total",
		"Bytes that threads have allocated, but for what those that ended did at last"))
	const sampled, help = "jvm_allocation_sampled_bytes_total", "Bytes that samples of allocations stand for, without what was allocated before the recording"
	weights := profile.NewWeights()
	c.on("jdk.ObjectAllocationSample", noStack+" throttle=150/s",
		value{counter, sampled, help, "weight",
			func(ev mmapjfr.Event, field *mmapjfr.FieldPath) (float64, bool) {
				return float64(weights.Allocated(ev)), ev.Has(field)
			}, ""})
	c.on("jdk.ActiveRecording", "")
	for _, event := range []string{"jdk.ActiveRecording", "jdk.ActiveSetting", "jdk.JVMInformation", byThread} {
		c.metric(event, counter, sampled, help)
		c.handle(event, weights.Add)
	}
	c.on("jdk.ObjectAllocationInNewTLAB", unasked,
		value{counter, "jvm_allocation_tlab_bytes_total", "Bytes of the buffers that threads got for new objects, and of objects outside of them", "tlabSize", number, "where=tlab"})
	c.on("jdk.ObjectAllocationOutsideTLAB", unasked,
		value{counter, "jvm_allocation_tlab_bytes_total", "", "allocationSize", number, "where=outside"})
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
		maps.DeleteFunc(r.threads, func(_ int64, t threadSum) bool { return t.round < r.number-2 })
	}
	r.threads[thread] = threadSum{bytes, at, r.number}
	if bytes < t.bytes {
		return bytes
	}
	return bytes - t.bytes
}

// allocatedByThreads adds the handler of events with the allocated bytes of a thread since its start.
func (c *catalog) allocatedByThreads(event string, sum *metric) {
	r := &rounds{threads: map[int64]threadSum{}}
	c.onRestart(func(began int64) {
		maps.DeleteFunc(r.threads, func(_ int64, t threadSum) bool { return t.at < began })
	})
	thread, bytes := mmapjfr.Path("thread"), mmapjfr.Path("allocated")
	c.handle(event, func(ev mmapjfr.Event) {
		if ev.Has(bytes) {
			sum.put(0, float64(r.more(ev.StartNanos(), ev.Get(thread).Key(), ev.Int(bytes))), labels{})
		}
	})
}
