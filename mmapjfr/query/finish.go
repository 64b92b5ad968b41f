package query

import (
	"cmp"
	"iter"
	"slices"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Result returns the answer. Its rows are made when they are read, so nothing may be added to the partial result
// until then. Rows that are events are decoded then: their recordings must stay open.
func (r *Partial) Result() *Result {
	p := r.plan
	out := &Result{Notes: slices.Clone(p.notes), Experimental: p.experimental}
	out.Notes = append(out.Notes, r.heavy.Notes(!p.asksWeights())...)
	for _, o := range p.outputs[:p.visible] {
		out.Columns = append(out.Columns, o.column)
	}
	if r.groups == nil {
		out.Rows, out.All = r.rows.asked(), r.rows.all()
		return out
	}
	list := r.groups.finish()
	out.Rows = r.groups.rows(list)
	if limit := p.st.limit; limit >= 0 && limit < len(list) {
		out.Rows, out.All = r.groups.rows(list[:limit]), out.Rows
	}
	return out
}

// rows returns the rows of groups.
func (p *partial) rows(list []int) iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		var row []Value
		for _, g := range list {
			if row = p.appendRow(row[:0], g, p.plan.outputs[:p.plan.visible]); !yield(row, nil) {
				return
			}
		}
	}
}

// finish returns the groups that are rows, in their order.
func (p *partial) finish() []int {
	if p.len() == 0 && len(p.plan.keys) == 0 && !p.plan.o.JDK {
		p.group(nil, endOfTime) // aggregates of nothing are a row
		p.grow()
	}
	for _, s := range p.states {
		if s, ok := s.(*distributionState); ok {
			s.settle()
		}
	}
	p.slots, p.values.slots = nil, nil // they are made again if more is added
	list := slices.DeleteFunc(p.ordered(), func(g int) bool { return !p.isRow(g) })
	p.sort(list)
	return list
}

// leaf returns the function that gives nodes of outputs their values of a group.
func (p *partial) leaf(g int) func(n *node) Value {
	return func(n *node) Value {
		if n.op == opAggregate {
			return p.states[n.index].result(g, p)
		}
		return p.values.value(n.shape.kind, p.key(g)[n.index])
	}
}

// isRow reports whether a group is a row: HAVING drops some, and LAST_BATCH those whose last values are
// older than those of others.
func (p *partial) isRow(g int) bool {
	if p.plan.having != nil && !p.plan.having.eval(p.leaf(g)).Bool() {
		return false
	}
	for i := range p.states {
		if s, ok := p.states[i].(*edgeState); ok && s.isStale(g) {
			return false
		}
	}
	return true
}

// appendRow appends outputs of a group.
func (p *partial) appendRow(dst []Value, g int, outputs []planOutput) []Value {
	leaf := p.leaf(g)
	for i := range outputs {
		dst = append(dst, outputs[i].node.eval(leaf))
	}
	return dst
}

// ordered returns the groups in the order in which the JDK's views have those that are equal: that
// of a HashMap of Java.
func (p *partial) ordered() []int {
	list := make([]int, p.len())
	for g := range list {
		list[g] = g
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(p.firsts[a].compare(p.firsts[b]), p.compareKeys(a, b)) })
	if len(p.plan.keys) == 0 || len(list) == 0 {
		return list
	}
	hashes := make([]int32, len(list))
	for i, g := range list {
		hashes[i] = p.hash(g)
	}
	order := javatext.HashOrder(hashes, p.firsts[list[len(list)-1]].compare(p.last) < 0)
	for i, at := range order {
		order[i] = list[at]
	}
	return order
}

// hash returns the hash of the key of a group in Java: that of a set if there are several.
func (p *partial) hash(g int) (h int32) {
	for i, raw := range p.key(g) {
		h += p.values.value(p.plan.inputs[p.plan.keys[i]].shape.kind, raw).javaHash()
	}
	return h
}

// sort orders groups: as ORDER BY says, or else by each aggregate in turn, or by the keys.
func (p *partial) sort(list []int) {
	for _, o := range slices.Backward(p.plan.order) {
		by := p.orderedBy(list, o.output)
		slices.SortStableFunc(list, func(a, b int) int {
			c := by(a).order(by(b))
			if o.desc {
				return -c
			}
			return c
		})
	}
}

// orderedBy returns the function that gives groups the values of an output, to order them. Numbers take a quarter
// of the memory that other values do.
func (p *partial) orderedBy(list []int, output int) func(g int) Value {
	type number struct {
		num  uint64
		kind Kind
	}
	numbers := make([]number, p.len())
	shown := func(g int) Value {
		return p.plan.shownOrder(output, p.plan.outputs[output].node.eval(p.leaf(g)))
	}
	for _, g := range list {
		v := shown(g)
		if v.kind != Null && !v.kind.isNumeric() {
			numbers = nil
			break
		}
		numbers[g] = number{v.num, v.kind}
	}
	if numbers != nil {
		return func(g int) Value { return Value{kind: numbers[g].kind, num: numbers[g].num} }
	}
	values := make([]Value, p.len())
	for _, g := range list {
		values[g] = shown(g)
	}
	return func(g int) Value { return values[g] }
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
	if len(list) == 0 && len(c.outputs) > 0 {
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
