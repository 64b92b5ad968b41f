package stream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// optionsFunc returns what is to be recorded, and the version of that.
type optionsFunc func() (o attach.RecordingOptions, changes int)

// open starts a recording if one is configured, and follows the repository.
func (r *jvmRecorder) open(ctx context.Context, asked optionsFunc, o *settings) (source, error) {
	if err := r.lock(ctx); err != nil {
		return nil, err
	}
	defer r.unlock()
	if r.stopped.Load() {
		return nil, errClosing // nothing has been recorded
	}
	r.started = true
	before, err := listChunks(ctx, r.vm)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	options, changes := asked()
	if err := r.startRecording(ctx, options, changes); err != nil {
		return nil, err
	}
	own := r.current.id != 0
	if !own {
		if err := r.checkOthers(ctx); err != nil {
			return nil, err
		}
	}
	now, err := listChunks(ctx, r.vm)
	if err != nil {
		return nil, err
	}
	if now.dir == "" {
		return nil, r.noRecording()
	}
	first := own && o.from.IsZero()
	if first {
		o.from = began
		if f, ok := now.firstNew(before); ok {
			o.from = time.Unix(0, f.Start)
		}
	}
	if r.source, err = openRepositorySource(now.dir, *o, r); err != nil {
		return nil, err
	}
	if first {
		return &firstChunkSource{repositorySource: r.source, settings: o}, nil
	}
	return r.source, nil
}

// checkOthers returns an error if no recording runs.
func (r *jvmRecorder) checkOthers(ctx context.Context) error {
	list, err := r.vm.Recordings(ctx)
	if err == nil && !slices.ContainsFunc(list, isActive) {
		err = r.noRecording()
	}
	return err
}

func (r *jvmRecorder) noRecording() error {
	return fmt.Errorf("process %d: %w", r.vm.PID(), ErrNoRecording)
}

// update gives the recording the options that have been set.
func (r *jvmRecorder) update(ctx context.Context, asked optionsFunc) error {
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	switch {
	case r.ended, r.stopped.Load():
		return ErrClosed
	case !r.started:
		return nil
	}
	options, changes := asked()
	return r.startRecording(ctx, options, changes)
}

// recordingID returns the id of the recording.
func (r *jvmRecorder) recordingID(ctx context.Context) (int, error) {
	if err := r.lock(ctx); err != nil {
		return 0, err
	}
	defer r.unlock()
	switch {
	case r.ended, r.stopped.Load():
		return 0, ErrClosed
	case !r.started:
		return 0, ErrNotStarted
	case r.current.id == 0:
		return 0, ErrNoRecording
	}
	return r.current.id, nil
}

// firstChunkSource is a source that begins with the first chunk of a recording. Its start time is
// that of this chunk, and holds for this chunk only, even if the clock is set back later.
type firstChunkSource struct {
	*repositorySource
	settings *settings
	first    *mmapjfr.GrowingChunk
	passed   bool
}

func (f *firstChunkSource) next(ctx context.Context) (part, error) {
	p, err := f.repositorySource.next(ctx)
	switch {
	case f.passed || p.chunk == nil:
	case f.first == nil:
		f.first = p.chunk
	case f.first != p.chunk:
		f.first, f.passed, f.settings.from = nil, true, time.Time{}
	}
	return p, err
}

// chunkList is the list of chunks that a virtual machine has at a moment.
type chunkList struct {
	dir   string // "" before it has recorded anything
	files []repository.File
}

// listChunks returns the chunks of a virtual machine.
func listChunks(ctx context.Context, vm *attach.VM) (chunkList, error) {
	dir, err := vm.Repository(ctx)
	if err != nil || dir == "" {
		return chunkList{}, err
	}
	repo := repository.Open(dir)
	if err := repo.Scan(); err != nil {
		return chunkList{}, err
	}
	return chunkList{dir, repo.Files()}, nil
}

// firstNew returns the first chunk that is not in before. It returns false if there is no such
// chunk.
func (c chunkList) firstNew(before chunkList) (repository.File, bool) {
	old := make(map[string]bool)
	for _, f := range before.files {
		old[f.Path] = true
	}
	for _, f := range c.files {
		if !old[f.Path] {
			return f, true
		}
	}
	return repository.File{}, false
}
