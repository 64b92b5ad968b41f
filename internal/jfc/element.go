package jfc

import "strings"

// kind says what an element means.
type kind uint8

const (
	other kind = iota // an element that this package does not know; it is kept
	configuration
	event
	setting
	control
	selection
	choice
	text
	flag
	condition
	or
	and
	not
	test
)

// kinds are the names of the elements by their kinds.
var kinds = [...]string{
	configuration: "configuration", event: "event", setting: "setting", control: "control",
	selection: "selection", choice: "option", text: "text", flag: "flag",
	condition: "condition", or: "or", and: "and", not: "not", test: "test",
}

var expressions = []kind{or, and, test, not}

// inside are the elements that have a meaning inside an element. Elsewhere they are of the kind
// other.
var inside = map[kind][]kind{
	configuration: {event, control},
	event:         {setting},
	control:       {condition, text, selection, flag},
	selection:     {choice},
	condition:     expressions,
	or:            expressions,
	and:           expressions,
	not:           expressions,
	test:          expressions,
}

// needs are the attributes that an element must have.
var needs = map[kind][]string{
	configuration: {"version", "label"},
	event:         {"name"},
	setting:       {"name"},
	selection:     {"name", "label", "default"},
	choice:        {"label", "name"},
	text:          {"name", "label"},
	flag:          {"name", "label"},
	condition:     {"name"},
	test:          {"name", "operator", "value"},
}

// attribute is an attribute of an element.
type attribute struct{ name, value string }

// element is an element of a file.
type element struct {
	kind       kind
	name       string
	attributes []attribute
	content    string
	children   []*element
	// group has the controls that decide a setting, or that a test is about.
	group *group
	// added says that the element was not read from a file.
	added bool
}

// newElement makes an element that stands inside a parent; nil for the root.
func newElement(name string, parent *element) *element {
	if parent == nil {
		return &element{kind: configuration, name: kinds[configuration]}
	}
	for _, k := range inside[parent.kind] {
		if strings.EqualFold(kinds[k], name) {
			return &element{kind: k, name: kinds[k]}
		}
	}
	return &element{name: name}
}

// attribute returns the value of an attribute; "" if it is missing.
func (e *element) attribute(name string) string {
	value, _ := e.lookup(name)
	return value
}

func (e *element) lookup(name string) (value string, ok bool) {
	for i := range e.attributes {
		if e.attributes[i].name == name {
			return e.attributes[i].value, true
		}
	}
	return "", false
}

func (e *element) setAttribute(name, value string) {
	for i := range e.attributes {
		if e.attributes[i].name == name {
			e.attributes[i].value = value
			return
		}
	}
	e.attributes = append(e.attributes, attribute{name, value})
}

// of returns the children of a kind.
func (e *element) of(k kind) (list []*element) {
	for _, child := range e.children {
		if child.kind == k {
			list = append(list, child)
		}
	}
	return list
}

func (e *element) isInput() bool { return e.kind == selection || e.kind == text || e.kind == flag }

func (e *element) isExpression() bool { return e.kind >= or && e.kind <= test }

// expressions returns how many of the children are expressions.
func (e *element) expressions() (n int) {
	for _, child := range e.children {
		if child.isExpression() {
			n++
		}
	}
	return n
}

// validate reports what the JDK would not accept, in its words.
func (e *element) validate() error {
	for _, name := range needs[e.kind] {
		if _, ok := e.lookup(name); !ok {
			return useError("Missing mandatory attribute '" + name + "'")
		}
	}
	problem := ""
	switch n := e.expressions(); {
	case e.kind == configuration && e.attribute("version") != "2.0":
		problem = "Only .jfc files of version 2.0 is supported"
	case e.kind == selection && len(e.of(choice)) == 0:
		problem = "Missing mandatory element <option>"
	case e.kind == condition && n > 1:
		problem = "Expected <condition> to not have more than one child"
	case (e.kind == or || e.kind == and) && n < 2:
		problem = "Expected + <" + e.name + "> to have at least two children"
	case e.kind == not && n != 1:
		problem = "Expected <not> to have a single child"
	case e.kind == test && !strings.EqualFold(e.attribute("operator"), "equal"):
		problem = "Unknown operator '" + e.attribute("operator") + "', only supported is 'equal'"
	case e.kind == test && n > 0:
		problem = "Expected <test> to not have child elements"
	}
	if problem != "" {
		return useError(problem)
	}
	for _, child := range e.children {
		if err := child.validate(); err != nil {
			return err
		}
	}
	return nil
}
