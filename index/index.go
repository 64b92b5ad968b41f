// Package index shows where the parts of a recording lie: its chunks, and in each chunk the
// metadata, the checkpoints with their pools, the constants and the events. It decodes no value;
// package mmapjfr does. FORMAT.md draws the bytes.
//
//	for _, chunk := range index.Chunks(rec) {
//		for event, err := range chunk.Events() {
//
// Offset of a [Chunk] counts from the start of the recording, and all other offsets from the start
// of their chunk, as those in the file do. After Close, and for a zero Chunk, methods return
// [mmapjfr.ErrClosed].
package index

import (
	"iter"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// BlockSize is how many bytes of a chunk a [Block] covers.
const BlockSize = index.BlockSize

// Chunk is one chunk of a recording.
type Chunk struct {
	// Offset is where the chunk begins, in bytes from the start of the recording.
	Offset uint64
	// Metadata is where the newest metadata event begins, and 0 if the header names none.
	Metadata uint64

	chunk mmapjfr.Chunk
	index *index.Chunk
}

// Chunks returns the chunks of a recording in the order of the file.
func Chunks(rec *mmapjfr.Recording) []Chunk {
	chunks := rec.Chunks()
	list := make([]Chunk, len(chunks))
	for i, c := range chunks {
		x := engine.ChunkIndex(c)
		list[i] = Chunk{Offset: x.Offset(), Metadata: x.Header().Metadata, chunk: c, index: x}
	}
	return list
}

// Chunk returns the chunk with its types and its clock.
func (c Chunk) Chunk() mmapjfr.Chunk { return c.chunk }

// Bytes returns the bytes of the chunk, the header included, as far as they can be read. They are
// those of the file: read them inside [mmapjfr.Recording.Protect]. It returns nil after Close.
func (c Chunk) Bytes() []byte { return engine.ChunkBytes(c.chunk) }

// Event is where an event lies. Metadata events and checkpoints have the types 0 and 1.
type Event struct {
	// Offset is where the event begins, and Body where its first field does.
	Offset, Body uint64
	// Size is the number of its bytes.
	Size uint32
	// Type is the number of its type in this chunk, see [mmapjfr.Type.ID].
	Type int64
}

// Events yields all events in the order of the file, metadata events and checkpoints among them.
// It ends with an error where an event cannot be read.
func (c Chunk) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var headers [64]index.EventHeader
		var n int
		var next, end uint64
		read := func() (err error) {
			if end == 0 {
				next, end = c.index.FirstEvent(), c.index.Size()
			}
			if n = 0; next < end {
				n, next, err = c.index.ReadHeaders(next, end, headers[:])
			}
			return err
		}
		for {
			err := c.chunk.Protect(read)
			for _, h := range headers[:n] {
				if !yield(Event{h.Offset, h.Body(), h.Size, int64(h.Type)}, nil) {
					return
				}
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			if n == 0 {
				return
			}
		}
	}
}

// Block is 64 KiB of a chunk. An event belongs to the block in which it begins.
type Block struct {
	// Offset is where the first event of the block begins, and the end of the block if none does.
	Offset uint64
	// Before is how many events of the chunk come before it, without metadata and checkpoints.
	Before uint64
	// First and Last are when the first and last of its events began, in ticks of the chunk's
	// clock. First is greater than Last if no event of the block has a time.
	First, Last int64
}

// Blocks returns the blocks of the chunk up to an event that cannot be read. The first call walks
// over all events.
func (c Chunk) Blocks() (list []Block, err error) {
	err = c.chunk.Protect(func() error {
		b := c.index.Blocks()
		list = make([]Block, b.Len())
		for i := range list {
			list[i].Offset, list[i].Before = b.Begin(i)
			list[i].First, list[i].Last, _ = b.Times(i)
		}
		return b.Err()
	})
	return list, err
}

// Checkpoint is an event that carries pools of constants.
type Checkpoint struct {
	// Offset is where the event begins.
	Offset uint64
	// Size is the number of its bytes.
	Size uint32
	// Flush says that the checkpoint ends a flush.
	Flush bool
	// Pools are the pools that it carries.
	Pools []Pool
}

// Pool is constants of one type that lie side by side in a checkpoint.
type Pool struct {
	// Type is the number of their type in this chunk, see [mmapjfr.Type.ID].
	Type int64
	// Offset is where the first key lies, and Size how many bytes all constants take.
	Offset, Size uint64
	// Count is how many constants there are.
	Count uint64
}

// Constants is where the checkpoints, pools and constants of a chunk lie.
type Constants struct {
	// Checkpoints are the checkpoints, oldest first.
	Checkpoints []Checkpoint

	chunk     mmapjfr.Chunk
	constants *index.Constants
}

// Constants returns where the constants lie. The first call reads the checkpoints. An error says
// what is wrong with them; what can be read is there all the same.
func (c Chunk) Constants() (found Constants, err error) {
	err = c.chunk.Protect(func() error {
		k, err := c.index.Constants()
		if err != nil {
			return err
		}
		all := make([]Pool, len(k.Pools()))
		for i, p := range k.Pools() {
			all[i] = Pool{int64(p.Type), p.Offset, p.Size, p.Count}
		}
		list := make([]Checkpoint, len(k.Checkpoints()))
		for i, p := range k.Checkpoints() {
			flush := p.Mask&index.CheckpointFlush != 0
			list[i] = Checkpoint{p.Offset, p.Size, flush, all[p.FirstPool:][:p.Pools:p.Pools]}
		}
		found = Constants{list, c.chunk, k}
		return k.Err()
	})
	return found, err
}

// Lookup returns where the value of the constant with that type and key begins. It reports false
// if no checkpoint has the constant.
func (k Constants) Lookup(typeID, key int64) (offset uint64, ok bool) {
	err := k.chunk.Protect(func() error {
		if typ := k.constants.Type(schema.TypeID(typeID)); typ != nil {
			offset, ok = k.constants.Lookup(typ, key)
		}
		return nil
	})
	return offset, ok && err == nil
}
