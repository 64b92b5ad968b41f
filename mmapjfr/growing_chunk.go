package mmapjfr

import (
	"runtime/debug"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// GrowingChunk is a chunk that is still being written, or that arrives piece by piece: what
// can be read of it becomes more (index/FORMAT.md, section 7). It is what streams are
// made of: [ChunkFollower] follows a chunk in a file, [ChunkStream] those that come out of a
// pipe.
//
// A Live belongs to one goroutine. Its events, and all views that come out of
// them, are valid until the chunk grows: until the next call of Advance or Next; strings stay
// valid, see [Value.Str]. With
// the option [KeepEvents] they stay valid for as long as somebody has them, in any
// goroutine.
type GrowingChunk struct {
	decoder
	keepEvents bool // see KeepEvents
	strings    *StringTable
	// known are the types that the reader has been made for.
	readerTypes *schema.TypeSet
	// told tells that somebody knows why there are none.
	typesErrReported bool
}

// KeepEvents makes events of a live chunk stay valid, with all views, for as
// long as somebody has them: the chunk's bytes are copied into ordinary memory, which goes
// when nobody uses any of it. It has no effect on [Open].
func KeepEvents() Option {
	return func(o *options) error {
		o.keepEvents = true
		return nil
	}
}

// Growing returns the chunk as one that has grown to what it is. It is for those who read
// chunks that grow and others alike. It is valid, as are its events, until the recording is
// closed; closing it does nothing.
func (c Chunk) Growing() *GrowingChunk {
	l := &GrowingChunk{keepEvents: true}
	l.decoder.rec, l.sel = c.orEmpty().rec, c.Select()
	l.enter(c.orEmpty())
	return l
}

// Events returns the part of the chunk in which events can be.
func (l *GrowingChunk) Events() ByteRange {
	return ByteRange{From: l.c.ix.FirstEvent(), To: uint64(len(l.c.data))}
}

// Chunk returns the chunk as far as it can be read. It must not be used any more once the
// chunk has grown, unless events are kept. Of a chunk that is copied, as [ChunkStream] does
// and [ChunkFollower] may, it has what is kept, which is not all: then its offset is not where the
// chunk begins, but such that those of its events are right.
func (l *GrowingChunk) Chunk() Chunk { return Chunk{l.c} }

// Event returns the event whose frame [index.Chunk.ReadHeaders] of the chunk has read, before
// which so many events of the chunk come, as far as the caller knows or cares. The error
// says what is wrong with it; what it says of a type is told once for each type of the chunk,
// and what is wrong with the types of all events once for the chunk. After that there is
// neither an event nor an error. It allocates nothing but the error.
func (l *GrowingChunk) Event(rec index.EventHeader, ordinal uint64) (ev Event, err error) {
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

// Protect is [Recording.Protect] of the chunk: what reads it is to run in it.
func (l *GrowingChunk) Protect(do func() error) error { return l.rec.Protect(do) }

// NewestTypes returns the event types that the newest metadata of the chunk describes. It
// fails if the chunk has none that can be read. It reads the metadata event again.
func (l *GrowingChunk) NewestTypes() (types []Type, err error) {
	defer l.rec.recoverFault(debug.SetPanicOnFault(true), &err)
	described, err := l.c.ix.NewestTypes()
	for _, typ := range described {
		if typ.IsEvent() {
			types = append(types, Type{typ})
		}
	}
	return types, err
}

// MetadataOffset returns where the newest metadata event of the chunk lies, from its
// start. It is another one when there are other types.
func (l *GrowingChunk) MetadataOffset() uint64 { return l.c.ix.Header().Metadata }

// grow makes the chunk one of these bytes, see [index.Index.Grow].
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
		ix := l.rec.index.Clone() // kept events are read by others
		if err := ix.Grow(h, m.Data(), same, at); err != nil {
			return err
		}
		l.newRecording(ix, m)
	default:
		l.rec.mapping, l.rec.size = m, int64(len(m.Data()))
		l.c.mapped = l.c.mapped || m.IsMapped()
		l.c.data = m.Data() // also if it cannot be read: what was mapped before goes
		defer l.rec.recoverFault(debug.SetPanicOnFault(true), &err)
		if err := l.rec.index.Grow(h, m.Data(), same, at); err != nil {
			return err
		}
		l.reenter(l.c)
	}
	return l.useTypes()
}

// reenter goes to what the chunk has become. Of types that were told of nothing is told again.
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

// useTypes makes the reader know the chunk's types. Why there are none it tells once.
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
		clear(l.rec.pathCache) // a live chunk has its recording to itself
	}
	l.readerTypes = types
	w, err := l.sel.chunkFilter(l.c, types)
	if err == nil {
		l.setFilter(w)
	}
	return err
}

// Close ends the chunk. What it had mapped is unmapped; events that were to be kept stay.
func (l *GrowingChunk) Close() error {
	if l.rec == nil || l.keepEvents {
		return nil
	}
	return l.rec.Close()
}
