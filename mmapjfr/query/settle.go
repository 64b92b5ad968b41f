package query

import (
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// settling makes events of those that waited.
type settling struct {
	plan  *Plan
	wait  *waiting
	rows  *partial
	judge *profile.Judge // nil if nothing is weighed by facts
	joins []*joined
	forms map[int64]*settledForm

	key     []int64   // of the group
	weights [][]int64 // by input and field: what is weighed, or NoWeight
	matches []int32   // by join
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

// settle adds events that wait no more to the groups: all, or as far as is known what they weigh.
func (r *Partial) settle(o *openRange, complete bool) {
	if o.rows == nil {
		return
	}
	s := &settling{plan: r.plan, wait: o.rows.plan.wait, rows: o.rows, forms: make(map[int64]*settledForm), matches: make([]int32, len(r.plan.joins))}
	if o.facts != nil {
		s.judge = o.facts.Judge(o.from == 0, complete)
	}
	for i := range r.plan.joins {
		j := &joined{mode: r.plan.joins[i].mode, events: o.joins[i]}
		j.sortEvents()
		s.joins = append(s.joins, j)
	}
	for i := range r.plan.inputs {
		s.weights = append(s.weights, make([]int64, len(r.plan.inputs[i].fields)))
	}
	left := s.all()
	if o.rows = left; complete {
		o.rows = nil
	}
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

// all settles what can be, and returns the rest.
func (s *settling) all() *partial {
	var rest []int
	for g := range s.rows.len() {
		if s.key = s.rows.key(g); s.weigh() {
			s.add(g)
		} else {
			rest = append(rest, g)
		}
	}
	if len(rest) == s.rows.len() {
		return s.rows
	}
	return s.rows.only(rest)
}

// value returns the value of a key of the group.
func (s *settling) value(key int) Value {
	in := s.rows.plan.keys[key]
	return s.rows.values.value(s.rows.plan.inputs[in].shape.kind, s.key[key])
}

// weigh weighs the events of the group. It is false if other ranges decide what some weigh.
func (s *settling) weigh() bool {
	for i, in := range s.wait.inputs {
		for n, key := range in.fields {
			f := &s.plan.inputs[i].fields[n]
			if in.key >= 0 || f.join >= 0 || !f.path.isWeight {
				continue
			}
			v := s.value(key)
			s.weights[i][n] = profile.NoWeight
			switch {
			case v.kind == List && len(v.list) == 1:
				s.weights[i][n] = int64(v.list[0].num)
			case v.kind != Text:
			case s.judge == nil:
				return false
			default:
				weight, ok := s.judge.Weight(v.text, s.value(s.wait.settings).text)
				if !ok {
					return false
				}
				s.weights[i][n] = weight
			}
		}
	}
	return true
}

// add adds the events of a group.
func (s *settling) add(g int) {
	f := s.form()
	if !s.wait.apart {
		n, e := s.rows.states[0].(*countState).n[g], s.rows.states[1].(*edgeState).groups[g]
		s.read(f)
		if n > 1 {
			f.add(e.lastAt, 1)
			n--
		}
		f.add(s.rows.firsts[g], n)
		return
	}
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
		if len(s.joins) == 0 || !slices.Equal(before, s.matches) {
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
		case !field.path.isWeight:
			return s.value(key)
		case s.weights[i][n.index] == profile.NoWeight:
			return Value{}
		}
		own, _, _ := field.path.weightShape(f.name)
		v := Value{kind: own.kind, num: uint64(s.weights[i][n.index])}
		if in.node.op == opField {
			of = own
			return v
		}
		return v.as(n.shape.kind)
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

// only returns some of the groups that wait. The partial result must not be used afterwards.
func (p *partial) only(list []int) *partial {
	out := &partial{plan: p.plan, values: p.values, jvm: p.jvm}
	for _, g := range list {
		out.keys, out.firsts = append(out.keys, p.key(g)...), append(out.firsts, p.firsts[g])
	}
	out.rehash(slotsFor(out.len()))
	for _, s := range p.states {
		switch s := s.(type) {
		case *countState:
			out.states = append(out.states, &countState{a: s.a, n: picked(s.n, list)})
		case *edgeState:
			out.states = append(out.states, &edgeState{a: s.a, groups: picked(s.groups, list), latest: s.latest})
		case *timesState:
			t := &timesState{a: s.a, groups: picked(s.groups, list)}
			for _, times := range t.groups {
				t.n += len(times)
			}
			out.states = append(out.states, t)
		}
	}
	return out
}

func picked[T any](from []T, list []int) (some []T) {
	for _, i := range list {
		some = append(some, from[i])
	}
	return some
}
