package writer

import (
	"math"
	"time"
)

// valueKind is what a Value holds.
type valueKind uint8

const (
	nullValue valueKind = iota
	boolValue
	intValue
	uintValue
	floatValue
	textValue
	timeValue
	durationValue
	listValue
	constantValue
)

// Value is a value to write. The field that it is for decides how it is written, and refuses a value
// that does not fit. The zero Value is [Null].
type Value struct {
	kind     valueKind
	number   uint64 // also the bits of a float, and a length of time
	text     string
	time     time.Time
	list     []Value
	constant *constant
}

// Null returns the null of a text or of a constant.
func Null() Value { return Value{} }

// Bool returns a value for a boolean.
func Bool(v bool) Value {
	if v {
		return Value{kind: boolValue, number: 1}
	}
	return Value{kind: boolValue}
}

// Int returns a value for a byte, char, short, int or long, or for a time or a length of time as it
// is stored.
func Int(v int64) Value { return Value{kind: intValue, number: uint64(v)} }

// Uint returns a value as [Int] does. Above the greatest signed number it is for fields with the
// annotation [Unsigned].
func Uint(v uint64) Value { return Value{kind: uintValue, number: v} }

// Float returns a value for a float or a double.
func Float(v float64) Value { return Value{kind: floatValue, number: math.Float64bits(v)} }

// Text returns a value for a java.lang.String. What is not UTF-8 in it becomes U+FFFD.
func Text(v string) Value { return Value{kind: textValue, text: v} }

// Time returns a value for a field with the annotation [Timestamp]. The zero time means that the
// time is not known.
func Time(v time.Time) Value { return Value{kind: timeValue, time: v} }

// Duration returns a value for a field with the annotation [Timespan], in whole units of the field.
func Duration(v time.Duration) Value { return Value{kind: durationValue, number: uint64(v)} }

// List returns a value for an array, or for a type with fields: the values of its fields in order.
// The value of a type with one field can be given without List. The List refers to the values.
func List(values ...Value) Value { return Value{kind: listValue, list: values} }

// value returns a value for a constant field of the type; null for nil.
func (c *constant) value() Value {
	if c == nil {
		return Null()
	}
	return Value{kind: constantValue, constant: c}
}
