package mmapjfr

import (
	"math"
	"slices"
)

// What Any bounds: how deep structs lie in one another, and how many values there are in
// all. A damaged recording can have constants that hold one another, many times each.
const (
	maxAnyDepth = 32
	maxAnyCount = 1 << 16
)

// Any returns the value as one that Go knows:
//
//	boolean                   bool
//	integers                  int64, or uint64 if the field is unsigned
//	float, double             float64
//	char, string              string
//	points in time            time.Time, in UTC
//	lengths of time           time.Duration; [Forever] if they have no end
//	arrays                    []any
//	structs and constants     map[string]any, by the names of their fields
//	what is not there         nil: null, missing, absent, and times that are not known
//
// A thread is a map, then, as a stack trace is: [Value.Text] gives their names. A constant
// that holds itself, as a class does whose loader is of that class, is nil inside itself; so
// is what is more than 32 structs deep, and what remains after 65,536 values. Any allocates
// all that it returns, and none of it aliases the recording: it may be kept, and be given to
// package encoding/json, which refuses NaN and infinities.
func (v Value) Any() any {
	w := anyWalk{left: maxAnyCount}
	return w.any(v)
}

// anyWalk makes values of Go.
type anyWalk struct {
	left int
	// around are the constants that hold the value.
	around []object
}

func (w *anyWalk) any(v Value) any {
	if w.left--; w.left < 0 {
		return nil
	}
	switch kind := v.Kind(); kind {
	case KindNone:
		return nil
	case KindBool:
		return v.Bool()
	case KindChar:
		return string(rune(v.Int()))
	case KindFloat, KindDouble:
		return v.Float()
	case KindString:
		return string(v.AppendStr(nil))
	case KindArray:
		return w.elements(v)
	case KindStruct:
		return w.fields(v)
	}
	switch unit, n := v.unit(), v.Int(); {
	case unit.IsTimestamp() || unit.IsTimespan():
		switch {
		case n == math.MinInt64:
			return nil
		case unit.IsTimestamp():
			return v.Time()
		}
		return v.Duration()
	case v.unsigned():
		return uint64(n)
	default:
		return n
	}
}

func (w *anyWalk) elements(v Value) any {
	list := []any{}
	for e := range v.Elements() {
		if w.left <= 0 {
			break
		}
		list = append(list, w.any(e))
	}
	return list
}

func (w *anyWalk) fields(v Value) any {
	o := v.object()
	if len(w.around) == maxAnyDepth || slices.Contains(w.around, o) {
		return nil
	}
	w.around = append(w.around, o)
	m := make(map[string]any)
	for f, e := range v.Fields() {
		m[f.Name()] = w.any(e)
	}
	w.around = w.around[:len(w.around)-1]
	return m
}
