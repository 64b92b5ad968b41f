package jvmmetrics

import "github.com/mmapjfr/jfr/mmapjfr"

// nonheap adds up the areas beside the heap, which no single event tells of. There is
// no sum before each of them is known.
type nonheap struct {
	sum *sampled
	// metaspace is how many bytes classes take, compressed ones included; -1 if not
	// known. Java's own sum has the latter twice.
	metaspace float64
	// code is how many bytes are in use of each code heap: of one, or of three.
	code map[string]float64
	// metaspaceAt and codeAt are when that was told, in nanoseconds since 1970.
	metaspaceAt, codeAt int64
}

// maxCodeHeaps is more than there are in any JVM.
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

// tell says what the sum is, at the time of the event that has changed it.
func (n *nonheap) tell(ev mmapjfr.Event) {
	if n.metaspace < 0 || len(n.code) == 0 {
		return
	}
	sum := n.metaspace
	for _, used := range n.code {
		sum += used
	}
	n.sum.set(ev.StartNanos(), sum, labels{"nonheap"})
}

// metaspaceInto returns what is to be done with events about metaspace.
func (n *nonheap) metaspaceInto(pools space) func(mmapjfr.Event) {
	all := sizes{used: mmapjfr.Path("metaspace.used"), committed: mmapjfr.Path("metaspace.committed")}
	compressed := sizes{
		mmapjfr.Path("classSpace.used"), mmapjfr.Path("classSpace.committed"), mmapjfr.Path("classSpace.reserved"),
	}
	return func(ev mmapjfr.Event) {
		pools.set(ev, all, labels{"Metaspace"})
		if ev.Int(compressed.most) > 0 { // else classes are not compressed
			pools.set(ev, compressed, labels{"Compressed Class Space"})
		}
		if ev.Has(all.used) {
			n.metaspace, n.metaspaceAt = float64(ev.Int(all.used)), ev.StartNanos()
			n.tell(ev)
		}
	}
}

// codeInto returns what is to be done with events about a heap of compiled code. How
// much of it is in use is what is left of it beside the unallocated part.
func (n *nonheap) codeInto(pools space, counts func(mmapjfr.Event, labels)) func(mmapjfr.Event) {
	name, free := mmapjfr.Path("codeBlobType"), mmapjfr.Path("unallocatedCapacity")
	start, end := mmapjfr.Path("startAddress"), mmapjfr.Path("reservedTopAddress")
	return func(ev mmapjfr.Event) {
		heap := labels{ev.Str(name)}
		counts(ev, heap)
		size, unallocated := ev.Uint(end)-ev.Uint(start), ev.Uint(free)
		if !ev.Has(free) || ev.Uint(start) > ev.Uint(end) || unallocated > size {
			return // what is recorded contradicts itself, or is not there
		}
		used := size - unallocated
		pools.used.set(ev.StartNanos(), float64(used), heap)
		pools.most.set(ev.StartNanos(), float64(size), heap)
		n.codeAt = ev.StartNanos()
		if _, ok := n.code[heap[0]]; ok || len(n.code) < maxCodeHeaps {
			n.code[heap[0]] = float64(used)
		}
		n.tell(ev)
	}
}

// codeCache is about what is in the heaps of compiled code. It returns what is to be
// done with events of one of them.
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
