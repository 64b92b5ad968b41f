package where

import (
	"slices"
	"time"
)

// margin is by how much bounds of times lie outside, so that no rounding of clocks counts.
const margin = time.Millisecond

// Times returns a time that contains the startTime of every event that matches the condition, up to
// but not including to. A zero time is no bound. It is for filters that spare reading events, such as
// [mmapjfr.Between], and may be longer than it needs to be.
func (c *Condition) Times() (from, to time.Time) { return c.root.times() }

func (j *junction) times() (from, to time.Time) {
	for i, n := range j.parts {
		first, end := n.times()
		if j.or {
			if i == 0 || first.Before(from) {
				from = first
			}
			if i == 0 || !to.IsZero() && (end.IsZero() || end.After(to)) {
				to = end
			}
			continue
		}
		if first.After(from) {
			from = first
		}
		if to.IsZero() || !end.IsZero() && end.Before(to) {
			to = end
		}
	}
	return from, to
}

func (c *comparison) times() (from, to time.Time) {
	one := len(c.terms) == 1 || c.all
	unknown := slices.ContainsFunc(c.terms, func(t *term) bool { return t.value.null || !t.value.isTime })
	if c.field != "startTime" || c.not || !one || unknown {
		return from, to
	}
	for _, t := range c.terms {
		first, end := t.value.time.Add(-margin), t.value.time.Add(margin)
		if (t.op == equal || t.op == greater || t.op == atLeast) && first.After(from) {
			from = first
		}
		if (t.op == equal || t.op == less || t.op == atMost) && (to.IsZero() || end.Before(to)) {
			to = end
		}
	}
	return from, to
}
