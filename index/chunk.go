package index

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Chunk is one chunk of a recording: an island with its own clock, types and
// constants.
type Chunk struct {
	index  *Index
	number int
	offset uint64
	// base is where the bytes of the index lie in their file; 0 but for a chunk that
	// grows by itself.
	base     uint64
	header   wire.Header
	encoding wire.IntEncoding
	// data is the chunk's bytes, as far as they can be believed.
	data []byte

	lead, trail error

	mu sync.Mutex // guards the making of what follows

	types     atomic.Pointer[schema.TypeSet]
	typesErr  error
	metadata  map[uint64]bool // where the metadata events in types lie
	older     uint64          // where the one is that took the place of what the header names, or 0
	completed uint64          // up to here all metadata events are in types

	constants atomic.Pointer[Constants]
	blocks    atomic.Pointer[Blocks]

	// What makes them, which a cut file can end.
	readTypes, readOthers, readConstants, readBlocks pass

	// What [Salvage] has found out; nil without. If there are gaps, or checkpoints that
	// the header does not lead to, checkpoints has them all, newest first.
	gaps        []gap
	checkpoints []checkpointHead
	salvaged    *SalvageReport
	lender      *Chunk // whose metadata it has

	// saved is what a saved index has of the chunk; nil without one.
	saved *savedChunk
	// grown reports whether the chunk is one that grows, or a clone of one.
	grown bool
}

// maxChunk bounds a chunk so that offsets inside it fit five bytes.
const maxChunk = 1 << 40

func (c *Chunk) setEnd(size uint64) {
	c.data = c.index.data[c.offset : c.offset+size : c.offset+size]
}

// Number returns the position of the chunk in the recording, from 0.
func (c *Chunk) Number() int { return c.number }

// File returns what errors call the recording; empty if it has no name.
func (c *Chunk) File() string { return c.index.file }

// Offset returns where the chunk begins, in bytes from the start of the recording.
func (c *Chunk) Offset() uint64 { return c.base + c.offset }

// Header returns the header as it stands in the file; that of a chunk that was salvaged
// (see [Salvage]) says what it should say there.
func (c *Chunk) Header() wire.Header { return c.header }

// IntEncoding returns how the chunk writes its integers.
func (c *Chunk) IntEncoding() wire.IntEncoding { return c.encoding }

// Data returns the bytes of the chunk, the header included, up to where they can
// be believed. It aliases the recording.
func (c *Chunk) Data() []byte { return c.data }

// LeadingErr returns what is wrong between the chunk before and this one, or nil.
func (c *Chunk) LeadingErr() error { return c.lead }

// TrailingErr returns what is wrong with the end of the chunk: an error that matches
// [ErrUnfinished], [ErrTruncated] or [ErrCorrupt], or nil.
func (c *Chunk) TrailingErr() error { return c.trail }

// EndExplains reports whether an error that ended the reading of the chunk only shows what
// Trail says already: that the end of the chunk is missing. It does not explain why
// metadata cannot be read that is there as a whole, nor anything else that is wrong
// before the last flush of a chunk that was never finished.
func (c *Chunk) EndExplains(err error) bool {
	if !errors.Is(c.trail, ErrUnfinished) && !errors.Is(c.trail, ErrTruncated) && !errors.Is(c.trail, ErrTrailing) {
		return false
	}
	format, ok := errors.AsType[*FormatError](err)
	if !ok {
		return true
	}
	if format.Section == metadataSection {
		// The event is whole. Where no header tells its place it may be another event.
		return c.header.Metadata == 0 && format.Offset == c.Offset()+c.metadataOffset()
	}
	flushed := errors.Is(c.trail, ErrUnfinished) && c.header.Metadata != 0 && c.header.Size == uint64(len(c.data))
	return !flushed
}

// fail makes a FormatError for an offset from the start of the chunk.
//
//go:noinline
func (c *Chunk) fail(section string, offset uint64, err error) error {
	return &FormatError{Err: err, Section: section, Offset: c.Offset() + offset, Chunk: c.number, File: c.index.file}
}

// Types returns what the chunk's metadata describes, reading it on first use.
// It fails if the chunk has no metadata that can be read.
func (c *Chunk) Types() (*schema.TypeSet, error) {
	if t := c.types.Load(); t != nil {
		return t, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loadTypes()
}

func (c *Chunk) loadTypes() (*schema.TypeSet, error) {
	if t := c.types.Load(); t != nil || c.typesErr != nil {
		return t, c.typesErr
	}
	c.readTypes.run(c.makeTypes)
	return c.types.Load(), c.typesErr
}

func (c *Chunk) makeTypes() {
	offset := c.metadataOffset()
	types, err := c.firstTypes(offset)
	if err != nil && c.endMissing() {
		if older, at, ok := c.olderTypes(); ok {
			c.older, c.metadata = at, map[uint64]bool{at: true}
			c.types.Store(c.withOthers(older))
			return
		}
	}
	if err != nil {
		c.typesErr = err
		return
	}
	c.metadata = map[uint64]bool{offset: true}
	if !types.Linked() {
		// A class refers to one that only an older metadata event describes.
		types = c.withOthers(types)
	}
	c.types.Store(types)
}

// metadataOffset returns where the chunk's metadata event should be. A header
// that was never completed does not say; async-profiler writes the event first.
func (c *Chunk) metadataOffset() uint64 {
	if c.header.Metadata == 0 {
		return wire.HeaderLen
	}
	return c.header.Metadata
}

// firstTypes returns what the metadata event at offset describes.
func (c *Chunk) firstTypes(offset uint64) (*schema.TypeSet, error) {
	ev, err := c.readMetadataEvent(offset)
	if err != nil {
		return nil, err
	}
	read := func() (*schema.Tree, error) { return c.readTree(ev) }
	return c.index.typesOf(c.encoding, c.offset+ev.body, c.offset+ev.end, read)
}

// olderTypes returns what the last metadata event describes that can be read and to which
// the frames lead, and where it is. It is for chunks without their end: the metadata that
// the header names is often there. False if there is none.
func (c *Chunk) olderTypes() (types *schema.TypeSet, offset uint64, ok bool) {
	for _, offset := range slices.Backward(c.headersOf(schema.MetadataID)) {
		if types, err := c.firstTypes(offset); err == nil {
			return types, offset, true
		}
	}
	return nil, 0, false
}

// structures returns where the frames of a type lie.
func (c *Chunk) headersOf(id schema.TypeID) []uint64 {
	list, _ := c.headersFrom(c.FirstEvent(), id)
	return list
}

// structuresFrom returns where the frames of a type lie among those to which the one at an
// offset leads, and where these end.
func (c *Chunk) headersFrom(from uint64, id schema.TypeID) (list []uint64, end uint64) {
	for from < uint64(len(c.data)) {
		rec, err := c.readEventHeader(from)
		if err != nil {
			break // the walk over the events reports it
		}
		if rec.Type == id {
			list = append(list, from)
		}
		from = c.afterGap(rec.End())
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

// withMetadata returns the types with those of the metadata events at the
// offsets, the first of which counts most. Classes that are known keep their
// description and their ordinal: a virtual machine never gives a number to a
// second class. An event that cannot be read adds nothing.
func (c *Chunk) withMetadata(types *schema.TypeSet, offsets ...uint64) *schema.TypeSet {
	if c.metadata == nil { // what it has was borrowed
		c.metadata = make(map[uint64]bool)
	}
	var trees []*schema.Tree
	var read []uint64
	for _, offset := range offsets {
		if c.metadata[offset] {
			continue
		}
		ev, err := c.readMetadataEvent(offset)
		if err != nil {
			continue
		}
		if t, err := c.readTree(ev); err == nil {
			trees, read = append(trees, t), append(read, offset)
		}
	}
	if len(trees) == 0 {
		return types
	}
	types = types.With(trees...)
	// Not before, for a file that was cut can fault on the way.
	for _, offset := range read {
		c.metadata[offset] = true
	}
	return types
}

// AllTypes reads all metadata events of the chunk, not only the newest,
// and returns what they describe together. A virtual machine writes its types
// anew when one is added, and leaves out those it has forgotten, whose events
// may still lie in the chunk. It goes through the frames of the whole chunk when
// it is first called.
func (c *Chunk) AllTypes() (*schema.TypeSet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.loadTypes(); err != nil {
		return nil, err
	}
	return c.completeTypes(), nil
}

func (c *Chunk) completeTypes() *schema.TypeSet {
	types := c.withOthers(c.types.Load())
	c.types.Store(types)
	return types
}

// withOthers returns the types with those of all metadata events that have not
// been read yet, the newest first.
func (c *Chunk) withOthers(types *schema.TypeSet) *schema.TypeSet {
	c.readOthers.run(func() { types = c.addOthers(types) })
	return types
}

func (c *Chunk) addOthers(types *schema.TypeSet) *schema.TypeSet {
	others, offset := c.headersFrom(max(c.completed, c.FirstEvent()), schema.MetadataID)
	slices.Reverse(others)
	types = c.withMetadata(types, others...)
	c.completed = offset
	return types
}

// pass is work that walks through much of a chunk and is done once. A file that is truncated while
// it is mapped ends such work by a panic, each time that it is tried. So the panic is stored, too,
// and the next caller gets it at once: a reader of many values costs no more than in proportion to
// the bytes.
//
// The mutex of the chunk guards it.
type pass struct {
	failure any
}

// run calls do, unless it has panicked before: then it panics with the same value.
func (p *pass) run(do func()) {
	if p.failure != nil {
		panic(p.failure)
	}
	defer func() {
		if failure := recover(); failure != nil {
			p.failure = failure
			panic(failure)
		}
	}()
	do()
}
