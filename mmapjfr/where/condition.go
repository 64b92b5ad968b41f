package where

import (
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

// Parse returns the condition with a text. Points in time without a zone are in UTC. The
// error says what is wrong, and at which character.
func Parse(text string) (*Condition, error) { return ParseIn(text, time.UTC) }

// ParseIn is [Parse] with another time zone for points in time without one.
func ParseIn(text string, zone *time.Location) (*Condition, error) {
	return ParseWithin(text, time.Time{}, time.Time{}, zone)
}

// ParseWithin is [ParseIn] for a recording that lasts from start to end: a point in time can
// then be a time of its days, or be relative to its start or its end, see the package
// comment. If start is zero it cannot.
func ParseWithin(text string, start, end time.Time, zone *time.Location) (*Condition, error) {
	root, err := parse(text, times{start, end, zone})
	if err != nil {
		return nil, err
	}
	return &Condition{text, root}, nil
}

// All returns the condition that an event matches if it matches all of these.
func All(conditions ...*Condition) *Condition {
	c := &Condition{root: all(nil)}
	for i, one := range conditions {
		if i > 0 {
			c.text += " && "
		}
		c.text += "(" + one.text + ")"
		c.root = append(c.root.(all), one.root)
	}
	return c
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

// all matches if all parts do.
type all []node

func (a all) matches(ev mmapjfr.Event) bool {
	for _, n := range a {
		if !n.matches(ev) {
			return false
		}
	}
	return true
}

func (a all) canMatch(t mmapjfr.Type) bool {
	return !slices.ContainsFunc(a, func(n node) bool { return !n.canMatch(t) })
}

func (a all) check(types []mmapjfr.Type) error { return checkEach(a, types) }

// either matches if one of the parts does.
type either []node

func (e either) matches(ev mmapjfr.Event) bool {
	for _, n := range e {
		if n.matches(ev) {
			return true
		}
	}
	return false
}

func (e either) canMatch(t mmapjfr.Type) bool {
	return slices.ContainsFunc(e, func(n node) bool { return n.canMatch(t) })
}

func (e either) check(types []mmapjfr.Type) error { return checkEach(e, types) }

func checkEach(nodes []node, types []mmapjfr.Type) error {
	for _, n := range nodes {
		if err := n.check(types); err != nil {
			return err
		}
	}
	return nil
}
