//go:build !nounsafe

package parquet

import "unsafe"

// bytesOf returns the bytes of a text, which must not be changed.
//
// Safe because: parquet-go copies the bytes of a value into its buffers, and never writes to them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
