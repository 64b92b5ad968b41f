package mmapjfr

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jvmid"
	"github.com/mmapjfr/jfr/internal/wire"
)

// chunk is what views refer to: the bytes of a chunk and all that is needed to decode them.
type chunk struct {
	rec      *Recording
	ix       *index.Chunk
	id       uint64 // no other chunk of the program has the same; 0 if the chunk can grow
	data     []byte
	headerID headerID
	form     wire.IntEncoding
	clock    clock
	// repeats is an earlier chunk with the same bytes, which has the events of both; mostly nil.
	repeats *chunk
	// mapped is set if reading the chunk, or the saved index, may fault.
	mapped bool
	// status is what has happened to the bytes, see the status of the recording.
	status atomic.Uint32
	// readings is how many selections have read the chunk.
	readings atomic.Int32
	// pathCache holds what has been resolved for the chunk's types.
	pathCache atomic.Pointer[pathCache]
}

func newChunk(rec *Recording, ix *index.Chunk) *chunk {
	h := ix.Header()
	return &chunk{
		rec:      rec,
		ix:       ix,
		data:     ix.Memory(),
		headerID: headerIDOf(ix.Memory()),
		form:     ix.IntEncoding(),
		clock:    clock{h.StartTicks, h.StartNanos, float64(h.TicksPerSecond) / 1e9},
		mapped:   rec != nil && rec.shared,
	}
}

// bytes returns the bytes of the chunk; none after the recording is closed, or if the file has
// changed. All decoding gets its bytes here, and must handle an empty slice.
func (c *chunk) bytes() []byte {
	if c.isGone() {
		c.checkLateUse()
		return nil
	}
	return c.data
}

// isGone reports whether the bytes must not be read any more.
func (c *chunk) isGone() bool { return c.status.Load()&(statusClosed|statusChanged) != 0 }

// constant returns where the constant of the type with that key lies.
func (c *chunk) constant(typ *schema.Type, key int64) (pos int, ok bool) {
	k := c.ix.CachedConstants()
	if k == nil {
		if k = c.loadConstants(); k == nil {
			return 0, false
		}
	}
	offset, ok := k.Lookup(typ, key)
	return int(offset), ok
}

//go:noinline
func (c *chunk) loadConstants() *index.Constants {
	k, err := c.constants()
	if err != nil {
		return nil // an iteration reports the error
	}
	return k
}

// constants returns where the constants of the chunk lie. The first call reads its checkpoints.
func (c *chunk) constants() (*index.Constants, error) {
	return fromIndex(c, c.ix.Constants)
}

// fromIndex returns what find does of the index of the chunk, if the file is the one that was
// opened. The error says what has happened to the file, too.
func fromIndex[T any](c *chunk, find func() (T, error)) (found T, err error) {
	err = c.rec.Protect(func() (err error) {
		if found, err = find(); err == nil {
			err = c.checkUnchanged()
		}
		return err
	})
	return found, c.rec.addCause(err)
}

// constantsErr returns the first error in the checkpoints of the chunk, or nil; nil, too, if no
// constant has been looked up yet.
func (c *chunk) constantsErr() error {
	if k := c.ix.CachedConstants(); k != nil {
		return k.Err()
	}
	return nil
}

// Chunk is a part of a recording that can be read without the others. It is a view, to be
// passed by value. The zero Chunk is empty, and of a closed recording: methods that can fail
// return [ErrClosed].
type Chunk struct {
	c *chunk
}

// Chunks returns the chunks in the order of the file.
func (r *Recording) Chunks() []Chunk {
	list := make([]Chunk, len(r.chunks))
	for i, c := range r.chunks {
		list[i] = Chunk{c}
	}
	return list
}

// emptyChunk is the chunk of the zero Chunk: it has no bytes, and its recording is closed.
var emptyChunk = newChunk(nil, new(index.Chunk))

func (c Chunk) orEmpty() *chunk {
	if c.c == nil {
		return emptyChunk
	}
	return c.c
}

// Number returns the position of the chunk in the recording, from 0.
func (c Chunk) Number() int { return c.orEmpty().ix.Number() }

// indexOf returns the chunk of the index of the recording, see [Recording.indexOf].
func (c Chunk) indexOf() *index.Chunk { return c.orEmpty().ix }

// Offset returns where the chunk begins, in bytes from the start of the file.
func (c Chunk) Offset() uint64 { return c.orEmpty().ix.Offset() }

// Size returns how many bytes of the chunk can be read: its whole size, or what
// there is of it if it was not finished.
func (c Chunk) Size() uint64 { return uint64(len(c.orEmpty().data)) }

// Version returns the version of the format, major and minor.
func (c Chunk) Version() (major, minor int) {
	h := c.orEmpty().ix.Header()
	return int(h.Major), int(h.Minor)
}

// Start returns when the chunk began, in UTC.
func (c Chunk) Start() time.Time { return unixNano(c.orEmpty().ix.Header().StartNanos) }

// Duration returns how long the chunk lasted. In a chunk that was never
// finished it is the time to the last flush.
func (c Chunk) Duration() time.Duration {
	return time.Duration(c.orEmpty().ix.Header().DurationNanos)
}

// End returns when the chunk ended, in UTC.
func (c Chunk) End() time.Time { return c.Start().Add(c.Duration()) }

// ticksPerSecond returns the rate of the clock that the chunk's events use.
func (c Chunk) ticksPerSecond() int64 { return c.orEmpty().ix.Header().TicksPerSecond }

// ticksToTime returns when the chunk's clock showed that number of ticks, in UTC, as the JDK
// computes it.
func (c Chunk) ticksToTime(ticks int64) time.Time {
	return unixNano(c.orEmpty().clock.timestamp(ticks))
}

// ticksToNanos is ticksToTime in nanoseconds since 1970.
func (c Chunk) ticksToNanos(ticks int64) int64 { return c.orEmpty().clock.timestamp(ticks) }

// ticksToDuration returns how long that number of ticks of the chunk's clock lasts, as the JDK
// computes it.
func (c Chunk) ticksToDuration(ticks int64) time.Duration {
	return time.Duration(c.orEmpty().clock.timespan(ticks))
}

// Finished reports whether the recorder has completed the chunk.
func (c Chunk) Finished() bool {
	ix := c.orEmpty().ix
	return c.c != nil && ix.TrailingErr() == nil && ix.Header().Finished()
}

// final reports whether the chunk says that its virtual machine wrote no other chunk after
// it. Virtual machines from JDK 14 on say so.
func (c Chunk) final() bool { return c.orEmpty().ix.Header().Final() }

// region returns the locale of the virtual machine and its offset from UTC. It
// fails if the chunk has no metadata that could be read.
func (c Chunk) region() (locale string, zone *time.Location, err error) {
	types, err := c.orEmpty().types()
	if err != nil {
		return "", nil, err
	}
	return types.Region.Locale, location(types.Region), nil
}

// location returns the offset from UTC as the JDK uses it, in whole seconds.
func location(r schema.Region) *time.Location {
	seconds := int(int32(r.GMTOffset+r.DST) / 1000)
	if seconds == 0 {
		return time.UTC
	}
	sign, abs := '+', seconds
	if seconds < 0 {
		sign, abs = '-', -seconds
	}
	name := fmt.Sprintf("%c%02d:%02d", sign, abs/3600, abs/60%60)
	return time.FixedZone(name, seconds)
}

// constants returns all constants of a type with their keys, in no particular order. It is
// empty if the chunk has none.
func (c Chunk) constants(t Type) iter.Seq2[int64, Value] {
	return func(yield func(int64, Value) bool) {
		if c.c == nil {
			return
		}
		if c.c.rec.use() != nil {
			c.c.checkLateUse()
			return
		}
		defer c.c.rec.done() // the loop may close the recording
		k, err := c.c.constants()
		if err != nil {
			return
		}
		typ := constantType(k, t)
		if typ == nil {
			return
		}
		if !c.c.rec.saved.IsMapped() {
			k.All(typ, func(key int64, offset uint64) bool { return yield(key, c.c.constantValue(typ, key, offset)) })
			return
		}
		// The saved index, which says where they lie, may be cut, too.
		for _, at := range c.c.constantEntries(k, typ) {
			if !yield(at.key, c.c.constantValue(typ, at.key, at.offset)) {
				return
			}
		}
	}
}

// constantValue returns the constant at an offset.
func (c *chunk) constantValue(typ *schema.Type, key int64, offset uint64) (v Value) {
	if c.mayFault() {
		defer c.recoverFault(debug.SetPanicOnFault(true))
	}
	return c.payload(typ.ValueField(), typ, int(offset), key, 0)
}

type constantEntry struct {
	key    int64
	offset uint64
}

// constantEntries returns the keys and offsets of all constants of a type.
func (c *chunk) constantEntries(k *index.Constants, typ *schema.Type) (list []constantEntry) {
	if c.mayFault() {
		defer c.recoverFault(debug.SetPanicOnFault(true))
	}
	k.All(typ, func(key int64, offset uint64) bool {
		list = append(list, constantEntry{key, offset})
		return true
	})
	return list
}

// constant returns the constant of that type and key, to which a field of the type with that
// key refers. It is null or missing, see [Value.IsMissing], if the chunk has no such constant,
// and absent if the chunk has no constants of the type at all.
func (c Chunk) constant(t Type, key int64) (v Value) {
	if c.c == nil {
		return Value{}
	}
	if c.c.mayFault() {
		defer c.c.recoverFault(debug.SetPanicOnFault(true))
	}
	k, err := c.c.constants()
	if err != nil {
		c.c.checkLateUse()
		return Value{}
	}
	typ := constantType(k, t)
	if typ == nil {
		return Value{}
	}
	offset, ok := k.Lookup(typ, key)
	if !ok {
		return c.c.valueAt(typ.ValueField(), missing(key), 0, key)
	}
	return c.c.payload(typ.ValueField(), typ, int(offset), key, 0)
}

// constantType returns the type of the chunk's constants that stands for t, which may be of
// another chunk; nil if the chunk has none.
func constantType(k *index.Constants, t Type) *schema.Type {
	typ := k.Type(schema.TypeID(t.ID()))
	if typ == nil || typ.CurrentName() != t.Name() {
		typ = k.Named(t.Name()) // the type is that of another chunk
	}
	return typ
}

// ConstantsErr returns the first error in the checkpoints of the chunk, or nil. The first call
// reads them. Iterations and parallel scans report this error, too, once for each chunk in
// which a constant has been looked up.
func (c Chunk) ConstantsErr() error {
	k, err := c.orEmpty().constants()
	if err != nil {
		return err
	}
	return k.Err()
}

// Errors returns what is wrong with the chunk: before it, with its metadata, and with its
// end. Broken is what ended a walk over the chunk too early, or nil. It is left out if the
// missing end of the chunk, or missing metadata, explains it.
func (c Chunk) Errors(broken error) (list []error) {
	err := c.Protect(func() error {
		if err := c.c.ix.LeadingErr(); err != nil {
			list = append(list, err)
		}
		if _, err := c.c.ix.Types(); err != nil {
			broken = err
		}
		if broken != nil && !c.c.ix.EndExplains(broken) {
			list = append(list, broken)
		}
		return c.c.ix.TrailingErr()
	})
	if err != nil {
		list = append(list, err)
	}
	return list
}

// trailingErr returns what is wrong after the last chunk: an error that matches [ErrTrailing]
// or [ErrUnsupported], or nil.
func (r *Recording) trailingErr() error { return r.index.TrailingErr() }

// isUnflushed reports whether the recorder has neither finished nor ever flushed the chunk:
// then nothing describes its events, and its duration means nothing.
func (c Chunk) isUnflushed() bool {
	ix := c.orEmpty().ix
	return errors.Is(ix.TrailingErr(), ErrUnfinished) && ix.Header().Metadata == 0
}

// sameJVM reports whether two chunks, of one recording or of two, can come from the same
// virtual machine, by their versions and clocks. It takes no account of final.
func (c Chunk) sameJVM(o Chunk) bool {
	return jvmid.Same(c.orEmpty().ix.Header(), o.orEmpty().ix.Header())
}

// bytes returns the bytes of the chunk as they lie in the file, its header included, as far
// as they can be believed. They alias the recording: read them inside [Recording.Protect],
// and do not change them. It returns nil once the recording is closed.
func (c Chunk) bytes() []byte {
	ch := c.orEmpty()
	if ch.rec != nil && ch.rec.source != nil && ch.rec.Protect(func() error { ch.ix.Need(); return nil }) != nil {
		return nil
	}
	return ch.bytes()
}

// writeRange writes the bytes of the chunk between two offsets in it as they lie in the file, and returns how many it has
// written. Offsets beyond the end stand for the end. If w is an [io.ReaderFrom] as files are, the system may copy the bytes
// from file to file. WriteRange returns the first error of w, [ErrClosed] if the recording is closed, and an error that
// matches [ErrTruncated] or [ErrChanged] if its file is cut or changed meanwhile. What has been written then is of no use.
func (c Chunk) writeRange(w io.Writer, from, to uint64) (written int64, err error) {
	err = c.Protect(func() error {
		bytes, rec := c.bytes(), c.c.rec
		to = min(to, uint64(len(bytes)))
		from = min(from, to)
		rest := bytes[from:to]
		if f, ok := w.(io.ReaderFrom); ok && len(rest) >= leastForSystem {
			if written, err = rec.mapping.CopyTo(f, rec.path, int64(c.Offset()+from), int64(len(rest))); err != nil {
				return err
			}
		}
		n, err := w.Write(rest[written:])
		written += int64(n)
		if errors.Is(err, syscall.EFAULT) { // the system cannot read a map beyond the end of its file
			return fmt.Errorf("%w: the file became shorter while it was copied", ErrTruncated)
		}
		return err
	})
	return written, err
}

// leastForSystem is how many bytes are worth opening the file once more.
const leastForSystem = 64 << 10

// eventsOffset returns where the first event header begins, in bytes from the start of the
// chunk.
func (c Chunk) eventsOffset() uint64 { return c.orEmpty().ix.FirstEvent() }

// hasVarints reports whether the chunk writes integers as varints, as virtual machines do,
// and not with their full width.
func (c Chunk) hasVarints() bool { return c.orEmpty().form == wire.Compressed }

// allTypes returns all types that any metadata event of the chunk describes, those that the
// newest one has forgotten among them. The first call walks over the whole chunk.
func (c Chunk) allTypes() ([]Type, error) {
	if err := c.Protect(func() error {
		_, err := c.c.ix.AllTypes()
		return err
	}); err != nil {
		return nil, err
	}
	return c.Types()
}

// layoutErr returns why values of the type cannot be read: the type contains itself, or no
// metadata describes the type of a field. It is nil if they can be read.
func (t Type) layoutErr() error {
	_, err := t.orEmpty().Plan()
	return err
}

// countOnce makes events count once that recordings have several times: of chunks that are byte
// for byte the same, as dumps of one virtual machine have them that overlap, all but the first
// have no events in selections and counts from now on. The order is that of the arguments. It
// returns how many chunks these are. Opening a recording does so for its own chunks.
//
// Such chunks still have all that is asked of them by offset or by ordinal, and by the index, and
// repeats reports them. A chunk that is the beginning of another one is no repetition.
//
// Headers are compared first, so that nothing else is read of recordings that have no chunk in
// common. Call it before the recordings are read.
func countOnce(recs ...*Recording) (repeats int) {
	alike := make(map[index.Header][]*chunk)
	for _, rec := range recs {
		for _, c := range rec.chunks {
			h := c.ix.Header()
			alike[h] = append(alike[h], c)
		}
	}
	seed := maphash.MakeSeed()
	for _, rec := range recs {
		for _, c := range rec.chunks {
			if list := alike[c.ix.Header()]; len(list) > 1 && list[0] == c {
				repeats += markRepeats(list, seed)
			}
		}
	}
	return repeats
}

// markRepeats finds the repetitions among chunks with the same header. Each is read for its sum, and
// compared with no more than the one that has the same.
func markRepeats(list []*chunk, seed maphash.Seed) (repeats int) {
	first := make(map[uint64]*chunk)
	for _, c := range list {
		sum, known := uint64(0), false
		_ = c.rec.Protect(func() error { // reading events says what is wrong
			c.ix.Need()
			wire.StepBytes(len(c.data))
			sum, known = maphash.Bytes(seed, c.data), true
			return nil
		})
		if !known {
			continue
		}
		of := first[sum]
		if of == nil {
			first[sum] = c
			continue
		}
		same := false
		_ = c.rec.Protect(func() error {
			return of.rec.Protect(func() error {
				wire.StepBytes(len(c.data))
				same = bytes.Equal(of.data, c.data)
				return nil
			})
		})
		if same {
			c.repeats = of
			repeats++
		}
	}
	return repeats
}

// repeats returns the chunk that c is byte for byte the same as, and that has its events, see
// countOnce; false if c repeats no chunk.
func (c Chunk) repeats() (of Chunk, ok bool) {
	first := c.orEmpty().repeats
	return Chunk{first}, first != nil
}

// recording returns the recording that has the chunk; nil for the zero Chunk.
func (c Chunk) recording() *Recording { return c.orEmpty().rec }
