package stream

import (
	"context"
	"errors"
	"math"

	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// What follows is of repositories of virtual machines that are attached to. It may be called
// while the stream goes on in another goroutine.

// The functions in this file are called by other goroutines than the dispatcher's, for virtual
// machines that are attached to.
//
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
		s.pinErr = errors.Join(s.pinErr, s.pinned[n].chunk.Close())
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
