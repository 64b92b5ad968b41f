//go:build jfrdebug

package mmapjfr

import (
	"math"
	"reflect"
)

// again returns an empty slice for what was in the memory of one that is not used any
// more. Whoever still uses that finds nothing there that can be taken for something.
func again[T any](s []T) []T {
	spoilAll(s)
	return nil
}

// spoilAll makes what is in a slice unusable.
func spoilAll[T any](s []T) { spoilElements(reflect.ValueOf(s[:cap(s)])) }

// spoil makes what is in a slice unusable, and the slice nil.
func spoil(slice reflect.Value) {
	spoilElements(slice)
	slice.SetZero()
}

func spoilElements(slice reflect.Value) {
	for i := range slice.Len() {
		spoilElement(slice.Index(i))
	}
}

// What has been spoilt is.
const (
	spoiledNumber = 0x5A5A5A5A5A5A5A5A
	spoiledText   = "mmapjfr: this slice has been used again"
)

// spoilElement makes of a value one that nobody takes for that of a recording. A view
// panics when it is looked into.
func spoilElement(e reflect.Value) {
	switch p := e.Addr().Interface().(type) {
	case *Value:
		p.c = spoiledOr(p.c)
	case *Thread:
		p.o.c = spoiledOr(p.o.c)
	case *Class:
		p.o.c = spoiledOr(p.o.c)
	case *ClassLoader:
		p.o.c = spoiledOr(p.o.c)
	case *Method:
		p.o.c = spoiledOr(p.o.c)
	case *StackTrace:
		p.o.c = spoiledOr(p.o.c)
	default:
		switch {
		case e.CanInt():
			e.SetInt(spoiledNumber >> (64 - e.Type().Bits()))
		case e.CanUint():
			e.SetUint(spoiledNumber >> (64 - e.Type().Bits()))
		case e.CanFloat():
			e.SetFloat(math.NaN())
		case e.Kind() == reflect.String:
			e.SetString(spoiledText)
		default:
			e.SetZero()
		}
	}
}

// spoiledOr returns the chunk of views that have been spoilt, for all but empty ones.
func spoiledOr(c *chunk) *chunk {
	if c == nil {
		return nil
	}
	return spoiled
}

// spoiled is the chunk of views that have been spoilt: one of a recording that is closed.
var spoiled = func() *chunk {
	rec := &Recording{}
	c := &chunk{rec: rec}
	rec.chunks = []*chunk{c}
	_ = rec.Close() // there is nothing that could fail
	return c
}()
