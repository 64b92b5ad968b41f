package open

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// following is what a JVM has recorded by now. Its files stay open when the JVM removes them, as it
// does with all at its end: what has been written can be looked at until mjfr ends, or until it is
// too old or too much.
type following struct {
	title  string
	stream *stream.Stream
	vm     *attach.VM    // nil if only its directory is known
	maxAge time.Duration // of files; 0 for any

	mu      sync.Mutex
	dir     string          // where the JVM records; it can change
	listed  map[string]bool // files that were there at the last flush, also those that have been dropped
	files   []*chunkFile    // in the order of time
	first   int             // how many files have been dropped
	flushes int
	changed chan struct{} // closed at the next flush
	shown   *snapshot     // nil before the first one
	ended   bool
	problem string // why it has ended; "" if the JVM has ended in order
}

// chunkFile is a file that a JVM writes.
type chunkFile struct {
	name string
	file *os.File
	// opened is the recording in the file at some moment; nil before the JVM has written one.
	opened *opened
}

// opened is a recording that snapshots share.
type opened struct {
	rec  *mmapjfr.Recording
	size int64
	uses int // by snapshots, and by its file
}

// snapshot is what was recorded at a flush.
type snapshot struct {
	x       *explorer
	flushes int
	uses    int // by requests, and by its being shown
	parts   []*opened
}

// follow begins to follow the stream. It returns once there is something to show.
func (f *following) follow(ctx context.Context) error {
	s := f.stream
	f.changed = make(chan struct{})
	s.OnFlush(func() error { return f.flushed(ctx) })
	s.OnError(f.failed)
	context.AfterFunc(ctx, f.end) // requests that wait for something new do not wait for the stream
	if err := s.StartAsync(ctx); err != nil {
		return err
	}
	go f.await()
	for {
		if _, done, err := f.explorer(); err == nil {
			done()
			return nil
		} else if !errors.Is(err, errNothingYet) {
			return errors.Join(err, f.Close())
		}
		if _, err := f.wait(ctx, f.count()); err != nil {
			return errors.Join(err, f.Close())
		}
	}
}

// errNothingYet says that a JVM has not recorded anything so far.
var errNothingYet = errors.New("the JVM has not written anything yet")

// await waits for the end of the stream.
func (f *following) await() {
	err := f.stream.AwaitTermination(0)
	goes := err == nil && f.vm != nil && f.goes()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	switch {
	case goes:
		f.problem = "the recording has ended, and the JVM goes on; open it again to follow it"
	case err != nil && !errors.Is(err, stream.ErrClosed) && !errors.Is(err, context.Canceled):
		f.problem = err.Error()
	}
	f.next()
}

// end says that there will be nothing new.
func (f *following) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.next()
}

// goes reports whether the JVM answers.
func (f *following) goes() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := f.vm.Properties(ctx)
	return err == nil
}

// failed keeps the reason of an end.
func (f *following) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if errors.Is(err, stream.ErrKilled) {
		f.problem = "the JVM has ended without finishing its recording; all that it had flushed is shown"
	}
}

// flushed looks for files after each flush: the JVM removes them when they are old, and all of them
// when it ends.
func (f *following) flushed(ctx context.Context) error {
	dir := ""
	if f.vm != nil && f.count()%repositoryChecks == 0 {
		dir, _ = f.vm.Repository(ctx) // "" if it does not answer
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dir = cmp.Or(dir, f.dir)
	f.look()
	f.next()
	return nil
}

// repositoryChecks is after how many flushes the JVM is asked where it records.
const repositoryChecks = 30

// next says that there is something new.
func (f *following) next() {
	f.flushes++
	close(f.changed)
	f.changed = make(chan struct{})
}

// look opens files that are new, and drops those that are too old or too much: the JVM may keep
// them for others.
func (f *following) look() {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return // the JVM ends
	}
	listed := map[string]bool{}
	for _, e := range entries {
		name := filepath.Join(f.dir, e.Name())
		if e.IsDir() || filepath.Ext(name) != ".jfr" {
			continue
		}
		if !f.listed[name] {
			file, err := openOf(name, f.user())
			if err != nil {
				continue
			}
			f.files = append(f.files, &chunkFile{name: name, file: file})
		}
		listed[name] = true
	}
	f.listed = listed
	f.drop()
}

// drop closes the first files while they are too old, or all files are too much.
func (f *following) drop() {
	bytes := int64(0)
	infos := make([]os.FileInfo, len(f.files))
	for i, c := range f.files {
		info, err := c.file.Stat()
		if err != nil {
			return // it is open
		}
		infos[i] = info
		bytes += info.Size()
	}
	for len(infos) > 1 && (bytes > mostRecorded || f.maxAge > 0 && infos[len(infos)-1].ModTime().Sub(infos[0].ModTime()) > f.maxAge) {
		f.files[0].close()
		bytes -= infos[0].Size()
		f.files, infos = f.files[1:], infos[1:]
		f.first++
	}
}

// user returns the number of the user that the JVM runs as; -1 if it is not known.
func (f *following) user() int {
	if f.vm == nil {
		return -1
	}
	return f.vm.UID()
}

// close closes a file, and its recording once nobody uses it.
func (c *chunkFile) close() {
	_ = c.file.Close() // only read
	if c.opened != nil {
		c.opened.release()
	}
}

// release ends a use. The following is locked.
func (o *opened) release() {
	if o.uses--; o.uses == 0 {
		_ = o.rec.Close() // only read
	}
}

// refresh returns the recording in a file as it is now, or nil before the JVM has written one.
func (c *chunkFile) refresh() *opened {
	info, err := c.file.Stat()
	if err != nil {
		return c.opened
	}
	if o := c.opened; o != nil && o.size == info.Size() && isFinished(o.rec) {
		return o
	}
	rec, err := mmapjfr.Open(cmp.Or(atomicfile.PathOf(c.file), c.name)) // the name can be that of another file by now
	if err != nil {
		return c.opened // only just begun
	}
	if types, _ := mmapjfr.EventTypes([]*mmapjfr.Recording{rec}); len(types) == 0 {
		_ = rec.Close() // only read
		return c.opened
	}
	if c.opened != nil {
		c.opened.release()
	}
	c.opened = &opened{rec, info.Size(), 1}
	return c.opened
}

// isFinished reports whether a JVM has finished all chunks of a recording.
func isFinished(rec *mmapjfr.Recording) bool {
	return !slices.ContainsFunc(rec.Chunks(), func(c mmapjfr.Chunk) bool { return !c.Finished() })
}

// explorer returns an explorer of what has been recorded by now. The caller calls done after its
// last use.
func (f *following) explorer() (x *explorer, done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shown == nil || f.shown.flushes < f.flushes {
		s, err := f.snapshot()
		if err != nil && f.shown == nil {
			return nil, nil, err
		}
		if err == nil {
			if f.shown != nil {
				f.shown.release()
			}
			f.shown = s
		}
	}
	s := f.shown
	s.uses++
	return s.x, sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		s.release()
	}), nil
}

// snapshot opens what has been recorded by now.
func (f *following) snapshot() (*snapshot, error) {
	s := &snapshot{flushes: f.flushes, uses: 1}
	var recs []*mmapjfr.Recording
	var names []string
	first := f.first
	for _, c := range f.files {
		o := c.refresh()
		if o == nil {
			if len(recs) == 0 {
				first++
			}
			continue
		}
		recs, names = append(recs, o.rec), append(names, c.name)
		s.parts = append(s.parts, o)
	}
	if len(recs) == 0 {
		if f.ended {
			return nil, errors.New(cmp.Or(f.problem, "the JVM has ended before it has written anything"))
		}
		return nil, errNothingYet
	}
	var err error
	if s.x, err = newExplorer(input.SetOf(recs, names)); err != nil {
		return nil, err
	}
	s.x.first, s.x.title, s.x.live = first, f.title, true
	for _, o := range s.parts {
		o.uses++
	}
	return s, nil
}

// release ends a use. The following is locked.
func (s *snapshot) release() {
	if s.uses--; s.uses > 0 {
		return
	}
	for _, o := range s.parts {
		o.release()
	}
}

// count returns how many flushes there have been.
func (f *following) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flushes
}

// wait waits until there are more flushes than a number, or the stream has ended, and returns how
// many there are.
func (f *following) wait(ctx context.Context, after int) (int, error) {
	for {
		f.mu.Lock()
		n, ended, changed := f.flushes, f.ended, f.changed
		f.mu.Unlock()
		if n > after || ended {
			return n, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return n, context.Cause(ctx)
		}
	}
}

// Close ends the stream, and the recording that was made for it. It fails if that goes on.
func (f *following) Close() error {
	err := f.stream.Close()
	for _, e := range errtree.Each(f.stream.AwaitTermination(closing)) {
		if errors.Is(e, attach.ErrNoAnswer) || errors.Is(e, stream.ErrTimeout) {
			err = errors.Join(err, e)
		}
	}
	f.closeFiles()
	return err
}

// closeFiles closes what no request uses any more, and lets requests close the rest.
func (f *following) closeFiles() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shown != nil {
		f.shown.release()
		f.shown = nil
	}
	for _, c := range f.files {
		c.close()
	}
	f.files = nil
}

// closing is how long the JVM may take to end a recording: a little longer than the stream lets it,
// which says what to do.
const closing = 12 * time.Second
