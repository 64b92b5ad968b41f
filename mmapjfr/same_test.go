package mmapjfr_test

import "unsafe"

// sameString reports whether two strings are equal, and lie in the same place.
func sameString(a, b string) bool {
	return len(a) == len(b) && (a == "" || unsafe.StringData(a) == unsafe.StringData(b))
}
