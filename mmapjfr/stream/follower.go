package stream

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// follower follows a chunk in a file until it is finished.
type follower struct {
	live  *mmapjfr.ChunkFollower
	watch waiter
	// stay tells whether nobody waits for more.
	stay func() bool
	// gone tells whether whoever wrote the chunk does so no longer, once nothing has come for
	// a while.
	gone func() bool

	failed bool // that the chunk cannot be read on
	waited bool // that the writer has been looked after
	last   bool // that nobody writes to it any more, and it is looked at once more
}

// waiter waits until something may have changed.
type waiter interface {
	// Wait returns when something has changed since the last call, or after that time.
	Wait(ctx context.Context, atMost time.Duration) error
}

// errAbandoned says that the chunk is not finished, and will not be; or that nobody wants to
// wait for it.
var errAbandoned = errors.New("the chunk is not finished")

// patience is how long a wait takes at most. Whoever writes is looked after so often.
var patience = time.Second

// next waits until something has been flushed. It fails with io.EOF when the chunk is
// finished, or cannot be read on after an error.
func (f *follower) next(ctx context.Context) (part, error) {
	for {
		if f.failed {
			return part{}, io.EOF
		}
		stay := f.stay() // before it is looked at what there is
		span, err := f.live.Advance()
		f.failed = err != nil
		gone := f.last
		f.last = false
		if span.From < span.To {
			return part{live: &f.live.GrowingChunk, span: span}, err
		}
		switch {
		case err != nil:
			return part{}, err
		case f.live.Finished():
			return part{}, io.EOF
		case stay || gone:
			f.last = gone
			return part{}, errAbandoned
		}
		if !f.waited {
			if f.waited, f.last = true, f.gone(); f.last {
				continue
			}
		}
		began := time.Now()
		if err := f.watch.Wait(ctx, patience); err != nil {
			return part{}, err
		}
		f.last = time.Since(began) >= patience && f.gone()
	}
}

// skip passes over what has been flushed so far. The part that it returns, if there is any
// yet, has nothing to be delivered.
func (f *follower) skip() (part, error) {
	for !f.failed {
		span, err := f.live.Advance()
		f.failed = err != nil
		if err != nil || span.From >= span.To {
			if !f.live.HasHeader() {
				return part{}, err
			}
			return part{live: &f.live.GrowingChunk, skip: true}, err
		}
	}
	return part{}, nil
}
