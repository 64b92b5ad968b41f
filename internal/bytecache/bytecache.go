// Package bytecache keeps what was computed last, within a bound of bytes.
package bytecache

// entryBytes is what an entry takes beside its value: the key, and its share of a map.
const entryBytes = 96

// Cache has values that together take no more bytes than a limit. It starts anew when the next
// value would exceed that: any value may be gone at any time. A Cache belongs to one goroutine.
type Cache[K comparable, V any] struct {
	// Values are to be looked up in; Put adds to them.
	Values map[K]V
	// Limit is how many bytes the values take at most. With 0 nothing is kept.
	Limit int
	bytes int
}

// Put keeps a value that keeps that many bytes alive, unless it exceeds the limit alone. It reports
// whether the values before it are still there.
func (c *Cache[K, V]) Put(key K, value V, bytes int) (others bool) {
	others = true
	if bytes += entryBytes; bytes > c.Limit {
		return others
	}
	if bytes > c.Limit-c.bytes {
		c.Clear()
		others = false
	}
	if c.Values == nil {
		c.Values = make(map[K]V)
	}
	c.Values[key] = value
	c.bytes += bytes
	return others
}

// Clear drops all values, and a map that was large: clearing that takes as long as it is large.
func (c *Cache[K, V]) Clear() {
	if c.bytes = 0; len(c.Values) > 1<<10 {
		c.Values = nil
	}
	clear(c.Values)
}
