package where

import (
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// margin is by how much bounds of times lie outside, so that no rounding of clocks counts.
const margin = time.Millisecond

// CheckTimes returns a [FieldError] if the condition compares when events began or ended, or how
// long they took, with what is none of that: events of all recordings have these fields.
func (c *Condition) CheckTimes() (wrong error) {
	of := map[string]kind{"startTime": timestampKind, "endTime": timestampKind, "duration": timespanKind,
		"@start": timestampKind, "@end": timestampKind, "@duration": timespanKind}
	c.rebuilt(func(one *comparison) *comparison {
		for _, t := range one.terms {
			k, known := of[one.field]
			if message := t.misfit(k, one.field); known && message != "" && wrong == nil {
				wrong = one.wrong(message)
			}
		}
		return one
	})
	return wrong
}

// Times returns a time that contains the startTime of every event that matches the condition, up to
// but not including to. A zero time is no bound. It is for filters that spare reading events, such
// as [mmapjfr.Between], and may be longer than it needs to be.
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

// Threads returns names of which the thread of every event of the types that matches the condition
// has one, in Java or in the operating system; nil if the condition does not say so. It is for
// filters that spare reading events, such as [mmapjfr.ThreadsFunc], and more events than those of
// such threads never match.
func (c *Condition) Threads(types []mmapjfr.Type) []string { return c.root.threads(types) }

func (j *junction) threads(types []mmapjfr.Type) (names []string) {
	for _, n := range j.parts {
		own := n.threads(types)
		switch {
		case j.or && own == nil:
			return nil
		case j.or:
			names = append(names, own...)
		case own != nil && (names == nil || len(own) < len(names)):
			names = own
		}
	}
	return names
}

func (c *comparison) threads(types []mmapjfr.Type) (names []string) {
	field, name, _ := strings.Cut(c.field, ".")
	if c.not || c.all || name != "" && name != "javaName" && name != "osName" {
		return nil
	}
	if slices.ContainsFunc(types, func(t mmapjfr.Type) bool { return !isThreadOf(t, field) }) {
		return nil
	}
	for _, t := range c.terms {
		// Threads without a name are shown as their number, such as thread 7.
		if text := t.value.text; t.op != equal || t.value.null || text == "" || strings.Contains(text, "thread ") {
			return nil
		}
		names = append(names, t.value.text)
	}
	return names
}

// isThreadOf reports whether a field of events of a type can only be the thread that
// [mmapjfr.Event.Thread] returns.
func isThreadOf(t mmapjfr.Type, field string) bool {
	if field == "@thread" {
		return true
	}
	for _, name := range []string{"eventThread", "sampledThread"} {
		if f, ok := t.Field(name); ok {
			return name == field && f.IsConstant() && !f.IsArray() && f.Type().Name() == jdktypes.Thread
		}
	}
	return field == "eventThread" || field == "sampledThread" // the type has none: no event matches
}
