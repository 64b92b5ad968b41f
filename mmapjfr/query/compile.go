package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// fieldPath is the field that a path of a statement means.
type fieldPath struct {
	path  *mmapjfr.FieldPath // nil if the type itself is meant
	frame frameChoice        // of a stack trace that the path leads to
	rest  *mmapjfr.FieldPath // the field of the frame; nil for its method
	label bool               // of the type, and not its name

	isWeight bool   // what the event stands for as a sample
	sampleOf string // the kind of profile; "" is that of the type
}

// frameChoice is a frame of a stack trace.
type frameChoice uint8

const (
	noFrame             frameChoice = iota
	topFrame                        // the innermost one
	topApplicationFrame             // the innermost one of a class whose loader is not that of the JDK
	topNotInitFrame                 // the innermost one that is no constructor
)

var frameChoices = map[string]frameChoice{
	"topFrame": topFrame, "topApplicationFrame": topApplicationFrame, "topNotInitFrame": topNotInitFrame,
}

func parseField(field string) (f fieldPath, err error) {
	switch field {
	case "eventType.label", "@label":
		return fieldPath{label: true}, nil
	case "eventType.name", "@type":
		return fieldPath{}, nil
	case "endTime":
		field = "@end"
	}
	if rest, ok := strings.CutPrefix(field, weightField); ok && (rest == "" || rest[0] == '.') {
		return parseWeight(strings.TrimPrefix(rest, "."))
	}
	steps := strings.Split(field, ".")
	for i, step := range steps {
		if i == 0 || frameChoices[step] == noFrame {
			continue
		}
		f.frame, field = frameChoices[step], strings.Join(steps[:i], ".")
		if rest := strings.Join(steps[i+1:], "."); rest != "" {
			if f.rest, err = mmapjfr.ParsePath(rest); err != nil {
				return f, err
			}
		}
		break
	}
	f.path, err = mmapjfr.ParsePath(field)
	return f, err
}

// resolve returns the shape and the label of a field in events of a type. The error says that the
// type has no such field.
func (f fieldPath) resolve(t mmapjfr.Type, jdk bool) (shape, string, error) {
	if f.isWeight {
		return f.weightShape(t.Name())
	}
	if f.path == nil {
		return shape{kind: Text}, "Event Type", nil
	}
	field, one, err := t.Resolve(f.path)
	if err != nil {
		return shape{}, "", err
	}
	s, ok := shapeOf(field, one)
	switch {
	case !ok:
		return shape{}, "", fmt.Errorf("%s is a struct; name a field in it", f.path)
	case f.frame != noFrame && s.kind != Stack:
		return shape{}, "", fmt.Errorf("%s is not a stack trace", f.path)
	case f.rest != nil:
		inner, err := mmapjfr.ParsePath(f.path.String() + ".frames[0]." + f.rest.String())
		if err != nil {
			return shape{}, "", err
		}
		return fieldPath{path: inner}.resolve(t, jdk)
	case f.frame != noFrame:
		return shape{kind: Method}, "Method", nil
	case !one:
		s = shape{kind: List}
	case isSettingID(t, f.path.String()):
		s = shape{kind: Text}
	case s.kind == Unsigned && jdk:
		s.kind = Int
	}
	if one && field.IsArray() {
		return s, f.path.String(), nil // an element
	}
	return s, fieldLabel(t, field), nil
}

// kindOf returns the kind of values of a type that are neither arrays nor times; Null for structs
// without a name.
func kindOf(t mmapjfr.Type, unsigned bool) Kind {
	t = engine.TypeUnwrapped(t)
	switch t.Name() {
	case "boolean":
		return Bool
	case "byte", "short", "int", "long":
		if unsigned {
			return Unsigned
		}
		return Int
	case "float", "double":
		return Float
	case "char", jdktypes.String:
		return Text
	case jdktypes.Thread:
		return Thread
	case jdktypes.Class:
		return Class
	case jdktypes.ClassLoader:
		return ClassLoader
	case jdktypes.Method:
		return Method
	case jdktypes.StackFrame:
		return Frame
	case jdktypes.StackTrace:
		return Stack
	}
	if name, ok := t.Field("name"); ok && !t.IsEvent() && !name.IsArray() && engine.TypeUnwrapped(name.Type()).Name() == jdktypes.String {
		return Text
	}
	return Null
}

// input compiles an expression of events, and returns the number of the input.
func (c *compiler) input(e expr) (int, error) {
	text := canonical(e)
	if i := slices.IndexFunc(c.inputs, func(in input) bool { return in.text == text }); i >= 0 {
		return i, nil
	}
	in := input{text: text}
	var err error
	in.node, err = c.compile(e, func(e expr) (*node, error) { return c.eventLeaf(&in, e) })
	if err != nil {
		return 0, err
	}
	in.shape = in.node.shape
	c.inputs = append(c.inputs, in)
	return len(c.inputs) - 1, nil
}

// eventLeaf compiles a field of events.
func (c *compiler) eventLeaf(in *input, e expr) (*node, error) {
	if call, ok := e.(*call); ok {
		if isAggregate(call.name) {
			return nil, c.st.errorAt(call.pos, "%s cannot stand inside another aggregate or in GROUP BY", call.name)
		}
		return nil, nil
	}
	p, ok := e.(*path)
	if !ok {
		return nil, nil
	}
	f := eventField{sources: p.sources, join: c.joinNamed(p.sources)}
	var err error
	if f.path, err = parseField(p.field); err != nil {
		return nil, c.st.errorAt(p.pos, "%v", err)
	}
	if len(p.sources) == 0 {
		f.typ, f.path = c.typeBefore(p.field, f.path)
	}
	var label string
	if f.shape, label, in.layout, err = c.shapeIn(f, p); err != nil {
		return nil, err
	}
	in.label = cmp.Or(in.label, label)
	in.fields = append(in.fields, f)
	return &node{op: opField, index: len(in.fields) - 1, shape: f.shape}, nil
}

// typeBefore returns the event type whose name begins a path, as in jdk.Shutdown.reason, and the field that
// follows it; "" and the field as it was if it begins with no type.
func (c *compiler) typeBefore(field string, f fieldPath) (string, fieldPath) {
	for _, t := range c.types {
		rest, ok := strings.CutPrefix(field, t.Name()+".")
		if !ok {
			rest, ok = strings.CutPrefix(field, engine.TypeRecordedName(t)+".")
		}
		if ok && t.IsEvent() {
			if own, err := parseField(rest); err == nil {
				return t.Name(), own
			}
		}
	}
	return "", f
}

// shapeIn returns the shape that the values of a field have in all types: text if they differ. It also
// returns the label and the layout of a column of them.
func (c *compiler) shapeIn(f eventField, p *path) (s shape, label string, l Layout, err error) {
	found, absent := false, c.missing || c.o.Incomplete
	var first error
	c.eachType(f, func(t mmapjfr.Type) {
		one, of, err := f.path.resolve(t, c.o.isJava())
		if err != nil {
			first = cmp.Or(first, err)
			return
		}
		c.experimental = c.experimental || t.IsExperimental()
		if one.kind == Bool && c.numbers {
			one.kind = Int
		}
		if label = cmp.Or(label, of); !found {
			s, found, l = one, true, f.path.layout(t, one)
		} else if joined := s.joined(one); joined != s {
			s, l = joined, LayoutOf(joined.kind, joined.unit)
			l.Wide = false
		}
	})
	switch {
	case found:
		return s, label, l, nil
	case c.o.JDK && !absent && first != nil: // views show what other versions of the JDK have
		c.notes = append(c.notes, fmt.Sprintf("no event type of the view has a field %s", p.field))
		fallthrough
	case absent || first == nil:
		return shape{kind: Text, absent: true}, f.path.labelWithout(p.field), LayoutOf(Text, mmapjfr.NoUnit), nil
	case strings.Contains(p.field, ".") || f.path.isWeight:
		return s, "", l, c.st.errorAt(p.pos, "%w%s", first, c.st.namesOfJoins())
	case f.join >= 0:
		return s, "", l, c.st.errorAt(p.pos, "%s, which is looked up as %s, has no field %s%w", c.joins[f.join].event.pattern,
			c.joins[f.join].event.name(), p.field, c.similar(f, p.field))
	}
	return s, "", l, c.st.errorAt(p.pos, "no event type of the statement has a field %s%w%s", p.field, c.similar(f, p.field), c.st.namesOfJoins())
}

// similar asks whether fields of similar names are meant.
func (c *compiler) similar(f eventField, name string) suggest.Hint {
	var names []string
	c.eachType(f, func(t mmapjfr.Type) {
		for _, field := range append(engine.TypeComputed(t), t.Fields()...) {
			names = append(names, field.Name())
		}
	})
	return suggest.NewHint(name, names)
}

// eachType visits the event types that can have a field: those of its join, of its sources, or all.
func (c *compiler) eachType(f eventField, visit func(t mmapjfr.Type)) {
	names := f.sources
	for _, t := range c.types {
		if f.join >= 0 {
			if c.joins[f.join].types[t.Name()] {
				visit(t)
			}
			continue
		}
		for _, s := range c.sources {
			if (f.typ == "" || f.typ == t.Name()) && s.types[t.Name()] && (len(names) == 0 || slices.Contains(names, s.name())) {
				visit(t)
				break
			}
		}
	}
}

// joined returns the shape of values some of which have this one, and some another. True and false among numbers are 1 and 0.
func (s shape) joined(o shape) shape {
	switch {
	case s.kind == Bool && o.isNumber():
		return o.joined(shape{kind: Int, unit: o.unit, rate: o.rate})
	case o.kind == Bool && s.isNumber():
		return o.joined(s)
	case s == o || o.absent:
		return s
	case s.absent:
		return o
	case s.isNumber() && o.isNumber():
		switch {
		case s.kind == Float || o.kind == Float:
			s.kind = Float
		case s.kind != o.kind:
			s.kind = Int
		}
		if s.unit != o.unit || s.rate != o.rate {
			s.unit, s.rate = mmapjfr.NoUnit, false
		}
		return s
	}
	if s.apart != "" || o.apart != "" {
		return shape{kind: Text, apart: cmp.Or(s.apart, o.apart)}
	}
	list := []string{s.String(), o.String()}
	slices.Sort(list)
	return shape{kind: Text, apart: list[0] + " in some events and " + list[1] + " in others"}
}

// grouping compiles an expression of groups.
func (c *compiler) grouping(e expr) (*node, error) {
	return c.compile(c.unaliased(e), c.groupLeaf)
}

// groupLeaf compiles a key, an aggregate, or a field, whose last value is meant.
func (c *compiler) groupLeaf(e expr) (*node, error) {
	e = c.unaliased(e)
	text := canonical(e)
	for i, k := range c.keys {
		if c.inputs[k].text == text {
			return &node{op: opKey, index: i, shape: c.inputs[k].shape}, nil
		}
	}
	switch e := e.(type) {
	case *path:
		note := fmt.Sprintf("%[1]s is neither grouped nor in an aggregate, so it is the last value of each row's events; "+
			"write last(%[1]s), or add it to GROUP BY", text)
		if !c.o.JDK && !slices.Contains(c.notes, note) {
			c.notes = append(c.notes, note)
		}
		return c.aggregate(e.pos, text, lastPresent, e)
	case *call:
		if isAggregate(e.name) {
			return c.aggregateCall(e, text)
		}
	}
	return nil, nil
}

// compile compiles an expression. Leaf returns the node of an operand, and nil if it has to be
// compiled from its parts.
func (c *compiler) compile(e expr, leaf func(e expr) (*node, error)) (*node, error) {
	if n, err := leaf(e); n != nil || err != nil {
		return n, err
	}
	switch e := e.(type) {
	case *number:
		return &node{op: opValue, value: e.value, shape: shape{kind: e.value.kind, unit: e.unit}}, nil
	case *text:
		return &node{op: opValue, value: textValue(e.value), shape: shape{kind: Text}}, nil
	case *unary:
		return c.compileUnary(e, leaf)
	case *binary:
		return c.compileBinary(e, leaf)
	case *call:
		return c.compileFunction(e, leaf)
	}
	return nil, c.st.errorAt(e.position(), "a field or a value is missing")
}

func (c *compiler) compileUnary(e *unary, leaf func(e expr) (*node, error)) (*node, error) {
	of, err := c.compile(e.operand, leaf)
	if err != nil {
		return nil, err
	}
	switch {
	case e.op == "NOT" && of.shape.isCondition():
		return &node{op: opNot, kids: []*node{of}, shape: shape{kind: Bool}}, nil
	case e.op == "-" && (of.shape.isNumber() || of.shape.kind == Timespan || of.shape.absent):
		if of.shape.kind == Unsigned {
			of.shape.kind = Int
		}
		zero := Value{kind: of.shape.kind}
		return &node{op: opArith, text: "-", kids: []*node{{op: opValue, value: zero, shape: of.shape}, of}, shape: of.shape}, nil
	}
	return nil, c.st.errorAt(e.pos, "cannot compute %s %s", e.op, of.shape)
}

func (c *compiler) compileBinary(e *binary, leaf func(e expr) (*node, error)) (*node, error) {
	l, err := c.compile(e.left, leaf)
	if err != nil {
		return nil, err
	}
	r, err := c.compile(e.right, leaf)
	if err != nil {
		return nil, err
	}
	n := &node{text: e.op, kids: []*node{l, r}, shape: shape{kind: Bool}}
	switch e.op {
	case "AND", "OR":
		if n.op = opAnd; e.op == "OR" {
			n.op = opOr
		}
		if !l.shape.isCondition() || !r.shape.isCondition() {
			return nil, c.st.errorAt(e.pos, "%s stands between conditions", e.op)
		}
	case "+", "-", "*", "/":
		n.op = opArith
		if n.shape, err = combined(e.op, l.shape, r.shape); err != nil {
			return nil, c.st.errorAt(e.pos, "%v", err)
		}
	default:
		n.op = opCompare
		if err := comparable(l.shape, r.shape); err != nil {
			return nil, c.st.errorAt(e.pos, "%v", err)
		}
	}
	return n, nil
}

// comparable returns an error if values cannot be compared.
func comparable(l, r shape) error {
	isText := func(s shape) bool { return !s.kind.isNumeric() }
	if l.absent || r.absent || l.kind == r.kind || l.isNumber() && r.isNumber() || isText(l) && isText(r) {
		return nil
	}
	return fmt.Errorf("%s cannot be compared with %s", l, r)
}

// canonical returns a text that is the same for expressions that mean the same.
func canonical(e expr) string { return string(appendExpr(nil, e, orBinds)) }

// hasAggregate reports whether there is an aggregate in an expression; nil has none.
func hasAggregate(e expr) bool {
	switch e := e.(type) {
	case *unary:
		return hasAggregate(e.operand)
	case *binary:
		return hasAggregate(e.left) || hasAggregate(e.right)
	case *call:
		return isAggregate(e.name) || slices.ContainsFunc(e.args, hasAggregate)
	}
	return false
}

// fieldOf returns the field that an output shows or aggregates; startTime for COUNT(*), as the JDK
// has it.
func fieldOf(e expr) string {
	switch e := e.(type) {
	case *path:
		return e.field
	case *call:
		if e.star || len(e.args) == 0 {
			return "startTime"
		}
		return fieldOf(e.args[0])
	}
	return ""
}

// maxStar is how many columns SELECT * has at most.
const maxStar = 500

// allFields returns the outputs that SELECT * means: the fields of the event types, those of structs
// one by one.
func (c *compiler) allFields() (list []output) {
	var known []string
	c.eachType(eventField{join: -1}, func(t mmapjfr.Type) {
		var structs []mmapjfr.Type
		for _, f := range t.Fields() {
			// The JDK shows the fields of a struct once for each type.
			if inner := engine.TypeUnwrapped(f.Type()); c.o.JDK && !isLeaf(inner) {
				if slices.Contains(structs, inner) {
					continue
				}
				structs = append(structs, inner)
			}
			for _, field := range c.flat(f) {
				if len(list) < maxStar && !slices.Contains(known, field) && c.has(t, field) {
					known = append(known, field)
					list = append(list, output{expr: &path{field: field}, text: field, title: starTitle(t, f, field)})
				}
			}
		}
	})
	return list
}

// starTitle returns the title of a column of SELECT * that is not that of the field itself: that of
// a field of a struct, and "Event Id" for what is shown as a label.
func starTitle(t mmapjfr.Type, f mmapjfr.Field, field string) string {
	if isSettingID(t, field) {
		return f.Label()
	}
	return nestedLabel(t, field)
}

// flat returns the paths of what a field holds: its own, or those of the fields of a struct. As the JDK's views do,
// statements of those leave the structs and arrays in it out.
func (c *compiler) flat(f mmapjfr.Field) (paths []string) {
	var add func(f mmapjfr.Field, path string, depth int)
	add = func(f mmapjfr.Field, path string, depth int) {
		t := engine.TypeUnwrapped(f.Type())
		if f.IsArray() || isLeaf(t) {
			if depth == 0 || !c.o.JDK || !f.IsArray() {
				paths = append(paths, path)
			}
			return
		}
		if depth < c.starDepth() {
			for _, inner := range t.Fields() {
				if len(paths) < maxStar {
					add(inner, path+"."+inner.Name(), depth+1)
				}
			}
		}
	}
	add(f, f.Name(), 0)
	return paths
}

// starDepth returns how many structs around a value SELECT * looks into: types may hold one another without end.
func (c *compiler) starDepth() int {
	if c.o.JDK {
		return 1
	}
	return 4
}

// isLeaf reports whether values of a type are shown as one.
func isLeaf(t mmapjfr.Type) bool {
	switch t.Name() {
	case jdktypes.Thread, jdktypes.Class, jdktypes.ThreadGroup, jdktypes.ClassLoader, jdktypes.Method, jdktypes.StackFrame, jdktypes.StackTrace:
		return true
	}
	return engine.TypeIsPrimitive(t) || len(t.Fields()) == 0
}

// has reports whether a field of a type has values that can be shown.
func (c *compiler) has(t mmapjfr.Type, field string) bool {
	f, err := parseField(field)
	if err == nil {
		_, _, err = f.resolve(t, c.o.isJava())
	}
	return err == nil
}
