package jvmstats

import (
	"cmp"
	"maps"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

const metaspace, codeCache = "jdk.MetaspaceSummary", "jdk.CodeCacheStatistics"

// Metrics that the snapshot has, too.
const (
	memoryUsed      = "jvm_memory_used_bytes"
	memoryCommitted = "jvm_memory_committed_bytes"
	memoryMax       = "jvm_memory_max_bytes"
	poolUsed        = "jvm_memory_pool_used_bytes"
	poolCommitted   = "jvm_memory_pool_committed_bytes"
	poolMax         = "jvm_memory_pool_max_bytes"
	heapAtGC        = "jvm_gc_heap_used_bytes"
	// Prometheus does not get these.
	heapReserved  = "reserved heap"
	spaceReserved = "reserved metaspace"
)

// memory adds metrics of the heap, of other areas of memory, and of their pools.
func (v *Vitals) memory() {
	const usage, summary, configuration = "jdk.GCHeapMemoryUsage", "jdk.GCHeapSummary", "jdk.GCHeapConfiguration"
	// The memory pools together can be less than the heap can grow to: some count only one of two
	// survivor spaces. They count as long as the configuration is not known.
	var configured int64 // nanoseconds since 1970
	pools := func(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
		n, ok := number(ev, p)
		return n, ok && configured == 0
	}
	v.onRestart(func(began int64) {
		if configured < began {
			configured = 0
		}
	})
	v.on(usage, "21: period=1s, metrics:",
		value{gauge, memoryUsed, "Bytes in use of the heap, and of metaspace and code cache (nonheap)", "used", number, "area=heap"},
		value{gauge, memoryCommitted, "Bytes that the operating system has granted to the heap", "committed", number, "area=heap"},
		value{gauge, memoryMax, "Bytes that the heap can grow to", "max", pools, "area=heap"})
	v.on("jdk.GCHeapMemoryPoolUsage", "metrics: period=5s",
		value{gauge, poolUsed, "Bytes in use of a memory pool", "used", number, "pool:name"},
		value{gauge, poolCommitted, "Bytes that the operating system has granted to a memory pool", "committed", number, "pool:name"},
		value{gauge, poolMax, "Bytes that a memory pool can grow to, -1 if there is no limit of its own", "max", number, "pool:name"})
	v.on(summary, "",
		value{gauge, memoryUsed, "", "heapUsed", number, "area=heap"},
		value{gauge, memoryCommitted, "", "heapSpace.committedSize", number, "area=heap"},
		value{gauge, heapReserved, "", "heapSpace.reservedSize", number, ""})
	afterGC := v.metric(summary, gauge, heapAtGC, "Bytes in use of the heap before and after the last collection", "when")
	when, heapUsed := mmapjfr.Path("when"), mmapjfr.Path("heapUsed")
	v.handle(summary, func(ev mmapjfr.Event) {
		if n, ok := number(ev, heapUsed); ok {
			afterGC.put(ev.StartNanos(), n, labels{whenOf(ev.Str(when))})
		}
	})
	for _, event := range []string{usage, summary} {
		v.handle(event, func(mmapjfr.Event) {
			used := v.last(memoryUsed, "heap")
			v.heap.add(v.second, HeapPoint{used.time(), used.amount(), v.last(memoryCommitted, "heap").amount()}, fuller)
		})
	}
	v.on(configuration, "period=beginChunk",
		value{gauge, memoryMax, "", "maxSize", and(number, func(ev mmapjfr.Event, _ float64) { configured = ev.StartNanos() }), "area=heap"},
		value{gauge, "jvm_memory_init_bytes", "Bytes that the heap has to begin with", "initialSize", number, "area=heap"})
	v.nonheap()
	v.nonheapSum()
	// The JVM tracks memory for itself only on request.
	for _, native := range [][2]string{{"jdk.NativeMemoryUsage", "pool:type"}, {"jdk.NativeMemoryUsageTotal", "pool=Total"}} {
		v.on(native[0], "metrics: period=10s",
			value{gauge, "jvm_native_memory_committed_bytes", "Bytes granted by the operating system, by what the JVM uses them for; needs -XX:NativeMemoryTracking", "committed", number, native[1]},
			value{gauge, "jvm_native_memory_reserved_bytes", "Bytes of addresses reserved, by what the JVM uses them for; needs -XX:NativeMemoryTracking", "reserved", number, native[1]})
	}
	// These are the buffers of java.nio outside the heap.
	v.on("jdk.DirectBufferStatistics", "metrics: period=5s",
		value{gauge, "jvm_buffer_pool_used_bytes", "Bytes in use of a pool of buffers", "memoryUsed", number, "pool=direct"},
		value{gauge, "jvm_buffer_pool_capacity_bytes", "Bytes that the buffers of a pool can hold", "totalCapacity", number, "pool=direct"},
		value{gauge, "jvm_buffer_pool_used_buffers", "Buffers of a pool", "count", number, "pool=direct"},
		value{gauge, "jvm_buffer_pool_max_bytes", "Bytes that the buffers of a pool may take", "maxCapacity", number, "pool=direct"})
}

// fuller returns a point with the greater use.
func fuller(a, b HeapPoint) HeapPoint {
	b.Used = max(a.Used, b.Used)
	return b
}

func (v *Vitals) heapNow() Heap {
	used := v.last(memoryUsed, "heap")
	return Heap{
		Time:      used.time(),
		Used:      used.amount(),
		Committed: v.last(memoryCommitted, "heap").amount(),
		Max:       cmp.Or(v.last(memoryMax, "heap").amount(), v.last(heapReserved).amount()),
		BeforeGC:  v.last(heapAtGC, "before").amount(),
		AfterGC:   v.last(heapAtGC, "after").amount(),
		History:   v.heap.list(),
	}
}

func (v *Vitals) metaspaceNow() Metaspace {
	used := v.last(poolUsed, "Metaspace")
	return Metaspace{
		Time:      used.time(),
		Used:      used.amount(),
		Committed: v.last(poolCommitted, "Metaspace").amount(),
		Reserved:  v.last(spaceReserved).amount(),
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

// maxCodeHeaps is more than any JVM has.
const maxCodeHeaps = 8

// nonheap adds metrics of metaspace and of the heaps of compiled code.
func (v *Vitals) nonheap() {
	reserved := mmapjfr.Path("classSpace.reserved")
	compressed := func(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
		n, ok := number(ev, p)
		return n, ok && ev.Int(reserved) > 0 // otherwise classes are not compressed
	}
	const all, classes = "pool=Metaspace", "pool=Compressed Class Space"
	v.on(metaspace, "",
		value{gauge, poolUsed, "", "metaspace.used", number, all},
		value{gauge, poolCommitted, "", "metaspace.committed", number, all},
		value{gauge, spaceReserved, "", "metaspace.reserved", number, ""},
		value{gauge, poolUsed, "", "classSpace.used", compressed, classes},
		value{gauge, poolCommitted, "", "classSpace.committed", compressed, classes},
		value{gauge, poolMax, "", "classSpace.reserved", compressed, classes})
	v.on(codeCache, "metrics: period=10s",
		value{gauge, poolUsed, "", "", codeUsed, "pool:codeBlobType"},
		value{gauge, poolMax, "", "", codeSize, "pool:codeBlobType"},
		value{gauge, "jvm_code_cache_entries", "Pieces of code in a heap of compiled code", "entryCount", number, "pool:codeBlobType"},
		value{gauge, "jvm_code_cache_methods", "Methods in a heap of compiled code", "methodCount", number, "pool:codeBlobType"},
		value{cumulative, "jvm_code_cache_full_total", "How often a heap of compiled code was full", "fullCount", number, "pool:codeBlobType"})
}

// nonheapSum adds up the areas outside the heap, which no single event has. There is no sum before
// all areas are known.
func (v *Vitals) nonheapSum() {
	var (
		total = v.metric(metaspace, gauge, memoryUsed, "")
		// space is the size of classes in bytes, with compressed ones; -1 if it is not known.
		// Java's own sum counts compressed ones twice.
		space = -1.0
		// code is the used bytes of each code heap. There is one, or there are three.
		code = map[string]float64{}
		// spaceAt and codeAt are the times of these values in nanoseconds since 1970.
		spaceAt, codeAt int64
	)
	v.metric(codeCache, gauge, memoryUsed, "")
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
	v.handle(metaspace, func(ev mmapjfr.Event) {
		if n, ok := number(ev, usedSpace); ok {
			space, spaceAt = n, ev.StartNanos()
			update(spaceAt)
		}
	})
	v.handle(codeCache, func(ev mmapjfr.Event) {
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
	v.onRestart(func(began int64) {
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

// allocations is the allocated bytes by class, measured in two ways. Both are about all objects, so
// they must not be added up.
type allocations struct{ sampled, buffers ranking }

// allocation adds metrics of allocated bytes. They measure the same in different ways, so they must
// not be added up.
func (v *Vitals) allocation() {
	const byThread = "jdk.ThreadAllocationStatistics"
	v.on(byThread, "16: period=beginChunk, metrics: period=5s")
	v.allocatedByThreads(byThread, v.metric(byThread, counter, "jvm_threads_allocated_bytes_total",
		"Bytes that threads have allocated, but for what those that ended did at last"))
	const sampled, help = "jvm_allocation_sampled_bytes_total", "Bytes that samples of allocations stand for, without what was allocated before the recording"
	stand := func(ev mmapjfr.Event, field *mmapjfr.FieldPath) (float64, bool) {
		return float64(v.weights.Allocated(ev)), ev.Has(field)
	}
	// The class of a new buffer of a thread is that of the first object in it, and stands for all.
	v.on("jdk.ObjectAllocationSample", "16: throttle=150/s stackTrace=true",
		value{counter, sampled, help, "weight", v.byClass(stand, &v.alloc.sampled, "objectClass", amount), ""})
	v.on("jdk.ActiveRecording", "")
	for _, event := range []string{"jdk.ActiveRecording", "jdk.ActiveSetting", "jdk.JVMInformation", byThread} {
		v.metric(event, counter, sampled, help)
		v.handle(event, v.weights.Add)
	}
	v.on("jdk.ObjectAllocationInNewTLAB", never,
		value{counter, "jvm_allocation_tlab_bytes_total", "Bytes of the buffers that threads got for new objects, and of objects outside of them",
			"tlabSize", v.byClass(number, &v.alloc.buffers, "objectClass", amount), "where=tlab"})
	v.on("jdk.ObjectAllocationOutsideTLAB", never,
		value{counter, "jvm_allocation_tlab_bytes_total", "", "allocationSize", v.byClass(number, &v.alloc.buffers, "objectClass", amount), "where=outside"})
}

func (v *Vitals) allocationNow() Allocation {
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
		a.Classes = append(a.Classes, ClassAlloc{p.name, p.weight, p.count, share(p.weight, a.Recent)})
	}
	return a
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

// allocatedByThreads adds the handler of events with the allocated bytes of a thread since its
// start.
func (v *Vitals) allocatedByThreads(event string, sum *metric) {
	r := &rounds{threads: map[int64]threadSum{}}
	v.onRestart(func(began int64) {
		maps.DeleteFunc(r.threads, func(_ int64, t threadSum) bool { return t.at < began })
	})
	thread, bytes := mmapjfr.Path("thread"), mmapjfr.Path("allocated")
	v.handle(event, func(ev mmapjfr.Event) {
		if ev.Has(bytes) {
			sum.put(0, float64(r.more(ev.StartNanos(), engine.ValueKey(ev.Get(thread)), ev.Int(bytes))), labels{})
		}
	})
}
