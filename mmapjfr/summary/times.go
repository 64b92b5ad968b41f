package summary

import (
	"context"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

var startTime = mmapjfr.Path("startTime")

// ReadTimes reads when the events began and fills in First and Last of the types. It reads the
// events as [mmapjfr.Selection.Batches] does. Faults that it meets are added to those of the
// summary. For progress and the error see [Count].
func (s *Summary) ReadTimes(ctx context.Context, progress func(bytes uint64)) error {
	chunks := s.Chunks
	for _, rec := range s.Recordings {
		var own []Chunk
		own, chunks = s.split(chunks, rec)
		readers := make([]timesReader, rec.Workers())
		for i := range readers {
			readers[i] = make(timesReader)
		}
		err := rec.Select().Batches(ctx, func(worker int, b *mmapjfr.Batch) error {
			if n := b.Chunk().Number(); n < len(own) {
				readers[worker].read(&own[n], b)
				if progress != nil {
					progress(own[n].bytesOf(b.Len()))
				}
			}
			return nil
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for i := range readers {
			for t, r := range readers[i] {
				t.widen(r.First, r.Last)
			}
		}
		s.addFaults(rec, err)
	}
	return nil
}

// bytesOf estimates how many bytes a number of events takes.
func (c *Chunk) bytesOf(events int) uint64 {
	if c.Events.Events == 0 {
		return 0
	}
	return uint64(float64(events) * float64(c.Events.Bytes) / float64(c.Events.Events))
}

// timesReader reads the times of events. It belongs to one worker, which has types of its own.
type timesReader map[*Type]*Type

func (r timesReader) read(c *Chunk, b *mmapjfr.Batch) {
	ticks := b.Ints(startTime)
	t := c.jvm.types[b.Type().ID()]
	if len(ticks) == 0 || t == nil {
		return
	}
	first, last := 0, 0
	for i, n := range ticks {
		if n < ticks[first] {
			first = i
		}
		if n > ticks[last] {
			last = i
		}
	}
	if r[t] == nil {
		r[t] = new(Type)
	}
	r[t].widen(b.Event(first).Start(), b.Event(last).Start())
}

func (t *Type) widen(first, last time.Time) {
	t.First, t.Last = earlier(t.First, first), later(t.Last, last)
}

// earlier returns the earlier of two times. The zero time is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
