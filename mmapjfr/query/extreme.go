package query

import "cmp"

// extremeState has the least or the greatest values of groups, or those of another field where the
// first such value is.
type extremeState struct {
	a      *aggregate
	groups []extreme
}

type extreme struct {
	by, value int64
	at        moment
	known     bool
}

func (s *extremeState) grow(n int) { s.groups = grown(s.groups, n) }

// looksAt returns the input whose least or greatest value counts.
func (s *extremeState) looksAt() int {
	if s.a.by >= 0 {
		return s.a.by
	}
	return s.a.in
}

func (s *extremeState) add(b *feed, groups []uint32) {
	by := s.looksAt()
	if b.readers[by] == nil {
		return
	}
	kind := b.readers[by].kind()
	value := func(raw int64) Value { return b.readers[by].value(raw) }
	for i, raw := range b.columns[by] {
		if raw != nullRaw {
			s.groups[groups[i]].join(extreme{raw, b.columns[s.a.in][i], b.moments[i], true}, s.order(kind, value))
		}
	}
}

// order returns the function that orders raw values: those that are wanted come first.
func (s *extremeState) order(k Kind, value func(raw int64) Value) func(a, b int64) int {
	sign := 1
	if s.a.kind == maximum || s.a.kind == argMax {
		sign = -1
	}
	if k == Int || k == Timespan || k == Timestamp || k == Bool {
		return func(a, b int64) int { return sign * cmp.Compare(a, b) }
	}
	if k.isNumeric() {
		value = func(raw int64) Value { return Value{kind: k, num: uint64(raw)} }
	}
	return func(a, b int64) int {
		if a == b {
			return 0
		}
		return sign * value(a).order(value(b))
	}
}

func (e *extreme) join(o extreme, order func(a, b int64) int) {
	if !e.known {
		*e = o
		return
	}
	if c := order(o.by, e.by); c < 0 || c == 0 && o.at.compare(e.at) < 0 {
		*e = o
	}
}

func (s *extremeState) merge(o state, to []uint32, m *merger) {
	by := s.looksAt()
	kind := m.to.plan.inputs[by].shape.kind
	order := s.order(kind, func(raw int64) Value { return m.to.values.value(kind, raw) })
	for i, e := range o.(*extremeState).groups {
		if e.known {
			e.by, e.value = m.raw(by, e.by), m.raw(s.a.in, e.value)
			s.groups[to[i]].join(e, order)
		}
	}
}

func (s *extremeState) result(g int, p *partial) Value {
	if !s.groups[g].known {
		return Value{}
	}
	return p.values.value(p.plan.inputs[s.a.in].shape.kind, s.groups[g].value)
}
