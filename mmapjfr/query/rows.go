package query

import (
	"iter"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// rows are events of a statement without groups. Their values are decoded when they are shown, and
// only what they are ordered by is kept.
type rows struct {
	plan   *Plan
	list   []row
	values values // of what rows are ordered by

	streamed *streamed // reads the rows again; nil if they are kept
}

type row struct {
	event mmapjfr.Event
	at    moment
	order []int64 // raw values, by key of ORDER BY
	*rowJoins
}

// rowJoins are the events that a row is joined with, and what samples of its recording stand for.
type rowJoins struct {
	joins   []*joined
	matches []int32 // by join
	weights *profile.Weights
}

// pruneAt is how many rows more than the limit wait before they are pruned.
const pruneAt = 4096

func (r *rows) add(b *mmapjfr.Batch, s *sourceReader, f *feed) {
	width := len(r.plan.order)
	order := make([]int64, f.n*width)
	for j, o := range r.plan.order {
		in := r.plan.outputs[o.output].node.index
		same := s.readers[in] == nil || s.plan.inputs[in].shape.kind.isNumeric() && s.readers[in].kind() == s.plan.inputs[in].shape.kind
		for i, raw := range f.columns[in] {
			if raw != nullRaw && !same {
				raw = r.values.raw(s.value(in, raw))
			}
			order[i*width+j] = raw
		}
	}
	for i, n := range s.rows {
		one := row{event: b.Event(n), at: f.moments[i], order: order[i*width : (i+1)*width]}
		if len(s.joins) > 0 || s.weights != nil {
			one.rowJoins = &rowJoins{joins: s.joins, weights: s.weights}
			for j := range s.matches {
				one.matches = append(one.matches, s.matches[j][i])
			}
		}
		r.list = append(r.list, one)
	}
	r.prune()
}

// key returns a key of ORDER BY of a row.
func (r *rows) key(one *row, key int) Value {
	return r.values.value(r.plan.outputs[r.plan.order[key].output].node.shape.kind, one.order[key])
}

func (r *rows) merge(o *rows) {
	if o.streamed != nil {
		if r.streamed == nil {
			r.streamed = &streamed{ctx: o.streamed.ctx, o: o.streamed.o}
		}
		r.streamed.recs = append(r.streamed.recs, o.streamed.recs...)
		r.streamed.joins = append(r.streamed.joins, o.streamed.joins...)
	}
	for j, order := range r.plan.order {
		if r.plan.outputs[order.output].node.shape.kind.isNumeric() {
			continue
		}
		for i := range o.list {
			one := &o.list[i]
			one.order[j] = r.values.raw(o.key(one, j))
		}
	}
	r.list = append(r.list, o.list...)
	r.prune()
}

// prune drops rows beyond the limit. Prepared views take widths and sums from all rows.
func (r *rows) prune() {
	if limit := r.plan.st.limit; limit >= 0 && !r.plan.o.JDK && len(r.list)-limit > max(limit, pruneAt) {
		r.sort()
		clear(r.list[limit:])
		r.list = r.list[:limit]
	}
}

func (r *rows) sort() {
	slices.SortFunc(r.list, func(a, b row) int {
		for i, o := range r.plan.order {
			if a.order[i] == b.order[i] {
				continue
			}
			if c := r.key(&a, i).order(r.key(&b, i)); c != 0 {
				if o.desc {
					return -c
				}
				return c
			}
		}
		return a.at.compare(b.at)
	})
}

// all returns the rows in their order.
func (r *rows) all() iter.Seq2[[]Value, error] {
	if r.streamed != nil {
		return r.streamed.all(r.plan)
	}
	r.sort()
	return func(yield func([]Value, error) bool) {
		b, out := newRowDecoder(r.plan), make([]Value, r.plan.visible)
		for i := range r.list {
			if b.decode(&r.list[i], out); !yield(out, nil) {
				return
			}
		}
	}
}

// rowDecoder decodes the values of rows.
type rowDecoder struct {
	binding
	fields   map[fieldOfType]resolvedField
	weighers map[weigherKey]*profile.Weigher
}

type fieldOfType struct {
	field *eventField
	typ   mmapjfr.Type
}

// resolvedField is what a field is in events of a type.
type resolvedField struct {
	shape shape
	field mmapjfr.Field
	err   error
	isInt bool // it is what the JDK's views take for a number
}

func newRowDecoder(p *Plan) *rowDecoder {
	return &rowDecoder{binding{plan: p, values: &values{byID: p.o.JDK}}, make(map[fieldOfType]resolvedField), make(map[weigherKey]*profile.Weigher)}
}

// decode sets out to the columns of a row.
func (b *rowDecoder) decode(r *row, out []Value) {
	b.source, b.chunk, b.typ = int(r.at.source), r.event.Chunk(), r.event.Type()
	if r.rowJoins != nil {
		b.weights = r.weights
	}
	for j := range out {
		out[j] = b.ofRow(r, &b.plan.inputs[b.plan.outputs[j].node.index])
	}
}

func (b *rowDecoder) resolve(f *eventField, t mmapjfr.Type) resolvedField {
	key := fieldOfType{f, t}
	r, ok := b.fields[key]
	if !ok {
		r.shape, _, r.err = f.path.resolve(t, b.plan.o.JDK)
		if f.path.path != nil {
			field, one, err := t.Resolve(f.path.path)
			r.field, r.isInt = field, err == nil && one && r.shape.kind == Int && b.plan.o.JDK
		}
		b.fields[key] = r
	}
	return r
}

// ofRow returns the value of an input of a row.
func (b *rowDecoder) ofRow(r *row, in *input) Value {
	s := in.shape
	v := in.node.eval(func(n *node) Value {
		f := &in.fields[n.index]
		if f.join >= 0 {
			if i := r.matches[f.join]; i >= 0 {
				return b.ofJoined(r.joins[f.join].events[i].event, f)
			}
			return Value{}
		}
		if !b.plan.sources[r.at.source].isOneOf(f.sources) {
			return Value{}
		}
		v := b.field(r.event, f)
		if in.node.op == opField {
			s = b.resolve(f, r.event.Type()).shape
			return v
		}
		return v.as(n.shape.kind)
	})
	return v.in(in.shape.kind, s, b.plan.zone())
}

// field returns the value of a field of an event.
func (b *rowDecoder) field(e mmapjfr.Event, f *eventField) Value {
	of := b.resolve(f, e.Type())
	s := of.shape
	switch {
	case f.typ != "" && f.typ != e.Type().Name():
		return Value{}
	case f.path.isWeight:
		return b.weight(e, f)
	case f.path.path == nil:
		return f.path.ofType(e.Type(), b.plan.o.JDK)
	case of.err != nil:
		return Value{}
	case f.path.frame != noFrame:
		r := frameReader{anyReader: anyReader{&b.binding, f.path.path, s.kind}, choice: f.path.frame, rest: f.path.rest, methods: make(map[int64]int64)}
		return b.values.value(s.kind, r.frame(e.Get(f.path.path).StackTrace()))
	}
	b.chunk = e.Chunk()
	if isSettingID(e.Type(), f.path.path.String()) {
		return b.label(e.Int(f.path.path))
	}
	if of.isInt {
		if n := asJavaInt(of.field)(e.Int(f.path.path)); n != nullRaw {
			return intValue(n)
		}
		return Value{}
	}
	return b.valueOf(e.Get(f.path.path), s.kind)
}
