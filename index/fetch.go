package index

// Source fetches bytes of a recording from elsewhere, such as a server, into the memory of an index. Goroutines share it.
type Source interface {
	// Fetch returns when the bytes between two offsets of the recording can be read, or why they never will.
	Fetch(from, to uint64) error
	// Ahead says that the bytes between two offsets are going to be needed next. It does not wait for them.
	Ahead(from, to uint64)
}

// FetchError says that bytes of a recording could not be fetched. Methods of an index of [NewFetched] panic with it, as
// those of a mapped file do where the file has been cut.
type FetchError struct{ Err error }

// Error says why the bytes could not be fetched.
func (e *FetchError) Error() string { return e.Err.Error() }

// Unwrap returns why the bytes could not be fetched.
func (e *FetchError) Unwrap() error { return e.Err }

// NewFetched is [New] for bytes that a source fetches. Headers of chunks are fetched at once. The metadata of a chunk is
// fetched when its types are asked for, and the whole chunk before anything else of it is read. All bytes are
// fetched at once if the headers do not lead from one chunk to the next. It panics with a [FetchError], as methods of the
// index do.
func NewFetched(data []byte, source Source) (*Index, error) {
	return (&Index{data: data, source: source}).open()
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

// Need fetches all bytes of the chunk. It panics with a [FetchError]. It does nothing in an index without a source.
func (c *Chunk) Need() {
	if c.index != nil && c.index.source != nil && !c.fetched.Load() {
		c.fetch()
	}
}

func (c *Chunk) fetch() {
	c.index.need(c.offset, c.offset+c.Size())
	c.fetched.Store(true)
}

// Ahead says that the chunk is going to be read next. It does not wait.
func (c *Chunk) Ahead() {
	if c.index != nil && c.index.source != nil && !c.fetched.Load() {
		c.index.source.Ahead(c.offset, c.offset+c.Size())
	}
}

// metadataHead is how many bytes of a metadata event are fetched to see how long it is.
const metadataHead = 32

// needMetadata fetches the metadata event that the header names, or all of the chunk if it names none.
func (c *Chunk) needMetadata() {
	switch at := c.header.Metadata; {
	case c.index == nil || c.index.source == nil || c.fetched.Load():
	case at == 0 || at >= c.Size():
		c.fetch()
	default:
		end := c.offset + c.Size()
		c.index.need(c.offset+at, min(c.offset+at+metadataHead, end))
		if rec, ok := c.eventHeader(at); ok {
			c.index.need(c.offset+at, c.offset+rec.End())
		}
	}
}
