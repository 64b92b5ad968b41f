package index

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Index is the chunk table of a recording, and the way to all that is known of
// each chunk.
type Index struct {
	data   []byte
	chunks []*Chunk
	file   string // see SetFile
	// trail is what is wrong behind the last chunk, if anything is.
	trail error
	// walked is how many bytes of frames have been gone through to find ends of chunks.
	walked uint64
	types  typesCache
	cache  cache
}

// New reads the chunk headers of a recording. The bytes must not change as long
// as the index is used. It takes time and memory
// in proportion to the number of chunks.
//
// It fails if there is no chunk at all: with [ErrEmpty], [ErrNotRecording],
// [ErrUnsupported] or [ErrTruncated]. Damage behind the first header does not
// make it fail; see [Chunk.LeadingErr], [Chunk.TrailingErr] and [Index.TrailingErr].
func New(data []byte) (*Index, error) {
	x := &Index{data: data}
	if err := x.checkStart(); err != nil {
		return nil, err
	}
	x.scan(0, nil)
	if len(x.chunks) == 0 {
		return nil, x.trail
	}
	return x, nil
}

// Data returns the bytes of the recording that the index was made of. It aliases
// them.
func (x *Index) Data() []byte { return x.data }

// Chunks returns the chunks in the order of the file. The slice is the index's own.
func (x *Index) Chunks() []*Chunk { return x.chunks }

// TrailingErr returns what is wrong behind the last chunk, matching [ErrTrailing] or
// [ErrUnsupported], or nil.
func (x *Index) TrailingErr() error { return x.trail }

// packed are the first bytes of files in which recordings are often kept.
var packed = []struct{ magic, name string }{
	{"\x1f\x8b", "gzip"},
	{"\x28\xb5\x2f\xfd", "zstd"},
	{"\x04\x22\x4d\x18", "lz4"},
	{"\xfd7zXZ", "xz"},
	{"PK\x03\x04", "zip"},
}

// checkStart tells why the file is no recording, if it begins like none.
func (x *Index) checkStart() error {
	start := func(err error) error {
		return &FormatError{Err: err, Section: "chunk header"}
	}
	if len(x.data) == 0 {
		return start(ErrEmpty)
	}
	n := min(len(x.data), len(wire.Magic))
	if string(x.data[:n]) != wire.Magic[:n] {
		for _, p := range packed {
			if bytes.HasPrefix(x.data, []byte(p.magic)) {
				return start(fmt.Errorf("%w: it is compressed with %s; unpack it first", ErrNotRecording, p.name))
			}
		}
		return start(fmt.Errorf("%w: it does not begin with % x", ErrNotRecording, wire.Magic))
	}
	if len(x.data) < wire.HeaderLen {
		return start(fmt.Errorf("%w: the file has %d bytes, a chunk header %d", ErrTruncated, len(x.data), wire.HeaderLen))
	}
	return nil
}

// scan adds the chunks from offset on. lead is what is wrong before the first
// of them.
func (x *Index) scan(offset uint64, lead error) {
	end := uint64(len(x.data))
	for offset < end {
		c, err := x.newChunk(offset)
		if err != nil {
			if lead == nil {
				lead = err
			}
			offset = x.nextChunk(offset + 1)
			continue
		}
		c.lead, lead = lead, nil
		x.chunks = append(x.chunks, c)
		offset = x.endChunk(c)
	}
	x.trail = lead
}

// newChunk reads the header at offset. It fails if no chunk of a supported
// version begins there.
func (x *Index) newChunk(offset uint64) (*Chunk, error) {
	c := &Chunk{index: x, number: len(x.chunks), offset: offset}
	h, ok := wire.ReadHeader(x.data[offset:])
	if !ok {
		left := uint64(len(x.data)) - offset
		return nil, c.fail("chunk header", 0, fmt.Errorf("%w: no chunk begins here, %d bytes before the end", ErrTrailing, left))
	}
	if err := CheckVersion(h); err != nil {
		return nil, c.fail("chunk header", 0, err)
	}
	if min(h.Size, uint64(len(x.data))-offset) > maxChunk {
		return nil, c.fail("chunk header", 0, fmt.Errorf("%w: chunk of %d bytes", ErrUnsupported, h.Size))
	}
	c.header, c.encoding = h, h.Form()
	return c, nil
}

// endChunk finds out where a chunk ends and returns the offset behind it. What
// the header says is believed as far as the file agrees.
func (x *Index) endChunk(c *Chunk) (next uint64) {
	left := uint64(len(x.data)) - c.offset
	size := c.header.Size
	c.trail = nil
	switch {
	case size >= wire.HeaderLen && size <= left:
		c.setEnd(size)
		next = c.offset + size
		if c.header.Finished() {
			return x.endEarly(c, next)
		}
		// Bytes behind the last flush are not to be believed, and no chunk of the
		// same machine follows; but files that were joined may go on.
		if _, ok := wire.ReadHeader(x.data[next:]); !ok {
			if c.header.Metadata != 0 && !x.leads(c.offset, c.header) {
				if early := x.endEarly(c, next); early < next {
					return early
				}
			}
			next = x.nextChunk(next)
		}
		c.trail = c.fail("chunk header", 0, unfinished(next-c.offset-size))
		return next
	case size < wire.HeaderLen:
		next = x.nextChunk(c.offset + wire.HeaderLen)
		c.setEnd(next - c.offset)
		c.trail = c.fail("chunk header", 0, corrupt("chunk size %d is less than a header's", size))
		return next
	}
	next = x.nextChunk(c.offset + wire.HeaderLen)
	c.setEnd(next - c.offset)
	switch {
	case next < uint64(len(x.data)):
		c.trail = c.overlaps(next)
	case c.header.Metadata != 0 && !c.header.Finished():
		c.trail = c.fail("chunk header", 0, fmt.Errorf("%w: its header was never completed; it says it has %d bytes, and %d are there", ErrUnfinished, size, left))
	case c.header.Metadata == 0:
		c.trail = c.fail("chunk header", 0, fmt.Errorf("%w: its header was never completed", ErrUnfinished))
	default:
		c.trail = c.fail("chunk header", 0, truncated(size, left))
	}
	return next
}

// endEarly ends a finished chunk where another one begins inside it, if nothing begins at
// its end and its whole frames do not lead there: then its own end is missing, and a file
// that was joined to it follows. It returns the offset behind the chunk.
func (x *Index) endEarly(c *Chunk, end uint64) (next uint64) {
	behind := x.data[end:]
	if n := min(len(behind), len(wire.Magic)); string(behind[:n]) == wire.Magic[:n] {
		return end
	}
	next = x.nextChunk(c.offset + wire.HeaderLen)
	if next >= end {
		return end
	}
	if last, ok := c.leadsTo(end - c.offset); ok && next-c.offset < last {
		return end // it is in an event
	}
	c.setEnd(next - c.offset)
	c.trail = c.overlaps(next)
	return next
}

// leadsTo reports whether the frames of the chunk lead from its header to an offset, and
// where the last of them begins.
func (c *Chunk) leadsTo(end uint64) (last uint64, ok bool) {
	pos := uint64(wire.HeaderLen)
	for pos < end && c.index.walked < walkedShare*uint64(len(c.index.data)) {
		rec, ok := c.eventHeader(pos)
		if !ok {
			return last, false
		}
		c.index.walked += uint64(rec.Size)
		last, pos = pos, rec.End()
	}
	return last, pos == end
}

// walkedShare is how many times the bytes of a recording may be gone through to find out
// where its chunks end.
const walkedShare = 4

// overlaps is the error of a chunk inside which another one begins.
func (c *Chunk) overlaps(next uint64) error {
	return c.fail("chunk header", 0, corrupt("chunk size %d, but the next chunk begins after %d bytes", c.header.Size, next-c.offset))
}

// truncated is the error of a chunk of which only some bytes are there.
func truncated(size, there uint64) error {
	return fmt.Errorf("%w: the chunk says it has %d bytes, and %d are there; copy it again, its end is missing", ErrTruncated, size, there)
}

// unfinished is the error of a chunk with so many bytes after its last flush.
func unfinished(after uint64) error {
	if after == 0 {
		return fmt.Errorf("%w: it ends with its last flush", ErrUnfinished)
	}
	return fmt.Errorf("%w: it was read up to its last flush; %d bytes after that are not complete", ErrUnfinished, after)
}

// SetFile sets what the recording is called in the errors of the index, those that it has
// found already among them. It must have the index to itself.
func (x *Index) SetFile(name string) {
	x.file = name
	set := func(err error) {
		if e, ok := errors.AsType[*FormatError](err); ok {
			e.File = name
		}
	}
	set(x.trail)
	for _, c := range x.chunks {
		set(c.lead)
		set(c.trail)
		for _, err := range c.salvaged.Errors() {
			set(err)
		}
	}
}

// CheckVersion returns nil if chunks of the version of the header can be read, and an
// error that matches [ErrUnsupported] if not. The error says which programs write that
// version, as far as that is known, and what to do.
func CheckVersion(h wire.Header) error {
	if h.Readable() {
		return nil
	}
	writer, advice := "", "it is damaged, or newer than this reader"
	if h.Major == 0 {
		writer, advice = " of Oracle JDK 7 or 8", "open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later"
	}
	return fmt.Errorf("%w: format version %d.%d%s, only 1.x and 2.x can be read; %s", ErrUnsupported, h.Major, h.Minor, writer, advice)
}
