//go:build nounsafe

package mmapjfr_test

// copiesStrings tells whether the package is built without unsafe code; strings
// are then copies of the file's bytes, and allocated.
const copiesStrings = true
