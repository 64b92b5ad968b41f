package mmapjfr

import (
	"runtime/debug"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/stringtable"
	"github.com/mmapjfr/jfr/internal/wire"
)

// GrowingChunk is a chunk that is still being written, or that arrives piece by piece
// (index/FORMAT.md, section 7). Streams are made of it: [ChunkFollower] follows a chunk in a file,
// and [ChunkStream] reads chunks from a pipe.
//
// A GrowingChunk belongs to one goroutine. Its events and all views of them are valid until the
// chunk grows: until the next call of Advance or Next. Strings stay valid, see [Value.Str]. With
// the option keepEvents events stay valid for as long as they are referenced, in any goroutine.
type GrowingChunk struct {
	decoder
	keepEvents bool // see KeepEvents
	strings    *stringtable.Table
	// readerTypes are the types that the decoder has been made for.
	readerTypes *schema.TypeSet
	// typesErrReported reports that the error of the chunk's types has been returned.
	typesErrReported bool
}

// keepEvents makes events of a growing chunk stay valid, with all views, for as long as they are
// referenced. The bytes of the chunk are copied into ordinary memory, which is freed when no event
// is referenced any more. The option has no effect on [Open].
func keepEvents() Option {
	return func(o *options) error {
		o.keepEvents = true
		return nil
	}
}

// growing returns the chunk as a growing chunk that has reached its end, for code that reads both
// kinds. It is valid, as are its events, until the recording is closed; closing it does nothing.
func (c Chunk) growing() *GrowingChunk {
	l := &GrowingChunk{keepEvents: true}
	l.decoder.rec, l.sel = c.orEmpty().rec, c.Select()
	l.enter(c.orEmpty())
	return l
}

// events returns the range of the chunk in which events lie, in bytes from the start of the chunk
// that chunk returns.
func (l *GrowingChunk) events() ByteRange {
	return ByteRange{From: l.c.ix.FirstEvent(), To: uint64(len(l.c.data))}
}

// chunk returns the chunk as far as it can be read. Unless events are kept, it is invalid once the
// chunk has grown.
//
// If the chunk is copied, as [ChunkStream] does and [ChunkFollower] may, it lacks the events of
// earlier flushes. Then its offset is not where the chunk begins, but such that the offsets of its
// events are right.
func (l *GrowingChunk) chunk() Chunk { return Chunk{l.c} }

// eventOf returns the event with a header that [index.Chunk.ReadHeaders] of the chunk has read.
// ordinal is the number of events before it in the chunk, or any number if the caller has not
// counted.
//
// The error says what is wrong with the event. What is wrong with a type is returned once per type,
// and what is wrong with all types once per chunk; after that Event returns neither an event nor an
// error. Event allocates nothing but the error.
func (l *GrowingChunk) eventOf(rec index.EventHeader, ordinal uint64) (ev Event, err error) {
	defer l.rec.recoverFault(debug.SetPanicOnFault(true), &err)
	l.err = nil
	if l.filter == nil {
		if err := l.useTypes(); err != nil || l.filter == nil {
			return Event{}, err
		}
	}
	if !l.decodeEvent(&rec, ordinal) {
		return Event{}, l.err
	}
	if l.keepEvents {
		return l.event.Detached(), nil
	}
	return l.event, nil
}

// protect is [Recording.Protect] for this chunk: code that reads the chunk should run in it.
func (l *GrowingChunk) protect(do func() error) error { return l.rec.Protect(do) }

// newestTypes returns the event types that the newest metadata of the chunk describes. It reads the
// metadata event again. It fails if no metadata event can be read.
func (l *GrowingChunk) newestTypes() (types []Type, err error) {
	defer l.rec.recoverFault(debug.SetPanicOnFault(true), &err)
	described, err := l.c.ix.NewestTypes()
	for _, typ := range described {
		if typ.IsEvent() {
			types = append(types, Type{typ})
		}
	}
	return types, err
}

// metadataOffset returns the offset of the chunk's newest metadata event, from the start of the
// chunk. It changes when the types do.
func (l *GrowingChunk) metadataOffset() uint64 { return l.c.ix.Header().Metadata }

// grow replaces the bytes of the chunk, see [index.Index.Grow].
func (l *GrowingChunk) grow(h wire.Header, m mapfile.Mapping, same, at uint64) (err error) {
	if !l.keepEvents {
		m = m.Guarded()
	}
	switch {
	case l.rec == nil:
		ix, err := index.NewGrowing(h, m.Data(), at)
		if err != nil {
			return err
		}
		l.newRecording(ix, m)
	case wire.Debug && !l.keepEvents:
		if err := l.regrow(h, m, same, at); err != nil {
			return err
		}
	case l.keepEvents:
		ix := l.rec.index.Clone() // kept events use the index
		if err := ix.Grow(h, m.Data(), same, at); err != nil {
			return err
		}
		l.newRecording(ix, m)
	default:
		l.rec.mapping, l.rec.size = m, int64(len(m.Data()))
		l.c.mapped = l.c.mapped || m.IsMapped()
		l.c.data = m.Data() // even if it cannot be read: the old map is going to be unmapped
		defer l.rec.recoverFault(debug.SetPanicOnFault(true), &err)
		if err := l.rec.index.Grow(h, m.Data(), same, at); err != nil {
			return err
		}
		l.reenter(l.c)
	}
	return l.useTypes()
}

// reenter enters what the chunk has become. It does not report unknown types again.
func (l *GrowingChunk) reenter(c *chunk) {
	blamed := l.unknownTypes
	l.enter(c)
	l.unknownTypes = blamed
}

// newRecording makes new views of the chunk.
func (l *GrowingChunk) newRecording(ix *index.Index, m mapfile.Mapping) {
	rec := &Recording{
		size: int64(len(m.Data())), mapping: m, shared: m.IsMapped(), index: ix, strings: l.strings,
		pathCache: make(map[*schema.TypeSet]*pathCache),
	}
	rec.chunks = []*chunk{newChunk(rec, ix.Chunks()[0])}
	l.decoder.rec, l.sel = rec, rec.Select()
	l.reenter(rec.chunks[0])
}

// useTypes gives the chunk's types to the decoder. It returns once why there are no types.
func (l *GrowingChunk) useTypes() (err error) {
	defer l.rec.recoverFault(debug.SetPanicOnFault(true), &err)
	types, err := l.c.ix.Types()
	if err != nil {
		if l.typesErrReported {
			return nil
		}
		l.typesErrReported = true
		return err
	}
	if types == l.readerTypes && l.filter != nil && l.filter.c == l.c {
		return nil
	}
	if l.readerTypes != nil && types != l.readerTypes {
		l.c.pathCache.Store(nil)
		clear(l.rec.pathCache) // a growing chunk has a recording of its own
	}
	l.readerTypes = types
	w, err := l.sel.chunkFilter(l.c, types)
	if err == nil {
		l.setFilter(w)
	}
	return err
}

// close ends the use of the chunk and unmaps it. Events that are kept stay valid.
func (l *GrowingChunk) close() error {
	if l.rec == nil || l.keepEvents {
		return nil
	}
	return l.rec.Close()
}
