package index

import "sync"

// keeper bounds what the constants and blocks of all chunks take together. A
// recording of very many small chunks has a lot of both: of its chunks those are
// forgotten that were looked into first, and looked into again when they are
// asked for.
type keeper struct {
	mu    sync.Mutex
	queue []resident // the oldest first
	bytes int
}

// resident is something that is kept of a chunk.
type resident struct {
	bytes int
	drop  func()
}

// What is kept takes at most a part of the recording's size, or a few megabytes.
// But some chunks are always kept whole, however large they are: as many as
// goroutines can be at work in.
var (
	leastKept     = 24 << 20
	keptShare     = 160
	leastResident = 64
)

// keep takes note of something new, and forgets old things if that is too much.
func (x *Index) keep(bytes int, drop func()) {
	limit := max(leastKept, len(x.data)/keptShare)
	k := &x.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	k.queue = append(k.queue, resident{bytes, drop})
	k.bytes += bytes
	for k.bytes > limit && len(k.queue) > leastResident {
		k.bytes -= k.queue[0].bytes
		k.queue[0].drop()
		k.queue[0].drop = nil
		k.queue = k.queue[1:]
	}
}

// keepConstants makes k what is known of the chunk's constants. Damage is not
// forgotten: who walks over the events is told of it.
func (c *Chunk) keepConstants(k *Constants) {
	c.constants.Store(k)
	if k.err == nil {
		c.index.keep(k.Bytes(), func() { c.constants.CompareAndSwap(k, nil) })
	}
}

// keepBlocks makes b what is known of the chunk's blocks.
func (c *Chunk) keepBlocks(b *Blocks) {
	c.blocks.Store(b)
	c.index.keep(b.Bytes(), func() { c.blocks.CompareAndSwap(b, nil) })
}
