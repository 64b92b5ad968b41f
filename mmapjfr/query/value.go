package query

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Kind is what a [Value] is.
type Kind uint8

// The kinds of values. Those from Text to Stack have a text.
const (
	Null        Kind = iota // absent, unknown, or nothing to aggregate
	Bool                    // see [Value.Bool]
	Int                     // a whole number, see [Value.Int]
	Unsigned                // a whole number without a sign, see [Value.Uint]
	Float                   // a number, see [Value.Float]
	Timespan                // a length of time, see [Value.Timespan]
	Timestamp               // a point in time, see [Value.Time]
	Text                    // a string, a character, or a struct with a name
	Thread                  // the name of a thread
	Class                   // the name of a class, as in Java
	ClassLoader             // the name of a class loader
	Method                  // class, name and parameters: java.util.HashMap.put(Object, Object)
	Frame                   // the method of a stack frame, see [Value.Line]
	Stack                   // frames, see [Value.Elements]
	List                    // values, see [Value.Elements]
)

// Value is one value of a [Result]. It stays valid; it holds no part of a recording. The zero
// Value is Null.
type Value struct {
	kind Kind
	line int32  // of a frame
	hash int32  // in Java, of what is no number; see [Options.JDK]
	num  uint64 // the bits of numbers, booleans and times; the key of a thread, class or loader in its JVM
	text string // of a stack trace: its frames, see frameEnd
	list []Value
}

// The text of a stack trace has for each frame its text, lineStart and its line, and frameEnd.
const (
	lineStart = "\x1f"
	frameEnd  = "\x1e"
)

// Kind returns what the value is.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is absent or unknown.
func (v Value) IsNull() bool { return v.kind == Null }

// Bool returns a boolean; false for other values.
func (v Value) Bool() bool { return v.kind == Bool && v.num != 0 }

// Int returns a whole number, the nanoseconds of a length of time, or those since 1970 of a point
// in time, the least or greatest number if 64 bits do not hold them; 0 for other values.
func (v Value) Int() int64 {
	switch {
	case v.isFar() && int64(v.num) < 0:
		return math.MinInt64
	case v.isFar():
		return math.MaxInt64
	case v.kind == Int, v.kind == Unsigned, v.kind == Timespan, v.kind == Timestamp:
		return int64(v.num)
	}
	return 0
}

// Uint returns the bits of a whole number as one without a sign.
func (v Value) Uint() uint64 { return uint64(v.Int()) }

// Float returns a number in floating point: also that of whole numbers, and the nanoseconds of
// times. It returns NaN for other values.
func (v Value) Float() float64 {
	switch v.kind {
	case Float:
		return math.Float64frombits(v.num)
	case Unsigned:
		return float64(v.num)
	case Int, Timespan:
		return float64(int64(v.num))
	case Timestamp:
		return float64(v.Int())
	}
	return math.NaN()
}

// Timespan returns a length of time; 0 for other values. The greatest one is that of what has no
// end.
func (v Value) Timespan() time.Duration {
	if v.kind == Timespan {
		return time.Duration(v.num)
	}
	return 0
}

// A point in time is its nanoseconds since 1970, as far as 64 bits hold them: from 1678 to 2261. Java's milliseconds
// reach further, and a program may write Long.MAX_VALUE for never. So the last 2^55 numbers at both ends count
// milliseconds beyond that, for 1.1 million years; the least and the greatest number are all times beyond these. Points
// in time are ordered as their numbers are.
const (
	maxNear   = math.MaxInt64 - 1<<55
	minNear   = -maxNear
	maxMillis = maxNear / int64(time.Millisecond)
)

// instant returns a point in time as a value.
func instant(t time.Time) Value {
	n, ms := int64(0), t.UnixMilli()
	switch {
	case ms > maxMillis:
		n = maxNear + min(ms-maxMillis, 1<<55)
	case ms < -maxMillis:
		n = minNear + max(ms+maxMillis, -1<<55)
	default:
		n = min(max(t.UnixNano(), minNear), maxNear)
	}
	return Value{kind: Timestamp, num: uint64(n)}
}

// isFar reports whether the value is a point in time that nanoseconds since 1970 do not express.
func (v Value) isFar() bool {
	n := int64(v.num)
	return v.kind == Timestamp && (n > maxNear || n < minNear)
}

// Time returns a point in time in UTC; the zero Time for other values.
func (v Value) Time() time.Time {
	n := int64(v.num)
	switch {
	case v.kind != Timestamp:
		return time.Time{}
	case n == math.MaxInt64 || n == minNear-1<<55:
		return time.UnixMilli(n).UTC() // as far as Java's milliseconds reach
	case n > maxNear:
		return time.UnixMilli(n - maxNear + maxMillis).UTC()
	case n < minNear:
		return time.UnixMilli(n - minNear - maxMillis).UTC()
	}
	return time.Unix(0, n).UTC()
}

// farBucket returns the greatest multiple of the width since 1970 that is not later than a far point in time.
func farBucket(v Value, width uint64) Value {
	t := v.Time()
	hi, lo := bits.Mul64(magnitude(t.UnixMilli()), uint64(time.Millisecond))
	rest := bits.Rem64(hi, lo, width)
	if t.UnixMilli() < 0 && rest > 0 {
		rest = width - rest
	}
	return instant(t.Add(-time.Duration(rest)))
}

// calculateFar adds a length of time to a point in time, takes it from that, or takes a point in time from another. What
// is between two that are further apart than 292 years is null.
func calculateFar(op string, l, r Value) Value {
	if l.kind == Timestamp && r.kind == Timestamp {
		d := l.Time().Sub(r.Time())
		if d == math.MaxInt64 || d == math.MinInt64 {
			return Value{}
		}
		return Value{kind: Timespan, num: uint64(d)}
	}
	if l.kind != Timestamp {
		l, r = r, l
	}
	if d := r.Timespan(); op == "-" {
		return instant(l.Time().Add(-d))
	}
	return instant(l.Time().Add(r.Timespan()))
}

// Line returns the line number of a stack frame; 0 for other values and if it is unknown.
func (v Value) Line() int { return int(v.line) }

// Text returns the text of a value that has one; "" for other values, stack traces and lists.
func (v Value) Text() string {
	if v.kind == Stack {
		return ""
	}
	return v.text
}

// Elements returns the values of a list, or the frames of a stack trace, the top frame first. It
// allocates those of stack traces.
func (v Value) Elements() []Value {
	if v.kind != Stack {
		return v.list
	}
	var frames []Value
	for frame := range strings.SplitSeq(strings.TrimSuffix(v.text, frameEnd), frameEnd) {
		text, line, _ := strings.Cut(frame, lineStart)
		n, err := strconv.ParseInt(line, 10, 32)
		if err == nil {
			frames = append(frames, Value{kind: Frame, text: text, line: int32(n)})
		}
	}
	return frames
}

// Top returns the top frame of a stack trace, without making the others; Null for other values, and
// if there are no frames.
func (v Value) Top() Value {
	frame, _, ok := strings.Cut(v.text, frameEnd)
	if v.kind != Stack || !ok {
		return Value{}
	}
	text, line, _ := strings.Cut(frame, lineStart)
	n, _ := strconv.ParseInt(line, 10, 32) // the engine wrote it
	return Value{kind: Frame, text: text, line: int32(n)}
}

// NewValue returns a value of a bool, an int64, a uint64, a float64, a time.Duration, a time.Time, a
// string or a []Value, for results that no statement made. It is Null for everything else.
func NewValue(of any) Value {
	switch of := of.(type) {
	case bool:
		return boolValue(of)
	case int64:
		return intValue(of)
	case uint64:
		return Value{kind: Unsigned, num: of}
	case float64:
		return floatValue(of)
	case time.Duration:
		return Value{kind: Timespan, num: uint64(of)}
	case time.Time:
		return instant(of)
	case string:
		return textValue(of)
	case []Value:
		return listValue(of)
	}
	return Value{}
}

// Null, and values of numbers and texts.
func intValue(n int64) Value     { return Value{kind: Int, num: uint64(n)} }
func floatValue(f float64) Value { return Value{kind: Float, num: math.Float64bits(f)} }
func textValue(s string) Value   { return Value{kind: Text, text: s} }
func listValue(l []Value) Value  { return Value{kind: List, list: l} }

func boolValue(b bool) Value {
	if b {
		return Value{kind: Bool, num: 1}
	}
	return Value{kind: Bool}
}

// isNumeric reports whether values of a kind are their bits alone.
func (k Kind) isNumeric() bool { return Bool <= k && k <= Timestamp }
