package index

import (
	"cmp"
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/internal/index/schema"
)

// A sector is a part of a chunk's events that one worker walks through while others walk
// through the other parts.
//
// The size of an event says where the next one begins, so nobody knows where events begin in
// the middle of a chunk. A sector therefore begins at a guess: where a run of event headers
// looks right. The guess was true if the walk through the sector before ends just there, as it
// nearly always does. If not, the sector is walked through again from the right place. So the
// result is exact, whatever the guesses were.
type sector struct {
	// The events of the sector are those that begin from start on and before limit. from is
	// where the first of them begins; it is beyond limit if no event begins in the sector.
	start, from, limit uint64
	// next is where the walk ended: at the first event from limit on, or at the event that
	// err is about.
	next uint64
	err  error
}

// sectorSize is how many bytes a sector has, a multiple of blockSize. With 4 MiB, workers end
// at about the same time even in a chunk of the JDK's 12 MiB, and a guess costs nothing beside
// the walk. Tests set it, to have many sectors in small files.
var sectorSize uint64 = 4 << 20

const (
	// guessRun is how many event headers in a row must look right.
	guessRun = 24
	// guessRange is how far before the start of a sector the search for a run begins.
	guessRange = 16 << 10
	// guessSteps bounds how many headers are looked at for one guess. guessBytes bytes of fields
	// count as one more: an event can be as long as the chunk, and can seem to begin at every byte.
	guessSteps = 64 << 10
	guessBytes = 1024
)

// sectors splits the events from an offset on, to the end of the chunk. All sectors but the
// first begin at multiples of sectorSize. The first one begins with the event at from.
func (c *Chunk) sectors(from uint64, types *schema.TypeSet) []sector {
	end := uint64(len(c.data))
	list := []sector{{start: from, from: from, limit: end}}
	if types == nil {
		return list
	}
	first := (from/sectorSize + 1) * sectorSize
	if first+sectorSize/2 >= end {
		return list
	}
	// A guess inside a long checkpoint would fail. Those to which the chain leads can be found.
	long, _ := c.chain(c.header.Checkpoint, 0)
	long = slices.DeleteFunc(long, func(h checkpointHead) bool { return h.Size <= guessRange })
	slices.SortFunc(long, func(a, b checkpointHead) int { return cmp.Compare(a.Offset, b.Offset) })
	for at := first; at+sectorSize/2 < end; at += sectorSize {
		for len(long) > 0 && long[0].End() <= at {
			long = long[1:]
		}
		// A single checkpoint may cover this place. Then the sector before takes this one, too.
		if len(long) > 0 && long[0].Offset < at {
			continue
		}
		if begin, ok := c.guess(types, at); ok {
			list[len(list)-1].limit = at
			list = append(list, sector{start: at, from: begin, limit: end})
		}
	}
	return list
}

// guess returns where the first event from an offset on probably begins.
func (c *Chunk) guess(types *schema.TypeSet, at uint64) (begin uint64, ok bool) {
	steps := guessSteps
	for try := at - guessRange; try < at && steps > 0; try++ {
		if begin, ok := c.followRun(types, try, at, &steps); ok {
			return begin, true
		}
	}
	return 0, false
}

// followRun follows event headers from try on, and returns where the first event from at on
// begins. It reports false if a header does not look right, or if no steps are left.
func (c *Chunk) followRun(types *schema.TypeSet, try, at uint64, steps *int) (begin uint64, ok bool) {
	for pos, n := try, 0; begin == 0 || n < guessRun; n++ {
		rec, ok := c.eventHeader(pos)
		if *steps--; *steps < 0 || !ok || rec.Size <= rec.HeaderLen {
			return 0, false
		}
		if rec.IsEvent() {
			if *steps -= int(rec.Size / guessBytes); *steps < 0 || !c.fits(types, rec) {
				return 0, false
			}
		}
		if begin == 0 && pos >= at {
			begin = pos
		}
		pos = rec.End()
	}
	return begin, true
}

// fits reports whether the type of an event is described and its fields end where it does, as
// in all events that virtual machines write. Nearly every letter is the number of an event
// type, so without a look at the fields much text would look like events.
func (c *Chunk) fits(types *schema.TypeSet, rec EventHeader) bool {
	end, ok := c.fieldsEnd(types, rec)
	return ok && end == rec.End()
}

// fieldsEnd returns where the fields of an event end. It reports false if that is not inside
// the event, or if the type is not described.
func (c *Chunk) fieldsEnd(types *schema.TypeSet, rec EventHeader) (end uint64, ok bool) {
	typ := types.EventType(rec.Type)
	if typ == nil {
		return 0, false
	}
	plan, err := typ.Plan()
	if err != nil {
		return 0, false
	}
	pos, ok := plan.Skip(c.data[:rec.End()], int(rec.Body()))
	return uint64(pos), ok
}

// joiner puts the walks through the sectors of a chunk together, in the order of the sectors. A
// sector that began at a wrong guess is walked through again. What lies after an error is left out.
type joiner struct {
	list []sector
	// walk walks through a sector again. add adds what the walk through a sector has found.
	walk, add func(i int)

	mu     sync.Mutex
	walked []bool // those that wait for a sector before them
	joined int
	err    error
}

// done takes note that a sector has been walked through, and joins all that can be joined.
func (j *joiner) done(i int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.walked[i] = true
	for ; j.joined < len(j.list) && j.walked[j.joined] && j.err == nil; j.joined++ {
		i, s := j.joined, &j.list[j.joined]
		if i > 0 && s.from != j.list[i-1].next {
			s.from = j.list[i-1].next
			j.walk(i)
		}
		j.add(i)
		j.err = s.err
	}
}
