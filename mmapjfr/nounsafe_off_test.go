//go:build !nounsafe

package mmapjfr_test

// copiesStrings tells whether the package is built without unsafe code.
const copiesStrings = false
