package stream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// asks returns what is to be recorded, and how many changes made it that.
type asks func() (o attach.RecordingOptions, changes int)

// open starts a recording if one is wanted, and follows the repository.
func (r *recorder) open(ctx context.Context, asked asks, o *settings) (source, error) {
	if err := r.take(ctx); err != nil {
		return nil, err
	}
	defer r.give()
	if r.stopped.Load() {
		return nil, errClosing // before there was anything
	}
	r.opened = true
	before, err := chunksOf(ctx, r.vm)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	options, changes := asked()
	if err := r.record(ctx, options, changes); err != nil {
		return nil, err
	}
	own := r.current.id != 0
	if !own {
		if err := r.checkOthers(ctx); err != nil {
			return nil, err
		}
	}
	now, err := chunksOf(ctx, r.vm)
	if err != nil {
		return nil, err
	}
	if now.dir == "" {
		return nil, r.nothing()
	}
	first := own && o.from.IsZero()
	if first {
		o.from = began
		if f, ok := now.since(before); ok {
			o.from = time.Unix(0, f.Start)
		}
	}
	if r.source, err = openRepositorySource(now.dir, *o, r); err != nil {
		return nil, err
	}
	if first {
		return &fromFirst{repositorySource: r.source, settings: o}, nil
	}
	return r.source, nil
}

// checkOthers makes sure that somebody records.
func (r *recorder) checkOthers(ctx context.Context) error {
	list, err := r.vm.Recordings(ctx)
	if err == nil && !slices.ContainsFunc(list, underWay) {
		err = r.nothing()
	}
	return err
}

func (r *recorder) nothing() error { return fmt.Errorf("process %d: %w", r.vm.PID(), ErrNoRecording) }

// update makes the recording what is asked for.
func (r *recorder) update(ctx context.Context, asked asks) error {
	if err := r.take(ctx); err != nil {
		return err
	}
	defer r.give()
	switch {
	case r.ended, r.stopped.Load():
		return ErrClosed
	case !r.opened:
		return nil
	}
	options, changes := asked()
	return r.record(ctx, options, changes)
}

// number returns that of the recording.
func (r *recorder) number(ctx context.Context) (int, error) {
	if err := r.take(ctx); err != nil {
		return 0, err
	}
	defer r.give()
	switch {
	case r.ended, r.stopped.Load():
		return 0, ErrClosed
	case !r.opened:
		return 0, ErrNotStarted
	case r.current.id == 0:
		return 0, ErrNoRecording
	}
	return r.current.id, nil
}

// fromFirst is a source that begins with the first chunk of a recording. Its start time is that
// of this chunk, and counts for it alone, whatever becomes of the clock.
type fromFirst struct {
	*repositorySource
	settings *settings
	first    *mmapjfr.GrowingChunk
	over     bool
}

func (f *fromFirst) next(ctx context.Context) (part, error) {
	p, err := f.repositorySource.next(ctx)
	switch {
	case f.over || p.live == nil:
	case f.first == nil:
		f.first = p.live
	case f.first != p.live:
		f.first, f.over, f.settings.from = nil, true, time.Time{}
	}
	return p, err
}
