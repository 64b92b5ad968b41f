package query

import (
	"cmp"
	"slices"
)

// setState has the values of groups: LIST, SET, UNIQUE and TOP_K.
type setState struct {
	a      *aggregate
	groups []set
	n      int // elements of all groups
}

// set is the values of a group: in a list all of them, and otherwise distinct ones.
type set struct {
	list  []member
	known map[int64]int // their places in the list
}

type member struct {
	raw int64
	n   int64
	at  moment // of the first
}

// compare orders members by when they came.
func (m member) compare(o member, tie func(a, b int64) int) int {
	if c := m.at.compare(o.at); c != 0 {
		return c
	}
	return tie(m.raw, o.raw)
}

func (s *setState) grow(n int) { s.groups = grown(s.groups, n) }

func (s *setState) add(b *feed, groups []uint32) {
	if b.readers[s.a.in] == nil {
		return
	}
	for i, raw := range b.columns[s.a.in] {
		if raw != nullRaw {
			s.join(&s.groups[groups[i]], member{raw, 1, b.moments[i]})
		}
	}
}

func (s *setState) join(to *set, m member) {
	if s.a.kind == listOf {
		to.list = append(to.list, m)
		s.n++
		return
	}
	i, ok := to.known[m.raw]
	if !ok {
		if to.known == nil {
			to.known = make(map[int64]int)
		}
		to.known[m.raw] = len(to.list)
		to.list = append(to.list, m)
		s.n++
		return
	}
	own := &to.list[i]
	if own.n += m.n; m.at.compare(own.at) < 0 {
		own.at = m.at
	}
}

func (s *setState) merge(o state, to []uint32, m *merger) {
	for i, from := range o.(*setState).groups {
		for _, one := range from.list {
			if one.raw = m.raw(s.a.in, one.raw); one.raw == nullRaw {
				continue
			}
			s.join(&s.groups[to[i]], one)
		}
	}
}

func (s *setState) memory() int { return 32*len(s.groups) + setSize*s.n }

func (s *setState) result(g int, p *partial) Value {
	if s.a.kind == unique {
		return intValue(int64(len(s.groups[g].list)))
	}
	list := slices.Clone(s.groups[g].list)
	slices.SortFunc(list, func(a, b member) int {
		if s.a.kind == topK && a.n != b.n {
			return cmp.Compare(b.n, a.n)
		}
		return a.compare(b, p.tie(s.a.in))
	})
	if s.a.kind == topK {
		list = list[:min(s.a.k, len(list))]
	}
	kind := p.plan.inputs[s.a.in].shape.kind
	out := make([]Value, len(list))
	for i, m := range list {
		out[i] = p.values.value(kind, m.raw)
	}
	return listValue(out)
}
