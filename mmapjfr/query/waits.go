package query

import (
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Other ranges of a recording decide with which events those of a range are joined. Such
// events wait. A plan of its own groups them by all that its statement reads of them; when the other ranges are there, the events of
// each group are added to the groups of the statement at once.

// waiting is what the plan of events that wait knows of the plan that they are for.
type waiting struct {
	of *Plan
	// The keys that have the type of events and what values they have, and their thread; -1 is none.
	form, thread int
	inputs       []waitingInput // by input of the plan
}

// waitingInput says which keys have an input.
type waitingInput struct {
	key    int // that has its value; -1 if it is not known yet
	boxed  bool
	fields []int // by field of the input: the key that has its value, or the number of the field among those of a join
}

// waitingPlan is made once for a plan.
type waitingPlan struct {
	once sync.Once
	plan *Plan // nil if no events wait
}

// waitingPlan returns the plan of the events that wait; nil if other ranges decide about none.
func (p *Plan) waitingPlan() *Plan {
	p.waits.once.Do(func() {
		if p.grouped && len(p.joins) > 0 {
			p.waits.plan = newWaitingPlan(p)
		}
	})
	return p.waits.plan
}

// weights returns what the plan asks events to weigh, or adds up of what they say that they weigh.
func (p *Plan) weights() (list []profile.Weight) {
	for n, in := range p.inputs {
		for i := range in.fields {
			f := &in.fields[i]
			isRaw := !f.path.isWeight
			if isRaw && (f.path.path == nil || !p.adds(n)) {
				continue
			}
			for _, t := range p.types {
				w, ok := profile.WeightOf(t.Name(), f.path.sampleOf)
				if !ok || isRaw && !w.IsHeavy(f.path.path) || !p.reads(t) && (f.join < 0 || !p.joins[f.join].types[t.Name()]) {
					continue
				}
				list = append(list, w)
			}
		}
	}
	return list
}

// adds reports whether values of an input are added up.
func (p *Plan) adds(input int) bool {
	return slices.ContainsFunc(p.aggs, func(a aggregate) bool { return a.in == input && (a.kind == sum || a.kind == average) })
}

// asksWeights reports whether the plan asks what events stand for as samples.
func (p *Plan) asksWeights() bool {
	return slices.ContainsFunc(p.inputs, func(in input) bool {
		return slices.ContainsFunc(in.fields, func(f eventField) bool { return f.path.isWeight })
	})
}

// weighsByFacts reports whether fields are not enough to weigh the events of the plan, or those that they are joined with: then
// ranges cannot be read without looking through the rest.
func (p *Plan) weighsByFacts() bool {
	return slices.ContainsFunc(p.weights(), profile.Weight.NeedsFacts)
}

func newWaitingPlan(p *Plan) *Plan {
	w := &waiting{of: p, form: -1, thread: -1}
	q := &Plan{st: p.st, o: p.o, types: p.types, sources: p.sources, grouped: true, timed: p.timed, wait: w}
	key := func(in input) int {
		q.keys = append(q.keys, len(q.inputs))
		q.inputs = append(q.inputs, in)
		return len(q.inputs) - 1
	}
	special := func(text string, s shape, reader func(b *binding) reader) int {
		return key(input{text: text, node: &node{op: opValue}, shape: s, reader: reader})
	}
	w.form = special("@form", shape{kind: Text}, (*binding).formReader)
	for _, j := range p.joins {
		if j.mode == within && w.thread < 0 {
			w.thread = special("@thread", shape{kind: Text}, func(b *binding) reader { return &threadReader{b} })
		}
	}
	carried := make([]int, len(p.joins))
	for i := range p.inputs {
		in := &p.inputs[i]
		of := waitingInput{key: -1, boxed: p.isMixed(in)}
		switch {
		case !p.isLate(in) && of.boxed:
			of.key = special("boxed "+in.text, shape{kind: List}, func(b *binding) reader { return b.boxReader(in) })
		case !p.isLate(in):
			of.key = key(*in)
		}
		for n := range in.fields {
			at := -1
			switch f := &in.fields[n]; {
			case f.join >= 0:
				at = carried[f.join]
				carried[f.join]++
			case of.key < 0:
				at = key(f.input())
			}
			of.fields = append(of.fields, at)
		}
		w.inputs = append(w.inputs, of)
	}
	begin := len(q.inputs)
	for _, read := range []func(e mmapjfr.Event) int64{mmapjfr.Event.StartNanos, mmapjfr.Event.EndNanos} {
		q.inputs = append(q.inputs, input{text: "@time", node: &node{op: opValue}, shape: shape{kind: Int}, reader: func(b *binding) reader { return &timeReader{b, read} }})
	}
	q.aggs = []aggregate{{kind: timesOfAll, in: begin, by: begin + 1}}
	return q
}

// input returns an input that has the field as a part of an expression.
func (f *eventField) input() input {
	leaf := &node{op: opField, index: 0, shape: f.shape}
	of := []shape{f.shape}
	return input{
		text: "field", fields: []eventField{*f}, shape: f.shape,
		node: &node{op: opFunction, text: "COALESCE", kids: []*node{leaf}, shape: f.shape, fn: coalesce(of)},
	}
}

// isLate reports whether an input has to wait.
func (p *Plan) isLate(in *input) bool {
	return slices.ContainsFunc(in.fields, func(f eventField) bool { return f.join >= 0 })
}

// carriedFields returns the fields of a join that the plan reads, in the order in which ranges carry them.
func (p *Plan) carriedFields(join int) (list []*eventField) {
	for i := range p.inputs {
		for n := range p.inputs[i].fields {
			if f := &p.inputs[i].fields[n]; f.join == join {
				list = append(list, f)
			}
		}
	}
	return list
}

// isMixed reports whether an input is a number whose kind depends on the type of the event: sums depend on it.
func (p *Plan) isMixed(in *input) bool {
	if in.node.op != opField || !in.shape.kind.isNumeric() {
		return false
	}
	return slices.ContainsFunc(p.types, func(t mmapjfr.Type) bool {
		s, _, err := in.fields[in.node.index].path.resolve(t, p.o.isJava())
		return err == nil && s.kind != in.shape.kind
	})
}

// noKind stands in forms for an input that events of a type do not have.
const noKind = byte(0xff)

// formReader reads the type of the events, and of what kind their inputs are. It is the same for all events of a type in a chunk.
func (b *binding) formReader() reader {
	form := make([]byte, len(b.plan.wait.inputs))
	for i := range form {
		form[i] = noKind
		if r := b.reader(&b.plan.wait.of.inputs[i]); r != nil {
			form[i] = byte(r.kind())
		}
	}
	return &typeReader{b, b.values.raw(textValue(string(form) + b.typ.Name()))}
}

// threadReader reads what threads are known by.
type threadReader struct{ *binding }

func (r *threadReader) kind() Kind            { return Text }
func (r *threadReader) value(raw int64) Value { return r.values.value(Text, raw) }

func (r *threadReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	for i, row := range rows {
		dst[i] = r.values.raw(textValue(threadOf(b.Event(row))))
	}
}

// timeReader reads when events began or ended.
type timeReader struct {
	*binding
	time func(e mmapjfr.Event) int64
}

func (r *timeReader) kind() Kind            { return Int }
func (r *timeReader) value(raw int64) Value { return intValue(raw) }

func (r *timeReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	for i, row := range rows {
		dst[i] = r.time(b.Event(row))
	}
}

// boxReader reads numbers as lists of one, which keep their kind.
type boxReader struct {
	of reader
	*binding
	known map[int64]int64 // raw lists by raw numbers
}

// boxReader returns what reads an input so; nil if the events do not have it.
func (b *binding) boxReader(in *input) reader {
	r := b.reader(in)
	if r == nil {
		return nil
	}
	return &boxReader{r, b, make(map[int64]int64)}
}

func (r *boxReader) kind() Kind            { return List }
func (r *boxReader) value(raw int64) Value { return r.values.value(List, raw) }

func (r *boxReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	r.of.read(b, rows, dst)
	for i, raw := range dst[:len(rows)] {
		if raw == nullRaw {
			continue
		}
		box, ok := r.known[raw]
		if !ok {
			if len(r.known) == maxBoxes {
				clear(r.known)
			}
			box = r.values.raw(listValue([]Value{r.of.value(raw)}))
			r.known[raw] = box
		}
		dst[i] = box
	}
}

// maxBoxes is how many lists a reader remembers.
const maxBoxes = 1 << 16

// timesState has when each event of a group came, began and ended.
type timesState struct {
	a      *aggregate
	groups [][]waitingTimes
	n      int
}

type waitingTimes struct {
	at           moment
	began, ended int64 // in nanoseconds since 1970
}

func (s *timesState) grow(n int) { s.groups = grown(s.groups, n) }

func (s *timesState) add(b *feed, groups []uint32) {
	began, ended := b.columns[s.a.in], b.columns[s.a.by]
	for i, g := range groups {
		s.groups[g] = append(s.groups[g], waitingTimes{b.moments[i], began[i], ended[i]})
	}
	s.n += len(groups)
}

func (s *timesState) merge(o state, to []uint32, _ *merger) {
	from := o.(*timesState)
	for i, list := range from.groups {
		if g := &s.groups[to[i]]; len(*g) == 0 {
			*g = list
		} else {
			*g = append(*g, list...)
		}
	}
	s.n += from.n
}

func (s *timesState) memory() int { return 24*len(s.groups) + timesSize*s.n }

func (s *timesState) result(int, *partial) Value { return Value{} }
