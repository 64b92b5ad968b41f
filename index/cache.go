package index

import "sync"

// cache bounds what the constants and blocks of all chunks take together. A
// recording of very many small chunks has a lot of both: of its chunks those are
// forgotten that were looked into first, and looked into again when they are
// asked for.
type cache struct {
	mu    sync.Mutex
	queue []cacheEntry // the oldest first
	bytes int
}

// cacheEntry is something that is kept of a chunk.
type cacheEntry struct {
	bytes int
	drop  func()
}

// What is kept takes at most a part of the recording's size, or a few megabytes.
// But some chunks are always kept whole, however large they are: as many as
// goroutines can be at work in.
var (
	minCacheBytes   = 24 << 20
	cacheShare      = 160
	minCacheEntries = 64
)

// keep takes note of something new, and forgets old things if that is too much.
func (x *Index) keep(bytes int, drop func()) {
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

// cacheConstants makes k what is known of the chunk's constants. Damage is not
// forgotten: who walks over the events is told of it.
func (c *Chunk) cacheConstants(k *Constants) {
	c.constants.Store(k)
	if k.err == nil {
		c.index.keep(k.Bytes(), func() { c.constants.CompareAndSwap(k, nil) })
	}
}

// cacheBlocks makes b what is known of the chunk's blocks.
func (c *Chunk) cacheBlocks(b *Blocks) {
	c.blocks.Store(b)
	c.index.keep(b.Bytes(), func() { c.blocks.CompareAndSwap(b, nil) })
}
