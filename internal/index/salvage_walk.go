package index

import (
	"slices"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// soundRun is how many events in a row must be sound and timely before the walk goes on with them
// after damage. Fewer are enough if they lead to a sure place, or to the end of the chunk.
const soundRun = 4

// salvageWalk walks through the events of a chunk whose types are known, and finds where they
// cannot be followed.
//
// An event is sound if its fields end where it does. A checkpoint is sound if its constants end
// where it does, and a metadata event if it can be read. An event of a type that is not described
// is sound if it begins with a time at which the chunk was written.
//
// An event that is not sound is believed if a header surely follows it: then the damage is in its
// fields. Sure places are the checkpoints and metadata events that the header and the chain lead
// to, and the end that the header claims.
type salvageWalk struct {
	sure   []uint64
	window window
	// budget is how many bytes may still be looked at in vain.
	budget uint64

	// lost are the damaged parts. gaps are the parts that are not read: an event at the
	// beginning of a damaged part is read if its fields lie inside it.
	lost, gaps []gap
	heads      []checkpointHead // in the order of the file
	next       uint64           // where the chunk ends

	// events counts events. unsound counts those that do not end where their fields do, or
	// whose type is not described. timelyEvents counts those that can be read and began while
	// the chunk was written.
	events, unsound, timelyEvents uint64
	// flushed is where the last flush ends, 0 if there was no flush. afterFlush is how many events
	// come after it, and unbroken how many of them before the first gap there.
	flushed, afterFlush, unbroken uint64
	// nextChunkAt is where the next chunk begins, or the recording ends.
	nextChunkAt uint64
}

// follow walks through the chunk. A reader that believes every header, as [New] does, may find
// more timely events; then the walk believes every header, too, as far as that reader comes. Other
// events do not count: damaged bytes can be read as events that mean nothing.
func (s *salvager) follow() {
	s.followBelieving(0)
	if len(s.gaps) == 0 {
		return
	}
	if events, to := s.followStrictly(); events > s.timelyEvents {
		s.followBelieving(to)
	}
}

// followStrictly follows every header, and returns how many timely events can be read, and where
// that ends.
func (s *salvager) followStrictly() (events, pos uint64) {
	end := s.next
	if s.claimed > 0 {
		end = s.claimed
	}
	for pos = wire.HeaderLen; pos < end; {
		rec, ok := s.c.eventHeader(pos)
		if !ok || rec.End() > end {
			break
		}
		if s.readable(rec) && s.timely(s.c.types.Load(), rec) {
			events++
		}
		pos = rec.End()
	}
	return events, pos
}

// followBelieving walks through the chunk and believes all headers before an offset.
func (s *salvager) followBelieving(to uint64) {
	c := s.c
	s.salvageWalk = salvageWalk{sure: s.knownOffsets(), window: s.writtenBetween(), budget: searchShare * s.limit}
	if s.claimed > 0 {
		s.sure = append(s.sure, s.claimed)
		slices.Sort(s.sure)
	}
	pos := uint64(wire.HeaderLen)
	for pos < s.limit && !s.endsAt(pos) {
		if pos == s.claimed {
			s.flush(pos)
		}
		rec, ok := c.eventHeader(pos)
		sound := ok && s.sound(rec)
		if ok && !s.overruns(rec, sound) && (sound || pos < to || s.leadsOn(rec.End())) {
			s.accept(rec, sound)
			pos = rec.End()
			continue
		}
		if s.claimed > 0 && s.raw.Finished() && pos >= s.claimed {
			break
		}
		next, from := s.resume(pos), pos
		if ok && next >= rec.End() && s.readable(rec) {
			s.accept(rec, false)
			from = rec.End()
		}
		s.lost = appendGap(s.lost, gap{pos, next})
		if from < next {
			if n := len(s.gaps); n == 0 || s.gaps[n-1].from < s.flushed {
				s.unbroken = s.afterFlush
			}
			s.gaps = appendGap(s.gaps, gap{from, next})
		}
		pos = next
	}
	if pos == s.claimed {
		s.flush(pos)
	}
	s.next = min(pos, s.limit)
}

// overruns reports whether an event reaches into the next chunk, because bytes of it are missing.
// Chunks may lie in an event that is sound, but not with their beginning alone.
func (s *salvager) overruns(rec EventHeader, sound bool) bool {
	next := s.before(rec.Offset + 1)
	if rec.End() <= next {
		return false
	}
	x, at := s.c.index, s.c.offset+next
	h, ok := wire.ReadHeader(x.data[at:])
	return !sound || ok && h.Size > rec.End()-next && x.leads(at, h)
}

// appendGap adds a gap after the others, and joins two that touch.
func appendGap(gaps []gap, h gap) []gap {
	if n := len(gaps); n > 0 && gaps[n-1].to == h.from {
		gaps[n-1].to = h.to
		return gaps
	}
	return append(gaps, h)
}

// endsAt reports whether the chunk ends at an offset to which its events lead.
func (s *salvager) endsAt(pos uint64) bool {
	if s.chunkBegins(pos) {
		return true
	}
	// The chunk goes on after the end that a finished header claims only if there can be no doubt.
	return s.raw.Finished() && pos == s.claimed && !s.run(pos, soundRun, nil)
}

// chunkBegins reports whether another chunk begins at an offset.
func (s *salvager) chunkBegins(pos uint64) bool {
	at := s.c.offset + pos
	return s.c.data[pos] == wire.Magic[0] && s.c.index.begins(at)
}

// accept counts an event that is believed.
func (s *salvager) accept(rec EventHeader, sound bool) {
	switch rec.Type {
	case schema.MetadataID:
	case schema.CheckpointID:
		h, err := s.c.readCheckpointHead(rec.Offset)
		if err != nil {
			return
		}
		s.heads = append(s.heads, h)
		if h.Mask&CheckpointFlush != 0 {
			s.flush(rec.End())
		}
	default:
		s.events++
		s.afterFlush++
		types := s.c.types.Load()
		described := types != nil && types.EventType(rec.Type) != nil
		if !sound || !described {
			s.unsound++
		}
		if described && (sound || s.readable(rec)) && s.timely(types, rec) {
			s.timelyEvents++
		}
	}
}

// flush stores the end of a flush.
func (s *salvager) flush(pos uint64) {
	if s.unfinished() {
		s.flushed, s.afterFlush, s.unbroken = pos, 0, 0
	}
}

func (s *salvager) isSure(pos uint64) bool {
	_, ok := slices.BinarySearch(s.sure, pos)
	return ok
}

// sound reports whether the contents of an event are right.
func (s *salvager) sound(rec EventHeader) bool {
	types := s.c.types.Load()
	switch {
	case rec.Type == schema.MetadataID:
		_, ok := slices.BinarySearch(s.metadata, rec.Offset)
		return ok
	case types == nil:
		return rec.Size > rec.HeaderLen
	case rec.IsEvent() && types.EventType(rec.Type) == nil:
		return !s.window.open && s.within(rec, rec.Body())
	case rec.Type == schema.CheckpointID:
		h, err := s.c.readCheckpointHead(rec.Offset)
		return err == nil && h.Mask&^knownMask == 0 && skipPools(&h, types, s.c.data[:rec.End()])
	}
	return s.c.fits(types, rec)
}

// readable reports whether the fields of an event lie inside it, so that a reader can read it.
func (s *salvager) readable(rec EventHeader) bool {
	types := s.c.types.Load()
	if types == nil || !rec.IsEvent() {
		return false
	}
	_, ok := s.c.fieldsEnd(types, rec)
	return ok
}

// knownMask has all bits of a mask that have a meaning.
const knownMask = CheckpointFlush | CheckpointHeader | CheckpointStatics | CheckpointThread

// skipPools reports whether the pools of a checkpoint end where it does.
func skipPools(h *checkpointHead, types *schema.TypeSet, b []byte) bool {
	for range h.left {
		typ := types.ByID(schema.TypeID(h.cur.Long()))
		count := h.cur.Count()
		if !h.cur.OK() || typ == nil {
			return false
		}
		plan, err := typ.Plan()
		if err != nil {
			return false
		}
		pos := h.cur.Pos()
		for range count {
			_, n := types.IntEncoding.Long(b[pos:])
			end, ok := plan.Skip(b, pos+n)
			if n == 0 || !ok {
				return false
			}
			pos = end
		}
		h.cur.Seek(pos)
	}
	return h.cur.Pos() == len(b)
}

// leadsOn reports whether an event that is not sound is surely followed by a header.
func (s *salvager) leadsOn(pos uint64) bool {
	return s.isSure(pos) || s.run(pos, surelyRange, s.readable)
}

// surelyRange is how many events are looked at to find soundRun of them that can be read: the type
// of those in between may have a damaged description.
const surelyRange = 32

// run reports whether timely events follow one another from pos on. Of the first most events,
// soundRun must be sound or pass good; fewer are enough up to a sure place.
func (s *salvager) run(pos uint64, most int, good func(EventHeader) bool) bool {
	types := s.c.types.Load()
	if types == nil {
		return false
	}
	for n, left := 0, most; n < soundRun; left-- {
		if n > 0 && (s.isSure(pos) || pos < s.limit && s.chunkBegins(pos)) {
			return true
		}
		rec, ok := s.c.eventHeader(pos)
		if !ok || left == 0 || !s.timely(types, rec) {
			return false
		}
		if uint64(rec.Size) > s.budget {
			s.budget = 0
			return false
		}
		s.budget -= uint64(rec.Size)
		switch {
		case s.sound(rec) || good != nil && good(rec):
			n++
		case most == soundRun || s.window.open || !rec.IsEvent():
			return false
		}
		pos = rec.End()
	}
	return true
}

// resume returns where the walk can go on after a damaged event.
func (s *salvager) resume(pos uint64) uint64 {
	i, _ := slices.BinarySearch(s.sure, pos+1)
	stop := s.before(pos + 1)
	if i < len(s.sure) {
		stop = min(stop, s.sure[i])
	}
	for pos++; pos < stop && s.budget > 0; pos++ {
		if s.run(pos, soundRun, nil) {
			return pos
		}
	}
	return stop
}

// before returns where the next chunk begins from an offset on, or where this one must end.
func (s *salvager) before(pos uint64) uint64 {
	if s.nextChunkAt < pos {
		s.nextChunkAt = min(s.limit, s.c.index.nextChunk(s.c.offset+pos)-s.c.offset)
	}
	return s.nextChunkAt
}
