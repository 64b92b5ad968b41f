package index

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The functions that count events by type, from the outside to the inside:
//
//	Index.CountEvents  takes chunksAtOnce chunks at a time
//	countChunks        splits them into sectors, and shares pairs of sectors among workers
//	countLanes         counts the events of one sector or of a pair
//	usualPair          counts the events of a pair with the usual headers, in one loop
//	samePair           does so while the events of each sector are all of one type
//	lane.usual         counts the events of one sector with the usual headers
//	lane.any           counts one event with a header of any form
//	sumLanes           adds up the sectors of a chunk

// EventCount is a number of events, and of the bytes that they take with their headers.
type EventCount struct {
	Events, Bytes uint64
}

// Add adds another count.
func (n *EventCount) Add(m EventCount) {
	n.Events += m.Events
	n.Bytes += m.Bytes
}

func addCount(counts *map[schema.TypeID]EventCount, id schema.TypeID, n EventCount) {
	if *counts == nil {
		*counts = make(map[schema.TypeID]EventCount)
	}
	n.Add((*counts)[id])
	(*counts)[id] = n
}

// TypeCounts is how many events of each type a chunk holds, up to Err. Metadata events and
// checkpoints are among them.
type TypeCounts struct {
	// IDs are the numbers of the types that have events, in ascending order, and Counts is
	// how many events each of them has.
	IDs    []schema.TypeID
	Counts []EventCount
	// Err is the error that ended the walk over the events before the end of the chunk, or nil.
	Err error
}

// CountEvents counts the events of each chunk, and returns the chunks in their order with the
// counts. It walks through all event headers, with that number of workers; 0 stands for the
// number of processors. It caches nothing. When the context is cancelled it ends early, without
// the chunks that have not been counted by then.
//
// If passed is not nil, any worker calls it with parts of the recording that have been counted:
// from where to where, in bytes from the start of the recording.
//
// Each worker walks through two sectors at a time. A walk waits for the size of one event before
// it can look at the next, and while one walk waits the other goes on.
func (x *Index) CountEvents(ctx context.Context, workers int, passed func(from, to uint64)) iter.Seq2[*Chunk, TypeCounts] {
	return func(yield func(*Chunk, TypeCounts) bool) {
		tallies := make([][2]tally, parallel.Workers(workers))
		for chunks := range slices.Chunk(x.chunks, chunksAtOnce) {
			for i, counts := range countChunks(ctx, chunks, workers, tallies, passed) {
				if !yield(chunks[i], counts) {
					return
				}
			}
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// chunksAtOnce is how many chunks are read at a time: the memory that this takes must not grow
// with their number.
const chunksAtOnce = 64

// countChunks returns the counts of each chunk; nothing if the context has been cancelled.
func countChunks(ctx context.Context, chunks []*Chunk, workers int, tallies [][2]tally, passed func(from, to uint64)) []TypeCounts {
	var lanes []*lane
	sectors := make([][]sector, len(chunks))
	for i, c := range chunks {
		c.Ahead(chunks[len(chunks)-1].number)
		c.Need()
		types, _ := c.Types() // without types, the chunk is one sector
		sectors[i] = c.sectors(c.FirstEvent(), types)
		for j := range sectors[i] {
			lanes = append(lanes, &lane{chunk: c, sector: &sectors[i][j]})
		}
	}
	parallel.ForEach(workers, (len(lanes)+1)/2, func(worker, task int) {
		if ctx.Err() != nil {
			return
		}
		pair := lanes[2*task : min(2*task+2, len(lanes))]
		countLanes(pair, &tallies[worker])
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
		var own []*lane
		own, lanes = lanes[:len(sectors[i])], lanes[len(sectors[i]):]
		j := joiner{list: sectors[i], walked: make([]bool, len(own))}
		j.walk = func(i int) { countLanes(own[i:i+1], &tallies[0]) }
		j.add = func(int) {}
		for i := range own {
			j.done(i)
		}
		list[i] = sumLanes(own[:j.joined])
	}
	return list
}

// sumLanes adds up the counts of the sectors of a chunk.
func sumLanes(lanes []*lane) TypeCounts {
	if only := lanes[0]; len(lanes) == 1 && slices.IsSorted(only.ids) {
		return TypeCounts{IDs: only.ids, Counts: only.counts, Err: only.sector.err}
	}
	var sums map[schema.TypeID]EventCount
	for _, l := range lanes {
		for i, id := range l.ids {
			addCount(&sums, id, l.counts[i])
		}
	}
	c := TypeCounts{IDs: slices.Sorted(maps.Keys(sums)), Err: lanes[len(lanes)-1].sector.err}
	for _, id := range c.IDs {
		c.Counts = append(c.Counts, sums[id])
	}
	return c
}

// lane is a walk through the event headers of a sector, and its counts.
type lane struct {
	chunk  *Chunk
	sector *sector
	folded uint64 // up to where the tally was folded
	ids    []schema.TypeID
	counts []EventCount
}

// tallyLen is the number of type numbers that the usual headers can have.
const tallyLen = 1 << 14

// tally counts events by type while a sector is walked through.
type tally struct {
	// usual has events and bytes in one number, see oneEvent: the loops add to it once for each
	// event.
	usual [tallyLen]uint64
	other map[schema.TypeID]EventCount
}

// oneEvent is what one event is in a number of tally.usual. The lower bits are bytes: they are
// fewer than oneEvent, as a lane folds its tally after foldAfter bytes.
const oneEvent = 1 << 34

var foldAfter uint64 = oneEvent / 4 // tests set it

// add counts an event of a type with a usual header. It is part of the loops below.
//
//gccheck:inline
func (t *tally) add(typ uint32, size uint64) { t.usual[typ&(tallyLen-1)] += oneEvent + size }

// fold moves the usual counts to the others.
func (t *tally) fold() {
	for id, n := range &t.usual {
		if n > 0 {
			addCount(&t.other, schema.TypeID(id), EventCount{n / oneEvent, n % oneEvent})
			t.usual[id] = 0
		}
	}
}

// countLanes counts the events of one lane, or of two at the same time.
func countLanes(lanes []*lane, tallies *[2]tally) {
	for i, l := range lanes {
		l.sector.next, l.sector.err, l.folded = l.sector.from, nil, l.sector.from
		tallies[i].other = nil
	}
	for both := len(lanes) == 2; both; {
		same, more := usualPair(lanes[0], lanes[1], &tallies[0], &tallies[1])
		switch {
		case same:
			samePair(lanes[0], lanes[1], &tallies[0], &tallies[1])
		default:
			both = more && lanes[0].any(&tallies[0]) && lanes[1].any(&tallies[1])
		}
	}
	for i, l := range lanes {
		for l.usual(&tallies[i]); l.any(&tallies[i]); l.usual(&tallies[i]) {
		}
		l.take(&tallies[i])
	}
}

// stop returns the offset in the chunk at which the loops over usual headers end.
func (l *lane) stop() uint64 {
	if l.chunk.encoding != wire.Compressed {
		return 0
	}
	return min(l.sector.limit, uint64(max(len(l.chunk.data)-longestShort, 0)), l.chunk.nextGap(l.sector.next), l.folded+foldAfter, lastWord(l.chunk.data))
}

// longestShort is the greatest size of one byte. No such event that begins before [lane.stop] ends
// after the chunk.
const longestShort = 0x7f

// leastLong is the least size of an event whose header has a form that only
// [wire.EventHeader] knows: the longest such header has six bytes. Lane.any counts the others.
const leastLong = 7

// usual counts events, up to the first one whose header has not one of the usual forms.
//
//gccheck:nobounds
func (l *lane) usual(t *tally) {
	data, pos, stop := l.chunk.data, l.sector.next, l.stop()
	left := uint64(len(data))
	for pos < stop {
		size, typ, _ := wire.ShortEventHeader(wire.Word(data, int(pos)))
		if size == 0 {
			if size, typ, _ = wire.EventHeader(wire.Word(data, int(pos))); size < leastLong || uint64(size) > left-pos {
				break
			}
		}
		t.add(typ, uint64(size))
		pos += uint64(size)
	}
	l.sector.next = pos
}

// sameWindow is how many events in a row must be of one type before the next events are
// expected to be of that type, too.
const sameWindow = 1 << 10

// usualPair is usual for two lanes whose steps alternate. It ends as soon as one lane does; more
// is false if that lane is at its end. It also ends, and same is true, when in each lane
// sameWindow events in a row were of the type of the event before them.
//
//gccheck:nobounds
func usualPair(l, m *lane, t, u *tally) (same, more bool) {
	dataL, posL, stopL := l.chunk.data, l.sector.next, l.stop()
	dataM, posM, stopM := m.chunk.data, m.sector.next, m.stop()
	leftL, leftM := uint64(len(dataL)), uint64(len(dataM))
	typL, typM := uint32(0), uint32(0)
	for !same && !more && posL < stopL && posM < stopM {
		beforeL, beforeM := &t.usual[typL&(tallyLen-1)], &u.usual[typM&(tallyLen-1)]
		eventsL, eventsM := *beforeL/oneEvent, *beforeM/oneEvent
		left := sameWindow
		for ; left > 0 && posL < stopL && posM < stopM; left-- {
			var sizeL, sizeM uint32
			sizeL, typL, _ = wire.ShortEventHeader(wire.Word(dataL, int(posL)))
			sizeM, typM, _ = wire.ShortEventHeader(wire.Word(dataM, int(posM)))
			if sizeL == 0 {
				if sizeL, typL, _ = wire.EventHeader(wire.Word(dataL, int(posL))); sizeL < leastLong || uint64(sizeL) > leftL-posL {
					more = true
					break
				}
			}
			if sizeM == 0 {
				if sizeM, typM, _ = wire.EventHeader(wire.Word(dataM, int(posM))); sizeM < leastLong || uint64(sizeM) > leftM-posM {
					more = true
					break
				}
			}
			t.add(typL, uint64(sizeL))
			posL += uint64(sizeL)
			u.add(typM, uint64(sizeM))
			posM += uint64(sizeM)
		}
		same = *beforeL/oneEvent-eventsL == sameWindow && *beforeM/oneEvent-eventsM == sameWindow
	}
	l.sector.next, m.sector.next = posL, posM
	return same, more
}

// samePair is usualPair for events of one type in each lane, with short headers. It compares
// whole headers instead of decoding them. It ends at the first event of another type, or near
// the end of a lane.
//
//gccheck:nobounds
func samePair(l, m *lane, t, u *tally) {
	dataL, posL, stopL := l.chunk.data, l.sector.next, l.stop()
	dataM, posM, stopM := m.chunk.data, m.sector.next, m.stop()
	if posL >= stopL || posM >= stopM {
		return
	}
	wordL, wordM := wire.Word(dataL, int(posL)), wire.Word(dataM, int(posM))
	sizeL, typL, lenL := wire.ShortEventHeader(wordL)
	sizeM, typM, lenM := wire.ShortEventHeader(wordM)
	if sizeL == 0 || sizeM == 0 {
		return
	}
	// The whole header but the size.
	maskL, maskM := (uint64(1)<<(8*lenL&31)-1)&^longestShort, (uint64(1)<<(8*lenM&31)-1)&^longestShort
	headL, headM := wordL&maskL, wordM&maskM
	events, fromL, fromM := uint64(0), posL, posM
	for posL < stopL && posM < stopM {
		wordL, wordM = wire.Word(dataL, int(posL)), wire.Word(dataM, int(posM))
		if wordL&maskL^headL|wordM&maskM^headM != 0 || wordL&0x7c == 0 || wordM&0x7c == 0 {
			break
		}
		posL += wordL & longestShort
		posM += wordM & longestShort
		events++
	}
	t.usual[typL&(tallyLen-1)] += events*oneEvent + posL - fromL
	u.usual[typM&(tallyLen-1)] += events*oneEvent + posM - fromM
	l.sector.next, m.sector.next = posL, posM
}

// any counts one event with a header of any form. It reports false at the end of the lane.
func (l *lane) any(t *tally) bool {
	s := l.sector
	if s.next-l.folded >= foldAfter {
		t.fold()
		l.folded = s.next
	}
	s.next = l.chunk.afterGap(s.next)
	if s.next >= s.limit || s.err != nil {
		return false
	}
	rec, err := l.chunk.readEventHeader(s.next)
	if err != nil {
		s.err = err
		return false
	}
	s.next = rec.End()
	if id := uint64(rec.Type); id < tallyLen {
		t.add(uint32(id), uint64(rec.Size))
		return true
	}
	addCount(&t.other, rec.Type, EventCount{1, uint64(rec.Size)})
	return true
}

// take moves the counts from the tally into the lane.
func (l *lane) take(t *tally) {
	l.ids, l.counts = nil, nil
	if len(t.other) > 0 {
		t.fold() // some of its types may be among the usual ones
	}
	n := len(t.other)
	for _, usual := range &t.usual {
		if usual > 0 {
			n++
		}
	}
	if n > 0 {
		l.ids, l.counts = make([]schema.TypeID, 0, n), make([]EventCount, 0, n)
	}
	for id, n := range &t.usual {
		if n > 0 {
			l.ids, l.counts = append(l.ids, schema.TypeID(id)), append(l.counts, EventCount{n / oneEvent, n % oneEvent})
			t.usual[id] = 0
		}
	}
	for id, n := range t.other {
		l.ids, l.counts = append(l.ids, id), append(l.counts, n)
	}
}
