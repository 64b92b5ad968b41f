package index

import (
	"bytes"
	"slices"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// chunkOverview is what event headers say of a chunk before its types are known.
type chunkOverview struct {
	// chain are the checkpoints that the header leads to, newest first.
	chain []checkpointHead
	// metadata is where the readable metadata events begin.
	metadata []uint64
	// copies are the copies of the header in checkpoints.
	copies []wire.Header
	// seen is the types of all events.
	seen map[schema.TypeID]bool
	// first and last are when the first and the last checkpoint was written, in ticks.
	first, last int64
	timed       bool
}

// scan follows the events of the chunk as far as that is possible without the types, and reads the
// types.
func (s *salvager) scan() {
	c := s.c
	end := s.limit
	if !s.believed {
		end = min(end, c.index.nextChunk(c.offset+wire.HeaderLen)-c.offset)
	}
	c.setEnd(s.limit)
	if c.header.Checkpoint != 0 {
		s.chain, _ = c.chain(c.header.Checkpoint, 0)
	}
	c.setEnd(end)
	if c.header.Metadata != 0 {
		s.metadataAt(c.header.Metadata)
	}
	knownOffsets := s.knownOffsets()
	s.seen = make(map[schema.TypeID]bool)
	last := schema.MetadataID
	for pos := uint64(wire.HeaderLen); pos < uint64(len(c.data)); {
		rec, ok := c.eventHeader(pos)
		if !ok {
			i, _ := slices.BinarySearch(knownOffsets, pos+1)
			if i == len(knownOffsets) {
				break
			}
			pos = knownOffsets[i]
			continue
		}
		switch rec.Type {
		case schema.MetadataID:
			s.metadataAt(pos)
		case schema.CheckpointID:
			s.checkpointAt(rec)
		default:
			if rec.Type != last { // mostly it is the same
				s.seen[rec.Type] = true
				last = rec.Type
			}
		}
		pos = rec.End()
	}
	if len(s.metadata) == 0 {
		s.searchMetadata()
	}
	slices.Sort(s.metadata)
	s.metadata = slices.Compact(s.metadata)
	s.ownTypes()
	c.setEnd(s.limit)
}

// knownOffsets returns where the header leads to, in the order of the file.
func (s *salvager) knownOffsets() (list []uint64) {
	for i := range s.chain {
		list = append(list, s.chain[i].Offset)
	}
	list = append(list, s.metadata...)
	slices.Sort(list)
	return slices.Compact(list)
}

// metadataAt stores where a metadata event begins if all of it can be read.
func (s *salvager) metadataAt(offset uint64) bool {
	ev, err := s.c.readMetadataEvent(offset)
	if err != nil {
		return false
	}
	t, err := s.c.readTree(ev)
	if err != nil || !t.HasMetadata() {
		return false
	}
	s.metadata = append(s.metadata, offset)
	return true
}

// checkpointAt stores when a checkpoint was written, and the copy of the header in it.
func (s *salvager) checkpointAt(rec EventHeader) {
	h, err := s.c.readCheckpointHead(rec.Offset)
	if err != nil {
		return
	}
	start, _ := s.c.encoding.Long(s.c.data[rec.Body():])
	if !s.timed {
		s.first, s.timed = start, true
	}
	s.last = start
	if h.Mask&CheckpointHeader == 0 {
		return
	}
	b := s.c.data[:rec.End()]
	at := h.cur.Pos()
	if i := bytes.Index(b[at:min(at+maxCopyAt, len(b))], []byte(wire.Magic)); i >= 0 {
		if head, ok := wire.ReadHeader(b[at+i:]); ok && head.Major == s.raw.Major {
			s.copies = append(s.copies, head)
		}
	}
}

// maxCopyAt bounds how far after the head of a checkpoint the copy of a header may begin: after a
// type, a count, a key and a length.
const maxCopyAt = 4 * wire.MaxVarintLen

// searchMetadata looks for a metadata event at every byte. It gives up when too many bytes looked
// like one and were none.
func (s *salvager) searchMetadata() {
	c := s.c
	budget := searchShare * uint64(len(c.data))
	for pos := uint64(wire.HeaderLen); pos < uint64(len(c.data)); pos++ {
		rec, ok := c.eventHeader(pos)
		if !ok || rec.Type != schema.MetadataID || rec.Size < leastMetadata {
			continue
		}
		if s.metadataAt(pos) {
			pos = rec.End() - 1
			continue
		}
		if budget < uint64(rec.Size) {
			return
		}
		budget -= uint64(rec.Size)
	}
}

const (
	// leastMetadata is the least size of a metadata event that describes an event type.
	leastMetadata = 64
	// searchShare is how many times the bytes of a chunk may be read in a search.
	searchShare = 32
)

// undescribed reports whether there are events of types that types do not describe.
func (s *salvager) undescribed(types *schema.TypeSet) bool {
	for id := range s.seen {
		if types.EventType(id) == nil {
			return true
		}
	}
	return false
}

// ownTypes reads the types of the chunk from its newest metadata event. It reads the other ones,
// too, if there are events of types that the newest one does not describe.
func (s *salvager) ownTypes() {
	c := s.c
	if len(s.metadata) == 0 {
		_, _ = c.loadTypes() // stores the error
		return
	}
	if _, ok := slices.BinarySearch(s.metadata, c.header.Metadata); !ok {
		c.header.Metadata = s.metadata[len(s.metadata)-1]
	}
	types, err := c.loadTypes()
	if err != nil {
		return
	}
	s.types = c.number
	if s.undescribed(types) {
		others := slices.Clone(s.metadata)
		slices.Reverse(others)
		c.types.Store(c.withMetadata(types, others...))
	}
}
