package query

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// mergeNamed merges a partial result of another plan of the same statement: inputs and aggregates are those of the
// same text. What the other plan does not have, its events do not have.
func (r *Partial) mergeNamed(o *Partial) error {
	p, from := r.plan, o.groups
	if from == nil || p.st.String() != o.plan.st.String() || p.o.JDK != o.plan.o.JDK || p.o.Exact != o.plan.o.Exact {
		return fmt.Errorf("%w: it is of another one", ErrPartial)
	}
	of, same := make([]int, len(p.inputs)), make([]bool, len(p.inputs))
	for i, in := range p.inputs {
		of[i] = slices.IndexFunc(o.plan.inputs, func(other input) bool { return other.text == in.text })
		same[i] = of[i] >= 0 && in.shape.kind.isNumeric() && in.shape.kind == o.plan.inputs[of[i]].shape.kind
	}
	if !slices.EqualFunc(p.keys, o.plan.keys, func(a, b int) bool { return of[a] == b }) {
		return fmt.Errorf("%w: it groups by something else in other recordings, in which a field has the name of a column", ErrPartial)
	}
	aligned := &partial{plan: p, firsts: from.firsts, last: from.last, keys: from.keys, values: from.values, jvm: from.jvm}
	for i := range p.aggs {
		at := slices.IndexFunc(o.plan.aggs, func(a aggregate) bool { return p.sameAggregate(&p.aggs[i], o.plan, &a) })
		if at < 0 {
			aligned.states = append(aligned.states, p.aggs[i].newState())
			continue
		}
		aligned.states = append(aligned.states, from.states[at])
	}
	r.groups.span.join(from.span)
	r.groups.meet(aligned)
	r.groups.merge(aligned, same, func(in int, raw int64) Value {
		if of[in] < 0 {
			return Value{}
		}
		was := o.plan.inputs[of[in]].shape
		return aligned.values.value(was.kind, raw).in(p.inputs[in].shape.kind, was, p)
	})
	return nil
}

// sameAggregate reports whether an aggregate of another plan sums up the same.
func (p *Plan) sameAggregate(a *aggregate, other *Plan, b *aggregate) bool {
	text := func(p *Plan, in int) string {
		if in < 0 {
			return ""
		}
		return p.inputs[in].text
	}
	return a.kind == b.kind && a.text == b.text && a.share == b.share && a.k == b.k &&
		text(p, a.in) == text(other, b.in) && text(p, a.by) == text(other, b.by)
}

// tie returns the order of different raw values of an input: any one that depends on nothing but them.
func (p *partial) tie(in int) func(a, b int64) int {
	kind := Text
	if in >= 0 {
		kind = p.plan.inputs[in].shape.kind
	}
	return func(a, b int64) int {
		if a == b || kind.isNumeric() {
			return cmp.Compare(a, b)
		}
		x := p.values.value(kind, a).appendKey(nil, p.values.byID)
		return bytes.Compare(x, p.values.value(kind, b).appendKey(nil, p.values.byID))
	}
}

// compareKeys orders groups by their keys.
func (p *partial) compareKeys(a, b int) int {
	for i, in := range p.plan.keys {
		if c := p.tie(in)(p.key(a)[i], p.key(b)[i]); c != 0 {
			return c
		}
	}
	return 0
}

// inOrder returns the same partial result with groups, values and members of sets in an order that depends on
// nothing but them, and without values that are no longer used.
func (p *partial) inOrder() *partial {
	list := make([]int, p.len())
	for g := range list {
		list[g] = g
	}
	slices.SortFunc(list, p.compareKeys)
	used := p.like()
	used.mergeIn(list, p)
	values := make([]int64, len(used.values.list))
	keys := make([][]byte, len(values))
	for i := range values {
		values[i] = int64(i)
		keys[i] = used.values.at(int64(i)).appendKey(nil, p.values.byID)
	}
	slices.SortFunc(values, func(a, b int64) int { return bytes.Compare(keys[a], keys[b]) })
	sorted := p.like()
	for _, n := range values {
		sorted.values.add(used.values.at(n))
	}
	for g := range list {
		list[g] = g
	}
	sorted.mergeIn(list, used)
	sorted.span = p.span
	for _, s := range sorted.states {
		if s, ok := s.(*setState); ok {
			s.sort(sorted)
		}
	}
	return sorted
}

// mergeIn merges groups of a partial result of the same plan in an order.
func (p *partial) mergeIn(list []int, from *partial) {
	for _, g := range list {
		key := slices.Clone(from.key(g))
		for j, raw := range key {
			if in := p.plan.keys[j]; raw != nullRaw && !p.plan.inputs[in].shape.kind.isNumeric() {
				key[j] = p.values.raw(from.values.value(p.plan.inputs[in].shape.kind, raw))
			}
		}
		p.group(key, from.firsts[g])
	}
	span := from.span
	p.mergeAll(from)
	p.span = span
}

// sort sorts the members of sets.
func (s *setState) sort(p *partial) {
	tie := p.tie(s.a.in)
	for i := range s.groups {
		g := &s.groups[i]
		slices.SortFunc(g.list, func(a, b member) int { return a.compare(b, tie) })
		for place, m := range g.list {
			if g.known != nil {
				g.known[m.raw] = place
			}
		}
	}
}
