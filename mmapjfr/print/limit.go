package print

import (
	"context"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// limited returns a yield that passes on only the first events, or the last ones, as Limit
// and Tail say. Flush passes on the events that it has held back.
func (o *Options) limited(yield func(item) bool) (limited func(item) bool, flush func()) {
	if o.Limit > 0 {
		all, n := yield, o.Limit
		yield = func(it item) bool {
			n--
			return all(it) && n > 0
		}
	}
	if o.Tail > 0 {
		t := &tail{n: o.Tail}
		return t.add, func() { t.each(yield) }
	}
	return yield, func() {}
}

// tail is a ring of the last n events.
type tail struct {
	n     int
	items []item // the oldest is at next
	next  int
}

func (t *tail) add(it item) bool {
	if len(t.items) < t.n {
		t.items = append(t.items, it)
		return true
	}
	t.items[t.next] = it
	t.next = (t.next + 1) % t.n
	return true
}

func (t *tail) each(yield func(item) bool) {
	for i := range t.items {
		if !yield(t.items[(t.next+i)%len(t.items)]) {
			return
		}
	}
}

// start is the first chunk that a walk reads. The zero start is the first of all.
type start struct {
	rec   int // which of the recordings
	chunk int
}

// chunkOf returns the first chunk of the i-th recording that is read.
func (s start) chunkOf(i int, rec *mmapjfr.Recording) int {
	switch {
	case i < s.rec:
		return len(rec.Chunks())
	case i == s.rec:
		return s.chunk
	}
	return 0
}

// startOfTail returns where to begin for the last n events: one chunk before the chunks
// that hold as many, since an event can end after those of later chunks. No chunk can
// be skipped if events are sorted across chunks that overlap in time.
func (o *Options) startOfTail(ctx context.Context, recs []*mmapjfr.Recording, n int) (start, error) {
	if o.sortsChunks() && overlap(recs) {
		return start{}, nil
	}
	quiet := o.quietly()
	for i := len(recs) - 1; i >= 0; i-- {
		chunks := recs[i].Chunks()
		for j := len(chunks) - 1; j >= 0; j-- {
			if n <= 0 {
				return start{i, j}, nil
			}
			_, err := quiet.events(ctx, recs[i], chunks[j].Select(o.Filters...), func(mmapjfr.Event) bool {
				n--
				return true
			})
			if err != nil {
				return start{}, err
			}
		}
	}
	return start{}, nil
}

// overlap reports whether a chunk began before the end of the one before it.
func overlap(recs []*mmapjfr.Recording) bool {
	var end time.Time
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			if c.Start().Before(end) {
				return true
			}
			end = c.End()
		}
	}
	return false
}
