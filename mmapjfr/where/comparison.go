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
	path    *mmapjfr.FieldPath // of field
	op      operator
	not     bool
	value   literal
	pattern *regexp.Regexp // of match
	frames  []string       // of a stack trace, if value has several
	lined   bool           // that value can have the line of a frame

	targets sync.Map // the *target of each mmapjfr.Type that has been seen
	memo    memo
}

// target is what the comparison is about in events of a type.
type target struct {
	fits     bool // that there is something that can be compared
	kind     kind
	unsigned bool // that integers have no sign
	address  bool // that they may be read so
	computed bool // that the text is one that is put together
}

func (c *comparison) keep(ev mmapjfr.Event) bool {
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
		return c.value.null && (null || t.kind == real && math.IsInf(v.Float(), 0))
	}
	switch t.kind {
	case whole:
		return c.holdsWhole(t, v)
	case real:
		return c.holdsReal(v)
	case truth:
		return v.Bool() == c.value.truth
	case span:
		if !c.value.isSpan {
			return c.accepts(cmp.Compare(int64(v.Duration()), c.value.whole))
		}
		return c.accepts(cmp.Compare(v.Duration(), c.value.span))
	case point:
		return c.accepts(v.Time().Compare(c.value.time))
	case text:
		return c.holdsText(t, chunk, v)
	case invocation:
		return c.holdsInvocation(chunk, v)
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
	case point:
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
	case (t.unsigned || t.address) && l.isUnsigned:
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
