package stream

import (
	"context"
	"errors"
	"math"

	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// What follows is of repositories of virtual machines that are attached to. It may be called
// while the stream goes on in another goroutine.

// hold opens all chunks that there are: a virtual machine removes those that no recording
// needs any more, and handlers may not have got so far. What goes wrong is told with the next
// scan.
func (s *repositorySource) hold(ctx context.Context) {
	dir := s.where(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = errors.Join(s.failed, s.openAhead(math.MaxInt))
	if s.move(dir) {
		s.failed = errors.Join(s.failed, s.openAhead(math.MaxInt))
	}
}

// seal is hold for the last time: chunks that come later are none of the stream's. Stopping a
// recording ends a chunk, so one that is still being written is not of the recording: drop
// leaves that out, unless it is already followed.
func (s *repositorySource) seal(ctx context.Context, drop bool) {
	s.hold(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed = true
	if n := len(s.ahead) - 1; drop && n >= 0 && !finished(s.ahead[n].file.Path) {
		s.failed = errors.Join(s.failed, s.ahead[n].live.Close())
		s.ahead = s.ahead[:n]
	}
}

// upToDate tells whether there is no chunk but the newest that is still to be read.
func (s *repositorySource) upToDate() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ahead) <= 1
}

// moved tells whether the virtual machine goes on in another directory, and goes there.
// JFR.configure makes it do that. From then on it marks every chunk as its last one, so that
// the mark tells nothing.
func (s *repositorySource) moved(ctx context.Context) bool {
	if s.vm == nil {
		return false
	}
	dir := s.where(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.move(dir)
}

// where returns the directory that the virtual machine records to; "" if it does not tell, as
// when it has ended.
func (s *repositorySource) where(ctx context.Context) string {
	dir, err := s.vm.vm.Repository(ctx)
	if err != nil {
		return ""
	}
	return dir
}

// move goes to another directory, and tells whether it is another one. The lock is held.
func (s *repositorySource) move(dir string) bool {
	if s.sealed || dir == "" || dir == s.dir {
		return false
	}
	s.dir, s.repo, s.further = dir, repository.Open(dir), nil
	return true
}

// removed tells whether the directory is gone. A virtual machine removes it when it exits.
func (s *repositorySource) removed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repo.Gone()
}
