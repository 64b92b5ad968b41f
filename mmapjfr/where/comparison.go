package where

import (
	"cmp"
	"math"
	"regexp"
	"sync"

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

// comparison compares a field with a value.
type comparison struct {
	source  string // the text of the comparison
	field   string
	path    *mmapjfr.FieldPath // of field
	op      operator
	not     bool
	value   literal
	pattern *regexp.Regexp // of match
	frames  []string       // of a stack trace, if value has several
	lined   bool           // the value can have the line of a frame

	targets sync.Map // the *target of each mmapjfr.Type that has been seen
	memo    memo
}

// target is what the comparison compares in events of a type.
type target struct {
	fits     bool // the type has the field, with values that can be compared
	kind     kind
	unsigned bool // integers have no sign
	address  bool // integers can be read as if they had no sign
	computed bool // the text is put together from fields
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
		*t = target{true, kindOf(f), f.IsUnsigned(), f.Unit() == mmapjfr.Address, f.IsComputed()}
	}
	c.targets.Store(typ, t)
	return t
}

// holds reports whether a value, or an element of an array, compares as the operator says.
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
		if !c.value.isTimespan {
			return c.accepts(cmp.Compare(int64(v.Duration()), c.value.integer))
		}
		return c.accepts(cmp.Compare(v.Duration(), c.value.timespan))
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
		return v.IsUnset()
	}
	return false
}

// accepts reports whether the operator accepts the order of a value and of the value in the
// condition.
func (c *comparison) accepts(order int) bool {
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

// holdsInteger compares integers without loss, and an integer with a fraction in floating
// point.
func (c *comparison) holdsInteger(t *target, v mmapjfr.Value) bool {
	l := &c.value
	switch {
	case (t.unsigned || t.address) && l.isUnsigned:
		return c.accepts(cmp.Compare(v.Uint(), l.unsigned))
	case !t.unsigned && l.isInteger:
		return c.accepts(cmp.Compare(v.Int(), l.integer))
	}
	return c.accepts(cmp.Compare(v.Float(), l.number))
}

// holdsFloat compares floating point numbers, with as many bits as the field has: 0.1
// is equal to 0.1.
func (c *comparison) holdsFloat(v mmapjfr.Value) bool {
	n := c.value.number
	if c.value.isPercent {
		n = c.value.percent
	}
	if v.Kind() == mmapjfr.KindFloat {
		return c.accepts(cmp.Compare(float32(v.Float()), float32(n)))
	}
	return c.accepts(cmp.Compare(v.Float(), n))
}
