package where

import (
	"cmp"
	"errors"
	"slices"
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

// ParseWith returns the condition with a text. The error says what is wrong, and at which
// character.
func ParseWith(text string, o Options) (*Condition, error) {
	o.Zone = cmp.Or(o.Zone, time.UTC)
	root, err := parse(text, o)
	if err != nil {
		return nil, err
	}
	return &Condition{text, root}, nil
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

// Filter returns a filter of those of the types whose events can match the condition, so
// that no other events are read. Events that pass the filter must still be checked by
// [Condition.Matches].
//
// It fails if none of the types has a field of the condition, if the values of a field
// cannot be compared with the value in the condition, and if no type has all the fields.
func (c *Condition) Filter(types []mmapjfr.Type) (mmapjfr.Filter, error) {
	types = slices.DeleteFunc(slices.Clone(types), func(t mmapjfr.Type) bool { return !t.IsEvent() })
	if err := c.root.check(types); err != nil {
		return nil, err
	}
	var names []string
	for _, t := range types {
		if c.CanMatch(t) && !slices.Contains(names, t.Name()) {
			names = append(names, t.Name())
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no event type has all the fields of the condition " + c.text)
	}
	return mmapjfr.Types(names...), nil
}

// node is a part of a condition.
type node interface {
	matches(ev mmapjfr.Event) bool
	canMatch(t mmapjfr.Type) bool
	// check returns an error if no event of the types can match.
	check(types []mmapjfr.Type) error
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
