package query

import "math"

// distributionState has the distribution of the values of groups.
type distributionState struct {
	a        *aggregate
	groups   []distribution
	distinct int  // values in all groups
	over     bool // there are more than maxDistinct
}

func (s *distributionState) grow(n int) { s.groups = grown(s.groups, n) }

func (s *distributionState) add(b *feed, groups []uint32) {
	kind := b.kind(s.a.in)
	for i, raw := range b.columns[s.a.in] {
		if raw == nullRaw {
			continue
		}
		if f := (Value{kind: kind, num: uint64(raw)}).Float(); !math.IsInf(f, 0) {
			d := &s.groups[groups[i]]
			if d.add(f); d.full() {
				s.limit(d.settle(), d)
			}
		}
	}
}

// limit counts distinct values. If there are too many it keeps large groups in buckets.
func (s *distributionState) limit(more int, d *distribution) {
	s.distinct += more
	if s.over {
		s.narrow(d)
	}
	if s.distinct > maxDistinct && !s.over {
		s.over = true
		for i := range s.groups {
			s.narrow(&s.groups[i])
		}
	}
}

func (s *distributionState) narrow(d *distribution) {
	if s.distinct += d.settle(); len(d.runs) > fewDistinct {
		s.distinct -= len(d.runs)
		d.toBuckets()
	}
}

func (s *distributionState) merge(o state, to []uint32, _ *merger) {
	from := o.(*distributionState)
	for i := range from.groups {
		d := &s.groups[to[i]]
		s.limit(d.merge(&from.groups[i]), d)
	}
	if from.over && !s.over {
		s.distinct = maxDistinct + 1
		s.limit(0, &s.groups[0])
	}
}

func (s *distributionState) result(g int, p *partial) Value {
	d := &s.groups[g]
	if s.limit(d.settle(), d); s.a.kind == histogram {
		return d.histogram(p.plan.inputs[s.a.in].shape.kind)
	}
	f, ok := d.quantile(s.a.share)
	if !ok {
		return Value{}
	}
	return fromFloat(s.a.shape.kind, f)
}
