package weigh

import "github.com/mmapjfr/jfr/mmapjfr"

// The events of native memory.
const (
	mallocEvent = "profiler.Malloc"
	freeEvent   = "profiler.Free"
)

var PathAddress = mmapjfr.Path("address")

// youngest is the part of the time at its end whose allocations are no leaks: they may be freed
// soon.
const youngest = 10 // one tenth

// allocation is an event of native memory.
type allocation struct {
	at      int64 // nanoseconds since 1970
	address int64
	offset  uint64 // of the event
	free    bool
}

// isAfter reports whether an event comes after another one. Threads write theirs in any order.
func (a allocation) isAfter(o allocation) bool {
	return a.at > o.at || a.at == o.at && a.offset > o.offset
}

// natives are the last events at each address of native memory, and the times of the first and the last of all events.
// What was at an address before has been freed, maybe unseen.
type natives struct {
	last     map[int64]allocation
	from, to int64
}

func (n *natives) add(a allocation) {
	if before, ok := n.last[a.address]; !ok || a.isAfter(before) {
		n.last[a.address] = a
	}
	n.from, n.to = min(n.from, a.at), max(n.to, a.at)
}

// leaks returns the offsets of the allocations that nothing has freed, but for young ones.
func (n *natives) leaks() map[uint64]bool {
	if len(n.last) == 0 {
		return nil
	}
	limit := n.to - (n.to-n.from)/youngest
	offsets := make(map[uint64]bool)
	for _, a := range n.last {
		if !a.free && a.at <= limit {
			offsets[a.offset] = true
		}
	}
	return offsets
}
