package index

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Chunk is one chunk of a recording. It has its own clock, types and constants.
type Chunk struct {
	index  *Index
	number int
	offset uint64
	// base is where the bytes of the index lie in their file; 0 but for a chunk that
	// grows by itself.
	base     uint64
	header   wire.Header
	encoding wire.IntEncoding
	// data is the bytes of the chunk, as far as they can be believed.
	data []byte
	// fetched is set once all of data is there, see NewFetched.
	fetched atomic.Bool

	lead, trail error

	mu sync.Mutex // guards the fields below while they are made

	types     atomic.Pointer[schema.TypeSet]
	typesErr  error
	metadata  map[uint64]bool // where the metadata events in types lie
	older     uint64          // the metadata event that is used instead of the one in the header, or 0
	completed uint64          // before this offset, all metadata events are in types

	constants atomic.Pointer[Constants]
	blocks    atomic.Pointer[Blocks]
	idle      bool // see SetIdle; the lock of the cache guards it

	// The work that makes them, which a truncated file can end.
	readTypes, readOthers, readConstants, readBlocks pass

	// What [Salvage] has found; nil in other indexes. If there are checkpoints that the
	// chain does not lead to, checkpoints has all checkpoints, newest first.
	gaps        []gap
	checkpoints []checkpointHead
	salvaged    *SalvageReport
	lender      *Chunk // the chunk whose metadata it has

	// saved is the chunk's part of a saved index; nil if there is no such part.
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

// File returns the name of the recording in errors; empty if it has none.
func (c *Chunk) File() string { return c.index.file }

// Offset returns where the chunk begins, in bytes from the start of the recording.
func (c *Chunk) Offset() uint64 { return c.base + c.offset }

// Header returns the header as it is in the file. The header of a chunk that was salvaged is
// repaired, see [Salvage].
func (c *Chunk) Header() Header { return c.header }

// IntEncoding returns how the chunk writes its integers.
func (c *Chunk) IntEncoding() schema.IntEncoding { return c.encoding }

// Data returns the bytes of the chunk, the header included, as far as they can be believed. It
// aliases the recording. It fetches all of them, see [NewFetched].
func (c *Chunk) Data() []byte {
	c.Need()
	return c.data
}

// Size returns how many bytes Data has.
func (c *Chunk) Size() uint64 { return uint64(len(c.data)) }

// Memory returns the bytes of Data without fetching them: they must not be read before
// [Chunk.Need].
func (c *Chunk) Memory() []byte { return c.data }

// LeadingErr returns what is wrong between the chunk before and this one, or nil.
func (c *Chunk) LeadingErr() error { return c.lead }

// TrailingErr returns what is wrong with the end of the chunk: an error that matches
// [ErrUnfinished], [ErrTruncated] or [ErrCorrupt], or nil.
func (c *Chunk) TrailingErr() error { return c.trail }

// EndExplains reports whether an error that ended the reading of the chunk only repeats
// [Chunk.TrailingErr]: that the end of the chunk is missing. The missing end does not explain an
// error in metadata that is there as a whole. Nor does it explain an error before the last flush of
// a chunk that was never finished, nor that metadata cannot be read which such a chunk had when it
// was flushed.
func (c *Chunk) EndExplains(err error) bool {
	if errors.Is(c.trail, ErrUnfinished) && c.header.Metadata != 0 {
		if _, lost := c.Types(); lost != nil {
			return false
		}
	}
	if !errors.Is(c.trail, ErrUnfinished) && !errors.Is(c.trail, ErrTruncated) && !errors.Is(c.trail, ErrTrailing) {
		return false
	}
	format, ok := errors.AsType[*FormatError](err)
	if !ok {
		return true
	}
	if format.Section == metadataSection {
		// The event is whole. If the header does not name its place it may be another event.
		return c.header.Metadata == 0 && format.Offset == c.Offset()+c.metadataOffset()
	}
	flushed := errors.Is(c.trail, ErrUnfinished) && c.header.Metadata != 0 && c.header.Size == uint64(len(c.data))
	return !flushed
}

// Cause returns the error of the missing end of a chunk for a [FormatError] that only repeats it,
// and any other error as it is.
func (x *Index) Cause(err error) error {
	format, ok := errors.AsType[*FormatError](err)
	if !ok || format.Chunk < 0 || format.Chunk >= len(x.chunks) {
		return err
	}
	if c := x.chunks[format.Chunk]; errors.Is(c.trail, ErrTruncated) && c.EndExplains(err) {
		return c.trail
	}
	return err
}

// fail makes a FormatError for an offset from the start of the chunk.
//
//go:noinline
func (c *Chunk) fail(section string, offset uint64, err error) error {
	return &FormatError{Err: err, Section: section, Offset: c.Offset() + offset, Chunk: c.number, File: c.index.file}
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

// Types that hold bytes of a recording tell package fmt no more than their size. Otherwise a log
// line such as log.Printf("%+v", x) would show all that was recorded.

// Format writes the numbers of chunks and bytes, for every verb.
func (x *Index) Format(w fmt.State, _ rune) {
	format(w, fmt.Sprintf("index of %d chunks and %d bytes", len(x.chunks), len(x.data)))
}

// Format writes the number of the chunk and where it begins, for every verb.
func (c *Chunk) Format(w fmt.State, _ rune) {
	format(w, fmt.Sprintf("chunk %d at %#x", c.number, c.Offset()))
}

// format writes without an error: a [fmt.State] has no use for one.
func format(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
