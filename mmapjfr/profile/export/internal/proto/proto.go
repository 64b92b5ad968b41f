// Package proto appends fields of Protocol Buffers to messages, and numbers what messages refer to.
package proto

import (
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field is the number of a field.
type Field = protowire.Number

// Message appends a field with the bytes of a message.
func Message(dst []byte, field Field, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), content)
}

// Text appends a text. Bytes that are no UTF-8 are replaced, as the format demands.
func Text(dst []byte, field Field, s string) []byte {
	tag := protowire.AppendTag(dst, field, protowire.BytesType)
	return protowire.AppendString(tag, strings.ToValidUTF8(s, "\uFFFD"))
}

// Number appends a number, also if it is 0.
func Number(dst []byte, field Field, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), n)
}

// Int appends a number, unless it is 0.
func Int(dst []byte, field Field, n int64) []byte {
	if n == 0 {
		return dst
	}
	return Number(dst, field, uint64(n))
}

// Packed appends a list of numbers, unless it is empty.
func Packed(dst []byte, field Field, list ...int64) []byte {
	if len(list) == 0 {
		return dst
	}
	var b []byte
	for _, n := range list {
		b = protowire.AppendVarint(b, uint64(n))
	}
	return Message(dst, field, b)
}

// Fixed appends a number of eight bytes.
func Fixed(dst []byte, field Field, n uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(dst, field, protowire.Fixed64Type), n)
}

// Double appends a number with a fraction.
func Double(dst []byte, field Field, f float64) []byte {
	return Fixed(dst, field, math.Float64bits(f))
}

// Table numbers values in the order in which they are added, from 0 on.
type Table[K comparable] struct {
	List []K
	ids  map[K]int64
}

// NewTable returns a table of values.
func NewTable[K comparable](values ...K) *Table[K] {
	t := &Table[K]{ids: make(map[K]int64)}
	for _, k := range values {
		t.ID(k)
	}
	return t
}

// ID returns the number of a value, which it adds if it is new.
func (t *Table[K]) ID(k K) int64 {
	n, _ := t.Add(k)
	return n
}

// Add returns the number of a value, and whether it is new.
func (t *Table[K]) Add(k K) (n int64, isNew bool) {
	n, known := t.ids[k]
	if !known {
		n = int64(len(t.List))
		t.ids[k] = n
		t.List = append(t.List, k)
	}
	return n, !known
}
