package stream

import (
	"context"
	"errors"
	"math"

	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// What follows is of repositories of virtual machines that are attached to. It may be called
// while the stream goes on in another goroutine.

// pinAll opens all chunks that there are: a virtual machine removes those that no recording
// needs any more, and handlers may not have got so far. What goes wrong is told with the next
// scan.
func (s *repositorySource) pinAll(ctx context.Context) {
	dir := s.currentDir(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pinErr = errors.Join(s.pinErr, s.pinNew(math.MaxInt))
	if s.moveTo(dir) {
		s.pinErr = errors.Join(s.pinErr, s.pinNew(math.MaxInt))
	}
}

// pinLast is hold for the last time: chunks that come later are none of the stream's. Stopping a
// recording ends a chunk, so one that is still being written is not of the recording: drop
// leaves that out, unless it is already followed.
func (s *repositorySource) pinLast(ctx context.Context, drop bool) {
	s.pinAll(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.complete = true
	if n := len(s.pinned) - 1; drop && n >= 0 && !repository.IsFinished(s.pinned[n].file.Path) {
		s.pinErr = errors.Join(s.pinErr, s.pinned[n].chunk.Close())
		s.pinned = s.pinned[:n]
	}
}

// atNewest tells whether there is no chunk but the newest that is still to be read.
func (s *repositorySource) atNewest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pinned) <= 1
}

// moved tells whether the virtual machine goes on in another directory, and goes there.
// JFR.configure makes it do that. From then on it marks every chunk as its last one, so that
// the mark tells nothing.
func (s *repositorySource) moved(ctx context.Context) bool {
	if s.recorder == nil {
		return false
	}
	dir := s.currentDir(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moveTo(dir)
}

// currentDir returns the directory that the virtual machine records to; "" if it does not tell, as
// when it has ended.
func (s *repositorySource) currentDir(ctx context.Context) string {
	dir, err := s.recorder.vm.Repository(ctx)
	if err != nil {
		return ""
	}
	return dir
}

// moveTo goes to another directory, and tells whether it is another one. The lock is held.
func (s *repositorySource) moveTo(dir string) bool {
	if s.complete || dir == "" || dir == s.dir {
		return false
	}
	s.dir, s.repo, s.unpinned = dir, repository.Open(dir), nil
	return true
}

// removed tells whether the directory is gone. A virtual machine removes it when it exits.
func (s *repositorySource) removed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repo.Gone()
}
