package rewrite

import "sync"

// parts are bytes of a chunk that is made: in blocks of memory that are used again, and in long runs of the recording.
// So what is copied does not move while the chunk grows, and what stays as it is takes no memory.
type parts struct {
	list   [][]byte
	size   int  // with the run
	copied int  // bytes in blocks
	open   bool // the last of the list is a block, and more fits into it
	run    run
	blocks *blocks
	taken  []*block
}

// run is the end of the parts: bytes of a recording.
type run struct {
	data     []byte
	from, to int
}

// shortestRun is how long a run is that stays where it is. Shorter ones are copied.
const shortestRun = 512

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
	p.endRun()
	p.size += len(b)
	p.copy(b)
}

func (p *parts) copy(b []byte) {
	for len(b) > 0 {
		if used := p.copied % blockSize; !p.open || used == 0 {
			if used == 0 {
				p.taken = append(p.taken, p.blocks.take())
			}
			p.list, p.open = append(p.list, p.taken[len(p.taken)-1][used:used]), true
		}
		last := &p.list[len(p.list)-1]
		n := min(len(b), cap(*last)-len(*last))
		*last = append(*last, b[:n]...)
		p.copied += n
		b = b[n:]
	}
}

// own appends bytes, which are no longer the caller's.
func (p *parts) own(b []byte) {
	p.endRun()
	p.size += len(b)
	p.list, p.open = append(p.list, b), false
}

// extend appends bytes of a recording, which lie between from and to.
func (p *parts) extend(data []byte, from, to int) {
	p.size += to - from
	if p.run.to == from && from > 0 {
		p.run.to = to
		return
	}
	p.endRun()
	p.run = run{data, from, to}
}

// endRun makes a part of the run.
func (p *parts) endRun() {
	b := p.run.data[p.run.from:p.run.to]
	switch p.run = (run{}); {
	case len(b) >= shortestRun:
		p.list, p.open = append(p.list, b), false
	case len(b) > 0:
		p.copy(b)
	}
}
