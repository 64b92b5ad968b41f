package main

import (
	"reflect"

	"github.com/duckdb/duckdb-go/mapping"
	"github.com/duckdb/duckdb-go/v2"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// output is a chunk of rows that DuckDB wants to be filled, and its vectors. The methods of duckdb.DataChunk set one
// value at a time, which takes longer than decoding it.
type output struct {
	chunk   *duckdb.DataChunk
	vectors mapping.DataChunk
	// at are the vectors of columns, -1 for one that is not asked for. It is nil if the package hides its vectors
	// otherwise than it did.
	at []int
}

// outputOf returns the vectors of a chunk. Its fields are private, so they are looked up by name.
func outputOf(chunk *duckdb.DataChunk) *output {
	o := &output{chunk: chunk}
	v := reflect.ValueOf(chunk).Elem()
	inner, projection := v.FieldByName("chunk"), v.FieldByName("projection")
	if !inner.IsValid() || inner.Type() != reflect.TypeFor[mapping.DataChunk]() || !projection.IsValid() || projection.Type() != reflect.TypeFor[[]int]() {
		return o
	}
	o.vectors.Ptr = inner.FieldByName("Ptr").UnsafePointer()
	o.at = make([]int, projection.Len())
	for i := range o.at {
		o.at[i] = int(projection.Index(i).Int())
	}
	return o
}

// fill copies n values of a column, from a row on.
func (o *output) fill(column int, c *columns.Column, v *columns.View, from, n int) error {
	if c.Kind > columns.Text || column >= len(o.at) || o.at[column] < 0 || n > duckdb.GetDataChunkCapacity() {
		return fillColumn(o.chunk, column, c, v, from, n)
	}
	vec := mapping.DataChunkGetVector(o.vectors, mapping.IdxT(o.at[column]))
	mask := maskOf(vec, n)
	if mask == nil {
		return fillColumn(o.chunk, column, c, v, from, n)
	}
	switch c.Kind {
	case columns.Text:
		fillTexts(vec, mask, v, from, n)
	case columns.Bool:
		fillNumbers(cellsOf[bool](vec, n), mask, v, from, func(n int64) bool { return n != 0 })
	case columns.Time:
		fillNumbers(cellsOf[int64](vec, n), mask, v, from, microseconds)
	default: // numbers, and the bits of doubles
		if v.Refs == nil && v.Valid == nil {
			copy(cellsOf[int64](vec, n), v.Ints[from:])
			return nil
		}
		fillNumbers(cellsOf[int64](vec, n), mask, v, from, func(n int64) int64 { return n })
	}
	return nil
}

// microseconds cuts nanoseconds to microseconds, also those before 1970.
func microseconds(ns int64) int64 {
	us := ns / 1000
	if ns%1000 < 0 {
		us--
	}
	return us
}

// fillNumbers fills the cells of a vector.
func fillNumbers[T any](cells []T, mask []uint64, v *columns.View, from int, of func(int64) T) {
	for i := range cells {
		n, _, _, ok := v.At(from + i)
		if !ok {
			mask[i/64] &^= 1 << (i % 64)
			continue
		}
		cells[i] = of(n)
	}
}

// fillTexts fills a vector of texts. A constant is copied to DuckDB once: its other rows get the same cell.
func fillTexts(vec mapping.Vector, mask []uint64, v *columns.View, from, n int) {
	cells := cellsOf[textCell](vec, n)
	var first []int32 // the row of a constant, plus one
	if v.Refs != nil {
		first = make([]int32, v.Constants())
	}
	for i := range cells {
		ref := int32(-1)
		if v.Refs != nil {
			if ref = v.Refs[from+i]; ref >= 0 && first[ref] > 0 {
				cells[i] = cells[first[ref]-1]
				continue
			}
		}
		_, text, _, ok := v.At(from + i)
		switch {
		case !ok:
			mask[i/64] &^= 1 << (i % 64)
			continue
		case len(text) <= shortText:
			cells[i].set(text)
		default:
			mapping.VectorAssignStringElementLen(vec, mapping.IdxT(i), []byte(text))
		}
		if ref >= 0 {
			first[ref] = int32(i) + 1
		}
	}
}
