package stream_test

import "unsafe"

// same reports whether two strings are equal, and lie in the same place.
func same(a, b string) bool {
	return len(a) == len(b) && (a == "" || unsafe.StringData(a) == unsafe.StringData(b))
}
