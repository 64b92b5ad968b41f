//go:build nounsafe

package wire_test

// viewsCopy tells that views of text are copies.
const viewsCopy = true
