package mmapjfr

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/mapfile"
)

// ErrUnfetched says that bytes of a recording of [OpenSource] could not be fetched. Errors that match it also match
// [ErrTruncated]: the bytes are missing.
var ErrUnfetched = errors.New("cannot be fetched")

// Source has the bytes of a recording that lies elsewhere, such as on a server, see [OpenSource]. Package
// [github.com/mmapjfr/jfr/mmapjfr/input] opens URLs by sources.
type Source interface {
	// Data returns memory for all bytes of the recording. Bytes in it are read only after they were fetched.
	Data() []byte
	// Fetch returns when the bytes between two offsets can be read, or why they never will. It matches [ErrChanged] if
	// they are of another recording by now. Any number of goroutines call it.
	Fetch(from, to uint64) error
	// Ahead says which bytes are going to be needed next. It does not wait for them.
	Ahead(from, to uint64)
	// Close gives the memory back. No other call follows.
	Close() error
}

// OpenSource opens a recording whose bytes are fetched when they are needed: the headers of chunks at once, the metadata
// of a chunk when its types are asked for, and the rest of it before anything else of it is read. A recording closes
// its source; if OpenSource fails it does so, too. The option [SavedIndexes] has no effect, and
// [Salvage] fetches everything.
//
// Where bytes cannot be fetched, functions return an error that matches [ErrUnfetched], values answer as if nothing were
// there, and [Recording.FileErr] returns the reason.
//
// Where chunks are small, say that all of them are going to be read by the option [ReadWhole].
//
// Selections [Between] two times fetch only the chunks of that time.
func OpenSource(source Source, opts ...Option) (*Recording, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, errors.Join(err, source.Close())
	}
	o.source = source
	if o.salvage {
		if err := source.Fetch(0, uint64(len(source.Data()))); err != nil {
			_ = source.Close() // why the bytes are missing is the better error
			return nil, (&Recording{name: o.name}).unfetched(err)
		}
	}
	m := mapfile.New(source.Data(), source.Close)
	rec, err := newRecording(m, o)
	if err != nil {
		_ = m.Close() // why the recording cannot be read is the better error
		return nil, err
	}
	return rec, nil
}

// fetching is what a recording knows of its source.
type fetching struct {
	source Source // nil if all bytes are there
	whole  bool   // see ReadWhole
	failed atomic.Pointer[unfetchedError]
	after  atomic.Int64 // see ChunksAfter
}

// unfetchedError says why bytes could not be fetched.
type unfetchedError struct{ error }

func (e *unfetchedError) Unwrap() error  { return e.error }
func (e *unfetchedError) Unnamed() error { return errtree.Unnamed(e.error) }

// Is reports whether the error matches: bytes that were not fetched are missing.
func (e *unfetchedError) Is(target error) bool {
	return target == ErrUnfetched || target == ErrTruncated
}

// unfetched notes why bytes could not be fetched, and returns the error of all that needs them: the first one.
func (r *Recording) unfetched(reason error) error {
	r.failed.CompareAndSwap(nil, &unfetchedError{r.withName(fmt.Errorf("cannot fetch it: %w", reason))})
	r.setStatus(statusUnfetched)
	return r.failed.Load()
}

// newIndex reads the headers of chunks.
func (r *Recording) newIndex(data []byte, salvage bool) (*index.Index, error) {
	switch {
	case salvage:
		return index.Salvage(data)
	case r.source != nil:
		return index.NewFetched(data, r.source, r.whole)
	}
	return index.New(data)
}

// ReadWhole says that all of a recording of [OpenSource] is going to be read. If its chunks have less than about 4 MiB, all
// of it is then fetched when it is opened, in few requests, instead of the headers one after the other.
func ReadWhole() Option {
	return func(o *options) error {
		o.readWhole = true
		return nil
	}
}

// fetch fetches the chunk of the selection with that number, and begins to fetch those after it. It panics with an
// [index.FetchError].
func (s *Selection) fetch(number int) {
	if s.rec.source == nil {
		return
	}
	s.chunks[number].ix.Ahead(s.chunks[len(s.chunks)-1].ix.Number())
	s.chunks[number].ix.Need()
}

// clockSlack is by how much the clock of a chunk's events and the times in its header may differ.
const clockSlack = time.Second

// trim leaves out chunks at both ends that would have to be fetched, and have no event that begins between the times of
// the filters, but for events that end in a chunk that began later. No chunk has events that begin after its end.
func (r *Recording) trim(chunks []*chunk, filters []Filter) []*chunk {
	for _, f := range filters {
		times, ok := f.(interval)
		if !ok {
			continue
		}
		for times.hasFrom && len(chunks) > 0 {
			c := Chunk{chunks[0]}
			if !c.Finished() || !c.End().Add(clockSlack).Before(unixNano(times.from)) {
				break
			}
			chunks = chunks[1:]
		}
		n := len(chunks)
		for times.hasTo && n > 0 && (Chunk{chunks[n-1]}).Start().Add(-clockSlack).After(unixNano(times.to)) {
			n--
		}
		if after := int64(len(chunks) - n); after > r.after.Load() {
			r.after.Store(after)
		}
		chunks = chunks[:n]
	}
	return chunks
}

// isFetched reports whether bytes of the recording are fetched when they are needed, see [OpenSource].
func (r *Recording) isFetched() bool { return r.source != nil }

// chunksAfter returns how many chunks of a recording of [OpenSource] selections by time have left out because they began
// after that time. They can hold events that began before and lasted until then. It is 0 for recordings of which all
// bytes are there: their selections find these events.
func (r *Recording) chunksAfter() int { return int(r.after.Load()) }
