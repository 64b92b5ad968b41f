package index

import (
	"sync"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Source fetches bytes of a recording from elsewhere, such as a server, into the memory of an
// index. Goroutines share it.
type Source interface {
	// Fetch returns when the bytes between two offsets of the recording can be read, or why they
	// never will.
	Fetch(from, to uint64) error
	// Ahead says that the bytes between two offsets are going to be needed next. It does not wait
	// for them.
	Ahead(from, to uint64)
}

// FetchError says that bytes of a recording could not be fetched. Methods of an index of
// [NewFetched] panic with it, as those of a mapped file do where the file has been cut.
type FetchError struct{ Err error }

// Error says why the bytes could not be fetched.
func (e *FetchError) Error() string { return e.Err.Error() }

// Unwrap returns why the bytes could not be fetched.
func (e *FetchError) Unwrap() error { return e.Err }

// NewFetched is [New] for bytes that a source fetches. Headers of chunks are fetched at once. The
// metadata of a chunk is fetched when its types are asked for, and the whole chunk before anything
// else of it is read. All bytes are fetched at once if the headers do not lead from one chunk to
// the next. It panics with a [FetchError], as methods of the index do.
//
// Whole says that all bytes of the recording are going to be read. Where chunks are small, all
// bytes are then fetched in few requests while the headers are read. Without it that is so where
// they are very small.
func NewFetched(data []byte, source Source, whole bool) (*Index, error) {
	x := &Index{data: data, source: source}
	x.ahead.small, x.ahead.window = smallChunk, firstWindow
	if whole {
		x.ahead.small, x.ahead.window = maxWindow/4, maxWindow
	}
	return x.open()
}

// lookahead is what is fetched ahead while an index is made, and while types are read.
type lookahead struct {
	// After a chunk of at most small bytes, the bytes up to window after the next header are
	// fetched with it.
	small, window uint64
	reach         uint64 // up to where bytes have been asked for
	surveyed      bool   // headers were looked for from several places

	mu       sync.Mutex
	metadata uint64 // how many bytes the largest metadata event has
	next     int    // the chunk after the one whose metadata was fetched last
	run      int    // how many chunks in a row that was so of
}

// A request takes as long as some hundred kilobytes do: where chunks are smaller, fetching all of
// them costs less than a request for each header. Windows grow, so that one small chunk at the
// beginning costs little.
const (
	smallChunk  = 256 << 10
	firstWindow = 64 << 10
	maxWindow   = 16 << 20
)

// needHeader fetches the header at an offset, where the chunk that was added last ends, and says
// what is needed next.
func (x *Index) needHeader(offset uint64) {
	a := &x.ahead
	switch last := x.chunks[len(x.chunks)-1]; {
	case x.source == nil:
		return
	case last.Size() > a.small:
		a.window = min(a.window, firstWindow)
		x.survey(offset)
	case offset+a.window/2 >= a.reach:
		a.window = min(2*a.window, maxWindow)
		end := min(offset+a.window, uint64(len(x.data)))
		x.source.Ahead(max(last.offset, a.reach), end)
		a.reach = end
	}
	x.need(offset, offset+wire.HeaderLen)
}

// need fetches the bytes between two offsets, as far as the recording has them.
func (x *Index) need(from, to uint64) {
	if x.source == nil {
		return
	}
	if err := x.source.Fetch(from, min(to, uint64(len(x.data)))); err != nil {
		panic(&FetchError{err})
	}
}

// needAll fetches all bytes.
func (x *Index) needAll() { x.need(0, uint64(len(x.data))) }

// Need fetches all bytes of the chunk. It panics with a [FetchError]. It does nothing in an index
// without a source.
func (c *Chunk) Need() {
	if c.index != nil && c.index.source != nil && !c.fetched.Load() {
		c.fetch()
	}
}

func (c *Chunk) fetch() {
	c.index.need(c.offset, c.offset+c.Size())
	c.fetched.Store(true)
}

// Ahead says that the chunks after this one are going to be read next, up to the one with number
// last. It does not wait. It begins to fetch the next chunk, and with it small ones that follow.
func (c *Chunk) Ahead(last int) {
	if c.index == nil || c.index.source == nil || c.number >= last {
		return
	}
	list := c.index.chunks[c.number+1 : last+1]
	from, to := list[0].offset, list[0].offset+list[0].Size()
	limit := from/aheadStep*aheadStep + aheadSteps*aheadStep
	for _, next := range list[1:] {
		if end := next.offset + next.Size(); end <= limit {
			to = end
		} else {
			break
		}
	}
	c.index.source.Ahead(from, to)
}

// Small chunks are fetched ahead in steps, so that several come with one request.
const (
	aheadStep  = 4 << 20
	aheadSteps = 3
)

// metadataHead is how many bytes of a metadata event are fetched to see how long it is, and
// metadataAhead of how many chunks at most metadata is fetched ahead.
const (
	metadataHead  = 32
	metadataAhead = 24
)

// needMetadata fetches the metadata event that the header names, or all of the chunk if it names
// none.
func (c *Chunk) needMetadata() {
	switch at := c.header.Metadata; {
	case c.index == nil || c.index.source == nil || c.fetched.Load():
	case at == 0 || at >= c.Size():
		c.fetch()
	default:
		guess := c.metadataAhead()
		end := c.offset + c.Size()
		c.index.need(c.offset+at, min(c.offset+at+guess, end))
		if rec, ok := c.eventHeader(at); ok {
			c.index.need(c.offset+at, c.offset+rec.End())
			c.index.ahead.hasMetadata(rec.End() - at)
		}
	}
}

// hasMetadata notes how long a metadata event is: others will be as long.
func (a *lookahead) hasMetadata(size uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.metadata = max(a.metadata, size)
}

// metadataAhead returns how many bytes of the metadata event are to be fetched at first. If the
// metadata of the chunks before was fetched, too, it begins to fetch that of as many chunks after
// this one.
func (c *Chunk) metadataAhead() uint64 {
	a := &c.index.ahead
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.number != a.next {
		a.run = 0
	}
	a.next, a.run = c.number+1, a.run+1
	guess := max(a.metadata, metadataHead)
	if a.run > 1 {
		for _, next := range c.index.chunks[a.next:min(a.next+min(a.run, metadataAhead), len(c.index.chunks))] {
			if at := next.header.Metadata; at > 0 && at < next.Size() && !next.fetched.Load() {
				c.index.source.Ahead(next.offset+at, next.offset+min(at+guess, next.Size()))
			}
		}
	}
	return guess
}
