package mmapjfr

import (
	"math"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// chunkFilter is what a selection wants of one chunk. It does not change once it has
// been made; goroutines share it.
type chunkFilter struct {
	c     *chunk
	types *schema.TypeSet
	// classes tells which classes are wanted, by ordinal; nil if all are.
	wanted []bool
	// first and last are the ticks within which events are to begin.
	first, last int64
	byTime      bool
	// threads holds the keys of the threads that are wanted.
	threads  map[int64]struct{}
	byThread bool
	empty    bool // that no event of the chunk can be wanted
}

// chunkFilter returns what the selection wants of a chunk with these types.
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

// limitTicks wants no events but those that begin at these ticks.
func (f *chunkFilter) limitTicks(first, last int64) {
	f.first, f.last, f.byTime = max(f.first, first), min(f.last, last), true
	f.empty = f.empty || f.first > f.last
}

// limitThreads wants no events but those of these threads.
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

// blockFilter returns what to look for in blocks.
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

// readsEvents tells whether events are to be looked into.
func (f *chunkFilter) readsEvents() bool { return f.byTime || f.byThread }

// isSelective tells whether there can be blocks without a wanted event.
func (f *chunkFilter) isSelective() bool { return f.readsEvents() || f.wanted != nil }

// matchesEvent tells whether an event that has been laid out, of a class that is
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
