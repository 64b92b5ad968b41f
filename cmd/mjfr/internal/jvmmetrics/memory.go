package jvmmetrics

import "github.com/mmapjfr/jfr/mmapjfr"

// memory is about the heap, the other areas that the JVM reserves, and their pools.
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

// space is what is to be known of a piece of memory.
type space struct{ used, committed, most *sampled }

// sizes are where the values of a space are in an event; nil where there is none.
type sizes struct{ used, committed, most *mmapjfr.FieldPath }

var plainSizes = sizes{mmapjfr.Path("used"), mmapjfr.Path("committed"), mmapjfr.Path("max")}

func (s *space) set(ev mmapjfr.Event, of sizes, l labels) {
	s.used.setInt(ev, of.used, l)
	s.committed.setInt(ev, of.committed, l)
	if of.most != nil {
		s.most.setInt(ev, of.most, l)
	}
}

// whenOf returns a label for when in a collection something was measured.
func whenOf(when string) string {
	switch when {
	case "Before GC":
		return "before"
	case "After GC":
		return "after"
	}
	return when
}

// nativeMemory is about what the JVM allocates for itself, as long as it tracks that.
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

// directBuffers is about the memory of java.nio outside of the heap.
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
