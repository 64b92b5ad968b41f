//go:build !jfrdebug

package mmapjfr

import "reflect"

// again returns an empty slice in the memory of one that is not used any more.
func again[T any](s []T) []T { return s[:0] }

// spoil makes what is in a slice unusable, and the slice nil. Only builds with the tag
// jfrdebug do.
func spoil(reflect.Value) {}
