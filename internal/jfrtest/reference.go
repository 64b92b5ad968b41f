package jfrtest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// Recording is a recording decoded by [Decode].
type Recording struct{ Chunks []*Chunk }

// Chunk is a decoded chunk.
type Chunk struct {
	// Offset is where the chunk begins in the recording.
	Offset int64
	Header Header
	Region Region
	// Classes are the classes of all metadata events of the chunk, by id.
	Classes map[int64]*Class
	// Metadata are the chunk's metadata events in file order.
	Metadata []DecodedMetadata
	// Checkpoints are those on the chain, newest first.
	Checkpoints []DecodedCheckpoint
	// Pools are the constants by class id and key.
	Pools map[int64]map[int64]any
	// Events are all events but metadata and checkpoints, in file order.
	Events []Event

	numbers *[]Number
}

// DecodedMetadata says what metadata event a chunk contains.
type DecodedMetadata struct {
	// Offset is absolute; Size counts the event with its size field.
	Offset, Size int64
	// Start is in ticks.
	Start, Duration int64
	// ID is the metadata id, which changes when the types do.
	ID int64
	// Classes are the ids of the classes in the order of the file.
	Classes []int64
	// Bad is the reason why the event, of type 0 but not the one that the header
	// names, was not understood; nil if it was.
	Bad error
}

// DecodedCheckpoint says what a checkpoint contains.
type DecodedCheckpoint struct {
	// Offset is absolute; Size counts the event with its size field.
	Offset, Size int64
	// Start is in ticks.
	Start, Duration int64
	// Delta is added to the checkpoint's offset to find the next older one.
	Delta int64
	// Mask is the checkpoint's kind.
	Mask byte
	// Pools are the checkpoint's pools.
	Pools []DecodedPool
}

// DecodedPool says what a pool of a checkpoint contains.
type DecodedPool struct {
	Class int64
	// Keys, Offsets and the others belong together; an offset is absolute and is the
	// key's. Values are where the values after the keys are, and Ends where these end.
	Keys, Offsets, Values, Ends []int64
}

// Event is a decoded event.
type Event struct {
	// Offset is absolute; Size counts the event with its size field.
	Offset, Size int64
	TypeID       int64
	// TypeName is "" for a type that the metadata does not define.
	TypeName string
	// Fields are in the order of the metadata.
	Fields []Value
	// Rest is how many bytes of the event follow its last field; all of its body
	// if the type is unknown.
	Rest int64
}

// Field returns the value of the named field, or nil.
func (e *Event) Field(name string) any { return fieldOf(e.Fields, name) }

// Decode decodes a whole recording. With an error it returns what it had
// understood so far; the error wraps [ErrBad].
func Decode(data []byte) (*Recording, error) { return decode(data, nil) }

// DecodeNumbers is [Decode] and returns where each number stands, in the order of the file.
func DecodeNumbers(data []byte) (*Recording, []Number, error) {
	var list []Number
	rec, err := decode(data, &list)
	// Sizes and types of events, and the metadata, are read more than once.
	slices.SortFunc(list, func(a, b Number) int { return cmp.Compare(a.Offset, b.Offset) })
	list = slices.CompactFunc(list, func(a, b Number) bool { return a.Offset == b.Offset })
	return rec, list, err
}

func decode(data []byte, numbers *[]Number) (*Recording, error) {
	rec := &Recording{}
	for at := 0; at < len(data); {
		c, err := decodeChunk(data, at, numbers)
		if c != nil {
			rec.Chunks = append(rec.Chunks, c)
		}
		if err != nil {
			return rec, fmt.Errorf("chunk %d at 0x%x: %w", len(rec.Chunks), at, err)
		}
		at += int(c.Header.Size)
	}
	if len(rec.Chunks) == 0 {
		return rec, fmt.Errorf("%w: empty", ErrBad)
	}
	return rec, nil
}

// decodeHeader decodes the header of the chunk at an offset. Without an error the
// chunk's size is known to be at least that of the header and to end within data.
func decodeHeader(data []byte, at int, numbers *[]Number) (*Chunk, error) {
	r := &refReader{data: data, pos: at, end: len(data), numbers: numbers}
	if !bytes.Equal(r.take(4, "magic"), []byte("FLR\x00")) {
		return nil, fmt.Errorf("%w: no magic at 0x%x", ErrBad, at)
	}
	c := &Chunk{
		Offset:  int64(at),
		Classes: map[int64]*Class{},
		Pools:   map[int64]map[int64]any{},
		numbers: numbers,
	}
	h := &c.Header
	h.Major, h.Minor = uint16(r.raw("major version", 2)), uint16(r.raw("minor version", 2))
	for _, f := range []struct {
		what  string
		value *int64
	}{
		{"chunk size", &h.Size}, {"checkpoint offset", &h.CheckpointOffset}, {"metadata offset", &h.MetadataOffset}, {"start", &h.StartNanos},
		{"duration", &h.DurationNanos}, {"start ticks", &h.StartTicks}, {"ticks per second", &h.TickRate},
	} {
		*f.value = int64(r.raw(f.what, 8))
	}
	h.State = r.byte("state")
	binary.BigEndian.PutUint16(h.Pad[:], uint16(r.raw("padding", 2)))
	h.Flags = r.byte("flags")
	switch {
	case r.err != nil:
		return nil, r.err
	case h.Major != 1 && h.Major != 2:
		return c, fmt.Errorf("%w: version %d.%d", ErrBad, h.Major, h.Minor)
	case h.Size < HeaderSize || h.Size > int64(len(data)-at):
		return c, fmt.Errorf("%w: chunk size %d, file has %d", ErrBad, h.Size, len(data)-at)
	}

	return c, nil
}

// decodeChunk decodes the chunk at an offset.
func decodeChunk(data []byte, at int, numbers *[]Number) (*Chunk, error) {
	c, err := decodeHeader(data, at, numbers)
	if err != nil {
		return c, err
	}
	spans, err := c.findEvents(data)
	if err != nil {
		return c, err
	}
	if err := c.readMetadata(data, spans); err != nil {
		return c, err
	}
	if err := c.readPools(data); err != nil {
		return c, err
	}
	return c, c.readEvents(data, spans)
}

// refSpan is an event as far as it can be read without knowing its type.
type refSpan struct {
	at, body, end int
	typ           int64
}

// reader returns a reader for data[at:end] in the chunk's form.
func (c *Chunk) reader(data []byte, at, end int) *refReader {
	return &refReader{data: data, pos: at, end: end, compressed: c.Header.Flags&FlagCompressed != 0, numbers: c.numbers}
}

func (c *Chunk) end() int { return int(c.Offset + c.Header.Size) }

// frame reads the size and type of the event at an absolute offset.
func (c *Chunk) frame(data []byte, at int) (refSpan, error) {
	r := c.reader(data, at, c.end())
	size := int64(r.integer("event size", 4))
	if r.err == nil && (size > int64(c.end()-at) || size <= 0) {
		r.pos = at
		r.fail("event of %d bytes, %d are left", size, c.end()-at)
	}
	if r.err != nil {
		return refSpan{}, r.err
	}
	r.end = at + int(size)
	if r.pos > r.end {
		r.fail("event of %d bytes is shorter than its size field", size)
	}
	s := refSpan{at: at, typ: r.long("event type"), body: r.pos, end: r.end}
	return s, r.err
}

// findEvents cuts the chunk into its events.
func (c *Chunk) findEvents(data []byte) ([]refSpan, error) {
	var spans []refSpan
	for at := int(c.Offset) + HeaderSize; at < c.end(); {
		s, err := c.frame(data, at)
		if err != nil {
			return nil, err
		}
		spans = append(spans, s)
		at = s.end
	}
	return spans, nil
}

// inside says whether an offset that the file gives, relative to the chunk, can
// be that of an event.
func (c *Chunk) inside(offset int64) bool {
	return offset >= HeaderSize && offset < c.Header.Size
}

func (c *Chunk) readEvents(data []byte, spans []refSpan) error {
	for _, s := range spans {
		if s.typ == CheckpointTypeID || s.typ == MetadataTypeID {
			continue
		}
		e := Event{Offset: int64(s.at), Size: int64(s.end - s.at), TypeID: s.typ}
		r := c.reader(data, s.body, s.end)
		if class := c.Classes[s.typ]; class != nil {
			e.TypeName = class.Name
			e.Fields = c.fields(r, class, 0)
		}
		if r.err != nil {
			return fmt.Errorf("event at 0x%x, type %d %s: %w", s.at, s.typ, e.TypeName, r.err)
		}
		e.Rest = int64(r.left())
		c.Events = append(c.Events, e)
	}
	return nil
}
