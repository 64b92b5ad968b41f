package query

import (
	"cmp"
	"iter"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Result returns the answer. Rows that are events are decoded when they are read: their recordings
// must stay open until then.
func (r *Partial) Result() *Result {
	p := r.plan
	out := &Result{Limit: p.st.limit, Notes: slices.Clone(p.notes), Experimental: p.experimental}
	for _, o := range p.outputs[:p.visible] {
		out.Columns = append(out.Columns, o.column)
	}
	if r.groups == nil {
		out.Rows = r.rows.all()
		return out
	}
	list := r.groups.finish()
	out.Rows = rowsOf(list, p.visible)
	return out
}

func rowsOf(list [][]Value, visible int) iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		for _, row := range list {
			if !yield(row[:visible], nil) {
				return
			}
		}
	}
}

// finish returns the rows of all outputs, in their order.
func (p *partial) finish() [][]Value {
	if p.len() == 0 && len(p.plan.keys) == 0 && !p.plan.o.JDK {
		p.group(nil, endOfTime) // aggregates of nothing are a row
		p.grow()
	}
	for _, s := range p.states {
		if s, ok := s.(*distributionState); ok {
			s.settle()
		}
	}
	var list [][]Value
	for _, g := range p.ordered() {
		if row := p.row(g); row != nil {
			list = append(list, row)
		}
	}
	p.plan.sort(list)
	return list
}

// row returns the outputs of a group; nil if HAVING drops it, or LAST_BATCH because its last values are
// older than those of others.
func (p *partial) row(g int) []Value {
	leaf := func(n *node) Value {
		if n.op == opAggregate {
			return p.states[n.index].result(g, p)
		}
		return p.values.value(n.shape.kind, p.key(g)[n.index])
	}
	if p.plan.having != nil && !p.plan.having.eval(leaf).Bool() {
		return nil
	}
	for i := range p.states {
		if s, ok := p.states[i].(*edgeState); ok && s.isStale(g) {
			return nil
		}
	}
	row := make([]Value, len(p.plan.outputs))
	for i, o := range p.plan.outputs {
		row[i] = o.node.eval(leaf)
	}
	return row
}

// ordered returns the groups in the order in which the JDK's views have those that are equal: that
// of a HashMap of Java.
func (p *partial) ordered() []int {
	list := make([]int, p.len())
	for g := range list {
		list[g] = g
	}
	slices.SortFunc(list, func(a, b int) int { return p.firsts[a].compare(p.firsts[b]) })
	if len(p.plan.keys) == 0 {
		return list
	}
	m := javaMap{buckets: make([][]hashed, 16)}
	for _, g := range list {
		m.put(hashed{p.hash(g), g})
	}
	list = list[:0]
	for _, bucket := range m.buckets {
		for _, e := range slices.Backward(bucket) {
			list = append(list, e.group)
		}
	}
	return list
}

// hash returns the hash of the key of a group in Java: that of a set if there are several.
func (p *partial) hash(g int) (h int32) {
	for i, raw := range p.key(g) {
		h += p.values.value(p.plan.inputs[p.plan.keys[i]].shape.kind, raw).javaHash()
	}
	return h
}

// javaMap has the order of a HashMap of Java: buckets by hashes, in which the last entry that has
// been put is the first. Here it is the last, so that entries are appended.
type javaMap struct {
	buckets [][]hashed
	n       int
}

type hashed struct {
	hash  int32
	group int
}

func (m *javaMap) put(e hashed) {
	if m.n > len(m.buckets)*3/4 {
		m.double()
	}
	m.n++
	i := m.bucket(e)
	m.buckets[i] = append(m.buckets[i], e)
}

func (m *javaMap) bucket(e hashed) int {
	h := uint32(e.hash)
	return int((h ^ h>>16) & uint32(len(m.buckets)-1))
}

func (m *javaMap) double() {
	old := m.buckets
	m.buckets = make([][]hashed, 2*len(old))
	for _, bucket := range old {
		for _, e := range bucket {
			i := m.bucket(e)
			m.buckets[i] = append(m.buckets[i], e)
		}
	}
}

// sort orders rows: as ORDER BY says, or else by each aggregate in turn, or by the keys.
func (p *Plan) sort(list [][]Value) {
	for _, o := range slices.Backward(p.order) {
		slices.SortStableFunc(list, func(a, b []Value) int {
			c := p.shownOrder(o.output, a[o.output]).order(p.shownOrder(o.output, b[o.output]))
			if o.desc {
				return -c
			}
			return c
		})
	}
}

// shownOrder returns what a value is ordered by: in the JDK's views what is missing is a text among
// others.
func (p *Plan) shownOrder(output int, v Value) Value {
	if c := &p.outputs[output].column; v.kind == Null && p.o.JDK && c.Layout.Sorted {
		return textValue(cmp.Or(c.Format.Missing, "N/A"))
	}
	return v
}

// defaultOrder returns the order of a statement without ORDER BY, as the JDK's views have it: by
// aggregates, of which the last counts most; or else by the keys of groups, or by the first column.
func (c *compiler) defaultOrder() (list []planOrder) {
	order := func(i int) planOrder { return planOrder{i, c.isDescending(i), false} }
	for i, o := range slices.Backward(c.outputs) {
		if o.column.Aggregate {
			list = append(list, order(i))
		}
	}
	for i, o := range c.outputs {
		if o.isKey && (len(list) == 0 || !c.outputs[list[0].output].column.Aggregate) {
			list = append(list, order(i))
		}
	}
	if len(list) == 0 {
		list = append(list, order(0))
	}
	return list
}

// timeOrder returns the columns that groups have their time in: series are shown as they went on.
func (c *compiler) timeOrder() (list []planOrder) {
	for i, o := range c.outputs {
		if o.isKey && o.node.shape.kind == Timestamp {
			list = append(list, planOrder{i, false, false})
		}
	}
	return list
}

// isDescending reports whether a column is ordered from its greatest value unless a statement of the
// JDK says otherwise.
func (c *compiler) isDescending(i int) bool {
	o := c.outputs[i]
	s := o.node.shape
	return s.kind == Timespan && !o.column.Layout.Left || s.unit == mmapjfr.Percentage || o.column.Format.Normalized
}
