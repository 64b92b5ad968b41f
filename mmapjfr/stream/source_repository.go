package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// ErrChunkRemoved says that a chunk was removed, because of its age or size, before it could be
// read: handlers are too slow.
var ErrChunkRemoved = errors.New("stream: a chunk was removed before it could be read")

// OpenRepository returns a stream of what a virtual machine records into a directory. The directory
// is its own, as in the system property jdk.jfr.repository, or the base directory above that; then
// the newest virtual machine is followed. Without a start time the stream begins at the end of what
// has been flushed. With one it begins in the chunk that holds this time, or in the oldest chunk.
//
// The stream continues from chunk to chunk. It ends when the virtual machine has marked a chunk as
// the last, when the directory has been removed, or when the process has ended; if the process did
// not finish its chunk, [ErrKilled] is reported. OpenRepository fails if the directory does not
// exist. The stream waits for a virtual machine that begins to record later.
func OpenRepository(dir string) (*Stream, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("stream: " + dir + " is no directory; use OpenFile")
	}
	return newStream(func(_ context.Context, o *settings) (source, error) {
		return openRepositorySource(dir, *o, nil)
	}), nil
}

// repositorySource follows the chunks of a virtual machine.
type repositorySource struct {
	repo     *repository.Repository
	watch    *repository.Watch
	settings settings
	dir      string
	recorder *jvmRecorder // nil if the virtual machine is not attached to

	// mu guards repo, dir, current, pinned, unpinned, complete and pinErr: pinAll and pinLast use
	// them in other goroutines.
	mu sync.Mutex

	// current is the chunk that is followed, or was last, and follower its follower.
	current  repository.File
	follower *fileFollower
	// liveness is that of the virtual machine that writes the current chunk.
	liveness *repository.Liveness
	// skip reports that what has been flushed of the current chunk by now is skipped.
	skip bool
	// pinned are the chunks after the current one that have been opened, so that they stay readable
	// if they are removed. unpinned are the chunks after these.
	pinned   []pinnedChunk
	unpinned []repository.File
	complete bool  // no more chunks are opened
	pinErr   error // of pinAll or pinLast
	scanned  time.Time
	// modified is when a file was last made or removed in the directory.
	modified time.Time
	scanErr  error // of the last scan
}

// pinnedChunk is a chunk that has been opened.
type pinnedChunk struct {
	file     repository.File
	chunk    *mmapjfr.ChunkFollower
	liveness *repository.Liveness
	skip     bool
}

// scanInterval is how often the directory is scanned for chunks while there are others to be read.
var scanInterval = 100 * time.Millisecond

// maxPinned is how many chunks are opened in advance.
const maxPinned = 16

// openRepositorySource opens a repository. recorder is nil if the virtual machine is not attached
// to.
func openRepositorySource(dir string, o settings, vm *jvmRecorder) (*repositorySource, error) {
	s := &repositorySource{repo: repository.Open(dir), watch: repository.NewWatch(), settings: o, dir: dir, recorder: vm}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// open finds the chunk to begin with, if there is one. No later chunk is left out.
func (s *repositorySource) open() error {
	if err := s.repo.Scan(); err != nil {
		return err
	}
	first, ok := s.repo.Newest()
	if from := s.settings.from; !from.IsZero() {
		first, ok = s.repo.At(from)
	}
	if !ok {
		return nil
	}
	live, err := engine.FollowChunk(first.Path, 0, chunkOptions(s.settings)...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has been removed, and others have been made
	}
	if err != nil {
		return err
	}
	s.pinned = append(s.pinned, pinnedChunk{first, live, s.repo.Liveness(), s.settings.from.IsZero()})
	return nil
}

func (s *repositorySource) next(ctx context.Context) (part, error) {
	if time.Since(s.scanned) >= scanInterval {
		if err := s.scanAndReport(); err != nil {
			return part{}, err
		}
	}
	for {
		if s.follower == nil {
			if err := s.awaitChunk(ctx); err != nil {
				return part{}, err
			}
		}
		if s.skip {
			s.skip = false
			if p, err := s.follower.skip(); p.chunk != nil || err != nil {
				return p, err
			}
		}
		p, err := s.follower.next(ctx)
		live := s.follower.chunk
		switch {
		case p.chunk != nil:
			return p, err
		case errors.Is(err, io.EOF):
			final := engine.ChunkFollowerFinal(live)
			if err := s.closeFollower(); err != nil {
				return part{}, err
			}
			if final && s.recorder == nil {
				return part{}, io.EOF // a recorder finds the end itself, see moved
			}
		case errors.Is(err, errAbandoned):
			killed := s.follower.lastLook
			if err := s.closeFollower(); err != nil {
				return part{}, err
			}
			if killed {
				return part{}, fmt.Errorf("%s: %w", s.current.Path, ErrKilled)
			}
		default:
			return part{}, err
		}
	}
}

// closeFollower ends following the current chunk.
func (s *repositorySource) closeFollower() error {
	live := s.follower.chunk
	s.follower = nil
	return engine.ChunkFollowerClose(live)
}

// awaitChunk waits for the next chunk, and follows it.
func (s *repositorySource) awaitChunk(ctx context.Context) error {
	for gone := false; ; {
		if s.recorder != nil {
			if err := s.checkStopped(ctx); err != nil {
				return err
			}
		}
		stays := s.noFollow() // before the scan, so that all that was there is read
		if err := s.scanAndReport(); err != nil {
			return err
		}
		switch {
		case s.exited():
			return io.EOF
		case s.followNext():
			return nil
		case s.settings.noFollow, gone:
			return io.EOF
		case s.moved(ctx):
			continue
		case stays:
			return io.EOF
		case s.jvmGone():
			gone = true // it may have written something since the scan
			continue
		}
		if err := s.watch.Wait(ctx, maxWait); err != nil {
			return err
		}
	}
}

// checkStopped asks the recorder whether the recording has ended. The answer takes a while, and a virtual
// machine that exits meanwhile begins chunks, ends them and removes them: they are opened before that.
func (s *repositorySource) checkStopped(ctx context.Context) error {
	err := s.scanAndReport()
	var stopped error
	asking, answered := context.WithCancel(context.Background())
	go func() {
		defer answered()
		stopped = s.recorder.checkStopped(ctx, s.atNewest() && !s.settings.noFollow)
	}()
	for err == nil {
		err = s.Wait(asking, maxWait)
	}
	<-asking.Done()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, stopped)
}

// exited reports whether the directory of the current chunk has been removed and all of it has been
// read. Then its virtual machine has exited, and another one in the base directory is not the
// stream's.
func (s *repositorySource) exited() bool {
	if s.recorder != nil || s.current == (repository.File{}) {
		return false
	}
	dir := filepath.Dir(s.current.Path)
	if len(s.pinned) > 0 && filepath.Dir(s.pinned[0].file.Path) == dir {
		return false
	}
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// followNext follows the next chunk if there is one.
func (s *repositorySource) followNext() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pinned) == 0 {
		return false
	}
	c := s.pinned[0]
	s.pinned = s.pinned[1:]
	s.current, s.liveness, s.skip = c.file, c.liveness, c.skip
	s.follower = &fileFollower{chunk: c.chunk, watch: s, noFollow: s.noFollow, writerGone: s.writerGone}
	return true
}

// Wait waits until something has changed, and opens new chunks: the last chunk of a virtual machine
// that exits exists for some milliseconds only.
func (s *repositorySource) Wait(ctx context.Context, atMost time.Duration) error {
	if err := s.watch.Wait(ctx, atMost); err != nil {
		return err
	}
	s.mu.Lock()
	dir := s.repo.Dir()
	s.mu.Unlock()
	info, err := os.Stat(dir)
	if err != nil || info.ModTime().Equal(s.modified) {
		return nil // a removed directory is noticed when the chunk ends
	}
	s.modified = info.ModTime()
	return s.scanAndReport()
}

// noFollow reports whether the stream ends where there is nothing more to read.
func (s *repositorySource) noFollow() bool {
	return s.settings.noFollow || s.recorder != nil && s.recorder.stopped.Load()
}

// jvmGone reports whether no virtual machine records into the directory any more. One that has gone
// before it began a chunk does not count if others may follow: JDK 17 makes a directory, removes
// it, and makes another one.
func (s *repositorySource) jvmGone() bool {
	switch {
	case s.recorder != nil:
		return s.recorder.exited() || s.removed()
	case s.current == repository.File{} && s.repo.Dir() != filepath.Clean(s.dir):
		return false
	}
	return s.repo.Gone() || isDead(s.repo.Liveness())
}

// writerGone reports whether the current chunk is not written to any more. In a base directory
// another virtual machine may be recording by now.
func (s *repositorySource) writerGone() bool {
	if s.recorder != nil {
		return s.recorder.exited()
	}
	_, err := os.Stat(filepath.Dir(s.current.Path))
	return errors.Is(err, fs.ErrNotExist) || isDead(s.liveness)
}

func isDead(life *repository.Liveness) bool { return life != nil && life.State() == repository.Dead }

// scanAndReport scans the directory. It returns an error only if the last scan had another one.
func (s *repositorySource) scanAndReport() error {
	err := s.scan()
	if reflect.DeepEqual(err, s.scanErr) {
		return nil
	}
	s.scanErr = err
	return err
}

// scan scans the directory and opens new chunks.
func (s *repositorySource) scan() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scanned = time.Now()
	err := errors.Join(s.pinErr, s.pinNew(maxPinned))
	s.pinErr = nil
	s.repo.WatchWith(s.watch)
	return err
}

// pinNew opens new chunks until most of them are open. The lock is held.
func (s *repositorySource) pinNew(most int) error {
	if s.complete {
		return nil
	}
	if err := s.repo.Scan(); err != nil {
		return err
	}
	last := s.current
	if n := len(s.pinned); n > 0 {
		last = s.pinned[n-1].file
	}
	errs := s.removedChunks()
	for len(s.pinned) < most {
		file, ok := s.repo.After(last)
		if !ok {
			break
		}
		last = file
		live, err := engine.FollowChunk(file.Path, 0, chunkOptions(s.settings)...)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %w", file.Path, ErrChunkRemoved)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.pinned = append(s.pinned, pinnedChunk{file: file, chunk: live, liveness: s.repo.Liveness()})
	}
	s.unpinned = s.unpinned[:0]
	for file, ok := s.repo.After(last); ok; file, ok = s.repo.After(file) {
		s.unpinned = append(s.unpinned, file)
	}
	return errors.Join(errs...)
}

// removedChunks returns an error for each chunk that was removed before it could be opened.
func (s *repositorySource) removedChunks() (errs []error) {
	files := s.repo.Files()
	for _, file := range s.unpinned {
		if !slices.Contains(files, file) {
			errs = append(errs, fmt.Errorf("%s: %w", file.Path, ErrChunkRemoved))
		}
	}
	return errs
}

func (s *repositorySource) close() error {
	errs := []error{s.watch.Close()}
	if s.follower != nil {
		errs = append(errs, s.closeFollower())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.pinned {
		errs = append(errs, engine.ChunkFollowerClose(c.chunk))
	}
	s.pinned, s.complete = nil, true
	return errors.Join(errs...)
}

// The functions from here on are called by other goroutines than the dispatcher's, for virtual
// machines that are attached to.

// pinAll opens all chunks that exist. A virtual machine removes chunks that no recording needs any
// more, and handlers may not have reached them. The next scan reports the error.
func (s *repositorySource) pinAll(ctx context.Context) {
	dir := s.currentDir(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pinErr = errors.Join(s.pinErr, s.pinNew(math.MaxInt))
	if s.moveTo(dir) {
		s.pinErr = errors.Join(s.pinErr, s.pinNew(math.MaxInt))
	}
}

// pinLast is pinAll for the last time: the stream does not read chunks that come later. Stopping a
// recording ends a chunk, so a chunk that is still being written does not belong to the recording:
// omitUnfinished leaves it out, unless it is followed already.
func (s *repositorySource) pinLast(ctx context.Context, omitUnfinished bool) {
	s.pinAll(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.complete = true
	if n := len(s.pinned) - 1; omitUnfinished && n >= 0 && !repository.IsFinished(s.pinned[n].file.Path) {
		s.pinErr = errors.Join(s.pinErr, engine.ChunkFollowerClose(s.pinned[n].chunk))
		s.pinned = s.pinned[:n]
	}
}

// atNewest reports whether only the newest chunk is still to be read.
func (s *repositorySource) atNewest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pinned) <= 1
}

// moved reports whether the virtual machine records into another directory now, and moves there.
// JFR.configure makes it do that. From then on it marks every chunk as its last one, so the mark
// means nothing.
func (s *repositorySource) moved(ctx context.Context) bool {
	if s.recorder == nil {
		return false
	}
	dir := s.currentDir(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moveTo(dir)
}

// currentDir returns the directory that the virtual machine records into; "" if it does not say, as
// when it has ended.
func (s *repositorySource) currentDir(ctx context.Context) string {
	dir, err := s.recorder.vm.Repository(ctx)
	if err != nil {
		return ""
	}
	return dir
}

// moveTo moves to a directory, and reports whether it is another one. The lock is held.
func (s *repositorySource) moveTo(dir string) bool {
	if s.complete || dir == "" || dir == s.dir {
		return false
	}
	s.dir, s.repo, s.unpinned = dir, repository.Open(dir), nil
	return true
}

// removed reports whether the directory has been removed, as by a virtual machine that exits.
func (s *repositorySource) removed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repo.Gone()
}
