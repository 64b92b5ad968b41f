package profile

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/internal/weigh"
)

// rivals are the sources of a kind that a chunk has: of those that measure the same only the ones of one rank count.
type rivals struct {
	kind *weigh.Kind
	list []rival // in the order of the kind
}

// rival is a source, and what a chunk has of it.
type rival struct {
	*weigh.Source
	tally
}

// tally is what a chunk has of a source. Several can be of one rank, or of several workers.
type tally struct {
	typ int64 // the number of the event type
	// moments has a bit for each moment in which there are samples; those that are a second apart share
	// one.
	moments uint64
	// lost is how many samples could not be recorded, failed how many have no stack.
	lost, failed int64
	states       [len(weigh.StateClasses)]amounts
	amounts      // of the states that count
}

// amounts are how many samples there are, and what they stand for: the main value of their kind, without periods.
type amounts struct{ samples, amount int64 }

// stateClass returns the position of the class of a state.
func stateClass(state string) int {
	if i := slices.Index(weigh.StateClasses[:], state); i >= 0 {
		return i
	}
	return len(weigh.StateClasses) - 1
}

// momentsPerSecond is about how many moments a second has.
const momentsPerSecond = 64

func (a *amounts) add(o amounts) {
	a.samples, a.amount = saturate.Add(a.samples, o.samples), saturate.Add(a.amount, o.amount)
}

func (t *tally) add(o *tally) {
	t.moments |= o.moments
	t.lost, t.failed = saturate.Add(t.lost, o.lost), saturate.Add(t.failed, o.failed)
	t.amounts.add(o.amounts)
	for i := range t.states {
		t.states[i].add(o.states[i])
	}
}

// addRow adds a row of samples in a state of a class.
func (t *tally) addRow(class int, samples, amount int64) {
	t.states[class].add(amounts{max(samples, 1), amount})
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

// isEmpty reports whether a source makes no difference.
func (t *tally) isEmpty() bool {
	return t.lost == 0 && t.failed == 0 && t.states == [len(weigh.StateClasses)]amounts{}
}

// rivals returns what a chunk has, by kind.
func (r *reader) rivals(counters []counter) []rivals {
	all := make([]rivals, len(r.kinds))
	for i := range r.kinds {
		k := &r.kinds[i]
		all[i].kind = k
		for j := range k.Sources {
			v, found := rival{Source: &k.Sources[j]}, false
			for n := range counters {
				if t := counters[n].tallies[sourceID{uint8(i), uint8(j)}]; t != nil {
					v.typ, found = t.typ, true
					v.add(t)
				}
			}
			if found && !v.isEmpty() {
				all[i].list = append(all[i].list, v)
			}
		}
	}
	return all
}

// tallyRows adds what a worker has counted to its tallies.
func (w *counter) tallyRows() {
	classes := make([]int, len(w.labels.list))
	for i, l := range w.labels.list {
		classes[i] = stateClass(l.State)
	}
	for j, key := range w.rows.list {
		values := &w.values[j]
		w.tallies[key.src].addRow(classes[key.labels], values[0], values[w.r.kinds[key.src.kind].Main()])
	}
}

// verdict says whether samples of a source count, and for what time each stands.
type verdict struct {
	counts bool
	period int64
}

// judge returns which sources count, with the settings of a chunk. It adds notes about them and the others.
func (r *rivals) judge(set weigh.Settings, notes *Profile) []verdict {
	totals, byRank := make([]tally, len(r.list)), make(map[int]*tally)
	for i := range r.list {
		v, t := &r.list[i], &totals[i]
		*t = v.tally
		t.amounts = amounts{}
		on := set.Samplers(v.typ)
		for class, a := range v.states {
			if on.Counts(v.Mode, weigh.StateClasses[class]) {
				t.amounts.add(a)
			}
		}
		if v.Values[r.kind.Main()].Period {
			ns, _ := set.Period(v.typ, v.Event, r.kind.Name)
			t.amount = saturate.Mul(t.amount, ns)
		}
		if byRank[v.Rank] == nil {
			byRank[v.Rank] = &tally{}
		}
		byRank[v.Rank].add(t)
	}
	best := -1
	for _, rank := range slices.Sorted(maps.Keys(byRank)) {
		if t, before := byRank[rank], byRank[best]; t.samples > 0 && (before == nil || before.isLeftOver(t)) {
			best = rank
		}
	}
	verdicts := make([]verdict, len(r.list))
	for i := range r.list {
		verdicts[i] = r.verdict(i, totals, best, set, notes)
	}
	return verdicts
}

// verdict returns whether a source counts, if those of a rank do.
func (r *rivals) verdict(i int, totals []tally, best int, set weigh.Settings, notes *Profile) (d verdict) {
	v, t, name := &r.list[i], &totals[i], r.kind.Name
	if best >= 0 && v.Rank != best {
		if t.samples > 0 {
			first := slices.IndexFunc(r.list, func(o rival) bool { return o.Rank == best })
			for totals[first].samples == 0 || r.list[first].Rank != best {
				first++
			}
			notes.AddNote(leftOut(name, v, &r.list[first]))
		}
		return verdict{}
	}
	if t.lost > 0 {
		notes.addNoteOf(t.lost, name+": %d samples are"+noteMissing+v.Event+" says")
	}
	if t.failed > 0 {
		notes.addNoteOf(t.failed, name+": the stacks of %d samples"+noteNoStack)
	}
	if t.samples == 0 {
		return verdict{}
	}
	d = verdict{counts: true}
	if !v.HasPeriods() {
		return d
	}
	known := false
	if d.period, known = set.Period(v.typ, v.Event, name); !known {
		notes.AddNote(fmt.Sprintf("%s: %s%s stands for; it is estimated at %d ms", name, noteNoPeriod, v.Event, d.period/1e6))
	}
	if v.Event == weigh.ExecutionSample && !set.Samplers(v.typ).Timed {
		notes.AddNote(fmt.Sprintf("%s: the time%s: %s is taken of a few threads at a time, however many run", name, noteEstimate, v.Event))
	}
	return d
}

// leftOut returns a note about a source that does not count where another does.
func leftOut(kind string, s, other *rival) string {
	if other.Rank < s.Rank {
		return fmt.Sprintf("%s: %s is left out of chunks with %s, which measures the same", kind, s.Event, other.Event)
	}
	return fmt.Sprintf("%s: %s is left out of chunks that have hardly any; %s measures the same there", kind, s.Event, other.Event)
}
