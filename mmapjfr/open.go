package mmapjfr

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Option changes how a recording is opened.
type Option func(*options) error

type options struct {
	copyOnOpen bool
	workers    int
	index      IndexLocation
	readIndex  []IndexLocation
	keepEvents bool
	salvage    bool
	strings    *StringTable // nil for one of its own
	name       string
}

// CopyOnOpen reads the whole file into memory instead of mapping it. It is for
// files that others may truncate or overwrite while they are read: views of strings, see
// [Value.StrView], are then safe from that as well, and stay valid after Close. It takes as much
// memory as the file has bytes; where the system says that there is not so much, opening
// fails with [ErrUnsupported]. What a container may have the system does not say.
func CopyOnOpen() Option {
	return func(o *options) error {
		o.copyOnOpen = true
		return nil
	}
}

// Named sets what errors call the recording. Without it that is the path of its file, and a
// recording of [OpenBytes] has no name.
func Named(name string) Option {
	return func(o *options) error {
		o.name = name
		return nil
	}
}

// Workers sets how many goroutines read at once where several do: in
// [Selection.Parallel], in [Fold], and where the blocks of a chunk are cut. 0,
// which is also what holds without the option, stands for as many as Go uses
// processors for, GOMAXPROCS. More than 1024 are 1024.
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
	name    string // what errors call it; empty if it has none
	size    int64
	index   *index.Index
	chunks  []*chunk
	workers int         // see Workers
	info    fs.FileInfo // of the file, from before it was opened; nil if it is none
	shared  bool        // that others can change the bytes, because a file is mapped
	state   IndexState
	strings *StringTable
	// firsts is how many events come before each chunk, as far as that is known.
	firstOrdinals atomic.Pointer[[]uint64]
	countMu       sync.Mutex // held by who counts on

	users atomic.Int64
	// fate tells what has become of the bytes.
	status atomic.Uint32

	mu        sync.Mutex // guards what follows
	mapping   mapfile.Mapping
	saved     mapfile.Mapping // the saved index
	pathCache map[*schema.TypeSet]*pathCache
}

// inputOpens is the advice on what Open cannot open though another package of the library can.
const inputOpens = "; package mmapjfr/input opens packed recordings and those of a directory"

// mapFile opens a file, and says what to do if it cannot be opened.
func mapFile(path string, o mapfile.Options) (mapfile.Mapping, error) {
	m, err := mapfile.Open(path, o)
	return m, openErr(path, err)
}

// openErr returns the error of a file that could not be opened, with what to do about it.
func openErr(path string, err error) error {
	tooLarge, ok := errors.AsType[*mapfile.SizeError](err)
	switch {
	case ok:
		return tooLargeErr(tooLarge)
	case errors.Is(err, mapfile.ErrDirectory):
		return fmt.Errorf("mmapjfr: %s is a directory, not a recording%s", path, inputOpens)
	}
	return err
}

// tooLargeErr returns the error of a file that does not fit into the program.
func tooLargeErr(e *mapfile.SizeError) error {
	verb, why := "map", "the address space that this program has is too small"
	if e.Copy {
		verb, why = "copy", "it does not fit into memory"
	}
	advice := "read it piece by piece through ReadChunks, or split it with jfr disassemble"
	if bits.UintSize == 32 {
		advice = "open it with a 64-bit program, or " + advice
	}
	err := fmt.Errorf("mmapjfr: cannot %s %s, of %d bytes: %w: %s; %s", verb, e.Path, e.Size, ErrUnsupported, why, advice)
	if e.Err != nil {
		err = fmt.Errorf("%w: %w", err, e.Err)
	}
	return err
}

// adviceOn returns what is to be said of an error of a recording that could not be opened.
func adviceOn(err error) string {
	if errors.Is(err, ErrNotRecording) && strings.Contains(err.Error(), "unpack it first") {
		return inputOpens
	}
	return ""
}

// Open maps the recording at path. It reads the chunk headers and nothing else,
// unless an option says so: the time it takes and the memory it needs are in
// proportion to the number of chunks.
//
// It fails if the file cannot be opened, or holds not a single chunk that could
// be read: the error then matches [ErrEmpty], [ErrNotRecording],
// [ErrUnsupported] or [ErrTruncated]. It matches [ErrUnsupported] as well if there are
// not enough addresses to map the file, as in 32-bit programs; [ReadChunks] reads files of
// any size. Recordings that are packed, as with gzip, and directories are for package
// [github.com/mmapjfr/jfr/mmapjfr/input]. Damage further on comes out of the iteration over the events. Close the
// recording when its views are no longer in use.
//
// A recording that nobody closes is unmapped some time after the last use of it and of
// all its views. Strings do not keep it mapped, nor do those that [Value.StrView] returns.
func Open(path string, opts ...Option) (*Recording, error) {
	var o options
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	m, err := mapFile(path, mapfile.Options{Copy: o.copyOnOpen, Magic: wire.Magic})
	if err != nil {
		return nil, err
	}
	if !o.copyOnOpen {
		m = m.Guarded()
	}
	if o.name == "" {
		o.name = path
	}
	rec, err := newRecording(m, o)
	if err != nil {
		_ = m.Close() // the reason why there is nothing to close is the better error
		return nil, fmt.Errorf("%s: %w%s", path, err, adviceOn(err))
	}
	rec.path, rec.info = path, m.Info()
	if o.index != IndexOff {
		rec.openIndex(o.index)
	} else {
		rec.readIndex(o.readIndex)
	}
	return rec, nil
}

// OpenBytes opens a recording that is in memory already. The bytes must not
// change before Close. The option [SavedIndex] has no effect.
func OpenBytes(data []byte, opts ...Option) (*Recording, error) {
	var o options
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	m := mapfile.New(data, nil).Guarded()
	rec, err := newRecording(m, o)
	if err != nil {
		_ = m.Close() // it is no map
	}
	return rec, err
}

func newRecording(m mapfile.Mapping, o options) (rec *Recording, err error) {
	rec = &Recording{
		name: o.name, size: int64(len(m.Data())), mapping: m, shared: m.IsMapped(), workers: o.workers,
		strings: o.table(), pathCache: make(map[*schema.TypeSet]*pathCache),
	}
	defer rec.recoverFault(debug.SetPanicOnFault(true), &err)
	read := index.New
	if o.salvage {
		read = index.Salvage
	}
	rec.index, err = read(m.Data())
	if err != nil {
		return nil, err
	}
	rec.index.SetFile(o.name)
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
// Other goroutines must have ended reading values, events of [Recording.EventAtOffset]
// and cursors before, and nobody may use views of strings any more, see [Value.StrView].
func (r *Recording) Close() error {
	if r.status.Load()&statusClosed != 0 {
		return nil
	}
	r.setStatus(statusClosed)
	if r.users.Load() > 0 {
		return nil // the last one unmaps
	}
	return r.unmap()
}

// unmap gives all memory maps back. It may be called more than once.
func (r *Recording) unmap() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.mapping.Close()
	if e := r.saved.Close(); err == nil {
		err = e
	}
	return err
}

// use keeps the file mapped until done is called. Who comes first, it or Close,
// sees the other: one of them counts before it looks, and so does the other.
func (r *Recording) use() error {
	if r == nil { // of a zero view
		return ErrClosed
	}
	r.users.Add(1)
	if r.status.Load()&statusClosed != 0 {
		r.done()
		return ErrClosed
	}
	return nil
}

func (r *Recording) done() {
	if r.users.Add(-1) == 0 && r.status.Load()&statusClosed != 0 {
		_ = r.unmap() // whoever closed has been answered long ago
	}
}

// Salvage makes Open and OpenBytes read whatever can be read of a recording that is not
// whole: of a virtual machine that was killed, of a file that lost its end, or with
// damage inside. [index.Salvage] says what is done for that, and [Recording.Salvaged]
// what was. Everything that is lost also comes out of the iteration, as an error that
// matches [ErrCorrupt], [ErrTruncated], [ErrUnfinished] or [ErrTrailing], once what can
// be read of its chunk has.
//
// All bytes are gone through once, before Open returns. Chunks that were not whole are
// never in a saved index.
func Salvage() Option {
	return func(o *options) error {
		o.salvage = true
		return nil
	}
}

// SalvageReport tells what it took to read a chunk that is not whole, and what is lost.
type SalvageReport = index.SalvageReport

// ByteRange is a range of bytes: it begins at From and ends before To.
type ByteRange = index.ByteRange

// Salvaged tells, for each chunk that is not whole, what it took to read it, and what is
// lost; nothing if all chunks are whole, or without the option [Salvage].
func (r *Recording) Salvaged() []SalvageReport {
	var list []SalvageReport
	for _, c := range r.index.Chunks() {
		if s := c.Salvaged(); s != nil {
			list = append(list, *s)
		}
	}
	return list
}
