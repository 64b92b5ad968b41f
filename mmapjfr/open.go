package mmapjfr

import (
	"fmt"
	"io/fs"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/index"
)

// Option changes how a recording is opened.
type Option func(*options) error

type options struct {
	copyOnOpen bool
	workers    int
	index      IndexPlace
	readIndex  []IndexPlace
	keepEvents bool
}

// CopyOnOpen reads the whole file into memory instead of mapping it. It is for
// files that others may truncate or overwrite while they are read. Strings then
// stay valid after Close.
func CopyOnOpen() Option {
	return func(o *options) error {
		o.copyOnOpen = true
		return nil
	}
}

// Workers sets how many goroutines read at once where several do: in
// [Selection.Parallel], in [Fold], and where the blocks of a chunk are cut. 0,
// which is also what holds without the option, stands for as many as Go uses
// processors for, GOMAXPROCS.
func Workers(n int) Option {
	return func(o *options) error {
		if n < 0 {
			return fmt.Errorf("mmapjfr: there cannot be %d workers", n)
		}
		o.workers = n
		return nil
	}
}

// Recording is an open recording. It is safe for concurrent use.
type Recording struct {
	path    string
	size    int64
	index   *index.Index
	chunks  []*chunk
	workers int         // see Workers
	info    fs.FileInfo // of the file, from before it was opened; nil if it is none
	state   IndexState
	intern  interner
	// firsts is how many events come before each chunk, as far as that is known.
	firsts atomic.Pointer[[]uint64]

	users  atomic.Int64
	closed atomic.Bool

	mu      sync.Mutex // guards what follows
	mapping mapping
	saved   mapping // the saved index
	layouts map[*index.Types]*layouts
}

// Open maps the recording at path. It reads the chunk headers and nothing else,
// unless an option says so: the time it takes and the memory it needs are in
// proportion to the number of chunks.
//
// It fails if the file cannot be opened, or holds not a single chunk that could
// be read: the error then matches [ErrEmpty], [ErrNotRecording],
// [ErrUnsupported] or [ErrTruncated]. Damage further on comes out of the
// iteration over the events. Close the recording when its strings are no longer
// in use.
func Open(path string, opts ...Option) (*Recording, error) {
	var o options
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	m, err := mapFile(path, o.copyOnOpen)
	if err != nil {
		return nil, err
	}
	rec, err := newRecording(m, o)
	if err != nil {
		_ = m.close() // the reason why there is nothing to close is the better error
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	rec.path, rec.info = path, m.info
	if o.index != IndexOff {
		rec.openIndex(o.index)
	} else {
		rec.readIndex(o.readIndex)
	}
	return rec, nil
}

// OpenBytes opens a recording that is in memory already. The bytes must not
// change before Close; strings alias them. The option [SavedIndex] has no effect.
func OpenBytes(data []byte, opts ...Option) (*Recording, error) {
	var o options
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	return newRecording(mapping{data: data[:len(data):len(data)]}, o)
}

func newRecording(m mapping, o options) (rec *Recording, err error) {
	rec = &Recording{size: int64(len(m.data)), mapping: m, workers: o.workers, layouts: make(map[*index.Types]*layouts)}
	defer rec.guard(debug.SetPanicOnFault(true), &err)
	rec.index, err = index.New(m.data)
	if err != nil {
		return nil, err
	}
	for _, ix := range rec.index.Chunks() {
		rec.chunks = append(rec.chunks, newChunk(rec, ix))
	}
	return rec, nil
}

// Close unmaps the file. It may be called more than once, also inside a loop over
// the recording's own events: those that are iterated over at that moment, by
// whichever goroutine, keep the file mapped until the iteration ends, which it
// does with [ErrClosed]. After that every call gives [ErrClosed], and views answer
// as if nothing were there.
//
// Other goroutines must have ended reading values, events of [Recording.EventAt]
// and cursors before, and nobody may use strings that alias the file any more.
func (r *Recording) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	for _, c := range r.chunks {
		c.gone.Store(true)
	}
	if r.users.Load() > 0 {
		return nil // the last one unmaps
	}
	return r.unmap()
}

// unmap gives all memory maps back. It may be called more than once.
func (r *Recording) unmap() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.mapping.close()
	if e := r.saved.close(); err == nil {
		err = e
	}
	return err
}

// use keeps the file mapped until done is called. Who comes first, it or Close,
// sees the other: one of them counts before it looks, and so does the other.
func (r *Recording) use() error {
	r.users.Add(1)
	if r.closed.Load() {
		r.done()
		return ErrClosed
	}
	return nil
}

func (r *Recording) done() {
	if r.users.Add(-1) == 0 && r.closed.Load() {
		_ = r.unmap() // whoever closed has been answered long ago
	}
}
