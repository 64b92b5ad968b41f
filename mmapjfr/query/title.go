package query

import (
	"cmp"
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// aggregateTitles are what stands before the label of a field.
var aggregateTitles = map[aggregateKind]string{
	average: "Avg. ", maximum: "Max. ", minimum: "Min. ", sum: "Total ", unique: "Unique Count ",
	difference: "Difference ", deviation: "Std. Dev. ", rate: "Rate of ", histogram: "Histogram of ", topK: "Top ",
}

// title returns the title of a column for which COLUMN says none: as the JDK has it, except that users
// see their own names.
func (c *compiler) title(n *node, o output) string {
	label := c.labelOf(n)
	if !c.o.JDK && o.alias != "" {
		return o.alias
	}
	if n.op != opAggregate {
		return cmp.Or(label, o.alias, o.text)
	}
	a := &c.aggs[n.index]
	switch a.kind {
	case count, countPresent:
		return "Count"
	case listOf, setOf:
		return label + "s"
	}
	if a.in < 0 || label == "" {
		return cmp.Or(o.alias, o.text)
	}
	if a.kind == quantile {
		return quantileTitle(o) + label
	}
	return aggregateTitles[a.kind] + label
}

func quantileTitle(o output) string {
	e, ok := o.expr.(*call)
	switch {
	case !ok:
		return ""
	case e.name == "MEDIAN":
		return "Median "
	case e.name == "P999":
		return "P99.9 "
	case isPercentile(e.name):
		return e.name + " "
	}
	return "Quantile "
}

// labelOf returns the label of the field that a column shows.
func (c *compiler) labelOf(n *node) string {
	in := -1
	switch n.op {
	case opKey:
		in = c.keys[n.index]
	case opInput:
		in = n.index
	case opAggregate:
		in = c.aggs[n.index].in
	}
	if in < 0 || c.inputs[in].node.op != opField {
		return ""
	}
	return c.inputs[in].label
}

// fieldLabel returns the title of a field of an event type.
func fieldLabel(t mmapjfr.Type, f mmapjfr.Field) string {
	switch {
	case f.Name() == "gcId":
		return "GC ID"
	case f.Name() == "compilerId":
		return "Compiler ID"
	case f.Name() == "startTime":
		if _, ok := t.Field("duration"); !ok {
			return "Time"
		}
	case isSettingID(t, f.Name()):
		return "Event Type"
	}
	return cmp.Or(f.Label(), f.Name())
}

// labelWithout returns the title of a field that no event type has, as of one without a label.
func (f fieldPath) labelWithout(field string) string {
	if f.frame != noFrame && f.rest == nil {
		return "Method"
	}
	return field[strings.LastIndexByte(field, '.')+1:]
}

// nestedLabel returns the title of a field of a struct: "Heap Space : Start".
func nestedLabel(t mmapjfr.Type, path string) string {
	name, inner, ok := strings.Cut(path, ".")
	outer, found := t.Field(name)
	if !ok || !found {
		return ""
	}
	if f, found := outer.Type().Unwrapped().Field(inner); found {
		return fieldLabel(t, outer) + " : " + fieldLabel(outer.Type(), f)
	}
	return ""
}

// isSettingID reports whether a field is the number of an event type, which is shown as its label.
func isSettingID(t mmapjfr.Type, field string) bool {
	return field == "id" && t.Name() == "jdk.ActiveSetting"
}

// layout returns the layout of a column that shows a field of events of a type.
func (f fieldPath) layout(t mmapjfr.Type, s shape) Layout {
	l := LayoutOf(s.kind, s.unit)
	if s.kind != Text || f.path == nil {
		return l
	}
	field, _, err := t.Resolve(f.path)
	if name := field.Type().Unwrapped().CurrentName(); err == nil && name != jdktypes.String && name != jdktypes.ThreadGroup && !isSettingID(t, f.path.String()) {
		return Layout{Left: true}
	}
	return l
}

// layout returns the layout of a column.
func (c *compiler) layout(n *node) Layout {
	in, kind := -1, count
	switch n.op {
	case opKey:
		in = c.keys[n.index]
	case opInput:
		in = n.index
	case opAggregate:
		in, kind = c.aggs[n.index].in, c.aggs[n.index].kind
	}
	l := LayoutOf(n.shape.kind, n.shape.unit)
	if in < 0 {
		return l
	}
	of := c.inputs[in].layout
	switch {
	case n.op != opAggregate:
		return of
	case kind == countPresent || kind == unique:
		l.Wide = of.Wide
	case kind == difference && c.inputs[in].shape.kind == Timestamp:
		l.Left = true
	case kind == listOf || kind == setOf:
		return Layout{Left: true, Sorted: true, Wide: of.Wide}
	case n.shape.kind == c.inputs[in].shape.kind:
		return of
	}
	return l
}
