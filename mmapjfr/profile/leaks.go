package profile

import (
	"cmp"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// The events of native memory.
const (
	mallocEvent = "profiler.Malloc"
	freeEvent   = "profiler.Free"
)

var pathAddress = mmapjfr.Path("address")

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

// leaks returns the offsets of the allocations of a recording that nothing has freed. The events
// are sorted by time first: threads write theirs in any order.
func leaks(list []allocation) map[uint64]bool {
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b allocation) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.offset, b.offset)) })
	live := make(map[int64]allocation)
	for _, a := range list {
		if a.free {
			delete(live, a.address)
		} else {
			live[a.address] = a // what was there before has been freed unseen
		}
	}
	first, last := list[0].at, list[len(list)-1].at
	limit := last - (last-first)/youngest
	offsets := make(map[uint64]bool, len(live))
	for _, a := range live {
		if a.at <= limit {
			offsets[a.offset] = true
		}
	}
	return offsets
}
