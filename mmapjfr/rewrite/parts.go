package rewrite

import "sync"

// parts are bytes of a chunk that is made, in blocks of memory that are used again. So the memory of a chunk does not
// move while it grows, and is there for chunks of any kind after it.
type parts struct {
	list   [][]byte
	size   int
	blocks *blocks
	taken  []*block
}

// block is memory for some of the bytes of a chunk.
type block [blockSize]byte

const blockSize = 256 << 10

// blocks are those that are free.
type blocks struct {
	mu   sync.Mutex
	free []*block
}

func (all *blocks) take() *block {
	all.mu.Lock()
	defer all.mu.Unlock()
	n := len(all.free)
	if n == 0 {
		return new(block)
	}
	b := all.free[n-1]
	all.free = all.free[:n-1]
	return b
}

func (all *blocks) release(some []*block) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.free = append(all.free, some...)
}

// release gives the blocks back. The parts are empty then.
func (p *parts) release() {
	p.blocks.release(p.taken)
	clear(p.list)
	*p = parts{list: p.list[:0], taken: p.taken[:0], blocks: p.blocks}
}

// append appends a copy of bytes.
func (p *parts) append(b []byte) {
	for len(b) > 0 {
		if p.size%blockSize == 0 {
			block := p.blocks.take()
			p.taken, p.list = append(p.taken, block), append(p.list, block[:0])
		}
		last := &p.list[len(p.list)-1]
		n := min(len(b), cap(*last)-len(*last))
		*last = append(*last, b[:n]...)
		p.size += n
		b = b[n:]
	}
}
