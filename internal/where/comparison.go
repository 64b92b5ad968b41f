package where

import (
	"cmp"
	"math"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// operator is how a field is compared.
type operator uint8

const (
	equal operator = iota
	less
	atMost
	greater
	atLeast
	match
)

// comparison compares a field with a value, or with several.
type comparison struct {
	field     string
	path      *mmapjfr.FieldPath // of field
	predicate string             // the text after the field
	offset    int                // where the field begins in the text, in bytes
	terms     []*term
	all       bool // all terms must hold, not just one
	not       bool // the comparison matches where they do not
	negated   bool // NOT stands before the field
	quoted    bool // the field stands between backquotes

	targets sync.Map // the *target of each mmapjfr.Type that has been seen
}

// term compares with one value. Comparisons of renamed fields share it.
type term struct {
	op      operator
	value   literal
	pattern *regexp.Regexp // of match
	frames  []string       // of a stack trace, if value has several
	lined   bool           // the value can have the line of a frame
	memo    memo
}

func (c *comparison) negate() { c.not, c.negated = !c.not, !c.negated }

func (c *comparison) text() string {
	field := c.field
	if c.quoted || strings.ContainsAny(field, endsField) || strings.ContainsFunc(field, unicode.IsSpace) || strings.EqualFold(field, "NOT") {
		field = "`" + field + "`"
	}
	if c.negated {
		field = "NOT " + field
	}
	return field + c.predicate
}

func (c *comparison) rebuild(other func(*comparison) *comparison) node {
	if c = other(c); c == nil {
		return nil
	}
	return c
}

// copied returns the comparison with these terms.
func (c *comparison) copied(terms []*term) *comparison {
	return &comparison{
		field: c.field, path: c.path, predicate: c.predicate, offset: c.offset,
		terms: terms, all: c.all, not: c.not, negated: c.negated, quoted: c.quoted,
	}
}

// withOptions returns the term for points in time as options say.
func (c *term) withOptions(o Options) *term {
	t := &term{op: c.op, value: c.value, pattern: c.pattern, frames: c.frames, lined: c.lined}
	t.value.options = o
	t.value.time, t.value.isTime = o.time(c.value.text)
	return t
}

func (c *comparison) appendFields(fields []string) []string { return append(fields, c.field) }

// target is what the comparison compares in events of a type.
type target struct {
	fits     bool // the type has the field, with values that can be compared
	kind     kind
	unsigned bool // integers have no sign
	address  bool // integers can be read as if they had no sign
	computed bool // the text is put together from fields
	columns  columns
}

func (c *comparison) matches(ev mmapjfr.Event) bool {
	t := c.targetOf(ev.Type())
	return t.fits && c.holds(t, ev.Chunk(), ev.Get(c.path)) != c.not
}

func (c *comparison) targetOf(typ mmapjfr.Type) *target {
	if t, ok := c.targets.Load(typ); ok {
		return t.(*target)
	}
	t := new(target)
	if f, err := c.find(typ); err == nil && c.fits(f) == nil {
		*t = target{true, kindOf(f), f.IsUnsigned(), f.Unit() == mmapjfr.Address, engine.FieldIsComputed(f), c.columnsOf(typ, f)}
	}
	c.targets.Store(typ, t)
	return t
}

// holds reports whether a value, or an element of an array, compares as the terms say.
func (c *comparison) holds(t *target, chunk mmapjfr.Chunk, v mmapjfr.Value) bool {
	if v.Kind() != mmapjfr.KindArray {
		return c.holdsOne(t, chunk, v)
	}
	for e := range v.Elements() {
		if c.holdsOne(t, chunk, e) {
			return true
		}
	}
	return false
}

func (c *comparison) holdsOne(t *target, chunk mmapjfr.Chunk, v mmapjfr.Value) bool {
	for _, one := range c.terms {
		if one.holds(t, chunk, v) != c.all {
			return !c.all
		}
	}
	return c.all
}

func (c *term) holds(t *target, chunk mmapjfr.Chunk, v mmapjfr.Value) bool {
	null := t.isNull(v)
	if c.value.null || null {
		return c.value.null && (null || t.kind == floatKind && math.IsInf(v.Float(), 0))
	}
	switch t.kind {
	case integerKind:
		return c.holdsInteger(t, v)
	case floatKind:
		return c.holdsFloat(v)
	case booleanKind:
		return v.Bool() == c.value.boolean
	case timespanKind:
		return c.holdsTimespan(v.Duration())
	case timestampKind:
		return c.accepts(v.Time().Compare(c.value.time))
	case textKind:
		return c.holdsText(t, chunk, v)
	case methodKind:
		return c.holdsInvocation(chunk, v)
	}
	return c.holdsStack(chunk, v)
}

// isNull reports whether a value is absent, or unknown: the least long as a point in time
// or a time span, NaN and negative infinity. Other integers are always numbers.
func (t *target) isNull(v mmapjfr.Value) bool {
	if v.Kind() == mmapjfr.KindNone {
		return true
	}
	switch t.kind {
	case timespanKind:
		return v.Duration() == mmapjfr.NoDuration
	case timestampKind:
		return v.Int() == math.MinInt64
	case floatKind:
		return engine.ValueIsUnset(v)
	}
	return false
}

// accepts reports whether the operator accepts the order of a value and of the value in the
// condition.
func (c *term) accepts(order int) bool {
	switch c.op {
	case equal:
		return order == 0
	case less:
		return order < 0
	case atMost:
		return order <= 0
	case greater:
		return order > 0
	case atLeast:
		return order >= 0
	}
	return false
}

// holdsInteger compares integers without loss, and an integer with a fraction in floating point.
func (c *term) holdsInteger(t *target, v mmapjfr.Value) bool {
	l := &c.value
	switch {
	case (t.unsigned || t.address) && l.isUnsigned:
		return c.accepts(cmp.Compare(v.Uint(), l.unsigned))
	case !t.unsigned && l.isInteger:
		return c.accepts(cmp.Compare(v.Int(), l.integer))
	}
	return c.accepts(cmp.Compare(v.Float(), l.number))
}

// holdsTimespan compares lengths of time. A number without a unit is nanoseconds.
func (c *term) holdsTimespan(d time.Duration) bool {
	if !c.value.isTimespan {
		return c.accepts(cmp.Compare(int64(d), c.value.integer))
	}
	return c.accepts(cmp.Compare(d, c.value.timespan))
}

// holdsFloat compares floating point numbers, with as many bits as the field has: 0.1
// is equal to 0.1.
func (c *term) holdsFloat(v mmapjfr.Value) bool {
	n := c.value.number
	if c.value.isPercent {
		n = c.value.percent
	}
	if v.Kind() == mmapjfr.KindFloat {
		return c.accepts(cmp.Compare(float32(v.Float()), float32(n)))
	}
	return c.accepts(cmp.Compare(v.Float(), n))
}
