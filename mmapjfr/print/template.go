package print

import (
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// template is how the fields of a type are written, at some depth of a document.
type template struct {
	typ    mmapjfr.Type
	depth  int
	fields []fieldTemplate
	// open and tail are what a format writes before the first field and after the last one.
	open, tail []byte
	// long is set if values can be of any length, so that their text is not cached.
	long bool
}

// fieldTemplate is what is known of a field before its values.
type fieldTemplate struct {
	field    mmapjfr.Field
	name     string
	unit     mmapjfr.Unit
	unsigned bool
	// constant is set if values are structs in a constant pool, whose text is cached.
	constant bool
	// frames is set if the field is the frames of a stack trace, of which only the first
	// are written.
	frames bool
	// head is what a format writes before the value: indentation and name.
	head []byte
	// usual is the XML element of most values of the field, and single that of most
	// elements of its array.
	usual, single string
	// inner is how a struct in the field is written; nil until there was one.
	inner *template
	// text is what Text and Exact need besides.
	text textStyle
}

// newField returns the template of a field, without what belongs to a format.
func newField(f mmapjfr.Field) fieldTemplate {
	return fieldTemplate{
		field: f, name: f.Name(), unit: f.Unit(), unsigned: f.IsUnsigned(),
		constant: f.IsConstant() && !f.IsArray(),
		frames:   f.IsArray() && f.Type().CurrentName() == jdktypes.StackFrame,
	}
}

// innerOf returns the template of the struct that a value of the field is.
func (s *fieldTemplate) innerOf(ts *templates, v mmapjfr.Value, depth int) *template {
	if s.inner == nil {
		s.inner = ts.of(v.Type(), depth)
	}
	return s.inner
}

// eventTemplate is how events of a type are written.
type eventTemplate struct {
	head   []byte
	fields *template
}

// maxTemplates bounds the templates in memory; chunks of one virtual machine share them.
const maxTemplates = 1 << 14

// templates are those of one format. They belong to one goroutine.
type templates struct {
	known  map[templateKey]*template
	events map[mmapjfr.Type]*eventTemplate
	// fill adds what a format writes around the fields.
	fill func(t *template)
	// head returns what it writes before the fields of an event, and depth is where
	// these stand.
	head  func(t mmapjfr.Type) []byte
	depth int
}

type templateKey struct {
	typ   mmapjfr.Type
	depth int
}

func newTemplates(fill func(t *template), head func(t mmapjfr.Type) []byte, depth int) templates {
	return templates{
		known: make(map[templateKey]*template), events: make(map[mmapjfr.Type]*eventTemplate),
		fill: fill, head: head, depth: depth,
	}
}

// event returns the template of the events of a type.
func (ts *templates) event(t mmapjfr.Type) *eventTemplate {
	if e := ts.events[t]; e != nil {
		return e
	}
	if len(ts.events) > maxTemplates {
		clear(ts.events)
	}
	e := &eventTemplate{ts.head(t), ts.of(t, ts.depth)}
	ts.events[t] = e
	return e
}

// of returns the template of a type at a depth.
func (ts *templates) of(typ mmapjfr.Type, depth int) *template {
	key := templateKey{typ, depth}
	if t := ts.known[key]; t != nil {
		return t
	}
	if len(ts.known) > maxTemplates {
		clear(ts.known)
	}
	t := &template{typ: typ, depth: depth}
	for _, f := range typ.Fields() {
		t.long = t.long || f.IsArray()
		t.fields = append(t.fields, newField(f))
	}
	ts.fill(t)
	ts.known[key] = t
	return t
}
