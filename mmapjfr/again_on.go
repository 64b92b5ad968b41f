//go:build jfrdebug

package mmapjfr

import (
	"math"
	"reflect"
)

// reuse returns an empty slice for what was in the memory of one that is not used any
// more. Whoever still uses that finds nothing there that can be taken for something.
func reuse[T any](s []T) []T {
	poisonAll(s)
	return nil
}

// poisonAll makes what is in a slice unusable.
func poisonAll[T any](s []T) { poisonElements(reflect.ValueOf(s[:cap(s)])) }

// poison makes what is in a slice unusable, and the slice nil.
func poison(slice reflect.Value) {
	poisonElements(slice)
	slice.SetZero()
}

func poisonElements(slice reflect.Value) {
	for i := range slice.Len() {
		poisonElement(slice.Index(i))
	}
}

// What has been spoilt is.
const (
	poisonNumber = 0x5A5A5A5A5A5A5A5A
	poisonText   = "mmapjfr: this slice has been used again"
)

// poisonElement makes of a value one that nobody takes for that of a recording. A view
// panics when it is looked into.
func poisonElement(e reflect.Value) {
	switch p := e.Addr().Interface().(type) {
	case *Value:
		p.c = poisonedOr(p.c)
	case *Thread:
		p.o.c = poisonedOr(p.o.c)
	case *Class:
		p.o.c = poisonedOr(p.o.c)
	case *ClassLoader:
		p.o.c = poisonedOr(p.o.c)
	case *Method:
		p.o.c = poisonedOr(p.o.c)
	case *StackTrace:
		p.o.c = poisonedOr(p.o.c)
	default:
		switch {
		case e.CanInt():
			e.SetInt(poisonNumber >> (64 - e.Type().Bits()))
		case e.CanUint():
			e.SetUint(poisonNumber >> (64 - e.Type().Bits()))
		case e.CanFloat():
			e.SetFloat(math.NaN())
		case e.Kind() == reflect.String:
			e.SetString(poisonText)
		default:
			e.SetZero()
		}
	}
}

// poisonedOr returns the chunk of views that have been spoilt, for all but empty ones.
func poisonedOr(c *chunk) *chunk {
	if c == nil {
		return nil
	}
	return poisonedChunk
}

// poisonedChunk is the chunk of views that have been spoilt: one of a recording that is closed.
var poisonedChunk = func() *chunk {
	rec := &Recording{}
	c := &chunk{rec: rec}
	rec.chunks = []*chunk{c}
	_ = rec.Close() // there is nothing that could fail
	return c
}()
