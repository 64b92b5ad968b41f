package print

import (
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// shape is what is known of a field before a value of it is looked at.
type shape struct {
	field    mmapjfr.Field
	name     string
	unit     mmapjfr.Unit
	unsigned bool
	// constant tells that values are structs in a constant pool, whose text is kept.
	constant bool
	// frames tells that the field is the frames of a stack trace, of which only some
	// are shown.
	frames bool
	// head is what a format writes before the value: indentation and name.
	head []byte
	// usual is the XML element that most values of the field are, and single the one that
	// most elements of its array are.
	usual, single string
	// inner are the fields of the struct that a value is, once one has been seen.
	inner *plan
	// text is what Text and Exact want to know besides.
	text textShape
}

// plan is how the fields of a type are shown, at some depth of a document.
type plan struct {
	typ    mmapjfr.Type
	depth  int
	fields []shape
	// tail is what a format writes behind the last field.
	tail []byte
	// long tells that values can be of any length, so that their text is not kept.
	long bool
}

// plans are those of one format. They belong to one goroutine.
type plans struct {
	known  map[planKey]*plan
	events map[mmapjfr.Type]*eventPlan
	// dress fills what a format writes around the fields.
	dress func(p *plan)
	// head makes what it writes before the fields of an event, and depth is where
	// these stand.
	head  func(t mmapjfr.Type) []byte
	depth int
}

type planKey struct {
	typ   mmapjfr.Type
	depth int
}

// eventPlan is how events of a type are shown.
type eventPlan struct {
	head []byte
	plan *plan
}

func newPlans(dress func(p *plan), head func(t mmapjfr.Type) []byte, depth int) plans {
	return plans{
		known: make(map[planKey]*plan), events: make(map[mmapjfr.Type]*eventPlan),
		dress: dress, head: head, depth: depth,
	}
}

// event returns the plan of the events of a type.
func (ps *plans) event(t mmapjfr.Type) *eventPlan {
	if e := ps.events[t]; e != nil {
		return e
	}
	if len(ps.events) > maxPlans {
		clear(ps.events)
	}
	e := &eventPlan{ps.head(t), ps.of(t, ps.depth)}
	ps.events[t] = e
	return e
}

// of returns the plan of a type at a depth.
func (ps *plans) of(t mmapjfr.Type, depth int) *plan {
	key := planKey{t, depth}
	if p := ps.known[key]; p != nil {
		return p
	}
	if len(ps.known) > maxPlans {
		clear(ps.known)
	}
	p := &plan{typ: t, depth: depth}
	for _, f := range t.Fields() {
		p.long = p.long || f.IsArray()
		p.fields = append(p.fields, shapeOf(f))
	}
	ps.dress(p)
	ps.known[key] = p
	return p
}

func shapeOf(f mmapjfr.Field) shape {
	return shape{
		field: f, name: f.Name(), unit: f.Unit(), unsigned: f.IsUnsigned(),
		constant: f.IsConstant() && !f.IsArray(),
		frames:   f.IsArray() && f.Type().CurrentName() == jdktypes.StackFrame,
	}
}

// maxPlans bounds the plans that are kept; chunks of one virtual machine share them.
const maxPlans = 1 << 14

// within returns the plan of the struct that a value of the field is.
func (s *shape) within(ps *plans, v mmapjfr.Value, depth int) *plan {
	if s.inner == nil {
		s.inner = ps.of(v.Type(), depth)
	}
	return s.inner
}
