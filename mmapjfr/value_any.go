package mmapjfr

import (
	"math"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/internal/rows"
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
	w := anyWalk{left: maxAnyCount, depth: maxAnyDepth}
	return w.any(v)
}

// anyWalk makes values of Go.
type anyWalk struct {
	left, depth int // how many values and structs inside structs there may be
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
	if !w.enter(v) {
		return nil
	}
	defer w.leave()
	m := make(map[string]any)
	for f, e := range v.Fields() {
		m[f.Name()] = w.any(e)
	}
	return m
}

// enter reports whether the fields of a struct are to be read; leave must be called after them.
func (w *anyWalk) enter(v Value) bool {
	o := v.object()
	if len(w.around) == w.depth || slices.Contains(w.around, o) {
		return false
	}
	w.around = append(w.around, o)
	return true
}

func (w *anyWalk) leave() { w.around = w.around[:len(w.around)-1] }

// What JSON bounds, as [Value.Any] does. The longest chains of a JVM, from an old object to its
// root, are of about 400 constants.
const (
	maxJSONDepth = 4096
	maxJSONCount = 1 << 20
)

// MarshalJSON returns {"type": name, "values": {...}}, as an element of events in what
// "mjfr print --json" and the JDK's jfr print --json write, with all frames of stack traces; null
// for the zero Event. It allocates the text. Constants inside themselves are null, and so is
// what remains after a million values.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.IsZero() {
		return []byte("null"), nil
	}
	dst := rows.AppendString([]byte(`{"type":`), e.Type().Name())
	w := anyWalk{left: maxJSONCount, depth: maxJSONDepth}
	return append(w.appendFieldsJSON(append(dst, `,"values":`...), e.Value()), '}'), nil
}

// MarshalJSON returns the value as in [Event.MarshalJSON]: structs are objects, points in time
// as "2026-05-01T21:30:00.123Z" in the time zone of the virtual machine, lengths of time as
// "PT0.5S", other numbers without their unit; NaN, infinities and what is not there are null.
func (v Value) MarshalJSON() ([]byte, error) {
	w := anyWalk{left: maxJSONCount, depth: maxJSONDepth}
	return w.appendJSON(nil, v), nil
}

func (w *anyWalk) appendJSON(dst []byte, v Value) []byte {
	if w.left--; w.left < 0 {
		return append(dst, "null"...)
	}
	unit := v.unit()
	switch kind := v.Kind(); {
	case kind == KindNone:
		return append(dst, "null"...)
	case kind == KindString:
		return rows.AppendString(dst, string(v.AppendStr(nil)))
	case kind == KindArray:
		return w.appendElementsJSON(dst, v)
	case kind == KindStruct:
		return w.appendFieldsJSON(dst, v)
	case unit.IsTimespan():
		return v.appendTimespanJSON(dst)
	case unit.IsTimestamp():
		t := v.Time()
		if t.IsZero() {
			return append(dst, `"`+javatext.NoTime+`"`...)
		}
		head, tail := javatext.OffsetTime(nil, nil, t.In(v.zone()))
		return append(javatext.AppendOffsetTime(append(dst, '"'), head, tail, t.Nanosecond()), '"')
	case kind == KindChar:
		return rows.AppendString(dst, string(rune(v.Int())))
	case kind == KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case v.isFloat():
		f, bits := v.Float(), 64
		if kind == KindFloat {
			bits = 32
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
		return javatext.AppendFloat(dst, f, bits)
	case v.unsigned():
		return strconv.AppendUint(dst, v.Uint(), 10)
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}

func (v Value) appendTimespanJSON(dst []byte) []byte {
	dst = append(dst, '"')
	unit, n := v.unit(), v.Int()
	switch d := v.Duration(); {
	case !v.isFloat() && n == math.MinInt64 || v.isFloat() && v.isUnset():
		dst = append(dst, javatext.NoDuration...)
	case !v.isFloat() && n == math.MaxInt64 || v.isFloat() && d == Forever:
		dst = append(dst, javatext.Forever...)
	case unit == TimespanTicks || v.isFloat():
		dst = javatext.DurationOf(TimespanNanos, int64(d)).AppendISO(dst)
	default:
		dst = javatext.DurationOf(unit, n).AppendISO(dst)
	}
	return append(dst, '"')
}

func (w *anyWalk) appendElementsJSON(dst []byte, v Value) []byte {
	start := '['
	for e := range v.Elements() {
		if w.left <= 0 {
			break
		}
		dst = w.appendJSON(append(dst, byte(start)), e)
		start = ','
	}
	if start == '[' {
		dst = append(dst, '[')
	}
	return append(dst, ']')
}

func (w *anyWalk) appendFieldsJSON(dst []byte, v Value) []byte {
	if !w.enter(v) {
		return append(dst, "null"...)
	}
	defer w.leave()
	dst = append(dst, '{')
	first := len(dst)
	for f, e := range v.Fields() {
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = append(rows.AppendString(dst, f.Name()), ':')
		dst = w.appendJSON(dst, e)
	}
	return append(dst, '}')
}
