package index

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// EventCount is how many events there are, and how many bytes they take with their
// frames.
type EventCount struct {
	Events, Bytes uint64
}

// Add adds another count.
func (n *EventCount) Add(m EventCount) {
	n.Events += m.Events
	n.Bytes += m.Bytes
}

// TypeCounts is how many events of each class a chunk holds, metadata events and
// checkpoints among them, as far as they can be read.
type TypeCounts struct {
	// IDs are the classes of which there are events, in ascending order, and
	// Counts how many there are of each.
	IDs    []schema.TypeID
	Counts []EventCount
	// Err is what ended the walk over the events too early, or nil.
	Err error
}

// CountEvents counts the events of each chunk by going through their frames, on so
// many goroutines at once, 0 standing for as many as there are processors, and
// returns the chunks in their order with what they hold. It keeps nothing. When the
// context is cancelled it ends early: chunks that have not been gone through by then
// do not come.
//
// If it is not nil, passed is called, by any of the goroutines, with parts of the
// recording that have been gone through: from where to where, in bytes from its start.
//
// Two walks are kept going at a time in each goroutine: a walk waits for the
// length of one event before it can look at the next, and while one waits the
// other goes on.
func (x *Index) CountEvents(ctx context.Context, workers int, passed func(from, to uint64)) iter.Seq2[*Chunk, TypeCounts] {
	return func(yield func(*Chunk, TypeCounts) bool) {
		tallies := make([][2]tally, parallel.Workers(workers))
		for chunks := range slices.Chunk(x.chunks, goneThroughTogether) {
			for i, census := range countChunks(ctx, chunks, workers, tallies, passed) {
				if !yield(chunks[i], census) {
					return
				}
			}
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// goneThroughTogether is how many chunks are gone through at a time: what that
// takes must not grow with their number.
const goneThroughTogether = 64

// countChunks returns what each of the chunks holds; nothing if the context has been
// cancelled.
func countChunks(ctx context.Context, chunks []*Chunk, workers int, tallies [][2]tally, passed func(from, to uint64)) []TypeCounts {
	var lanes []*lane
	byChunk := make([][]sector, len(chunks))
	ends := make([]int, len(chunks)) // of the chunks' lanes in lanes
	for i, c := range chunks {
		types, _ := c.Types() // without, the chunk is one sector
		byChunk[i] = c.sectors(c.FirstEvent(), types)
		for j := range byChunk[i] {
			lanes = append(lanes, &lane{chunk: c, sector: &byChunk[i][j]})
		}
		ends[i] = len(lanes)
	}
	parallel.ForEach(workers, (len(lanes)+1)/2, func(worker, task int) {
		if ctx.Err() != nil {
			return
		}
		pair := lanes[2*task : min(2*task+2, len(lanes))]
		run(pair, &tallies[worker])
		if passed != nil {
			for _, l := range pair {
				passed(l.chunk.Offset()+l.sector.from, l.chunk.Offset()+l.sector.next)
			}
		}
	})
	if ctx.Err() != nil {
		return nil
	}
	list := make([]TypeCounts, len(chunks))
	for i := range chunks {
		own := lanes[ends[i]-len(byChunk[i]) : ends[i]]
		kept := stitch(byChunk[i], func(j int) { run(own[j:j+1], &tallies[0]) })
		list[i] = join(own[:len(kept)])
	}
	return list
}

// join adds up what the lanes of a chunk have counted.
func join(lanes []*lane) TypeCounts {
	if only := lanes[0]; len(lanes) == 1 && slices.IsSorted(only.ids) {
		return TypeCounts{IDs: only.ids, Counts: only.counts, Err: only.sector.err}
	}
	sums := make(map[schema.TypeID]EventCount)
	for _, l := range lanes {
		for i, id := range l.ids {
			n := sums[id]
			n.Add(l.counts[i])
			sums[id] = n
		}
	}
	c := TypeCounts{IDs: slices.Sorted(maps.Keys(sums)), Err: lanes[len(lanes)-1].sector.err}
	for _, id := range c.IDs {
		c.Counts = append(c.Counts, sums[id])
	}
	return c
}

// lane is a walk through the frames of a sector, and what it has counted.
type lane struct {
	chunk  *Chunk
	sector *sector
	ids    []schema.TypeID
	counts []EventCount
}

// tallyLen is the number of class ids that frames of the usual forms can have.
const tallyLen = 1 << 14

// tally counts events by class while a sector is gone through.
type tally struct {
	usual [tallyLen]EventCount
	// seen has all bits that the ids of usual have.
	seen  uint32
	other map[schema.TypeID]EventCount
}

// run goes through the sectors of one lane, or of two at the same time.
func run(lanes []*lane, tallies *[2]tally) {
	for i, l := range lanes {
		l.sector.next, l.sector.err = l.sector.from, nil
		tallies[i].other = nil
	}
	for both := len(lanes) == 2; both; {
		same, more := bothUsual(lanes[0], lanes[1], &tallies[0], &tallies[1])
		switch {
		case same:
			bothSame(lanes[0], lanes[1], &tallies[0], &tallies[1])
		default:
			both = more && lanes[0].odd(&tallies[0]) && lanes[1].odd(&tallies[1])
		}
	}
	for i, l := range lanes {
		for l.usual(&tallies[i]); l.odd(&tallies[i]); l.usual(&tallies[i]) {
		}
		l.take(&tallies[i])
	}
}

// stop returns the offset that the usual walk ends before.
func (l *lane) stop() uint64 {
	if l.chunk.form != wire.Compressed {
		return 0
	}
	return min(l.sector.limit, lastWord(l.chunk.data), l.chunk.solid(l.sector.next))
}

// usual counts events up to the first whose frame has not one of the forms that
// virtual machines write.
//
//gccheck:nobounds
func (l *lane) usual(t *tally) {
	data, pos, stop, seen := l.chunk.data, l.sector.next, l.stop(), t.seen
	for pos < stop {
		size, typ := shortFrame(wire.Word(data, int(pos)))
		if size == 0 {
			if size, typ, _ = wire.Frame(wire.Word(data, int(pos))); size < 7 {
				break
			}
		}
		if uint64(size) > uint64(len(data))-pos {
			break
		}
		n := &t.usual[typ&(tallyLen-1)]
		n.Events++
		n.Bytes += uint64(size)
		seen |= typ
		pos += uint64(size)
	}
	l.sector.next, t.seen = pos, seen
}

// sameWindow is how many events in a row have to be of one class for the next to be
// expected to be, too.
const sameWindow = 1 << 10

// bothUsual is usual for two lanes whose steps alternate. It ends as soon as one
// of them does, and more is false if that one is at its end. It also ends, and same is
// true, when in each lane sameWindow events in a row were of the class of the one
// before them.
//
//gccheck:nobounds
func bothUsual(l, m *lane, t, u *tally) (same, more bool) {
	dataL, posL, stopL, seenL := l.chunk.data, l.sector.next, l.stop(), t.seen
	dataM, posM, stopM, seenM := m.chunk.data, m.sector.next, m.stop(), u.seen
	typL, typM := uint32(0), uint32(0)
	for !same && !more && posL < stopL && posM < stopM {
		beforeL, beforeM := &t.usual[typL&(tallyLen-1)], &u.usual[typM&(tallyLen-1)]
		eventsL, eventsM := beforeL.Events, beforeM.Events
		left := sameWindow
		for ; left > 0 && posL < stopL && posM < stopM; left-- {
			var sizeL, sizeM uint32
			sizeL, typL = shortFrame(wire.Word(dataL, int(posL)))
			sizeM, typM = shortFrame(wire.Word(dataM, int(posM)))
			if sizeL == 0 {
				if sizeL, typL, _ = wire.Frame(wire.Word(dataL, int(posL))); sizeL < 7 {
					more = true
					break
				}
			}
			if sizeM == 0 {
				if sizeM, typM, _ = wire.Frame(wire.Word(dataM, int(posM))); sizeM < 7 {
					more = true
					break
				}
			}
			if uint64(sizeL) > uint64(len(dataL))-posL || uint64(sizeM) > uint64(len(dataM))-posM {
				more = true
				break
			}
			n := &t.usual[typL&(tallyLen-1)]
			n.Events++
			n.Bytes += uint64(sizeL)
			seenL |= typL
			posL += uint64(sizeL)
			n = &u.usual[typM&(tallyLen-1)]
			n.Events++
			n.Bytes += uint64(sizeM)
			seenM |= typM
			posM += uint64(sizeM)
		}
		same = beforeL.Events-eventsL == sameWindow && beforeM.Events-eventsM == sameWindow
	}
	l.sector.next, t.seen = posL, seenL
	m.sector.next, u.seen = posM, seenM
	return same, more
}

// bothSame is bothUsual for events of the same class, one in each lane, with frames of
// the most common form. It ends at the first that is another, or near the end of a
// lane.
//
//gccheck:nobounds
func bothSame(l, m *lane, t, u *tally) {
	const (
		longest = 0x7f // of the sizes of one byte
		head    = 0xffff80
	)
	dataL, posL, stopL := l.chunk.data, l.sector.next, l.stop()
	dataM, posM, stopM := m.chunk.data, m.sector.next, m.stop()
	if posL >= stopL || posM >= stopM || len(dataL) < longest || len(dataM) < longest {
		return
	}
	stopL, stopM = min(stopL, uint64(len(dataL)-longest)), min(stopM, uint64(len(dataM)-longest))
	wordL, wordM := wire.Word(dataL, int(posL)), wire.Word(dataM, int(posM))
	sizeL, typL := shortFrame(wordL)
	sizeM, typM := shortFrame(wordM)
	if sizeL == 0 || sizeM == 0 {
		return
	}
	headL, headM := wordL&head, wordM&head
	events, fromL, fromM := uint64(0), posL, posM
	for posL < stopL && posM < stopM {
		wordL, wordM = wire.Word(dataL, int(posL)), wire.Word(dataM, int(posM))
		if wordL&head^headL|wordM&head^headM != 0 || wordL&0x7c == 0 || wordM&0x7c == 0 {
			break
		}
		posL += wordL & longest
		posM += wordM & longest
		events++
	}
	t.usual[typL&(tallyLen-1)].Add(EventCount{events, posL - fromL})
	u.usual[typM&(tallyLen-1)].Add(EventCount{events, posM - fromM})
	t.seen |= typL
	u.seen |= typM
	l.sector.next, m.sector.next = posL, posM
}

// shortFrame decodes a frame with a size of one byte and a type of two, by far
// the most common; the size is 0 if it is another.
//
//gccheck:inline
func shortFrame(w uint64) (size, typ uint32) {
	if w&0x808080 != 0x008000 || w&0x7c == 0 {
		return 0, 0
	}
	return uint32(w) & 0x7f, uint32(w>>8)&0x7f | uint32(w>>9)&0x3f80
}

// odd counts one event, whatever form its frame has. It is false at the end of
// the lane.
func (l *lane) odd(t *tally) bool {
	s := l.sector
	s.next = l.chunk.past(s.next)
	if s.next >= s.limit || s.err != nil {
		return false
	}
	rec, err := l.chunk.record(s.next)
	if err != nil {
		s.err = err
		return false
	}
	s.next = rec.End()
	if id := uint64(rec.Type); id < tallyLen {
		t.usual[id].Add(EventCount{1, uint64(rec.Size)})
		t.seen |= uint32(id)
		return true
	}
	if t.other == nil {
		t.other = make(map[schema.TypeID]EventCount)
	}
	n := t.other[rec.Type]
	n.Add(EventCount{1, uint64(rec.Size)})
	t.other[rec.Type] = n
	return true
}

// take moves what has been counted into the lane.
func (l *lane) take(t *tally) {
	n := len(t.other)
	for id := range t.usual[:min(2*t.seen+1, tallyLen)] {
		if t.usual[id].Events > 0 {
			n++
		}
	}
	if l.ids, l.counts = nil, nil; n > 0 {
		l.ids, l.counts = make([]schema.TypeID, 0, n), make([]EventCount, 0, n)
	}
	for id := range t.usual[:min(2*t.seen+1, tallyLen)] {
		if t.usual[id].Events > 0 {
			l.ids, l.counts = append(l.ids, schema.TypeID(id)), append(l.counts, t.usual[id])
			t.usual[id] = EventCount{}
		}
	}
	t.seen = 0
	for id, n := range t.other {
		l.ids, l.counts = append(l.ids, id), append(l.counts, n)
	}
}
