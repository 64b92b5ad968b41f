package index

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Header is the header of a chunk (FORMAT.md, section 1).
type Header = wire.Header

// Index is the table of a recording's chunks.
type Index struct {
	data   []byte
	chunks []*Chunk
	file   string // see SetFile
	source Source // nil if all bytes are there
	ahead  lookahead
	// trail is the error after the last chunk, if there is one.
	trail error
	// walked is how many bytes of events have been followed to find ends of chunks.
	walked uint64
	types  typesCache
	cache  cache
	// workers is how many goroutines find the constants of a chunk.
	workers     int
	keeps       int          // see SetCacheSize
	indexWriter *indexWriter // see Keep
	passing     atomic.Pointer[passing]
}

// New reads the chunk headers of a recording. The bytes must not change as long as the index is
// used. It takes time and memory in proportion to the number of chunks.
//
// New fails if the recording has no chunk: with [ErrEmpty], [ErrNotRecording], [ErrUnsupported] or
// [ErrTruncated]. It does not fail on damage after the first header; see [Chunk.LeadingErr],
// [Chunk.TrailingErr] and [Index.TrailingErr].
func New(data []byte) (*Index, error) {
	return (&Index{data: data}).open()
}

func (x *Index) open() (*Index, error) {
	x.need(0, wire.HeaderLen)
	if err := x.checkStart(); err != nil {
		return nil, err
	}
	x.scan(x.endChunk, nil)
	if len(x.chunks) == 0 {
		return nil, x.trail
	}
	return x, nil
}

// SetWorkers sets how many goroutines share the checkpoints of a large chunk when its constants are
// asked for: 1 unless it is called, and as many as there are processors for 0. Nothing else may use
// the index while it runs.
func (x *Index) SetWorkers(n int) { x.workers = parallel.Workers(n) }

// SetCacheSize lets the constants and the blocks of chunks that were asked for take this many bytes
// of memory, if that is more than the usual limit. Nothing else may use the index while it runs.
func (x *Index) SetCacheSize(bytes int) { x.keeps = bytes }

// SetPassed sets a function that is called with bounds of bytes, from the start of the recording,
// that a walk over event headers has passed: mostly [PassedBytes] at a time, from any goroutine
// that walks; and with those of all bytes when some 32 MiB have been reached otherwise, by looking
// up constants and by [Chunk.Touch]. A program that reads a large recording once can give back its
// pages then. nil ends that.
func (x *Index) SetPassed(passed func(from, to uint64)) {
	if passed == nil {
		x.passing.Store(nil)
		return
	}
	x.passing.Store(&passing{passed: passed, size: uint64(len(x.data)), parts: make([]atomic.Uint64, len(x.data)/(64*partBytes)+1)})
}

// PassedBytes is how many bytes a walk passes, more or less, before it says so.
const PassedBytes = 16 << 20

// Pass says that a walk over the chunk has come from one offset in it to another, if that is far
// enough or the end of the chunk, and returns up to where it has been said: see [Index.SetPassed].
func (c *Chunk) Pass(from, to uint64) uint64 {
	if to < from+PassedBytes && to < c.Size() {
		return from
	}
	c.passAll(from, to)
	return to
}

// passAll is Pass however far it is.
func (c *Chunk) passAll(from, to uint64) {
	if c.index == nil || from >= to {
		return
	}
	if p := c.index.passing.Load(); p != nil {
		p.passed(c.offset+from, c.offset+to)
	}
}

// Touch says that the bytes of the chunk between two offsets in it are read, and not by a walk: see
// [Index.SetPassed].
func (c *Chunk) Touch(from, to uint64) {
	for ; from < to; from = from&^(partBytes-1) + partBytes {
		c.index.touch(c.offset + from)
	}
}

// touch is Touch for one byte of a recording; nil stands for one that grows.
func (x *Index) touch(at uint64) {
	if x == nil {
		return
	}
	if p := x.passing.Load(); p != nil {
		part := at / partBytes
		if word, bit := &p.parts[part/64], uint64(1)<<(part%64); word.Load()&bit == 0 {
			p.hold(word, bit)
		}
	}
}

// passing is what [Index.SetPassed] has set.
type passing struct {
	passed func(from, to uint64)
	size   uint64
	// parts has a bit for each part of the recording that has been touched, and held is how many
	// bytes these have.
	parts []atomic.Uint64
	held  atomic.Int64
}

const (
	// partBytes is how much of a file comes into memory with a byte, as systems read ahead, and
	// heldBytes how much of it may be there that has been touched.
	partBytes = 64 << 10
	heldBytes = 32 << 20
)

// hold takes note of a part. With enough of them it says that all of the recording is passed.
func (p *passing) hold(word *atomic.Uint64, bit uint64) {
	if word.Or(bit)&bit != 0 || p.held.Add(partBytes) < heldBytes {
		return
	}
	p.held.Store(0)
	for i := range p.parts {
		p.parts[i].Store(0)
	}
	p.passed(0, p.size)
}

// Data returns the bytes that the index was made of. It aliases them. It fetches all of them, see
// [NewFetched].
func (x *Index) Data() []byte {
	x.needAll()
	return x.data
}

// Chunks returns the chunks in the order of the file. The slice is the index's own.
func (x *Index) Chunks() []*Chunk { return x.chunks }

// TrailingErr returns what is wrong after the last chunk, matching [ErrTrailing] or
// [ErrUnsupported], or nil.
func (x *Index) TrailingErr() error { return x.trail }

// packed are the first bytes of compressed files.
var packed = []struct{ magic, name string }{
	{"\x1f\x8b", "gzip"},
	{"\x28\xb5\x2f\xfd", "zstd"},
	{"\x04\x22\x4d\x18", "lz4"},
	{"\xfd7zXZ", "xz"},
	{"PK\x03\x04", "zip"},
}

// checkStart returns why the file is no recording, if it does not begin as one.
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
		return start(fmt.Errorf("%w: it does not begin with % x; check that it is the .jfr file itself", ErrNotRecording, wire.Magic))
	}
	if len(x.data) < wire.HeaderLen {
		return start(errtree.Detailf(ErrTruncated, "the file has %d bytes, a chunk header %d; copy it again, its end is missing", len(x.data), wire.HeaderLen))
	}
	return nil
}

// SetFile sets the name of the recording in the errors of the index, those that it has found
// already among them. Nothing else may use the index while it runs.
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

// CheckVersion returns nil if chunks of the header's version can be read, and an error that
// matches [ErrUnsupported] if not. The error names the programs that write that version, if they
// are known, and says what to do.
func CheckVersion(h Header) error {
	if h.Readable() {
		return nil
	}
	writer, advice := "", "it is damaged, or newer than this reader"
	if h.Major == 0 {
		writer, advice = " of Oracle JDK 7 or 8", "open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later"
	}
	return errtree.Detailf(ErrUnsupported, "format version %d.%d%s, only 1.x and 2.x can be read; %s", h.Major, h.Minor, writer, advice)
}

// cache bounds the memory that the constants and blocks of all chunks take together. A recording
// of very many small chunks has a lot of both. The cache drops those of the chunks that are idle or
// were read first; they are read again when they are asked for.
type cache struct {
	mu    sync.Mutex
	queue []cacheEntry // the oldest first
	bytes int
}

// cacheEntry is the constants or the blocks of a chunk.
type cacheEntry struct {
	chunk *Chunk
	bytes int
	drop  func()
}

// The cache takes at most a 160th of the recording's size, or 16 MiB, or what is set, if that is
// more. But it always holds 64 entries of chunks that are not idle, however large they are: the
// constants and blocks of as many chunks as workers can be at work in.
var (
	minCacheBytes   = 16 << 20
	cacheShare      = 160
	minCacheEntries = 64
)

// addToCache adds an entry of the chunk, and drops others if that is too much.
func (c *Chunk) addToCache(bytes int, drop func()) {
	k := &c.index.cache
	k.mu.Lock()
	defer k.mu.Unlock()
	c.idle = false // somebody reads it
	k.queue = append(k.queue, cacheEntry{c, bytes, drop})
	k.bytes += bytes
	k.shrink(max(minCacheBytes, len(c.index.data)/cacheShare, c.index.keeps))
}

// shrink drops entries if they take more than limit bytes: those of all idle chunks, and if that is
// not enough, the oldest ones.
func (k *cache) shrink(limit int) {
	if k.bytes <= limit {
		return
	}
	k.drop(func(e cacheEntry) bool { return e.chunk.idle })
	left := len(k.queue)
	k.drop(func(cacheEntry) bool {
		if k.bytes <= limit || left <= minCacheEntries {
			return false
		}
		left--
		return true
	})
}

// drop drops the entries that can be dropped, the oldest first.
func (k *cache) drop(can func(e cacheEntry) bool) {
	k.queue = slices.DeleteFunc(k.queue, func(e cacheEntry) bool {
		if !can(e) {
			return false
		}
		k.bytes -= e.bytes
		e.drop()
		return true
	})
}

// SetIdle says whether a reader of many chunks is done with this one for now. The cache drops the
// constants and blocks of idle chunks first, see [Chunk.Constants]; they are still found when
// they are asked for. No chunk is idle at first.
func (c *Chunk) SetIdle(idle bool) {
	if c.index == nil {
		return
	}
	c.index.cache.mu.Lock()
	defer c.index.cache.mu.Unlock()
	c.idle = idle
}

// cacheConstants stores the constants of the chunk. Those with an error are never dropped:
// the reader of the events reports it.
func (c *Chunk) cacheConstants(k *Constants) {
	c.constants.Store(k)
	c.keepConstants(k)
	if k.err == nil {
		c.addToCache(k.Bytes(), func() { c.constants.CompareAndSwap(k, nil) })
	}
}

// cacheBlocks stores the blocks of the chunk.
func (c *Chunk) cacheBlocks(b *Blocks) {
	c.blocks.Store(b)
	c.keepBlocks(b)
	c.addToCache(b.Bytes(), func() { c.blocks.CompareAndSwap(b, nil) })
}
