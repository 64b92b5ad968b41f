//go:build nounsafe

package mmapjfr_test

// copiesStrings reports whether the package is built without unsafe code; strings
// are then copies of the file's bytes, and allocated.
const copiesStrings = true
