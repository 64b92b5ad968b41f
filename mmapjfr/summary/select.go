package summary

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Tally counts some of the events of a summary's recordings. It belongs to one goroutine.
type Tally struct {
	chunks map[mmapjfr.Chunk]map[int64]*Type
	times  bool
	last   map[int64]*Type // of the chunk of the event that was added last
	at     mmapjfr.Chunk
}

// NewTally returns an empty tally. With times it also looks when the events began, as
// [Summary.ReadTimes] does.
func (s *Summary) NewTally(times bool) *Tally {
	return &Tally{chunks: make(map[mmapjfr.Chunk]map[int64]*Type), times: times}
}

// Add counts an event of one of the recordings. It allocates for the first event of a type in
// each chunk only.
func (t *Tally) Add(ev mmapjfr.Event) {
	if c := ev.Chunk(); t.last == nil || c != t.at {
		t.at, t.last = c, t.chunks[c]
		if t.last == nil {
			t.last = make(map[int64]*Type)
			t.chunks[c] = t.last
		}
	}
	id := ev.Type().ID()
	sum := t.last[id]
	if sum == nil {
		sum = new(Type)
		t.last[id] = sum
	}
	sum.EventCount.Add(mmapjfr.EventCount{Events: 1, Bytes: uint64(ev.Size())})
	if t.times {
		sum.widen(ev.Start(), ev.Start())
	}
}

// Keep makes the summary one of the events that the tallies have counted. Types, chunks and
// the summary itself no longer count other events. Selection says in words which events these
// are. Lasts is the time over which they are spread; 0 stands for the whole time. The metadata,
// the checkpoints and the times of chunks stay the same.
func (s *Summary) Keep(selection string, lasts time.Duration, tallies ...*Tally) {
	s.Selection, s.lasts = selection, lasts
	all := mmapjfr.EventCount{}
	for _, t := range s.Types {
		if t.IsEvent() {
			all.Add(t.EventCount)
			t.EventCount = mmapjfr.EventCount{}
		}
	}
	chunks := make(map[mmapjfr.Chunk]*Chunk)
	for i := range s.Chunks {
		s.Chunks[i].Events = mmapjfr.EventCount{}
		chunks[s.Chunks[i].Chunk] = &s.Chunks[i]
	}
	kept := mmapjfr.EventCount{}
	for _, t := range tallies {
		for at, types := range t.chunks {
			for id, sum := range types {
				kept.Add(sum.EventCount)
				c := chunks[at]
				if c == nil {
					continue
				}
				c.Events.Add(sum.EventCount)
				if typ := c.jvm.types[id]; typ != nil {
					typ.Add(sum.EventCount)
					typ.widen(sum.First, sum.Last)
				}
			}
		}
	}
	slices.SortStableFunc(s.Types, func(a, b *Type) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), javatext.Compare(a.Name, b.Name))
	})
	s.Events = kept.Events
	s.Unselected = mmapjfr.EventCount{Events: all.Events - min(kept.Events, all.Events), Bytes: all.Bytes - min(kept.Bytes, all.Bytes)}
}

// Selected says which part of the events is counted, as in
// "12 of 4459 events, by --thread main".
func (s *Summary) Selected() string {
	return fmt.Sprintf("%d of %d events, by %s", s.Events, s.Events+s.Unselected.Events, s.Selection)
}

// counted returns the types that are listed: all, or those of events that are selected.
func (s *Summary) counted() []*Type {
	if s.Selection == "" {
		return s.Types
	}
	var list []*Type
	for _, t := range s.Types {
		if t.IsEvent() && t.Events > 0 {
			list = append(list, t)
		}
	}
	return list
}

// oneLine replaces control characters, which a line of text cannot have.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

var startTime = mmapjfr.Path("startTime")

// ReadTimes reads when the events began and fills in First and Last of the types. It reads the
// events in batches. Faults that it meets are added to those of the
// summary. For progress and the error see [Count].
func (s *Summary) ReadTimes(ctx context.Context, progress func(bytes uint64)) error {
	chunks := s.Chunks
	for _, rec := range s.Recordings {
		var own []Chunk
		own, chunks = s.split(chunks, rec)
		readers := make([]timesReader, engine.RecordingWorkers(rec))
		for i := range readers {
			readers[i] = make(timesReader)
		}
		err := engine.SelectionBatches(rec.Select(), ctx, func(worker int, b *mmapjfr.Batch) error {
			if n := engine.BatchChunk(b).Number(); n < len(own) {
				readers[worker].read(&own[n], b)
				if progress != nil {
					progress(own[n].bytesOf(engine.BatchLen(b)))
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
	ticks := engine.BatchInts(b, startTime)
	t := c.jvm.types[engine.BatchType(b).ID()]
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
	r[t].widen(engine.BatchEvent(b, first).Start(), engine.BatchEvent(b, last).Start())
}

// widen makes First and Last include two more times. The zero time is none.
func (t *Type) widen(first, last time.Time) {
	if t.First.IsZero() || !first.IsZero() && first.Before(t.First) {
		t.First = first
	}
	if last.After(t.Last) {
		t.Last = last
	}
}
