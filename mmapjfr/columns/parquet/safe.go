//go:build nounsafe

package parquet

// bytesOf returns the bytes of a text.
func bytesOf(text string) []byte { return []byte(text) }
