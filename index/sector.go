package index

import (
	"cmp"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
)

// A sector is a part of a chunk's events that is gone through on its own, while
// others are at the other parts.
//
// Where events begin is known only from the one before. So a sector begins at a
// guess: where a run of frames, one behind the other, all look right. When the
// walk through the sector before ends just there the guess was true, as it nearly
// always is; if not, the sector is gone through again from where it should have
// begun. So what comes out is exact whatever the guesses were.
type sector struct {
	// start and limit are the places at which it begins and ends: its events are
	// those that begin from start on and before limit. from is where the first one
	// of these begins; it lies behind limit if there is none.
	start, from, limit uint64
	// next is where the walk has ended: with the first event from limit on, or
	// with the one that err is about.
	next uint64
	err  error
}

// sectorSize is how many bytes a sector has, a multiple of blockSize. It is
// small enough that workers end at about the same time, and large enough that
// the guesses cost nothing. Tests set it, to have many sectors in small files.
var sectorSize uint64 = 4 << 20

const (
	// plausible is how many frames in a row must look right.
	plausible = 24
	// guessRange is how far before the place where a sector begins a run is
	// looked for.
	guessRange = 16 << 10
	// guessSteps bounds how many frames are looked at for one guess, and guessBytes is
	// how many bytes of their fields count as much as one more: an event can be as long
	// as the chunk, and begin in as many ways as there are places.
	guessSteps = 64 << 10
	guessBytes = 1024
)

// sectors cuts the events from there on, to the end of the chunk, into parts
// that begin at multiples of sectorSize. The first part begins with the event at
// from.
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
	long := c.longCheckpoints()
	for at := first; at+sectorSize/2 < end; at += sectorSize {
		for len(long) > 0 && long[0].end <= at {
			long = long[1:]
		}
		// The chunk may consist of a single checkpoint at that place; then the sector
		// before takes this one, too.
		if len(long) > 0 && long[0].begin < at {
			continue
		}
		if begin, ok := c.guess(types, at); ok {
			list[len(list)-1].limit = at
			list = append(list, sector{start: at, from: begin, limit: end})
		}
	}
	return list
}

// span is where something lies.
type span struct{ begin, end uint64 }

// longCheckpoints returns where the checkpoints lie that are so long that a guess
// would be in vain, in their order, as far as their chain is right.
func (c *Chunk) longCheckpoints() (list []span) {
	heads, _ := c.chain(c.header.Checkpoint, 0)
	for _, h := range heads {
		if h.Size > guessRange {
			list = append(list, span{h.Offset, h.Offset + uint64(h.Size)})
		}
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.begin, b.begin) })
	return list
}

// guess returns where the first event from there on probably begins.
func (c *Chunk) guess(types *schema.TypeSet, at uint64) (begin uint64, ok bool) {
	steps := guessSteps
	for try := at - guessRange; try < at && steps > 0; try++ {
		if begin, ok := c.run(types, try, at, &steps); ok {
			return begin, true
		}
	}
	return 0, false
}

// run follows the frames from try on, and returns where the first one from at on
// begins. It is false if one does not look right, or if there are no steps left.
func (c *Chunk) run(types *schema.TypeSet, try, at uint64, steps *int) (begin uint64, ok bool) {
	for pos, n := try, 0; begin == 0 || n < plausible; n++ {
		rec, ok := c.frame(pos)
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

// fits tells whether events of that class are described, and its fields end where
// it does, as in all that virtual machines write. Nearly every letter is the number
// of an event type, so that without looking at the fields much text looks right.
func (c *Chunk) fits(types *schema.TypeSet, rec EventHeader) bool {
	class := types.EventType(rec.Type)
	if class == nil {
		return false
	}
	plan, err := class.Plan()
	if err != nil {
		return false
	}
	end, ok := plan.Skip(c.data[:rec.End()], int(rec.Body()))
	return ok && end == int(rec.End())
}

// stitch makes the sectors right that began at a wrong guess, by walking through
// them again, and leaves out what lies behind an error. It returns the sectors
// that count, and tells of each that has to be done again.
func stitch(list []sector, again func(i int)) []sector {
	for i := range list {
		if i > 0 && list[i].from != list[i-1].next {
			list[i].from = list[i-1].next
			again(i)
		}
		if list[i].err != nil {
			return list[:i+1]
		}
	}
	return list
}
