package inspect

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index/schema"
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
	// Offset is where it begins, from the start of the recording, and Size how many bytes it has.
	Offset, Size uint64
	// Before is how many events of the recording come before it: the ordinal of an
	// event, and of the next one for other places.
	Before uint64
	// Event is the event, if it is one and can be read.
	Event mmapjfr.Event
	// Err says why an event cannot be read.
	Err error
}

// ErrNotFound says that an offset is in no chunk of the recording, or after the part of it
// that can be read.
var ErrNotFound = errors.New("nothing that can be read lies here")

// Find returns what lies at the offset, which may be anywhere inside it. It fails with an
// error that matches [ErrNotFound] if the offset is in no chunk, and with what is wrong with
// the chunk if damage before the offset hides what is there.
//
// The first call for a chunk walks over its event headers and over those of all chunks before
// it, as [mmapjfr.Recording.EventAtOffset] does. It fails with [mmapjfr.ErrClosed] once the
// recording is closed, and with [mmapjfr.ErrTruncated] if the file is cut while it is read.
func Find(rec *mmapjfr.Recording, offset uint64) (p Item, err error) {
	err = rec.Protect(func() error {
		p, err = find(rec, offset)
		return err
	})
	return p, err
}

func find(rec *mmapjfr.Recording, offset uint64) (p Item, err error) {
	for _, c := range rec.Chunks() {
		if offset >= c.Offset() && offset-c.Offset() < c.Size() {
			p.Chunk = c
			break
		}
	}
	if p.Chunk.Size() == 0 {
		return Item{}, outside(rec, offset)
	}
	p.Before = engine.ChunkEventsBefore(p.Chunk)
	if offset-p.Chunk.Offset() < wire.HeaderLen {
		p.Kind, p.Offset, p.Size = HeaderItem, p.Chunk.Offset(), wire.HeaderLen
		return p, nil
	}
	h, ordinal, err := engine.ChunkEventHeaderAt(p.Chunk, offset-p.Chunk.Offset())
	switch {
	case errors.Is(err, mmapjfr.ErrNoEvent):
		return Item{}, fmt.Errorf("%w: nothing of chunk %d covers this offset", ErrNotFound, p.Chunk.Number())
	case err != nil:
		return Item{}, err
	}
	p.Before += ordinal
	p.Offset, p.Size = p.Chunk.Offset()+h.Offset, uint64(h.Size)
	switch {
	case h.Type == schema.MetadataID:
		p.Kind = MetadataItem
	case h.Type == schema.CheckpointID:
		p.Kind = CheckpointItem
	default:
		p.Kind = EventItem
		p.Event, p.Err = rec.EventAtOffset(p.Offset)
	}
	return p, nil
}

// outside returns the error for an offset that is in no chunk.
func outside(rec *mmapjfr.Recording, offset uint64) error {
	if size := uint64(rec.Size()); offset >= size {
		return fmt.Errorf("%w: the file has %d bytes (%#x)", ErrNotFound, size, size)
	}
	chunks := rec.Chunks()
	for _, c := range slices.Backward(chunks) {
		if offset < c.Offset() {
			continue
		}
		why := "these bytes belong to no chunk"
		if errors.Is(errors.Join(c.Errors(nil)...), mmapjfr.ErrUnfinished) {
			why = "the recorder had not yet written the constants of what follows"
		}
		return fmt.Errorf("%w: chunk %d can be read up to %#x; %s", ErrNotFound, c.Number(), c.Offset()+c.Size(), why)
	}
	return fmt.Errorf("%w: the first chunk begins at %#x", ErrNotFound, chunks[0].Offset())
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

// Event explains the bytes of an event: its size, its type, and each field. See
// [Item.Lines] for how long that can be done.
func Event(ev mmapjfr.Event) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		a := newAnnotator(ev.Chunk(), ev.Offset(), uint64(len(engine.EventBytes(ev))), yield)
		a.head(func(int64) string { return engine.TypeRecordedName(ev.Type()) })
		a.fields("", ev.Type())
		a.rest("after the last field")
	}
}

// newAnnotator returns an annotator for the bytes from an offset of the recording on.
func newAnnotator(c mmapjfr.Chunk, offset, size uint64, yield func(Line) bool) *annotator {
	pos := offset - c.Offset()
	data := engine.ChunkBytes(c)
	end := min(pos+size, uint64(len(data)))
	a := &annotator{chunk: c, data: data[:end:end], pos: int(min(pos, end)), yield: yield, form: wire.FixedWidth}
	if engine.ChunkHasVarints(c) {
		a.form = wire.Compressed
	}
	return a
}

// head explains an event header (FORMAT.md, section 5.1).
func (a *annotator) head(name func(id int64) string) {
	end := a.chunk.Offset() + uint64(len(a.data))
	a.integer("size", func(int64) string { return fmt.Sprintf("to %#x", end) })
	a.long("type", "type", name)
}
