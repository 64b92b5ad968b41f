package index

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// metadataSection is the name of a metadata event in errors.
const metadataSection = "metadata event"

// metadataEvent is where a metadata event lies in the chunk, and where the tree in it begins
// (FORMAT.md, section 4).
type metadataEvent struct {
	offset, body, end uint64
}

// readMetadataEvent reads the head of the metadata event at an offset.
func (c *Chunk) readMetadataEvent(offset uint64) (metadataEvent, error) {
	rec, err := c.readEventHeader(offset)
	if err != nil {
		return metadataEvent{}, err
	}
	if rec.Type != schema.MetadataID {
		return metadataEvent{}, c.fail(metadataSection, offset, corrupt("event has type %d", rec.Type))
	}
	cur := wire.NewCursor(c.data[:rec.End()], int(rec.Body()), c.encoding)
	cur.Long() // start
	cur.Long() // duration
	cur.Long() // metadata id
	if !cur.OK() {
		return metadataEvent{}, c.fail(metadataSection, offset, corrupt("event ends early"))
	}
	return metadataEvent{offset, uint64(cur.Pos()), rec.End()}, nil
}

// typesCache finds the types of metadata that has been read before: the chunks of one virtual
// machine mostly repeat their metadata byte by byte.
type typesCache struct {
	mu   sync.Mutex
	seed maphash.Seed
	seen map[uint64][]seenTypes
	// idle are trees that add nothing to the types: older metadata mostly describes a part of what
	// newer does.
	idle map[uint64][]seenTypes
}

// sum returns the hash of a tree by which its types are found.
func (tc *typesCache) sum(tree []byte) uint64 {
	if tc.seen == nil {
		tc.seed, tc.seen, tc.idle = maphash.MakeSeed(), make(map[uint64][]seenTypes), make(map[uint64][]seenTypes)
	}
	wire.StepBytes(len(tree))
	return maphash.Bytes(tc.seed, tree)
}

// isIdle reports whether a tree is known to add nothing to types.
func (c *Chunk) isIdle(ev metadataEvent, types *schema.TypeSet) bool {
	tc, tree := &c.index.types, c.data[ev.body:ev.end]
	tc.mu.Lock()
	defer tc.mu.Unlock()
	return slices.ContainsFunc(tc.idle[tc.sum(tree)], func(s seenTypes) bool {
		return s.types == types && bytes.Equal(c.index.data[s.from:s.to], tree)
	})
}

// setIdle notes that a tree adds nothing to types.
func (c *Chunk) setIdle(ev metadataEvent, types *schema.TypeSet) {
	tc := &c.index.types
	tc.mu.Lock()
	defer tc.mu.Unlock()
	sum := tc.sum(c.data[ev.body:ev.end])
	tc.idle[sum] = append(tc.idle[sum], seenTypes{c.offset + ev.body, c.offset + ev.end, types})
}

// seenTypes is the types of the tree that lies between two offsets of the recording.
type seenTypes struct {
	from, to uint64
	types    *schema.TypeSet
}

// NewestTypes returns the types that the newest metadata event of the chunk describes, without
// those that only older ones do. It reads that event again, and allocates.
func (c *Chunk) NewestTypes() ([]*schema.Type, error) {
	if c.lender != nil {
		return c.lender.NewestTypes()
	}
	types, err := c.Types()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Need()
	ev, err := c.readMetadataEvent(cmp.Or(c.older, c.metadataOffset()))
	if err != nil {
		return nil, err
	}
	t, err := c.readTree(ev)
	if err != nil {
		return nil, err
	}
	return types.DescribedBy(t), nil
}

// MetadataTrees returns the trees of the metadata events that describe the types of [Chunk.Types],
// the one that counts most first. That is the newest event alone, unless it is missing or refers to
// older ones. The trees alias the recording. There are none before Types has been called, or if it
// fails.
func (c *Chunk) MetadataTrees() (trees [][]byte) {
	if c.lender != nil {
		trees = c.lender.MetadataTrees()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	first := cmp.Or(c.older, c.metadataOffset())
	rest := slices.DeleteFunc(slices.Sorted(maps.Keys(c.metadata)), func(at uint64) bool { return at == first })
	if c.metadata[first] {
		rest = append(rest, first)
	}
	for _, at := range slices.Backward(rest) {
		if ev, err := c.readMetadataEvent(at); err == nil {
			trees = append(trees, c.data[ev.body:ev.end])
		}
	}
	return trees
}

// Types returns the types that the chunk's metadata describes. The first call reads the metadata.
// It fails if the chunk has no readable metadata.
func (c *Chunk) Types() (*schema.TypeSet, error) {
	if t := c.types.Load(); t != nil {
		return t, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loadTypes()
}

// HasTypes reports whether [Chunk.Types] needs to read nothing.
func (c *Chunk) HasTypes() bool { return c.types.Load() != nil }

func (c *Chunk) loadTypes() (*schema.TypeSet, error) {
	if t := c.types.Load(); t != nil || c.typesErr != nil {
		return t, c.typesErr
	}
	c.readTypes.run(c.makeTypes)
	return c.types.Load(), c.typesErr
}

func (c *Chunk) makeTypes() {
	c.needMetadata()
	offset := c.metadataOffset()
	types, err := c.firstTypes(offset)
	if err != nil && c.endMissing() {
		c.Need()
		// What the header names often lies in the part that is missing.
		for _, at := range slices.Backward(c.offsetsOf(schema.MetadataID)) {
			if older, err := c.firstTypes(at); err == nil {
				c.older, c.metadata = at, map[uint64]bool{at: true}
				c.types.Store(c.withOthers(older))
				return
			}
		}
	}
	if err != nil && len(c.data) == wire.HeaderLen && c.trail != nil {
		err = c.trail // nothing is corrupt where nothing has been flushed
	}
	if err != nil {
		c.typesErr = err
		return
	}
	c.metadata = map[uint64]bool{offset: true}
	if !types.Linked() {
		// A type refers to one that only an older metadata event describes.
		types = c.withOthers(types)
	}
	c.types.Store(types)
}

// metadataOffset returns where the chunk's metadata event should be. A header that was never
// completed does not say it; async-profiler writes the event first.
func (c *Chunk) metadataOffset() uint64 {
	if c.header.Metadata == 0 {
		return wire.HeaderLen
	}
	return c.header.Metadata
}

// firstTypes returns the types that the metadata event at an offset describes. It reads its tree
// if that is new.
func (c *Chunk) firstTypes(offset uint64) (*schema.TypeSet, error) {
	ev, err := c.readMetadataEvent(offset)
	if err != nil {
		return nil, err
	}
	x, tc := c.index, &c.index.types
	tc.mu.Lock()
	defer tc.mu.Unlock()
	data := c.data[ev.body:ev.end]
	sum := tc.sum(data)
	for _, s := range tc.seen[sum] {
		if s.types.IntEncoding == c.encoding && bytes.Equal(x.data[s.from:s.to], data) {
			return s.types, nil
		}
	}
	everywhere := treeSumOf(c.encoding, data)
	types := typesOfSum(everywhere)
	if types == nil {
		t, err := c.readTree(ev)
		if err != nil {
			return nil, err
		}
		types = schema.NewTypeSet(c.encoding, t)
		if !types.Linked() {
			return types, nil // it is completed with other metadata of its chunk
		}
		types = shareTypes(everywhere, types)
	}
	tc.seen[sum] = append(tc.seen[sum], seenTypes{c.offset + ev.body, c.offset + ev.end, types})
	return types, nil
}

// offsetsOf returns where the events of a type lie, for metadata events and checkpoints.
func (c *Chunk) offsetsOf(id schema.TypeID) (list []uint64) {
	headers, _ := c.headersFrom(c.FirstEvent(), id)
	for _, h := range headers {
		list = append(list, h.Offset)
	}
	return list
}

// headersFrom returns the headers of the events with one of some type numbers, from an offset on,
// and where the walk over the events ends.
func (c *Chunk) headersFrom(from uint64, ids ...schema.TypeID) (list []EventHeader, end uint64) {
	var likely [16]uint64 // a bit for each number, and for others like it
	for _, id := range ids {
		likely[id>>6&15] |= 1 << (id & 63)
	}
	var headers [64]EventHeader
	passed := from
	for from < uint64(len(c.data)) {
		passed = c.Pass(passed, from)
		n, next, err := c.ReadHeaders(from, uint64(len(c.data)), headers[:])
		for i := range headers[:n] {
			if id := headers[i].Type; likely[id>>6&15]>>(id&63)&1 != 0 && slices.Contains(ids, id) {
				list = append(list, headers[i])
			}
		}
		if from = next; err != nil {
			break // the walk over the events reports it
		}
	}
	return list, from
}

func (c *Chunk) readTree(ev metadataEvent) (*schema.Tree, error) {
	t, at, err := schema.ReadTree(c.data[:ev.end], int(ev.body), c.encoding)
	if err != nil {
		return nil, c.fail(metadataSection, uint64(at), err)
	}
	return t, nil
}

// withMetadata returns the types with those of the metadata events at the offsets, the first of
// which counts most. Types that are known keep their description and their ordinal: a virtual
// machine never gives a number to a second type. An event that cannot be read adds nothing.
func (c *Chunk) withMetadata(types *schema.TypeSet, offsets ...uint64) *schema.TypeSet {
	if c.metadata == nil { // the metadata was borrowed
		c.metadata = make(map[uint64]bool)
	}
	var trees []*schema.Tree
	var read []metadataEvent
	for _, offset := range offsets {
		if c.metadata[offset] {
			continue
		}
		ev, err := c.readMetadataEvent(offset)
		if err != nil || c.isIdle(ev, types) {
			continue
		}
		if t, err := c.readTree(ev); err == nil {
			trees, read = append(trees, t), append(read, ev)
		}
	}
	if len(trees) == 0 {
		return types
	}
	all := types.With(trees...)
	// Not before, for a truncated file can fault on the way.
	for _, ev := range read {
		c.metadata[ev.offset] = true
		if all == types {
			c.setIdle(ev, types)
		}
	}
	return all
}

// AllTypes returns the types that all metadata events of the chunk describe together, not only
// those of the newest. A virtual machine writes its types anew when one is added, and leaves out
// those that it has unloaded, whose events may still lie in the chunk. The first call walks
// through all events of the chunk.
func (c *Chunk) AllTypes() (*schema.TypeSet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.loadTypes(); err != nil {
		return nil, err
	}
	return c.completeTypes(), nil
}

// HeadersOf returns the headers of the events with one of some type numbers, in their order. The
// same walk through all events reads the metadata that [Chunk.AllTypes] reads. It is made for types
// of which a chunk has few events.
func (c *Chunk) HeadersOf(ids ...schema.TypeID) ([]EventHeader, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.loadTypes(); err != nil {
		return nil, err
	}
	types, headers := c.withOthersAnd(c.types.Load(), ids)
	c.types.Store(types)
	return headers, nil
}

// Walked returns how far the walk of [Chunk.AllTypes] through the events has come, in bytes from
// the start of the chunk: to its end, or to what is no event.
func (c *Chunk) Walked() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.completed
}

func (c *Chunk) completeTypes() *schema.TypeSet {
	types := c.withOthers(c.types.Load())
	c.types.Store(types)
	return types
}

// withOthers returns the types with those of all metadata events that have not been read yet, the
// newest first.
func (c *Chunk) withOthers(types *schema.TypeSet) *schema.TypeSet {
	types, _ = c.withOthersAnd(types, nil)
	return types
}

// withOthersAnd is withOthers that returns the headers of the events with one of some type numbers,
// too.
func (c *Chunk) withOthersAnd(types *schema.TypeSet, ids []schema.TypeID) (all *schema.TypeSet, headers []EventHeader) {
	all = types
	c.readOthers.run(func() {
		c.Need()
		from := c.FirstEvent()
		if len(ids) == 0 {
			from = max(from, c.completed)
		}
		found, offset := c.headersFrom(from, append(ids[:len(ids):len(ids)], schema.MetadataID)...)
		var others []uint64
		for _, h := range found {
			if h.Type != schema.MetadataID {
				headers = append(headers, h)
			} else if h.Offset >= c.completed {
				others = append(others, h.Offset)
			}
		}
		slices.Reverse(others)
		all = c.withMetadata(types, others...)
		c.completed = offset
	})
	return all, headers
}
