package query

import (
	"cmp"
	"iter"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// rows are events of a statement without groups. Their values are decoded when they are shown, and
// only what they are ordered by is kept: of all rows, or of as many of the first as one slice has.
type rows struct {
	plan   *Plan
	list   []row
	values values // of what rows are ordered by

	rowSlice
	pruned   bool // rows after those that are kept have been dropped
	bound    *row // rows after it are; nil if it is not known
	more     bool // there may be rows after the slice
	timeless bool // what rows are ordered by first is null in some

	streamed *streamed // reads the rows again; nil if all are kept
	decoded  [][]Value // the values of the rows that are kept; nil if they are many, or have not been asked for
}

type row struct {
	event mmapjfr.Event
	at    moment
	rec   int     // which of the recordings it is of
	key   int64   // raw value of what rows are ordered by first
	keys  []int64 // of the others
	*rowJoins
}

// order returns a raw value by key of ORDER BY.
func (r *row) order(key int) *int64 {
	if key == 0 {
		return &r.key
	}
	return &r.keys[key-1]
}

// rowJoins are the events that a row is joined with, and what samples of its recording stand for.
type rowJoins struct {
	joins   []*joined
	matches []int32 // by join
	weights *weigh.Weights
}

// pruneAt is how many rows more than are kept wait before they are pruned.
var pruneAt = 4096

func (r *rows) add(b *mmapjfr.Batch, s *sourceReader, f *feed) {
	r.decoded = nil
	order := make([][]int64, len(r.plan.order))
	for j, o := range r.plan.order {
		in := r.plan.outputs[o.output].node.index
		same := s.readers[in] == nil || s.plan.inputs[in].shape.kind.isNumeric() && s.readers[in].kind() == s.plan.inputs[in].shape.kind
		order[j] = f.columns[in]
		if !same {
			order[j] = slices.Clone(order[j])
			for i, raw := range order[j] {
				if raw != nullRaw {
					order[j][i] = r.values.raw(s.value(in, raw))
				}
			}
		}
	}
	keys := make([]int64, max(len(order)-1, 0))
	for i, n := range s.rows {
		one := row{event: engine.BatchEvent(b, n), at: f.moments[i], rec: r.rec, keys: keys}
		for j := range order {
			*one.order(j) = order[j][i]
		}
		r.timeless = r.timeless || one.key == nullRaw
		if !r.takes(&one) {
			continue
		}
		one.keys = slices.Clone(keys)
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

// takes reports whether a row is part of the slice.
func (r *rows) takes(one *row) bool {
	switch {
	case r.after != nil && r.compare(one, r.after) <= 0, one.key < r.from:
		return false
	}
	return one.key <= r.until && (r.bound == nil || r.compare(one, r.bound) <= 0)
}

// value returns a value of ORDER BY of a row.
func (r *rows) value(one *row, key int) Value {
	return r.values.value(r.plan.outputs[r.plan.order[key].output].node.shape.kind, *one.order(key))
}

func (r *rows) merge(o *rows) {
	r.decoded = nil
	if r.streamed != nil && o.streamed != nil {
		for i := range o.list {
			o.list[i].rec += len(r.streamed.recs)
		}
	}
	r.streamed = r.streamed.with(o.streamed)
	for j, order := range r.plan.order {
		if r.plan.outputs[order.output].node.shape.kind.isNumeric() {
			continue
		}
		for i := range o.list {
			one := &o.list[i]
			*one.order(j) = r.values.raw(o.value(one, j))
		}
	}
	r.pruned, r.more, r.timeless = r.pruned || o.pruned, r.more || o.more, r.timeless || o.timeless
	if len(r.list) == 0 {
		r.list = o.list
	} else {
		r.list = append(r.list, o.list...)
	}
	r.prune()
}

// keeps returns how many rows are kept; -1 is all.
func (r *rows) keeps() int {
	// Prepared views take widths and sums from all rows, which are read again if they are many.
	limit := r.plan.st.limit
	if isEnough := limit >= 0 && (r.most == 0 || limit <= r.most); isEnough && (!r.plan.o.JDK || r.pruned) {
		return limit
	}
	if r.most > 0 {
		return r.most
	}
	return -1
}

// prune drops rows beyond those that are kept.
func (r *rows) prune() {
	most := r.keeps()
	if most < 0 || len(r.list)-most <= max(most/2, pruneAt) {
		return
	}
	r.sort()
	r.pruned = true
	r.drop(r.keeps())
}

// drop drops rows after a number of sorted ones.
func (r *rows) drop(after int) {
	if len(r.list) <= after {
		return
	}
	clear(r.list[after:])
	if r.list = r.list[:after]; after > 0 {
		last := r.list[after-1]
		r.bound = &last
	}
	r.more = r.more || after == r.most
}

func (r *rows) sort() {
	slices.SortFunc(r.list, func(a, b row) int { return r.compare(&a, &b) })
}

func (r *rows) compare(a, b *row) int {
	for i, o := range r.plan.order {
		x, y := *a.order(i), *b.order(i)
		if x == y {
			continue
		}
		if c := r.values.order(r.plan.outputs[o.output].node.shape.kind, x, y); c != 0 {
			if o.desc {
				return -c
			}
			return c
		}
	}
	return cmp.Or(a.at.compare(b.at), cmp.Compare(a.rec, b.rec))
}

// asked returns the rows that are asked for in their order.
func (r *rows) asked() iter.Seq2[[]Value, error] {
	limit := r.plan.st.limit
	switch {
	case r.plan.isStreamed() && r.streamed != nil:
		return r.streamed.all(r.plan, limit)
	case r.more:
		return r.slices()
	}
	r.sort()
	return func(yield func([]Value, error) bool) { r.decode(newRowDecoder(r.plan), r.first(limit), yield) }
}

// all returns the rows in any order for [Result]; nil if those that are asked for serve as well.
func (r *rows) all() iter.Seq2[[]Value, error] {
	switch {
	case r.plan.isStreamed() || r.plan.st.limit >= 0 && !r.plan.o.JDK:
		return nil
	case r.pruned:
		again := *r.streamed
		again.o.OnError = func(*mmapjfr.Recording, error) {} // what is damaged has been reported
		return again.all(r.plan, -1)
	}
	return func(yield func([]Value, error) bool) {
		list := r.first(-1)
		if len(list) > decodedAtOnce {
			slices.SortFunc(list, (*row).inFile)
		}
		r.decode(newRowDecoder(r.plan), list, yield)
	}
}

// first returns as many of the rows that are kept; negative is all.
func (r *rows) first(limit int) []*row {
	list := make([]*row, len(r.list))
	for i := range list {
		list[i] = &r.list[i]
	}
	if limit >= 0 {
		list = list[:min(limit, len(list))]
	}
	return list
}

// inFile returns how two rows lie in recordings.
func (r *row) inFile(o *row) int {
	return cmp.Or(cmp.Compare(r.rec, o.rec), cmp.Compare(r.event.Offset(), o.event.Offset()))
}

// decodedAtOnce is how many rows are decoded together.
const decodedAtOnce = 1 << 11

// decode yields rows of those that are kept: the first ones, unless all are more than are decoded at once. It is
// false if the caller wants no more. Rows are decoded some at a time in the order of the file, so that the constants of
// a chunk are found once, and again for the next caller only if rows are more than that.
func (r *rows) decode(b *rowDecoder, list []*row, yield func([]Value, error) bool) bool {
	few := len(r.list) <= decodedAtOnce
	if few && r.decoded == nil {
		r.decoded = b.decodeAll(r.first(-1))
	}
	for some := range slices.Chunk(list, decodedAtOnce) {
		decoded := r.decoded
		if !few {
			decoded = b.decodeAll(some)
		}
		for _, one := range decoded[:len(some)] {
			if !yield(one, nil) {
				return false
			}
		}
	}
	return true
}

// decodeAll returns the values of rows. The constants of all chunks but the last are not needed after it.
func (b *rowDecoder) decodeAll(list []*row) [][]Value {
	order, out := make([]int, len(list)), make([][]Value, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return list[i].inFile(list[j]) })
	all := make([]Value, len(list)*b.plan.visible)
	var chunk mmapjfr.Chunk
	for _, i := range order {
		if at := list[i].event.Chunk(); at != chunk {
			engine.ChunkIndex(chunk).SetIdle(true)
			chunk = at
		}
		out[i], all = all[:b.plan.visible:b.plan.visible], all[b.plan.visible:]
		b.decode(list[i], out[i])
	}
	return out
}

// rowDecoder decodes the values of rows.
type rowDecoder struct {
	binding
	fields   map[fieldOfType]*resolvedField // nil for those that the type has not: of the columns of all types, most
	weighers map[weigherKey]*weigh.Weigher  // nil until one is used: a decoder may serve for one event
	// stacks are the last stack traces, by their keys in the chunk stacksOf: most rows share theirs. It is nil
	// in a decoder that serves for one event.
	stacks   map[int64]Value
	stacksOf mmapjfr.Chunk
}

// maxStacks is how many stack traces a decoder keeps, which take some thousand bytes each.
const maxStacks = 1 << 10

type fieldOfType struct {
	field *eventField
	typ   mmapjfr.Type
}

// resolvedField is what a field is in events of a type.
type resolvedField struct {
	shape shape
	field mmapjfr.Field
	isInt bool // it is what the JDK's views take for a number
}

func newRowDecoder(p *Plan) *rowDecoder {
	return &rowDecoder{binding{plan: p, values: &values{byID: p.o.JDK}}, make(map[fieldOfType]*resolvedField), nil, nil, mmapjfr.Chunk{}}
}

// decode sets out to the columns of a row.
func (b *rowDecoder) decode(r *row, out []Value) {
	if b.stacks == nil {
		b.stacks = make(map[int64]Value)
	}
	b.source, b.chunk, b.typ = int(r.at.source), r.event.Chunk(), r.event.Type()
	if r.rowJoins != nil {
		b.weights = r.weights
	}
	for j := range out {
		out[j] = b.ofRow(r, &b.plan.inputs[b.plan.outputs[j].node.index])
	}
}

func (b *rowDecoder) resolve(f *eventField, t mmapjfr.Type) *resolvedField {
	key := fieldOfType{f, t}
	r, ok := b.fields[key]
	if !ok {
		if s, _, err := f.path.resolve(t, b.plan.o.isJava()); err == nil {
			r = &resolvedField{shape: s}
			if f.path.path != nil {
				field, one, err := t.Resolve(f.path.path)
				r.field, r.isInt = field, err == nil && one && s.kind == Int && b.plan.o.isJava()
			}
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
			if of := b.resolve(f, r.event.Type()); of != nil {
				s = of.shape
			}
			return v
		}
		return v.as(n.shape.kind)
	})
	return v.in(in.shape.kind, s, b.plan)
}

// field returns the value of a field of an event.
func (b *rowDecoder) field(e mmapjfr.Event, f *eventField) Value {
	of := b.resolve(f, e.Type())
	switch {
	case of == nil:
		return Value{}
	case f.typ != "" && f.typ != e.Type().Name():
		return Value{}
	case f.path.isWeight:
		return b.weight(e, f)
	case f.path.path == nil:
		return f.path.ofType(e.Type(), b.plan.o.JDK)
	case f.path.frame != noFrame:
		r := frameReader{anyReader: anyReader{&b.binding, f.path.path, of.shape.kind}, choice: f.path.frame, rest: f.path.rest, methods: make(map[int64]int64)}
		return b.values.value(of.shape.kind, r.frame(e.Get(f.path.path).StackTrace()))
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
	if of.shape.kind == Stack && b.stacks != nil {
		return b.stackOf(e.Get(f.path.path))
	}
	return b.valueOf(e.Get(f.path.path), of.shape.kind)
}

// stackOf returns a stack trace of the chunk.
func (b *rowDecoder) stackOf(v mmapjfr.Value) Value {
	key := engine.ValueKey(v)
	if key == 0 { // none, or in the event itself
		return b.valueOf(v, Stack)
	}
	if b.stacksOf != b.chunk {
		clear(b.stacks)
		b.stacksOf = b.chunk
	}
	out, ok := b.stacks[key]
	if !ok {
		if len(b.stacks) == maxStacks {
			clear(b.stacks)
		}
		out = b.valueOf(v, Stack)
		b.stacks[key] = out
	}
	return out
}
