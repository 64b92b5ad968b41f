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
	written string
	field   string
	// paths are what the field can be; the first one that a type has counts.
	paths   []*mmapjfr.FieldPath
	op      operator
	not     bool
	value   literal
	pattern *regexp.Regexp // of match

	targets sync.Map // the *target of each mmapjfr.Type that has been seen
	memo    memo
}

// target is what the comparison is about in events of a type.
type target struct {
	path     *mmapjfr.FieldPath // nil if there is nothing that can be compared
	kind     kind
	unsigned bool
}

func (c *comparison) keep(ev mmapjfr.Event) bool {
	t := c.targetOf(ev.Type())
	return t.path != nil && c.holds(t, ev.Chunk(), ev.Get(t.path)) != c.not
}

func (c *comparison) targetOf(typ mmapjfr.Type) *target {
	if t, ok := c.targets.Load(typ); ok {
		return t.(*target)
	}
	t := new(target)
	if path, f, err := c.find(typ); err == nil && c.fits(f) == nil {
		*t = target{path, kindOf(f), f.IsUnsigned() || f.Unit() == mmapjfr.Address}
	}
	c.targets.Store(typ, t)
	return t
}

// holds tells whether a value, or an element of an array, compares as the operator
// says.
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
		return c.value.null && null
	}
	switch t.kind {
	case whole:
		return c.holdsWhole(t, v)
	case real:
		return c.holdsReal(v)
	case truth:
		return v.Bool() == c.value.truth
	case span:
		return c.accepts(cmp.Compare(v.Duration(), c.value.span))
	case moment:
		return c.accepts(v.Time().Compare(c.value.time))
	case text:
		return c.holdsText(chunk, v)
	}
	return c.holdsStack(chunk, v)
}

// isNull reports whether there is no value, or one that stands for "not known": the
// least long as a time or a length of time, NaN and negative infinity. Other integers
// are always numbers.
func (t *target) isNull(v mmapjfr.Value) bool {
	if v.Kind() == mmapjfr.KindNone {
		return true
	}
	switch t.kind {
	case span:
		return v.Duration() == mmapjfr.NoDuration
	case moment:
		return v.Int() == math.MinInt64
	case real:
		return v.IsUnset()
	}
	return false
}

// accepts tells whether the operator is fulfilled by an order: that of the value and
// of what it is compared with.
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

// holdsWhole compares integers without loss, and with a fraction as floating point
// does.
func (c *comparison) holdsWhole(t *target, v mmapjfr.Value) bool {
	l := &c.value
	switch {
	case t.unsigned && l.isUnsigned:
		return c.accepts(cmp.Compare(v.Uint(), l.unsigned))
	case !t.unsigned && l.isWhole:
		return c.accepts(cmp.Compare(v.Int(), l.whole))
	}
	return c.accepts(cmp.Compare(v.Float(), l.number))
}

// holdsReal compares floating point numbers, with as many bits as the field has: 0.1
// is equal to 0.1.
func (c *comparison) holdsReal(v mmapjfr.Value) bool {
	n := c.value.number
	if c.value.isPercent {
		n = c.value.percent
	}
	if v.Kind() == mmapjfr.KindFloat {
		return c.accepts(cmp.Compare(float32(v.Float()), float32(n)))
	}
	return c.accepts(cmp.Compare(v.Float(), n))
}
