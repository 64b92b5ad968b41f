package inspect

import (
	"errors"
	"fmt"
	"iter"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Kind is what a [Item] is.
type Kind uint8

// The kinds. The header begins a chunk; of the other three the chunk consists.
const (
	HeaderItem Kind = iota
	MetadataItem
	CheckpointItem
	EventItem
)

var kindNames = [...]string{"header", "metadata", "checkpoint", "event"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Item is what lies at an offset of a recording: an event that was recorded, or a
// structure of the format itself.
type Item struct {
	// Kind is what it is.
	Kind Kind
	// Chunk is the chunk that it lies in.
	Chunk mmapjfr.Chunk
	// Offset is where it begins, from the start of the recording, and Size how many
	// bytes it has.
	Offset, Size uint64
	// Before is how many events of the recording come before it: the ordinal of an
	// event, and of the next one for other places.
	Before uint64
	// Event is the event, if it is one and can be read.
	Event mmapjfr.Event
	// Err says why an event cannot be read.
	Err error
}

// ErrNotFound says that an offset is in no chunk of the recording, or behind what
// can be read of it.
var ErrNotFound = errors.New("nothing that can be read lies here")

// Find returns what lies at the offset, which may be anywhere inside it. It fails
// with an error that matches [ErrNotFound] if the offset is in no chunk, and with
// what is wrong with the chunk if damage before the offset hides what is there.
//
// As [mmapjfr.Recording.EventAtOffset] does, it goes through the chunk when it is first
// called for one, and through those before it. It fails with [mmapjfr.ErrClosed] once
// the recording is closed, and with [mmapjfr.ErrTruncated] if the file is cut while it
// is read.
func Find(rec *mmapjfr.Recording, offset uint64) (p Item, err error) {
	err = rec.Protect(func() error {
		p, err = find(rec, offset)
		return err
	})
	return p, err
}

func find(rec *mmapjfr.Recording, offset uint64) (Item, error) {
	p := Item{}
	found := false
	for _, c := range rec.Chunks() {
		if offset >= c.Offset() && offset-c.Offset() < c.Size() {
			p.Chunk, found = c, true
			break
		}
		p.Before += c.Index().BuildBlocks(rec.Workers()).Events()
	}
	if !found {
		return Item{}, outside(rec, offset)
	}
	rel := offset - p.Chunk.Offset()
	if rel < wire.HeaderLen {
		p.Kind, p.Offset, p.Size = HeaderItem, p.Chunk.Offset(), wire.HeaderLen
		return p, nil
	}
	frame, ordinal, err := frameAt(p.Chunk.Index(), rec.Workers(), rel)
	if err != nil {
		return Item{}, err
	}
	p.Before += ordinal
	p.Offset, p.Size = p.Chunk.Offset()+frame.Offset, uint64(frame.Size)
	switch frame.Type {
	case schema.MetadataID:
		p.Kind = MetadataItem
	case schema.CheckpointID:
		p.Kind = CheckpointItem
	default:
		p.Kind = EventItem
		p.Event, p.Err = rec.EventAtOffset(p.Offset)
	}
	return p, nil
}

func outside(rec *mmapjfr.Recording, offset uint64) error {
	if size := uint64(rec.Size()); offset >= size {
		return fmt.Errorf("%w: the file has %d bytes (%#x)", ErrNotFound, size, size)
	}
	chunks := rec.Chunks()
	for i := range chunks {
		c := chunks[len(chunks)-1-i]
		if offset < c.Offset() {
			continue
		}
		end := c.Offset() + c.Size()
		why := "these bytes belong to no chunk"
		if err := c.Index().TrailingErr(); errors.Is(err, mmapjfr.ErrUnfinished) {
			why = "the recorder had not yet written the constants of what follows"
		}
		return fmt.Errorf("%w: chunk %d can be read up to %#x; %s", ErrNotFound, c.Number(), end, why)
	}
	return fmt.Errorf("%w: the first chunk begins at %#x", ErrNotFound, chunks[0].Offset())
}

// frameAt returns the frame of what an offset from the start of the chunk lies in,
// and how many events of the chunk come before it.
func frameAt(c *index.Chunk, workers int, offset uint64) (frame index.EventHeader, ordinal uint64, err error) {
	blocks := c.BuildBlocks(workers)
	block := min(int(offset/index.BlockSize), blocks.Len()-1)
	begin, ordinal := c.FirstEvent(), uint64(0)
	for ; block >= 0; block-- {
		// What covers the offset may have begun some blocks before: nothing begins in
		// those between them.
		if at, n := blocks.Begin(block); at <= offset && at < uint64(block+1)*index.BlockSize {
			begin, ordinal = at, n
			break
		}
	}
	var buf [64]index.EventHeader
	for begin <= offset {
		n, next, err := c.ReadHeaders(begin, offset+1, buf[:])
		for _, r := range buf[:n] {
			if r.End() > offset {
				return r, ordinal, nil
			}
			if r.IsEvent() {
				ordinal++
			}
		}
		if err != nil {
			return index.EventHeader{}, 0, err
		}
		if n == 0 {
			break
		}
		begin = next
	}
	return index.EventHeader{}, 0, fmt.Errorf("%w: nothing of chunk %d covers this offset", ErrNotFound, c.Number())
}

// Lines explains the bytes of the place. They must be read before the recording is
// closed; [mmapjfr.Recording.Protect] helps where others may cut the file meanwhile.
func (p Item) Lines() iter.Seq[Line] {
	return p.explain((*annotator).metadata, (*annotator).checkpoint)
}

// Head explains the place up to the strings of metadata and the pools of a
// checkpoint, of which there may be very many.
func (p Item) Head() iter.Seq[Line] {
	return p.explain(
		func(a *annotator) { a.metadataHead() },
		func(a *annotator) { a.checkpointHead() },
	)
}

func (p Item) explain(metadata, checkpoint func(*annotator)) iter.Seq[Line] {
	if p.Kind == EventItem && !p.Event.IsZero() {
		return Event(p.Event)
	}
	return func(yield func(Line) bool) {
		a := newAnnotator(p.Chunk, p.Offset, p.Size, yield)
		switch p.Kind {
		case HeaderItem:
			a.header("")
		case MetadataItem:
			metadata(a)
		case CheckpointItem:
			checkpoint(a)
		default:
			a.head(func(int64) string { return "not described" })
			a.rest("not understood")
		}
	}
}
