//go:build !nounsafe

package mmapjfr_test

// copiesStrings reports whether the package is built without unsafe code.
const copiesStrings = false
