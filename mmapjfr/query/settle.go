package query

import (
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// settling makes events of those that waited.
type settling struct {
	plan  *Plan
	wait  *waiting
	rows  *partial
	joins []*joined
	forms map[int64]*settledForm

	key     []int64 // of the group
	matches []int32 // by join
}

// settledForm is what has been settled of one type of events, whose inputs have the same kinds.
type settledForm struct {
	name   string // of the event type
	groups *partial
	feed   feed
	raws   []int64 // by input: those of an event
	to     []uint32
	key    []int64
}

// settle adds events that wait no more to the groups.
func (r *Partial) settle(o *openRange) {
	if o.rows == nil {
		return
	}
	s := &settling{plan: r.plan, wait: o.rows.plan.wait, rows: o.rows, forms: make(map[int64]*settledForm), matches: make([]int32, len(r.plan.joins))}
	for i := range r.plan.joins {
		j := &joined{mode: r.plan.joins[i].mode, events: o.joins[i]}
		j.sortEvents()
		s.joins = append(s.joins, j)
	}
	for g := range s.rows.len() {
		s.key = s.rows.key(g)
		s.add(g)
	}
	o.rows = nil
	to := r.groups
	switch {
	case o.jvm == "" && r.plan.perJVM && o.groups == nil:
		o.groups = newPartial(r.plan)
		fallthrough
	case o.groups != nil:
		to = o.groups
	}
	out := newPartial(r.plan)
	out.setJVM(o.jvm)
	for _, f := range s.forms {
		f.flush()
		f.addTo(out)
	}
	to.mergeAll(out)
}

// value returns the value of a key of the group.
func (s *settling) value(key int) Value {
	in := s.rows.plan.keys[key]
	return s.rows.values.value(s.rows.plan.inputs[in].shape.kind, s.key[key])
}

// add adds the events of a group.
func (s *settling) add(g int) {
	f := s.form()
	thread := ""
	if s.wait.thread >= 0 {
		thread = s.value(s.wait.thread).text
	}
	before := slices.Repeat([]int32{-2}, len(s.joins))
rows:
	for _, t := range s.rows.states[0].(*timesState).groups[g] {
		for i, j := range s.joins {
			s.matches[i] = j.at(t.began, t.ended, thread, func() place { return place{t.at.chunk, t.at.offset} })
			if s.matches[i] < 0 && j.mode != asof {
				continue rows
			}
		}
		if !slices.Equal(before, s.matches) {
			s.read(f)
			copy(before, s.matches)
		}
		f.add(t.at, 1)
	}
}

// form returns that of the group.
func (s *settling) form() *settledForm {
	raw := s.key[s.wait.form]
	if f := s.forms[raw]; f != nil {
		return f
	}
	text, n := s.value(s.wait.form).text, len(s.plan.inputs)
	f := &settledForm{groups: newPartial(s.plan), raws: make([]int64, n), to: make([]uint32, mmapjfr.BatchLen), key: make([]int64, len(s.plan.keys))}
	f.feed.readers, f.feed.columns = make([]reader, n), make([][]int64, n)
	for i := 0; i < n && i < len(text); i++ {
		if text[i] < byte(List)+1 {
			f.feed.readers[i] = &rawReader{&f.groups.values, Kind(text[i])}
		}
	}
	f.name = text[min(n, len(text)):]
	s.forms[raw] = f
	return f
}

// read reads the inputs of an event of the group.
func (s *settling) read(f *settledForm) {
	for i := range s.plan.inputs {
		if f.raws[i] = nullRaw; f.feed.readers[i] == nil {
			continue
		}
		kind := f.feed.readers[i].kind()
		v := s.input(f, i)
		if !s.wait.inputs[i].boxed || kind == Text {
			v = v.as(kind)
		}
		if v.kind == Null || v.kind.isNumeric() == kind.isNumeric() {
			f.raws[i] = f.groups.values.raw(v)
		}
	}
}

// input returns the value of an input of the plan.
func (s *settling) input(f *settledForm, i int) Value {
	in, at := &s.plan.inputs[i], s.wait.inputs[i]
	if at.key >= 0 {
		v := s.value(at.key)
		if at.boxed && len(v.list) == 1 {
			return v.list[0]
		}
		return v
	}
	of := in.shape
	v := in.node.eval(func(n *node) Value {
		field, key := &in.fields[n.index], at.fields[n.index]
		switch {
		case field.join >= 0:
			if m := s.matches[field.join]; m >= 0 {
				return s.joins[field.join].events[m].carried.value(key)
			}
			return Value{}
		}
		return s.value(key)
	})
	return v.in(f.feed.readers[i].kind(), of, s.plan)
}

// add adds the event that was read, or several that are like it.
func (f *settledForm) add(at moment, n int64) {
	for i, raw := range f.raws {
		f.feed.columns[i] = append(f.feed.columns[i], raw)
	}
	f.feed.moments, f.feed.times = append(f.feed.moments, at), append(f.feed.times, n)
	if f.feed.n++; f.feed.n == mmapjfr.BatchLen {
		f.flush()
	}
}

// flush adds what has been fed to the groups.
func (f *settledForm) flush() {
	if f.feed.n == 0 {
		return
	}
	f.groups.add(&f.feed, f.to, f.key)
	for i := range f.feed.columns {
		f.feed.columns[i] = f.feed.columns[i][:0]
	}
	f.feed.moments, f.feed.times, f.feed.n = f.feed.moments[:0], f.feed.times[:0], 0
}

// addTo adds the groups to those of all forms.
func (f *settledForm) addTo(out *partial) {
	same := make([]bool, len(f.raws))
	for i, r := range f.feed.readers {
		kind := out.plan.inputs[i].shape.kind
		same[i] = r == nil || kind.isNumeric() && r.kind() == kind
	}
	out.merge(f.groups, same, func(in int, raw int64) Value {
		of := &out.plan.inputs[in]
		return f.feed.readers[in].value(raw).in(of.shape.kind, of.shape, out.plan)
	})
}
