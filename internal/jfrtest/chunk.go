package jfrtest

import (
	"fmt"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Builder makes one chunk. What is added first lies first; the constants of
// [Builder.Constant] and the metadata event are where their fields say, unless a
// test puts checkpoints and metadata events of its own into the chunk.
//
// Values are not looked at before the chunk is built, so everything that a method
// returned can still be changed. A Builder can be built many times.
type Builder struct {
	// Header is the chunk's header. Size and offsets are filled in, and Flags
	// decides on the form of all integers.
	Header Header
	// ForceSize, where not nil, is the size in the header instead of the true one.
	ForceSize *int64
	// ForceCheckpointOffset, where not nil, is the newest checkpoint in the header.
	ForceCheckpointOffset *int64
	// ForceMetadataOffset, where not nil, is the newest metadata event in the header.
	ForceMetadataOffset *int64
	// ChainStart, where not nil, is the checkpoint that the header names; else it is the last one.
	ChainStart *Checkpoint

	// Region is what the metadata says about place and time zone.
	Region Region
	// StringEncoding is how plain Go strings are written: 3, 4 or 5.
	StringEncoding byte
	// SizeWidth is the width of the sizes of events and checkpoints; 0 is as short
	// as possible. The JVM writes small events short and everything else in 4 bytes.
	SizeWidth int
	// ConstantsFirst puts the constants of [Builder.Constant] before everything
	// else; otherwise they follow the events.
	ConstantsFirst bool
	// MetadataFirst puts the metadata event that a chunk has by default directly
	// after the header, as async-profiler does; otherwise it is the last.
	MetadataFirst bool
	// Bare leaves out the metadata event and the checkpoint that every chunk
	// otherwise gets, as at the beginning of a recording.
	Bare bool

	classes   []*Class
	byName    map[string]*Class
	nextID    int64
	items     []item
	events    int
	constants *Checkpoint
}

// item is something with a place in the chunk.
type item interface {
	// encode appends the item. The first of two times, offsets are not known yet
	// and are 0; what is appended must be as long as the second time.
	encode(e *encoder, p *placement) any
}

// placement says where items lie.
type placement struct {
	at    map[item]int64
	index map[item]int
	// prev is the next older link of the chain for those that do not name one.
	prev map[*Checkpoint]*Checkpoint
	// metadata are the metadata events, in which there are no offsets.
	metadata map[*Metadata][]byte
	size     int // of the chunk when it was encoded before
}

// NewChunk returns a chunk of version 2.1 with compressed integers that has the
// JDK's basic classes; see [Builder.Standard].
func NewChunk() *Builder {
	b := NewEmptyChunk()
	b.Standard()
	return b
}

// NewEmptyChunk returns a chunk like that of [NewChunk], but without any class.
func NewEmptyChunk() *Builder {
	return &Builder{
		Header: Header{
			Major: 2, Minor: 1,
			StartNanos:    1_700_000_000_000_000_000,
			DurationNanos: 1_000_000_000,
			StartTicks:    1_000_000,
			TickRate:      1_000_000_000,
			Flags:         FlagCompressed,
		},
		Region:         Region{Locale: "en_GB"},
		StringEncoding: encUTF8,
		byName:         map[string]*Class{},
		// Where the JDK's own classes end and the rest begins does not matter, but
		// ids of one and of two bytes are both worth having.
		nextID: 100,
	}
}

// Uncompressed makes the chunk's integers big-endian ones of full size and returns b.
func (b *Builder) Uncompressed() *Builder {
	b.Header.Flags &^= FlagCompressed
	return b
}

// Bytes returns the chunk.
func (b *Builder) Bytes() []byte {
	data, _ := b.Build()
	return data
}

// Build returns the chunk and where things are in it.
func (b *Builder) Build() ([]byte, *Layout) {
	items := b.arrange()
	p := &placement{
		at:       map[item]int64{},
		index:    map[item]int{},
		prev:     map[*Checkpoint]*Checkpoint{},
		metadata: map[*Metadata][]byte{},
	}
	var lastCheckpoint *Checkpoint
	var lastMetadata *Metadata
	for i, it := range items {
		p.index[it] = i
		switch it := it.(type) {
		case *Checkpoint:
			if !it.Unlinked {
				p.prev[it] = lastCheckpoint
				lastCheckpoint = it
			}
		case *Metadata:
			lastMetadata = it
		}
	}
	if b.ChainStart != nil {
		lastCheckpoint = b.ChainStart
	}

	h := b.Header
	_, h.Size = b.encode(items, p, func(headerCopy) []byte { return make([]byte, HeaderSize) })
	if lastCheckpoint != nil {
		h.CheckpointOffset = p.at[lastCheckpoint]
	}
	if lastMetadata != nil {
		h.MetadataOffset = p.at[lastMetadata]
	}
	e, _ := b.encode(items, p, func(c headerCopy) []byte {
		return headerBytes(b.headerAt(h, c, items, p))
	})
	for _, f := range []struct{ value, force *int64 }{
		{&h.Size, b.ForceSize},
		{&h.CheckpointOffset, b.ForceCheckpointOffset},
		{&h.MetadataOffset, b.ForceMetadataOffset},
	} {
		if f.force != nil {
			*f.value = *f.force
		}
	}
	copy(e.data, headerBytes(h))
	return e.data, e.layout
}

// arrange returns all items in the order of the chunk, with those that come by default.
func (b *Builder) arrange() []item {
	var hasCheckpoint, hasMetadata bool
	for _, it := range b.items {
		switch it.(type) {
		case *Checkpoint:
			hasCheckpoint = true
		case *Metadata:
			hasMetadata = true
		}
	}
	constants := b.constants
	if constants == nil && !hasCheckpoint && !b.Bare {
		constants = &Checkpoint{Start: b.Header.StartTicks, b: b}
	}
	var before, after []item
	if !hasMetadata && !b.Bare {
		m := &Metadata{ID: 1, Start: b.Header.StartTicks}
		if b.MetadataFirst {
			before = append(before, m)
		} else {
			after = append(after, m)
		}
	}
	if constants != nil {
		if b.ConstantsFirst {
			before = append(before, constants)
		} else {
			after = append([]item{constants}, after...)
		}
	}
	all := append(before, b.items...)
	return append(all, after...)
}

// built is an encoded chunk.
type built struct {
	data   []byte
	layout *Layout
}

func (b *Builder) encode(items []item, p *placement, header func(headerCopy) []byte) (built, int64) {
	e := &encoder{
		buf:        make([]byte, HeaderSize, max(HeaderSize, p.size)),
		compressed: b.Header.Flags&FlagCompressed != 0,
		b:          b,
		header:     header,
	}
	l := &Layout{checkpoints: map[*Checkpoint]int{}}
	for _, it := range items {
		at := int64(len(e.buf))
		p.at[it] = at
		what := it.encode(e, p)
		l.add(it, what, Span{at, int64(len(e.buf)) - at})
	}
	l.Chunk = Span{0, int64(len(e.buf))}
	p.size = len(e.buf)
	return built{e.buf, l}, l.Chunk.Size
}

// headerAt returns the header as it was when a checkpoint had just been written:
// the chunk ends with it, and so does the chain.
func (b *Builder) headerAt(h Header, c headerCopy, items []item, p *placement) Header {
	h.State = c.state
	h.CheckpointOffset = p.at[c.of]
	for i, it := range items {
		if i > p.index[c.of] {
			h.Size = p.at[it]
			break
		}
		if m, ok := it.(*Metadata); ok {
			h.MetadataOffset = p.at[m]
		}
	}
	return h
}

func headerBytes(h Header) []byte {
	var a wire.Appender
	a.Header(wire.Header{
		Major: h.Major, Minor: h.Minor, Size: uint64(h.Size), Checkpoint: uint64(h.CheckpointOffset), Metadata: uint64(h.MetadataOffset),
		StartNanos: h.StartNanos, DurationNanos: h.DurationNanos, StartTicks: h.StartTicks, TicksPerSecond: h.TickRate,
		State: h.State, Flags: h.Flags,
	})
	copy(a.Bytes[65:], h.Pad[:]) // which a test may fill
	return a.Bytes
}

// Class adds a class and returns it.
func (b *Builder) Class(name string, fields ...Field) *Class {
	c := &Class{ID: b.nextID, Name: name, Fields: fields}
	b.nextID++
	b.Add(c)
	return c
}

// Add adds a class with an id of the test's choice. A later class of the same
// name takes over the name.
func (b *Builder) Add(c *Class) {
	b.classes = append(b.classes, c)
	b.byName[c.Name] = c
}

// Lookup returns the class with a name; nil if no class has it.
func (b *Builder) Lookup(name string) *Class { return b.byName[name] }

// Classes returns all classes in the order they were added.
func (b *Builder) Classes() []*Class { return b.classes }

// classOf returns the class with an id, or with a name if the id is 0.
func (b *Builder) classOf(name string, id int64) *Class {
	if id == 0 {
		if c := b.byName[name]; c != nil {
			return c
		}
	}
	for _, c := range b.classes {
		if id != 0 && c.ID == id {
			return c
		}
	}
	panic(fmt.Sprintf("jfrtest: no class %q with the id %d", name, id))
}

// idOf returns the id to write for a class, which need not exist if it is not 0.
func (b *Builder) idOf(name string, id int64) int64 {
	if id != 0 {
		return id
	}
	return b.classOf(name, 0).ID
}

// bytesItem are bytes between events.
type bytesItem struct{ data []byte }

func (i *bytesItem) encode(e *encoder, _ *placement) any {
	e.buf = append(e.buf, i.data...)
	return nil
}

// Insert puts bytes between two events.
func (b *Builder) Insert(data []byte) { b.items = append(b.items, &bytesItem{data}) }
