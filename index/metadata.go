package index

import (
	"bytes"
	"hash/maphash"
	"sync"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// metadataSection is what errors call a metadata event.
const metadataSection = "metadata event"

// metadataEvent is a metadata event (FORMAT.md, section 4): where it lies in
// the chunk, and where the tree inside it begins.
type metadataEvent struct {
	offset, body, end uint64
}

// readMetadataEvent reads the head of the metadata event at offset.
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

// typesCache finds the Types of metadata that has been read before: chunks of
// one virtual machine mostly repeat theirs to the byte.
type typesCache struct {
	mu   sync.Mutex
	seed maphash.Seed
	seen map[uint64][]seenTypes
}

// seenTypes are the types of the tree that lies between two offsets of the
// recording.
type seenTypes struct {
	from, to uint64
	types    *schema.TypeSet
}

// typesOf returns the types of the metadata tree that lies between two offsets
// of the recording, reading it if it is new.
func (x *Index) typesOf(encoding wire.IntEncoding, from, to uint64, read func() (*schema.Tree, error)) (*schema.TypeSet, error) {
	tc := &x.types
	tc.mu.Lock()
	defer tc.mu.Unlock()
	if tc.seen == nil {
		tc.seed, tc.seen = maphash.MakeSeed(), make(map[uint64][]seenTypes)
	}
	data := x.data[from:to]
	wire.StepBytes(len(data))
	sum := maphash.Bytes(tc.seed, data)
	for _, s := range tc.seen[sum] {
		if s.types.IntEncoding == encoding && bytes.Equal(x.data[s.from:s.to], data) {
			return s.types, nil
		}
	}
	t, err := read()
	if err != nil {
		return nil, err
	}
	types := schema.NewTypeSet(encoding, t)
	if types.Linked() {
		// Others are completed with what else their chunk describes.
		tc.seen[sum] = append(tc.seen[sum], seenTypes{from, to, types})
	}
	return types, nil
}
