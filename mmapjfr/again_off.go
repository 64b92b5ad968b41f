//go:build !jfrdebug

package mmapjfr

import "reflect"

// reuse returns an empty slice in the memory of one that is not used any more.
func reuse[T any](s []T) []T { return s[:0] }

// poison makes what is in a slice unusable, and the slice nil. Only builds with the tag
// jfrdebug do.
func poison(reflect.Value) {}
