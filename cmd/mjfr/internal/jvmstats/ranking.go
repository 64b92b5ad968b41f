package jvmstats

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// rankingLen is the greatest number of names in a ranking.
const rankingLen = 512

// nameLen is the greatest length of a name in bytes.
const nameLen = 512

// ranking counts by name, over the last minute. If there are too many names, it keeps those that
// count most, and the sum of all. Their counts are right or too low, never too high.
type ranking struct {
	rows map[string]*row
	all  tally // the sum of everything
}

// unknown stands for classes and methods that are not recorded.
const unknown = "(unknown)"

// byClass reads a value and adds it to a ranking, as the class in a field has it.
func (v *Vitals) byClass(read reader, k *ranking, field string, weight func(n float64) int64) reader {
	class := mmapjfr.Path(field)
	return and(read, func(ev mmapjfr.Event, n float64) {
		v.name = append(v.name[:0], cmp.Or(ev.Get(class).Class().Name(), unknown)...)
		k.add(v.second, v.name, weight(n))
	})
}

// row is a name with its counts.
type row struct {
	name string
	tally
}

// tally is the number of events, and their weight.
type tally struct{ count, weight ring }

func (t *tally) add(second, weight int64) {
	t.count.add(second, 1)
	t.weight.add(second, weight)
}

// add counts an event for a name. It keeps no reference to the name.
func (k *ranking) add(second int64, name []byte, weight int64) {
	name = name[:min(len(name), nameLen)]
	k.all.add(second, weight)
	r := k.rows[string(name)]
	if r == nil {
		r = k.enter(second, name)
	}
	r.add(second, weight)
}

// enter makes a row.
func (k *ranking) enter(second int64, name []byte) *row {
	if k.rows == nil {
		k.rows = make(map[string]*row)
	}
	if len(k.rows) >= rankingLen {
		k.sweep(second)
	}
	r := &row{name: strings.ToValidUTF8(string(name), "\uFFFD")}
	k.rows[string(name)] = r
	return r
}

// sweep removes a quarter of the rows: those that count least, and of equal ones those that were
// seen longest ago. It takes long, but happens only once for that many new names.
func (k *ranking) sweep(second int64) {
	type counted struct {
		key          string
		weight, last int64
	}
	least := make([]counted, 0, len(k.rows))
	for key, r := range k.rows {
		least = append(least, counted{key, r.weight.sum(second, minute), r.weight.last})
	}
	slices.SortFunc(least, func(a, b counted) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.last, b.last), strings.Compare(a.key, b.key))
	})
	for _, c := range least[:rankingLen/4] {
		delete(k.rows, c.key)
	}
}

// seen reports whether anything was added in the last minute.
func (k *ranking) seen(now int64) bool { return k.all.count.sum(now, minute) > 0 }

// place is the counts of a row at a time.
type place struct {
	name          string
	count, weight int64
}

// topLen is the number of places in a snapshot.
const topLen = 50

// top returns the places with the greatest weights, then counts.
func (k *ranking) top(now int64) []place { return top(k.recent(now)) }

// recent returns the places of the last minute, in any order.
func (k *ranking) recent(now int64) (list []place) {
	for _, r := range k.rows {
		if n := r.count.sum(now, minute); n > 0 {
			list = append(list, place{r.name, n, r.weight.sum(now, minute)})
		}
	}
	return list
}

// top returns the places with the greatest weights, then counts, and changes the list.
func top(places []place) []place {
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.count, a.count), strings.Compare(a.name, b.name))
	})
	return places[:min(len(places), topLen)]
}

// share returns n as a share of all.
func share(n, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}
