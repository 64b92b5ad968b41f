package index

import "sync"

// cache bounds the memory that the constants and blocks of all chunks take together. A recording
// of very many small chunks has a lot of both. The cache drops those of the chunks that were read
// first; they are read again when they are asked for.
type cache struct {
	mu    sync.Mutex
	queue []cacheEntry // the oldest first
	bytes int
}

// cacheEntry is the constants or the blocks of a chunk.
type cacheEntry struct {
	bytes int
	drop  func()
}

// The cache takes at most a 160th of the recording's size, or 24 MiB if that is more. But it
// always holds 64 entries, however large they are: the constants and blocks of as many chunks as
// workers can be at work in.
var (
	minCacheBytes   = 24 << 20
	cacheShare      = 160
	minCacheEntries = 64
)

// addToCache adds an entry, and drops the oldest ones if that is too much.
func (x *Index) addToCache(bytes int, drop func()) {
	limit := max(minCacheBytes, len(x.data)/cacheShare)
	k := &x.cache
	k.mu.Lock()
	defer k.mu.Unlock()
	k.queue = append(k.queue, cacheEntry{bytes, drop})
	k.bytes += bytes
	for k.bytes > limit && len(k.queue) > minCacheEntries {
		k.bytes -= k.queue[0].bytes
		k.queue[0].drop()
		k.queue[0].drop = nil
		k.queue = k.queue[1:]
	}
}

// cacheConstants stores the constants of the chunk. Those with an error are never dropped:
// the reader of the events reports it.
func (c *Chunk) cacheConstants(k *Constants) {
	c.constants.Store(k)
	if k.err == nil {
		c.index.addToCache(k.Bytes(), func() { c.constants.CompareAndSwap(k, nil) })
	}
}

// cacheBlocks stores the blocks of the chunk.
func (c *Chunk) cacheBlocks(b *Blocks) {
	c.blocks.Store(b)
	c.index.addToCache(b.Bytes(), func() { c.blocks.CompareAndSwap(b, nil) })
}
