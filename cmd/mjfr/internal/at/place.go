package at

import (
	"errors"
	"fmt"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/internal/timespec"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// place is what is at a position.
type place struct {
	inspect.Item
	rec *mmapjfr.Recording
	// ordinal is the number of events of all recordings before it.
	ordinal uint64
	// inside is the number of bytes from its beginning to the position.
	inside uint64
}

// finder finds positions in recordings, which are in the order of time.
type finder struct {
	set *input.Set
	// first is the number of events before each recording, for the first recordings.
	first []uint64
}

// firstOf returns the number of events before the recording with an index.
func (f *finder) firstOf(i int) uint64 {
	for n := len(f.first); n <= i; n++ {
		f.first = append(f.first, f.first[n-1]+f.set.Recordings[n-1].EventCount())
	}
	return f.first[i]
}

// find returns what is at a position.
func (f *finder) find(p *position) (place, error) {
	switch {
	case p.kind == byOrdinal:
		return f.event(p.n)
	case p.kind == byTime:
		return f.from(p)
	}
	if len(f.set.Recordings) > 1 {
		return place{}, cli.Usagef("%s is an offset, and there are %d recordings; name the one that it is in", p.text, len(f.set.Recordings))
	}
	return f.place(0, p.n)
}

// place returns what is at an offset of a recording.
func (f *finder) place(i int, offset uint64) (place, error) {
	rec := f.set.Recordings[i]
	p, err := inspect.Find(rec, offset)
	if err != nil {
		return place{}, err
	}
	return place{Item: p, rec: rec, ordinal: f.firstOf(i) + p.Before, inside: offset - p.Offset}, nil
}

// event returns the event with an ordinal.
func (f *finder) event(n uint64) (place, error) {
	for i, rec := range f.set.Recordings {
		first := f.firstOf(i)
		ev, err := rec.EventByOrdinal(n - first)
		switch {
		case err == nil:
			return f.place(i, ev.Offset())
		case !errors.Is(err, mmapjfr.ErrNoEvent):
			return place{}, err
		}
	}
	last := len(f.set.Recordings) - 1
	return place{}, fmt.Errorf("event #%d is missing: there are %d events, counted from 0", n, f.firstOf(last)+f.set.Recordings[last].EventCount())
}

// from returns the first event, by start time, of those since a position in time.
func (f *finder) from(p *position) (place, error) {
	start, end := f.set.Span()
	zone := engine.RecordingLocation(f.set.Recordings[0])
	t, err := timespec.Parse(p.text, start, end, zone)
	if err != nil {
		return place{}, err
	}
	var (
		first mmapjfr.Event
		where int
	)
	for i, rec := range f.set.Recordings {
		ev, err := rec.FirstEventSince(t)
		switch {
		case errors.Is(err, mmapjfr.ErrNoEvent):
		case err != nil:
			return place{}, err
		case first.IsZero() || ev.StartNanos() < first.StartNanos():
			first, where = ev, i
		}
	}
	if first.IsZero() {
		return place{}, fmt.Errorf("no event begins at %s or later", t.In(zone).Format(timeLayout))
	}
	return f.place(where, first.Offset())
}

// around returns up to that many events before and after a place.
func (f *finder) around(p *place, before, after uint64) (list [2][]place, err error) {
	next := p.ordinal
	if p.Kind == inspect.EventItem {
		next++
	}
	last := len(f.set.Recordings) - 1
	all := f.firstOf(last) + f.set.Recordings[last].EventCount()
	add := func(side int, from, to uint64) error {
		for n := from; n < to; n++ {
			q, err := f.event(n)
			if err != nil {
				return err
			}
			list[side] = append(list[side], q)
		}
		return nil
	}
	if err := add(0, p.ordinal-min(p.ordinal, before), p.ordinal); err != nil {
		return list, err
	}
	return list, add(1, next, next+min(after, max(all, next)-next))
}

// poolJSON is a pool of a checkpoint.
type poolJSON struct {
	Type string `json:"type"`
	// Offset is where the first key lies.
	Offset    uint64 `json:"offset"`
	Constants uint64 `json:"constants"`
	Size      uint64 `json:"size"`
}

// poolsOf returns the pools of a checkpoint.
func poolsOf(p *place) (list []poolJSON, err error) {
	err = p.Chunk.Protect(func() error {
		r, err := engine.ChunkConstantReader(p.Chunk)
		if err != nil {
			return err
		}
		for _, c := range engine.ConstantReaderCheckpoints(r) {
			if c.Offset != p.Offset {
				continue
			}
			list = make([]poolJSON, 0, len(c.Pools))
			for _, pool := range c.Pools {
				name := "a type that is not described"
				if !pool.Type.IsZero() {
					name = engine.TypeRecordedName(pool.Type)
				}
				list = append(list, poolJSON{name, pool.Offset, pool.Count, pool.Size})
			}
			return nil
		}
		return errors.New("the chunk's chain of checkpoints does not lead here, so its pools are not read; --hex shows the bytes")
	})
	return list, err
}

// typesIn returns how many types a metadata event describes.
func typesIn(p *place) (n int) {
	for l := range p.Lines() {
		if l.Path == "element" && l.Meaning == `"class"` {
			n++
		}
	}
	return n
}
