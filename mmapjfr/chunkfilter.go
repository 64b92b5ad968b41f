package mmapjfr

import (
	"math"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// chunkFilter is the filters of a selection, compiled for one chunk. It does not change, so
// goroutines share it.
type chunkFilter struct {
	c     *chunk
	types *schema.TypeSet
	// classes is set for the types that are selected, by ordinal; nil if all are.
	wanted []bool
	// first and last are the ticks between which selected events begin.
	first, last int64
	byTime      bool
	// threads holds the keys of the selected threads.
	threads  map[int64]struct{}
	byThread bool
	empty    bool // no event of the chunk can be selected
}

// chunkFilter compiles the selection for a chunk with these types.
func (s *Selection) chunkFilter(c *chunk, types *schema.TypeSet) (*chunkFilter, error) {
	cf := &chunkFilter{c: c, types: types, wanted: s.wanted(types), first: math.MinInt64, last: math.MaxInt64}
	for _, f := range s.filters {
		if n, ok := f.(compiledFilter); ok {
			if err := n.compile(cf); err != nil {
				return nil, err
			}
		}
	}
	return cf, nil
}

// limitTicks leaves out events that begin outside of these ticks.
func (f *chunkFilter) limitTicks(first, last int64) {
	f.first, f.last, f.byTime = max(f.first, first), min(f.last, last), true
	f.empty = f.empty || f.first > f.last
}

// limitThreads leaves out events of other threads.
func (f *chunkFilter) limitThreads(wanted func(Thread) bool) error {
	k, err := f.c.ix.Constants()
	if err != nil {
		return err
	}
	keys := make(map[int64]struct{})
	if typ := k.Named(jdktypes.Thread); typ != nil {
		k.All(typ, func(key int64, offset uint64) bool {
			_, before := f.threads[key]
			if (before || !f.byThread) && wanted(f.c.payload(typ.ValueField(), typ, int(offset), key, 0).Thread()) {
				keys[key] = struct{}{}
			}
			return true
		})
	}
	f.threads, f.byThread = keys, true
	f.empty = f.empty || len(keys) == 0
	return nil
}

// blockFilter returns the filter of the blocks that may hold selected events.
func (f *chunkFilter) blockFilter() index.BlockFilter {
	var bf index.BlockFilter
	bf.SetTypes(f.types, f.wanted)
	if f.byTime {
		bf.SetTicks(f.first, f.last)
	}
	for key := range f.threads {
		bf.AddThread(key)
	}
	return bf
}

// readsEvents reports whether the filter depends on fields of an event.
func (f *chunkFilter) readsEvents() bool { return f.byTime || f.byThread }

// isSelective reports whether some events may be left out.
func (f *chunkFilter) isSelective() bool { return f.readsEvents() || f.wanted != nil }

// matchesEvent reports whether an event that has been laid out, of a class that is
// wanted, began at the right time and in the right thread.
func (f *chunkFilter) matchesEvent(s *scratch, typ *schema.Type) bool {
	time, thread := f.types.TimeAndThreadSlots(typ)
	if f.byTime {
		ticks, ok := s.long(time)
		if !ok || ticks < f.first || ticks > f.last {
			return false
		}
	}
	if f.byThread {
		key, ok := s.long(thread)
		if _, wanted := f.threads[key]; !ok || !wanted {
			return false
		}
	}
	return true
}
