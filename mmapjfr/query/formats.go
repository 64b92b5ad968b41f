package query

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// formatNames are what FORMAT takes, for errors.
var formatNames = []string{"none", "normalized", "cell-height:N", "missing:TEXT", "truncate-beginning", "truncate-end", "ms-precision:N"}

// properties parses how a column is shown: properties with semicolons between them.
func (p *parser) properties() (f Format, err error) {
	for {
		if err := p.property(&f); err != nil {
			return f, err
		}
		// A semicolon ends the statement if nothing follows.
		after := *p
		if !after.Accept(";") {
			return f, nil
		}
		if after.Skip(); after.At == len(p.Text) {
			return f, nil
		}
		p.At = after.At
	}
}

func (p *parser) property(f *Format) (err error) {
	p.Skip()
	begin := p.At
	p.At += end(p.Text[begin:], func(r rune) bool { return where.IsPart(r) || r == '-' })
	name := strings.ToLower(p.Text[begin:p.At])
	value := ""
	if strings.HasPrefix(p.Text[p.At:], ":") {
		p.At++
		if value, err = p.propertyValue(); err != nil {
			return err
		}
		name += ":"
	}
	n, wrong := strconv.ParseUint(value, 10, 16)
	switch {
	case name == "none":
	case name == "normalized":
		f.Normalized = true
	case name == "truncate-beginning":
		f.TruncateBeginning = true
	case name == "truncate-end":
		f.TruncateBeginning = false
	case name == "missing:" && value == "whitespace":
		f.Missing = " "
	case name == "missing:":
		f.Missing = value
	case name == "cell-height:" && wrong == nil && n > 0:
		f.CellHeight = int(n)
	case name == "ms-precision:" && wrong == nil && n <= 9:
		f.Millis, f.MillisDigits = true, int(n)
	case name == "cell-height:":
		return p.errorAt(begin, "cell-height needs a number of lines from 1, as in cell-height:2")
	case name == "ms-precision:":
		return p.errorAt(begin, "ms-precision needs a number of digits from 0 to 9, as in ms-precision:3")
	case name == "":
		return p.expected("a format, one of " + strings.Join(formatNames, " "))
	default:
		question := didYouMean(name, formatNames)
		if question == "" {
			question = "; formats are " + strings.Join(formatNames, " ")
		}
		return p.errorAt(begin, "unknown format %s%s", shortened(p.Text[begin:p.At]), question)
	}
	return nil
}

// propertyValue returns what stands after the colon: a text in quotes, or up to a space, a comma, a
// semicolon or a brace.
func (p *parser) propertyValue() (string, error) {
	rest := p.Text[p.At:]
	if strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, `"`) {
		return p.quoted()
	}
	if i := strings.IndexAny(rest, " \t\r\n,;}"); i >= 0 {
		rest = rest[:i]
	}
	p.At += len(rest)
	return rest, nil
}

// appendFormat appends a format as [Parse] takes it.
func appendFormat(dst []byte, f Format) []byte {
	begin := len(dst)
	add := func(there bool, text string) {
		if !there {
			return
		}
		if len(dst) > begin {
			dst = append(dst, ';')
		}
		dst = append(dst, text...)
	}
	add(f.Normalized, "normalized")
	add(f.CellHeight > 0, "cell-height:"+strconv.Itoa(f.CellHeight))
	add(f.TruncateBeginning, "truncate-beginning")
	add(f.Millis, "ms-precision:"+strconv.Itoa(f.MillisDigits))
	if add(f.Missing != "", "missing:"); f.Missing == " " {
		return append(dst, "whitespace"...)
	}
	if f.Missing != "" {
		dst = appendQuoted(dst, f.Missing)
	}
	return dst
}

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
		return c.plural(label)
	}
	if a.in < 0 || label == "" {
		return cmp.Or(o.alias, o.text)
	}
	if a.kind == quantile {
		return quantileTitle(o) + label
	}
	return aggregateTitles[a.kind] + label
}

// plural returns the label of several values. The JDK appends an s to all labels.
func (c *compiler) plural(label string) string {
	switch {
	case c.o.JDK || !strings.HasSuffix(label, "s"):
		return label + "s"
	case strings.HasSuffix(label, "ss"):
		return label + "es"
	}
	return label
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
	if f, found := engine.TypeUnwrapped(outer.Type()).Field(inner); found {
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
	if name := engine.TypeUnwrapped(field.Type()).Name(); err == nil && name != jdktypes.String && name != jdktypes.ThreadGroup && !isSettingID(t, f.path.String()) {
		return Layout{Left: true}
	}
	return l
}

// layout returns the layout of a column. Frames and elements stand in their order; only the JDK's views sort them, and
// sets have none.
func (c *compiler) layout(n *node) Layout {
	l := c.layoutOf(n)
	isSet := n.op == opAggregate && c.aggs[n.index].kind == setOf
	l.Sorted = l.Sorted && (c.o.JDK || isSet)
	return l
}

func (c *compiler) layoutOf(n *node) Layout {
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
