package corrupt

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// mixed is how many numbers are changed together at most, and mixedCases how many cases there are.
const (
	mixed      = 12
	mixedCases = 100_000
)

// Mixed are the recording with several of its numbers set to others that stand in such places, or
// anywhere: what the tree of the metadata says is of other classes, fields and texts, and pools and
// events are of other types. Nothing moves, so that most else is read as it was.
func (a *Atlas) Mixed() Set {
	byKind := make(map[string][]place)
	for _, p := range a.places {
		byKind[p.what] = append(byKind[p.what], p)
	}
	return Set{"mixed", a.Name, mixedCases, func(i int) Case {
		r := rand.New(rand.NewPCG(uint64(i), 15))
		data := slices.Clone(a.data)
		n := 1 + r.IntN(mixed)
		for range n {
			p := a.places[r.IntN(len(a.places))]
			from := a.places
			if r.IntN(4) > 0 {
				from = byKind[p.what]
			}
			p.set(data, from[r.IntN(len(from))].value)
		}
		return Case{Name: fmt.Sprintf("%d numbers mixed up, case %d", n, i), Data: data, From: a.leastOf(data)}
	}}
}

// renumbered is how many classes get the numbers of others at most.
const renumbered = 3

// Renumbered are the recording with some of its classes given the numbers of others, so that
// a number stands for two classes, and one that is used for none.
func (a *Atlas) Renumbered() Set {
	var classes []place
	for _, p := range a.places {
		if p.what == "class number" {
			classes = append(classes, p)
		}
	}
	return Set{"renumbered", a.Name, mixedCases, func(i int) Case {
		r := rand.New(rand.NewPCG(uint64(i), 16))
		data := slices.Clone(a.data)
		n := 1 + r.IntN(renumbered)
		for range n {
			classes[r.IntN(len(classes))].set(data, classes[r.IntN(len(classes))].value)
		}
		return Case{Name: fmt.Sprintf("%d classes renumbered, case %d", n, i), Data: data, From: a.leastOf(data)}
	}}
}

// set writes a number into the place, unless it does not fit.
func (p *place) set(data []byte, v uint64) {
	if bytes := number(v, p.varint, p.len); len(bytes) == p.len {
		copy(data[p.at:], bytes)
	}
}
