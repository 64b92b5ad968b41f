package profile

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// tally is what a chunk has of a source. Several can be of one rank, or of several workers.
type tally struct {
	t mmapjfr.Type
	// moments has a bit for each moment in which there are samples; those that are a second apart share
	// one.
	moments uint64
	// lost is how many samples could not be recorded, failed how many have no stack.
	lost, failed int64
	// samples is how many there are, and amount what they stand for: the main value of their kind.
	samples, amount int64
}

// momentsPerSecond is about how many moments a second has.
const momentsPerSecond = 64

// tally returns the tally of a source.
func (w *counter) tally(id sourceID) *tally {
	t := w.tallies[id]
	if t == nil {
		t = &tally{t: w.types[id]}
		w.tallies[id] = t
	}
	return t
}

func (t *tally) add(o *tally) {
	t.moments |= o.moments
	t.lost, t.failed = saturate.Add(t.lost, o.lost), saturate.Add(t.failed, o.failed)
	t.samples, t.amount = saturate.Add(t.samples, o.samples), saturate.Add(t.amount, o.amount)
}

// isLeftOver reports whether samples were hardly recorded in a chunk, beside others that measure the
// same: they stand for less than a tenth, and are of fewer than half as many moments. The first alone
// happens to a program that waits for a processor; the second to one that does little.
func (t *tally) isLeftOver(beside *tally) bool {
	amount := t.amount
	if t.samples > 0 {
		amount = saturate.Add(amount, saturate.Mul(t.amount/t.samples, t.lost))
	}
	return amount < beside.amount/10 && 2*bits.OnesCount64(t.moments) < bits.OnesCount64(beside.moments)
}

// tallies returns what a chunk has of each source.
func (r *reader) tallies(set settings, on samplers, counters []counter) map[sourceID]*tally {
	all := make(map[sourceID]*tally)
	for i := range counters {
		w := &counters[i]
		for j, key := range w.rows.list {
			k := &r.kinds[key.src.kind]
			if on.counts(k.sources[key.src.source].mode, w.labels.list[key.labels].State) {
				w.tallies[key.src].add(&tally{samples: max(w.values[j][0], 1), amount: w.values[j][k.Main()]})
			}
		}
		for id, t := range w.tallies {
			if all[id] == nil {
				all[id] = &tally{t: t.t}
			}
			all[id].add(t)
		}
	}
	for id, t := range all {
		k := &r.kinds[id.kind]
		if k.sources[id.source].values[k.Main()].period {
			ns, _ := set.period(t.t, k.Name)
			t.amount = saturate.Mul(t.amount, ns)
		}
	}
	return all
}

// bestRanks returns the ranks of the sources that count in a chunk, by kind; -1 for kinds without
// samples.
func (r *reader) bestRanks(all map[sourceID]*tally) []int {
	ranks := make([]int, len(r.kinds))
	for kind := range r.kinds {
		byRank := make(map[int]*tally)
		for id, t := range all {
			if int(id.kind) == kind {
				rank := r.kinds[kind].sources[id.source].rank
				if byRank[rank] == nil {
					byRank[rank] = &tally{}
				}
				byRank[rank].add(t)
			}
		}
		ranks[kind] = -1
		for rank := range len(r.kinds[kind].sources) {
			t, best := byRank[rank], byRank[ranks[kind]]
			if t != nil && t.samples > 0 && (best == nil || best.isLeftOver(t)) {
				ranks[kind] = rank
			}
		}
	}
	return ranks
}

// best returns the sources that count in a chunk, with the time that a sample stands for. It adds notes
// about them and the others.
func (r *reader) best(notes *Profile, set settings, on samplers, counters []counter) map[sourceID]int64 {
	all := r.tallies(set, on, counters)
	ranks := r.bestRanks(all)
	counted := make(map[sourceID]int64)
	for id, t := range all {
		k := &r.kinds[id.kind]
		s, rank := k.sources[id.source], ranks[id.kind]
		if rank >= 0 && s.rank != rank {
			if t.samples > 0 {
				notes.AddNote(k.leftOut(s, r.first(all, id.kind, rank)))
			}
			continue
		}
		if t.lost > 0 {
			notes.AddNoteOf(t.lost, k.Name+": %d samples are"+noteMissing+s.event+" says")
		}
		if t.failed > 0 {
			notes.AddNoteOf(t.failed, k.Name+": the stacks of %d samples"+noteNoStack)
		}
		if t.samples == 0 {
			continue
		}
		ns, known := int64(0), true
		if slices.ContainsFunc(s.values[:], func(w weight) bool { return w.period }) {
			ns, known = set.period(t.t, k.Name)
		}
		if !known {
			notes.AddNote(fmt.Sprintf("%s: %s%s stands for; it is taken for %d ms", k.Name, noteNoPeriod, s.event, ns/1e6))
		}
		counted[id] = ns
	}
	return counted
}

// first returns the first source of a rank that has samples.
func (r *reader) first(all map[sourceID]*tally, kind uint8, rank int) source {
	for i, s := range r.kinds[kind].sources {
		if t := all[sourceID{kind, uint8(i)}]; s.rank == rank && t != nil && t.samples > 0 {
			return s
		}
	}
	return source{}
}

// leftOut returns a note about a source that does not count where another does.
func (k *knownKind) leftOut(s, other source) string {
	if other.rank < s.rank {
		return fmt.Sprintf("%s: %s is left out of chunks with %s, which measures the same", k.Name, s.event, other.event)
	}
	return fmt.Sprintf("%s: %s is left out of chunks that have hardly any; %s measures the same there", k.Name, s.event, other.event)
}
