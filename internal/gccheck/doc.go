// Package gccheck holds the compiler to what the fastest functions rely on. It has no code but its
// test, which asks the compiler about functions with a directive in their comment:
//
//	//gccheck:inline     calls of it are replaced by its body
//	//gccheck:nobounds   there is no bounds check of an element in it
package gccheck
