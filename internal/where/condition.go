package where

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Condition selects events by the values of their fields. It is safe for concurrent use.
type Condition struct {
	text string
	root node
}

// Options say what points in time in a condition mean. The zero Options take those with a
// date, in UTC unless they have a zone.
type Options struct {
	// Zone is that of points in time without a zone; nil is UTC.
	Zone *time.Location
	// Start and End are those of a recording. Unless Start is zero, a point in time can be
	// a time of its days, or be relative to them, see the package comment.
	Start, End time.Time
}

// Parse is [ParseWith] with the zero Options.
func Parse(text string) (*Condition, error) { return ParseWith(text, Options{}) }

// ParseWith returns the condition with a text. The error is a [SyntaxError] that says what is
// wrong, and at which character.
func ParseWith(text string, o Options) (*Condition, error) {
	c, err := ParseAt(&Lexer{Text: text}, o, nil)
	if err != nil {
		return nil, err
	}
	c.text = text
	return c, nil
}

// ParseAt parses the condition that is next. It ends before a word outside parentheses for which
// stop is true, such as GROUP; before a parenthesis that closes none of its own; before a
// semicolon; and at the end. Without stop it is all that is left of the text.
//
// A syntax error is a [SyntaxError] with positions in the text.
func ParseAt(l *Lexer, o Options, stop func(word string) bool) (*Condition, error) {
	o.Zone = cmp.Or(o.Zone, time.UTC)
	root, err := parse(l, o, stop)
	if err != nil {
		return nil, err
	}
	return &Condition{root.text(), root}, nil
}

// All returns the condition that an event matches if it matches all of these.
func All(conditions ...*Condition) *Condition {
	root, text := new(junction), ""
	for i, one := range conditions {
		if i > 0 {
			text += " && "
		}
		text += "(" + one.text + ")"
		root.parts = append(root.parts, one.root)
	}
	return &Condition{text, root}
}

// String returns the text of the condition.
func (c *Condition) String() string { return c.text }

// Matches reports whether an event matches the condition. It allocates nothing per event,
// except for a cache of the constants that it has compared, some megabytes at most.
func (c *Condition) Matches(ev mmapjfr.Event) bool { return c.root.matches(ev) }

// CanMatch reports whether events of a type can match the condition: whether it has the
// fields of the condition, with values that can be compared so.
func (c *Condition) CanMatch(t mmapjfr.Type) bool { return t.IsEvent() && c.root.canMatch(t) }

// Filter returns a filter of those of the types whose events can match the condition, so that no
// other events are read. Events that pass the filter must still be checked by [Condition.Matches].
//
// It fails if none of the types has a field of the condition, if the values of a field
// cannot be compared with the value in the condition (a [FieldError] says so), and if no type has
// all the fields.
func (c *Condition) Filter(types []mmapjfr.Type) (mmapjfr.Filter, error) {
	types = slices.DeleteFunc(slices.Clone(types), func(t mmapjfr.Type) bool { return !t.IsEvent() })
	if err := c.root.check(types); err != nil {
		return nil, err
	}
	var names []string
	seen := make(map[string]bool)
	for _, t := range types {
		if name := t.Name(); !seen[name] && c.CanMatch(t) {
			seen[name], names = true, append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no event type has all the fields of the condition " + c.text)
	}
	return mmapjfr.Types(names...), nil
}

// Fields returns the fields that the condition compares, as they were written and each once.
func (c *Condition) Fields() (fields []string) {
	seen := make(map[string]bool)
	for _, f := range c.root.appendFields(nil) {
		if !seen[f] {
			seen[f], fields = true, append(fields, f)
		}
	}
	return fields
}

// Rename returns the condition with other names for its fields. A comparison whose field is not
// kept is left out, of && and || alike; the condition is nil if nothing is left. A
// statement asks so what it wants of one of its sources. Names must be paths.
func (c *Condition) Rename(names func(field string) (name string, keep bool)) *Condition {
	return c.rebuilt(func(one *comparison) *comparison {
		name, keep := names(one.field)
		if !keep {
			return nil
		}
		renamed := one.copied(one.terms)
		renamed.field, renamed.path = name, mmapjfr.Path(name)
		return renamed
	})
}

// WithOptions returns the condition as if it had been parsed with other options, such as those of
// a recording that has been opened since.
func (c *Condition) WithOptions(o Options) *Condition {
	o.Zone = cmp.Or(o.Zone, time.UTC)
	return c.rebuilt(func(one *comparison) *comparison {
		terms := make([]*term, len(one.terms))
		for i, t := range one.terms {
			terms[i] = t.withOptions(o)
		}
		return one.copied(terms)
	})
}

// rebuilt returns the condition with other comparisons, without those that are nil.
func (c *Condition) rebuilt(other func(*comparison) *comparison) *Condition {
	root := c.root.rebuild(other)
	if root == nil {
		return nil
	}
	return &Condition{root.text(), root}
}

// node is a part of a condition.
type node interface {
	matches(ev mmapjfr.Event) bool
	canMatch(t mmapjfr.Type) bool
	// check returns an error if no event of the types can match.
	check(types []mmapjfr.Type) error
	// matchBatch returns those of the events of a batch that match.
	matchBatch(b *mmapjfr.Batch, events set) set
	// negate makes the node match where it does not, for types with the fields. Only the
	// parser calls it.
	negate()
	text() string
	// times returns a time that contains the startTime of all events that match.
	times() (from, to time.Time)
	// threads returns names of which the threads of all events that match have one; nil if any
	// thread can match.
	threads(types []mmapjfr.Type) []string
	// rebuild returns the node with other comparisons; nil if all of them are.
	rebuild(other func(*comparison) *comparison) node
	appendFields(fields []string) []string
}

// junction matches if all parts do, or if one does.
type junction struct {
	or    bool // one is enough
	parts []node
}

func (j *junction) matches(ev mmapjfr.Event) bool {
	for _, n := range j.parts {
		if n.matches(ev) == j.or {
			return j.or
		}
	}
	return !j.or
}

func (j *junction) canMatch(t mmapjfr.Type) bool {
	return j.or == slices.ContainsFunc(j.parts, func(n node) bool { return n.canMatch(t) == j.or })
}

func (j *junction) check(types []mmapjfr.Type) error {
	for _, n := range j.parts {
		if err := n.check(types); err != nil {
			return err
		}
	}
	return nil
}

// negate makes use of De Morgan's laws, so that comparisons still match only types that have their
// field.
func (j *junction) negate() {
	j.or = !j.or
	for _, n := range j.parts {
		n.negate()
	}
}

func (j *junction) text() string {
	list := make([]string, len(j.parts))
	for i, n := range j.parts {
		list[i] = n.text()
		if _, nested := n.(*junction); nested {
			list[i] = "(" + list[i] + ")"
		}
	}
	if j.or {
		return strings.Join(list, " || ")
	}
	return strings.Join(list, " && ")
}

func (j *junction) rebuild(other func(*comparison) *comparison) node {
	var parts []node
	for _, n := range j.parts {
		if n = n.rebuild(other); n != nil {
			parts = append(parts, n)
		}
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &junction{j.or, parts}
}

func (j *junction) appendFields(fields []string) []string {
	for _, n := range j.parts {
		fields = n.appendFields(fields)
	}
	return fields
}
