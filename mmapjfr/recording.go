package mmapjfr

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/stringtable"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Option changes how a recording is opened.
type Option func(*options) error

type options struct {
	copyOnOpen bool
	workers    int
	keeps      int
	indexes    string // see SavedIndexes
	keepEvents bool
	readWhole  bool
	salvage    bool
	strings    *StringTable // nil for one of its own
	name       string
	source     Source // nil if all bytes are there
}

func newOptions(opts []Option) (o options, err error) {
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt(&o); err != nil {
			return o, err
		}
	}
	return o, nil
}

// CopyOnOpen reads the whole file into memory instead of mapping it. Use it for files that
// others may truncate or overwrite while they are read: views of strings, see
// [Value.StrView], are then safe, too, and stay valid after Close. It takes as much memory as
// the file has bytes. If the system says that it has less, opening fails with
// [ErrUnsupported]. Limits of a container are not seen.
func CopyOnOpen() Option {
	return func(o *options) error {
		o.copyOnOpen = true
		return nil
	}
}

// named sets the name of the recording in errors. The default is the path of its file; a
// recording of [OpenBytes] has no name.
func named(name string) Option {
	return func(o *options) error {
		o.name = name
		return nil
	}
}

// Workers sets how many goroutines read at once. That holds for [Selection.Parallel] and [Fold],
// for building blocks and finding constants, for saving an index, and for packages that read
// whole recordings, such as verify, summary and repair; package print has an option of its own. The default, 0, stands for GOMAXPROCS.
// More than 1024 are 1024.
func Workers(n int) Option {
	return func(o *options) error {
		if n < 0 {
			return fmt.Errorf("the number of workers cannot be %d", n)
		}
		o.workers = n
		return nil
	}
}

// keepConstants lets a recording keep where its constants lie in up to this many bytes of memory, if that is more than it
// keeps without: 16 MiB, or a 160th of its size. What is kept need not be found again: that takes time in proportion to
// the checkpoints of a chunk. It is for programs that ask the same recording many things.
func keepConstants(bytes int) Option {
	return func(o *options) error {
		if bytes < 0 {
			return fmt.Errorf("constants cannot take %d bytes", bytes)
		}
		o.keeps = bytes
		return nil
	}
}

// StringTable keeps the strings that recordings have returned, each text once, so that reading
// a text again allocates nothing. Each recording has a table of its own, and
// each stream one for all its chunks. The zero StringTable is ready to use, by any number of
// goroutines.
//
// It holds at most 32 MiB. It drops texts that have not been read for long, and does not hold
// texts above 64 KiB, which are copied each time they are read. Strings stay valid in either
// case.
type StringTable struct{ table stringtable.Table }

// shareStrings makes recordings, and growing chunks, keep their strings in a table that they
// share: each text is kept once for all of them.
func shareStrings(t *StringTable) Option {
	return func(o *options) error {
		o.strings = t
		return nil
	}
}

// table returns the table that strings are kept in.
func (o *options) table() *stringtable.Table {
	if o.strings != nil {
		return &o.strings.table
	}
	return new(stringtable.Table)
}

// Recording is an open recording. It is safe for concurrent use.
type Recording struct {
	path    string
	name    string // what errors call it; empty if it has none
	size    int64
	index   *index.Index
	chunks  []*chunk
	workers int         // see Workers
	info    fs.FileInfo // of the file, from before it was opened; nil without a file
	shared  bool        // others can change the bytes: a file is mapped
	kept    *keptFile   // the index that is saved at the end; nil if none is
	strings *stringtable.Table
	fetching
	// firsts is how many events come before each chunk, as far as they have been
	// counted.
	firstOrdinals atomic.Pointer[[]uint64]
	countMu       sync.Mutex // held while events are counted

	users atomic.Int64
	// fate is what has happened to the bytes.
	status atomic.Uint32

	mu        sync.Mutex // guards what follows
	mapping   mapfile.Mapping
	saved     mapfile.Mapping // the saved index
	pathCache map[*schema.TypeSet]*pathCache
}

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
		return fmt.Errorf("%s is a directory, not a recording", path)
	}
	return err
}

// tooLargeErr returns the error of a file that does not fit into the program.
func tooLargeErr(e *mapfile.SizeError) error {
	verb, why := "map", "the address space that this program has is too small"
	if e.Copy {
		verb, why = "copy", "it does not fit into memory"
	}
	advice := "split it with jfr disassemble"
	if bits.UintSize == 32 {
		advice = "open it with a 64-bit program; " + advice
	}
	err := fmt.Errorf("cannot %s %s, of %d bytes: %w: %s; %s", verb, e.Path, e.Size, ErrUnsupported, why, advice)
	if e.Err != nil {
		err = fmt.Errorf("%w: %w", err, e.Err)
	}
	return err
}

// Open maps the recording at path. It reads the chunk headers and nothing else,
// unless an option says so: time and memory are in proportion to the number of chunks.
//
// Open fails if the file cannot be opened, or if it holds no chunk that can be read: the
// error then matches [ErrEmpty], [ErrNotRecording], [ErrUnsupported] or [ErrTruncated]. It
// also matches [ErrUnsupported] if there are not enough addresses to map the file, as in
// 32-bit programs; package [github.com/mmapjfr/jfr/mmapjfr/stream] reads files of any size. Package
// [github.com/mmapjfr/jfr/mmapjfr/input] opens packed recordings, as with gzip, and
// directories. Iterating over the events reports damage further on. Close the recording when
// its views are no longer in use.
//
// A recording that is never closed is unmapped some time after the last use of it and of
// all its views. Strings, also those of [Value.StrView], do not keep it mapped.
func Open(path string, opts ...Option) (*Recording, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
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
		_ = m.Close() // why the recording cannot be read is the better error
		return nil, namedError{path, err}
	}
	rec.path, rec.info = path, m.Info()
	if o.indexes != "" {
		rec.openIndex(o.indexes)
	}
	return rec, nil
}

// OpenBytes opens a recording that is in memory already. The bytes must not
// change before Close. The option [SavedIndexes] has no effect.
func OpenBytes(data []byte, opts ...Option) (*Recording, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	m := mapfile.New(data, nil).Guarded()
	rec, err := newRecording(m, o)
	if err != nil {
		_ = m.Close() // cannot fail: nothing is mapped
	}
	return rec, err
}

// chunkIDs is how many chunks have got a number, see [chunk].
var chunkIDs atomic.Uint64

func newRecording(m mapfile.Mapping, o options) (rec *Recording, err error) {
	rec = &Recording{
		name: o.name, size: int64(len(m.Data())), mapping: m, shared: m.IsMapped(), workers: o.workers,
		strings: o.table(), pathCache: make(map[*schema.TypeSet]*pathCache), fetching: fetching{source: o.source, whole: o.readWhole},
	}
	defer rec.recoverFault(debug.SetPanicOnFault(true), &err)
	rec.index, err = rec.newIndex(m.Data(), o.salvage)
	if err != nil {
		return nil, err
	}
	rec.index.SetFile(o.name)
	rec.index.SetWorkers(o.workers)
	rec.index.SetCacheSize(o.keeps)
	for _, ix := range rec.index.Chunks() {
		c := newChunk(rec, ix)
		c.id = chunkIDs.Add(1)
		rec.chunks = append(rec.chunks, c)
	}
	countOnce(rec)
	return rec, nil
}

// Close unmaps the file. It may be called more than once, also inside a loop over the
// recording's own events: iterations that are running, in any goroutine, keep the file mapped
// and end with [ErrClosed]. After that every call returns [ErrClosed], and views answer as if
// nothing were there.
//
// Before Close, other goroutines must have stopped reading values, events of
// [Recording.EventAtOffset] and cursors. After it views of strings must not be used, see
// [Value.StrView].
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
	r.saveIndex()
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.mapping.Close()
	if e := r.saved.Close(); err == nil {
		err = e
	}
	return err
}

// readAhead says that work that goes over the recording has come to the bytes between two offsets.
func (r *Recording) readAhead(from, to uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mapping.ReadAhead(from, to)
}

// use keeps the file mapped until done is called, or returns [ErrClosed].
//
// use and Close may run at the same time. use first adds itself to users and then reads the
// status; Close first sets the status and then reads users. Atomic operations have one order
// for all goroutines, so at least one of the two sees what the other has written. If use sees
// the status it leaves; if Close sees a user it does not unmap, and the last done does. If
// both see each other, unmapping twice does no harm.
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
		_ = r.unmap() // Close has returned; its error can be reported to no caller
	}
}

// Salvage makes Open and OpenBytes read all that can be read of a recording that is not
// whole: of a virtual machine that was killed, of a file that lost its end, or with damage
// inside. [Recording.Salvaged] returns what was done. What
// is lost is also reported by the iteration, after the events of its chunk, as an error that
// matches [ErrCorrupt], [ErrTruncated], [ErrUnfinished] or [ErrTrailing].
//
// Open then reads all bytes once. Chunks that were not whole are never in a saved index.
func Salvage() Option {
	return func(o *options) error {
		o.salvage = true
		return nil
	}
}

// SalvageReport is what was done to read a chunk that is not whole, and what is lost.
type SalvageReport = index.SalvageReport

// ByteRange is the bytes between two offsets, From and To.
type ByteRange = index.ByteRange

// Salvaged returns, for each chunk that is not whole, what was done to read it, and what is
// lost. It is empty if all chunks are whole, or without the option [Salvage].
func (r *Recording) Salvaged() []SalvageReport {
	var list []SalvageReport
	for _, c := range r.index.Chunks() {
		if s := c.Salvaged(); s != nil {
			list = append(list, *s)
		}
	}
	return list
}

// Path returns the path the recording was opened with; empty for OpenBytes.
func (r *Recording) Path() string { return r.path }

// Size returns the number of bytes of the file.
func (r *Recording) Size() int64 { return r.size }

// Start returns when the earliest chunk began, in UTC.
func (r *Recording) Start() time.Time {
	start := Chunk{r.chunks[0]}.Start()
	for _, c := range r.chunks[1:] {
		if s := (Chunk{c}).Start(); s.Before(start) {
			start = s
		}
	}
	return start
}

// End returns when the latest chunk ended, in UTC.
func (r *Recording) End() time.Time {
	var end time.Time
	for _, c := range r.chunks {
		if e := (Chunk{c}).End(); e.After(end) {
			end = e
		}
	}
	return end
}

// Duration returns the sum of the durations of all chunks. If recordings with a pause between
// them were joined, it is less than the time from Start to End.
func (r *Recording) Duration() time.Duration {
	var d time.Duration
	for _, c := range r.chunks {
		if c.repeats == nil {
			d += Chunk{c}.Duration()
		}
	}
	return d
}

// location returns the time zone of the virtual machine, as the first chunk
// whose metadata can be read has it; UTC if no metadata can be read.
func (r *Recording) location() *time.Location {
	for _, c := range r.chunks {
		if _, zone, err := (Chunk{c}).region(); err == nil {
			return zone
		}
	}
	return time.UTC
}

// Types returns all types that the recording describes, event types and others, each name
// once, in the order in which they first appear. Of a type that differs from chunk to chunk it
// returns the last one. It reads the metadata of all chunks. A type that only older metadata of
// a chunk describes is included once an event of that type has been read.
//
// The error joins those of chunks whose metadata cannot be read; the types of the other chunks
// are returned all the same.
func (r *Recording) Types() ([]Type, error) {
	var (
		list []Type
		errs []error
		at   = make(map[string]int)
		seen = make(map[*schema.TypeSet]bool)
	)
	for _, c := range r.chunks {
		types, err := c.typesInPassing()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if seen[types] {
			continue
		}
		seen[types] = true
		for i := range types.Types {
			wire.StepBytes(len(types.Types[i].Name) + 8)
			t := Type{types.Types[i]}
			if j, ok := at[t.Name()]; ok {
				list[j] = t
				continue
			}
			at[t.Name()] = len(list)
			list = append(list, t)
		}
	}
	return list, errors.Join(errs...)
}

// Type returns the type of that full name, as the last chunk that has it describes it, or else the
// event type that is called so without its package, or in another case, for which it reads the
// metadata of all chunks. It is false if no chunk has such a type, or if several event types share
// the name; see [Recording.Types] for types in older metadata.
func (r *Recording) Type(name string) (t Type, ok bool) {
	for i := len(r.chunks) - 1; i >= 0; i-- {
		if types, err := r.chunks[i].types(); err == nil {
			if typ := types.Named(name); typ != nil {
				return Type{typ}, true
			}
		}
	}
	types, _ := r.Types() // what cannot be read describes no type
	t, err := eventTypeNamed(types, name)
	return t, err == nil
}

// types returns the types of the chunk. The first call reads its metadata.
func (c *chunk) types() (*schema.TypeSet, error) { return fromIndex(c, c.ix.Types) }

// typesInPassing is types for those that read the metadata of all chunks: its pages do not stay in the program. In
// recordings of many small chunks a third of all bytes are metadata.
func (c *chunk) typesInPassing() (*schema.TypeSet, error) {
	known := c.ix.HasTypes()
	types, err := c.types()
	if !known && c.rec != nil && c.rec.size > pagesAtOnce {
		Chunk{c}.dropPages()
	}
	return types, err
}

// pagesAtOnce is how many bytes a recording has at most of which all pages stay in the program that have been read. Of larger
// ones it gives back those that a walk over event headers has passed.
const pagesAtOnce = 64 << 20

// Types returns the types that the chunk's metadata describes; see [Recording.Types] for types
// in older metadata.
func (c Chunk) Types() ([]Type, error) {
	types, err := c.orEmpty().types()
	if err != nil {
		return nil, err
	}
	list := make([]Type, len(types.Types))
	for i := range types.Types {
		list[i] = Type{types.Types[i]}
	}
	return list, nil
}

// indexOf returns the index of the recording, for tools that work on chunks, pools and event
// headers themselves. It must not be changed, nor used after Close. It does not keep the
// recording from being collected: read the bytes that it leads to inside [Recording.Protect].
func (r *Recording) indexOf() *index.Index { return r.index }

// dropPages advises the operating system that the bytes of the recording between two
// offsets will not be read soon. Where the file is mapped, and the system can be advised,
// whole pages of them are taken from the program until it reads them again; they stay in
// the system's cache of the file. Call it while reading a large recording once, so that
// the program does not grow to the size of the recording, and closing is quicker; see also
// dropPassed. Views stay valid. It does nothing after Close.
func (r *Recording) dropPages(from, to uint64) {
	if r.use() != nil {
		return
	}
	defer r.done()
	r.mapping.DropPages(from, to)
}

// dropPassed lets a recording of more than 64 MiB call DropPages for what selections, cursors and walks have passed, from
// now on: for programs that read it once, or not often. Reading all of it again takes up to a tenth longer then.
// [index.Index.SetPassed] ends it.
func (r *Recording) dropPassed() {
	if r.size > pagesAtOnce {
		r.index.SetPassed(r.dropPages)
	}
}

// dropPages is dropPages for the bytes of the chunk.
func (c Chunk) dropPages() {
	if ch := c.orEmpty(); ch.rec != nil {
		ch.rec.dropPages(ch.ix.Offset(), ch.ix.Offset()+ch.ix.Size())
	}
}
