package where

import (
	"errors"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Condition is what events are to fulfil. It is safe for concurrent use.
type Condition struct {
	text string
	root node
}

// Parse returns the condition with that text. Points in time without a zone are in
// UTC. The error tells what is wrong, and at which character.
func Parse(text string) (*Condition, error) { return ParseIn(text, time.UTC) }

// ParseIn is [Parse] with the time zone of points in time that have none.
func ParseIn(text string, zone *time.Location) (*Condition, error) {
	return ParseWithin(text, time.Time{}, time.Time{}, zone)
}

// ParseWithin is [ParseIn] for a recording that lasts from start to end: a point in time can
// then be one of its days, or be told from its start or its end, as the package says. If
// start is zero it cannot.
func ParseWithin(text string, start, end time.Time, zone *time.Location) (*Condition, error) {
	root, err := parse(text, times{start, end, zone})
	if err != nil {
		return nil, err
	}
	return &Condition{text, root}, nil
}

// All returns the condition that all of these are fulfilled.
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

// Matches tells whether an event fulfils the condition. It allocates nothing per event,
// but for keeping what it has found out about constants, some megabytes at most.
func (c *Condition) Matches(ev mmapjfr.Event) bool { return c.root.keep(ev) }

// CanMatch tells whether events of the type can fulfil the condition: whether it has the fields
// that are asked for, and values that can be compared so.
func (c *Condition) CanMatch(t mmapjfr.Type) bool { return t.IsEvent() && c.root.can(t) }

// Filter returns a filter of those of the types whose events can fulfil the condition,
// so that no others need to be looked into. What a filter lets pass has still to be
// asked with [Condition.Matches].
//
// It fails if none of the types has a field that is asked for, if its values cannot be
// compared with what is given, and if no type has all the fields together.
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
	keep(ev mmapjfr.Event) bool
	// can tells whether events of the type can be wanted.
	can(t mmapjfr.Type) bool
	// check tells of what none of the types can fulfil.
	check(types []mmapjfr.Type) error
}

// all is that all parts hold.
type all []node

func (a all) keep(ev mmapjfr.Event) bool {
	for _, n := range a {
		if !n.keep(ev) {
			return false
		}
	}
	return true
}

func (a all) can(t mmapjfr.Type) bool {
	return !slices.ContainsFunc(a, func(n node) bool { return !n.can(t) })
}

func (a all) check(types []mmapjfr.Type) error { return checkEach(a, types) }

// either is that one of the parts holds.
type either []node

func (e either) keep(ev mmapjfr.Event) bool {
	for _, n := range e {
		if n.keep(ev) {
			return true
		}
	}
	return false
}

func (e either) can(t mmapjfr.Type) bool {
	return slices.ContainsFunc(e, func(n node) bool { return n.can(t) })
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
