package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Tally counts some of the events of a summary's recordings. It belongs to one goroutine.
type Tally struct {
	chunks map[mmapjfr.Chunk]*chunkTally
	of     map[mmapjfr.Chunk]*Chunk
	times  bool
	last   *chunkTally // of the chunk of the event that was added last
	at     mmapjfr.Chunk
}

// chunkTally counts the events of a chunk.
type chunkTally struct {
	of    *Chunk
	types map[int64]*Type
}

// NewTally returns an empty tally. With times it also looks when the events began, as
// [Summary.ReadTimes] does.
func (s *Summary) NewTally(times bool) *Tally {
	t := &Tally{chunks: make(map[mmapjfr.Chunk]*chunkTally), of: make(map[mmapjfr.Chunk]*Chunk), times: times}
	for i := range s.Chunks {
		t.of[s.Chunks[i].Chunk] = &s.Chunks[i]
	}
	return t
}

// Add counts an event of one of the recordings. It allocates for the first event of a type in
// each chunk only.
func (t *Tally) Add(ev mmapjfr.Event) {
	if c := ev.Chunk(); t.last == nil || c != t.at {
		t.at, t.last = c, t.chunks[c]
		if t.last == nil {
			t.last = &chunkTally{t.of[c], make(map[int64]*Type)}
			t.chunks[c] = t.last
		}
	}
	id := ev.Type().ID()
	sum := t.last.types[id]
	if sum == nil {
		sum = new(Type)
		t.last.types[id] = sum
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
	for i := range s.Chunks {
		s.Chunks[i].Events = mmapjfr.EventCount{}
	}
	kept := mmapjfr.EventCount{}
	for _, t := range tallies {
		for _, c := range t.chunks {
			for id, sum := range c.types {
				kept.Add(sum.EventCount)
				if c.of == nil {
					continue
				}
				c.of.Events.Add(sum.EventCount)
				if typ := c.of.jvm.types[id]; typ != nil {
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
