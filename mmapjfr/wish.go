package mmapjfr

import (
	"math"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// wish is what a selection wants of one chunk. It does not change once it has
// been made; goroutines share it.
type wish struct {
	c     *chunk
	types *schema.TypeSet
	// classes tells which classes are wanted, by ordinal; nil if all are.
	classes []bool
	// first and last are the ticks within which events are to begin.
	first, last int64
	timed       bool
	// threads holds the keys of the threads that are wanted.
	threads  map[int64]struct{}
	byThread bool
	nothing  bool // that no event of the chunk can be wanted
}

// wish returns what the selection wants of a chunk with these types.
func (s *Selection) wish(c *chunk, types *schema.TypeSet) (*wish, error) {
	w := &wish{c: c, types: types, classes: s.wanted(types), first: math.MinInt64, last: math.MaxInt64}
	for _, f := range s.filters {
		if n, ok := f.(narrower); ok {
			if err := n.narrow(w); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}

// during wants no events but those that begin at these ticks.
func (w *wish) during(first, last int64) {
	w.first, w.last, w.timed = max(w.first, first), min(w.last, last), true
	w.nothing = w.nothing || w.first > w.last
}

// ofThreads wants no events but those of these threads.
func (w *wish) ofThreads(wanted func(Thread) bool) error {
	k, err := w.c.ix.Constants()
	if err != nil {
		return err
	}
	keys := make(map[int64]struct{})
	if class := k.Named(jdktypes.Thread); class != nil {
		k.All(class, func(key int64, offset uint64) bool {
			_, before := w.threads[key]
			if (before || !w.byThread) && wanted(w.c.payload(class.ValueField(), class, int(offset), key, 0).Thread()) {
				keys[key] = struct{}{}
			}
			return true
		})
	}
	w.threads, w.byThread = keys, true
	w.nothing = w.nothing || len(keys) == 0
	return nil
}

// probe returns what to look for in blocks.
func (w *wish) probe() index.BlockFilter {
	var p index.BlockFilter
	p.SetTypes(w.types, w.classes)
	if w.timed {
		p.SetTicks(w.first, w.last)
	}
	for key := range w.threads {
		p.AddThread(key)
	}
	return p
}

// judges tells whether events are to be looked into.
func (w *wish) judges() bool { return w.timed || w.byThread }

// selects tells whether there can be blocks without a wanted event.
func (w *wish) selects() bool { return w.judges() || w.classes != nil }

// admits tells whether an event that has been laid out, of a class that is
// wanted, began at the right time and in the right thread.
func (w *wish) admits(s *scratch, class *schema.Type) bool {
	time, thread := w.types.TimeAndThreadSlots(class)
	if w.timed {
		ticks, ok := s.long(time)
		if !ok || ticks < w.first || ticks > w.last {
			return false
		}
	}
	if w.byThread {
		key, ok := s.long(thread)
		if _, wanted := w.threads[key]; !ok || !wanted {
			return false
		}
	}
	return true
}
