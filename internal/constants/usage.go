package constants

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Unused returns the constants that neither an event nor a used constant refers to, in the
// order of the file. Shadowed constants are left out.
//
// It reads all events of one chunk after the other, on several goroutines, see
// [mmapjfr.Workers], and follows their references. For a chunk it keeps a bit for each byte
// of its constants. If it is not nil, progress is called, by any of the goroutines, with
// numbers of bytes that have been read: those of all chunks that count, in the end.
func Unused(ctx context.Context, rec *mmapjfr.Recording, progress func(bytes uint64)) iter.Seq2[Constant, error] {
	return func(yield func(Constant, error) bool) {
		for _, chunk := range counted(rec) {
			u := NewUsage(rec)
			err := u.addChunk(ctx, chunk)
			if ctx.Err() != nil {
				yield(Constant{}, context.Cause(ctx))
				return
			}
			if progress != nil {
				progress(chunk.Size())
			}
			if err != nil && !yield(Constant{}, err) {
				return
			}
			if of := u.chunks[chunk]; of != nil && !of.each(rec, false, yield) {
				return
			}
		}
	}
}

// Usage finds the constants that some events of a recording refer to: directly, or through
// other constants. For each chunk with such an event it keeps a bit for each byte of the
// chunk's constants.
type Usage struct {
	rec       *mmapjfr.Recording
	followers []map[mmapjfr.Chunk]*follower // by worker

	mu     sync.Mutex // guards the fields below
	chunks map[mmapjfr.Chunk]*chunkUsage
	errs   map[mmapjfr.Chunk]error
}

// NewUsage returns a Usage of no events.
func NewUsage(rec *mmapjfr.Recording) *Usage {
	return &Usage{
		rec: rec, followers: make([]map[mmapjfr.Chunk]*follower, engine.RecordingWorkers(rec)),
		chunks: make(map[mmapjfr.Chunk]*chunkUsage), errs: make(map[mmapjfr.Chunk]error),
	}
}

// Add adds an event of the recording. Workers are numbered from 0 up to
// that of [mmapjfr.Workers]; calls with the same number must not overlap. The first event
// of a chunk makes it read the chunk's checkpoints.
func (u *Usage) Add(worker int, ev mmapjfr.Event) {
	chunk := ev.Chunk()
	err := chunk.Protect(func() error {
		f, err := u.follower(worker, chunk)
		if err == nil {
			f.event(ev)
		}
		return err
	})
	if err != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.errs[chunk] = err
	}
}

// addChunk adds all events of a chunk. Its error says what could not be read.
func (u *Usage) addChunk(ctx context.Context, chunk mmapjfr.Chunk) error {
	var first *follower
	if err := chunk.Protect(func() (err error) {
		first, err = u.follower(0, chunk)
		return err
	}); err != nil {
		return err
	}
	err := engine.SelectionBatches(chunk.Select(), ctx, func(worker int, b *mmapjfr.Batch) error {
		f, err := u.follower(worker, chunk)
		if err != nil || !engine.ConstantReaderCanRefer(f.reader.ConstantReader, engine.BatchType(b)) {
			return err
		}
		for i := range engine.BatchLen(b) {
			f.event(engine.BatchEvent(b, i))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return engine.ConstantReaderErr(first.reader.ConstantReader)
}

// follower returns what follows the references of a chunk for a worker.
func (u *Usage) follower(worker int, chunk mmapjfr.Chunk) (*follower, error) {
	if f := u.followers[worker][chunk]; f != nil {
		return f, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.errs[chunk]; err != nil {
		return nil, err
	}
	r, err := newReader(chunk)
	if err != nil {
		return nil, err
	}
	if u.chunks[chunk] == nil {
		u.chunks[chunk] = &chunkUsage{r, &bitset{make([]atomic.Pointer[page], int(chunk.Size())>>pageBits+1)}}
	}
	if u.followers[worker] == nil {
		u.followers[worker] = make(map[mmapjfr.Chunk]*follower)
	}
	f := &follower{reader: r, base: chunk.Offset(), used: u.chunks[chunk].used}
	f.visit = f.mark
	u.followers[worker][chunk] = f
	return f, nil
}

// Constants returns the constants that the added events refer to, in the order of the file,
// without shadowed ones; and errors for what could not be read of the chunks of these events.
// No event may be added at the same time.
func (u *Usage) Constants() iter.Seq2[Constant, error] {
	return func(yield func(Constant, error) bool) {
		for _, chunk := range u.rec.Chunks() {
			of, err := u.chunks[chunk], u.errs[chunk]
			if err == nil && of != nil {
				err = engine.ConstantReaderErr(of.reader.ConstantReader)
			}
			if err != nil && !yield(Constant{}, err) {
				return
			}
			if of != nil && !of.each(u.rec, true, yield) {
				return
			}
		}
	}
}

// chunkUsage is which constants of a chunk are used.
type chunkUsage struct {
	*reader
	used *bitset // has where the values of used constants begin in the chunk
}

// each yields the constants that are used, or those that are not. It returns false if yield has.
func (u *chunkUsage) each(rec *mmapjfr.Recording, used bool, yield func(Constant, error) bool) bool {
	more := true
	err := rec.Protect(func() error {
		u.reader.each(nil, func(c Constant) bool {
			if !c.Shadowed && u.used.has(c.value-u.chunk.Offset()) == used {
				more = yield(c, nil)
			}
			return more
		})
		return nil
	})
	return more && (err == nil || yield(Constant{}, err))
}

// follower marks the constants that events refer to. It belongs to one goroutine.
type follower struct {
	*reader
	base uint64 // where the chunk begins
	used *bitset
	// pending are constants that have been marked and whose references have not been followed yet.
	pending []constantAt
	visit   func(mmapjfr.Reference) // mark; made once
}

// constantAt is a constant, by where its value begins.
type constantAt struct {
	typ   mmapjfr.Type
	value uint64
}

// event marks all constants that an event refers to.
func (f *follower) event(ev mmapjfr.Event) {
	if !engine.ConstantReaderCanRefer(f.reader.ConstantReader, ev.Type()) {
		return
	}
	engine.ConstantReaderEventReferences(f.reader.ConstantReader, ev, f.visit)
	for n := len(f.pending); n > 0; n = len(f.pending) {
		c := f.pending[n-1]
		f.pending = f.pending[:n-1]
		engine.ConstantReaderReferences(f.reader.ConstantReader, c.typ, c.value, f.visit)
	}
}

func (f *follower) mark(ref mmapjfr.Reference) {
	value, ok := engine.ConstantReaderLookup(f.reader.ConstantReader, ref.Type, ref.Key)
	if ok && f.used.set(value-f.base) && engine.ConstantReaderCanRefer(f.reader.ConstantReader, ref.Type) {
		f.pending = append(f.pending, constantAt{ref.Type, value})
	}
}

// bitset has a bit for each byte of a chunk, in pages that are allocated when one of their
// bits is set. So it takes an eighth of the bytes of pools, and next to nothing elsewhere.
// Several goroutines may set bits at once.
type bitset struct {
	pages []atomic.Pointer[page]
}

const pageBits = 16

type page [1 << pageBits / 64]atomic.Uint64

// set sets a bit. It reports whether the bit was not set before.
func (s *bitset) set(at uint64) bool {
	slot := &s.pages[at>>pageBits]
	p := slot.Load()
	if p == nil {
		slot.CompareAndSwap(nil, new(page))
		p = slot.Load()
	}
	word, bit := &p[at&(1<<pageBits-1)/64], uint64(1)<<(at%64)
	return word.Load()&bit == 0 && word.Or(bit)&bit == 0
}

// has reports whether a bit is set.
func (s *bitset) has(at uint64) bool {
	p := s.pages[at>>pageBits].Load()
	return p != nil && p[at&(1<<pageBits-1)/64].Load()>>(at%64)&1 == 1
}
