package stream

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// fileFollower follows a chunk in a file until it is finished.
type fileFollower struct {
	chunk *mmapjfr.ChunkFollower
	watch waiter
	// stay tells whether nobody waits for more.
	noFollow func() bool
	// gone tells whether whoever wrote the chunk does so no longer, once nothing has come for
	// a while.
	writerGone func() bool

	failed    bool // that the chunk cannot be read on
	askedOnce bool // that the writer has been looked after
	lastLook  bool // that nobody writes to it any more, and it is looked at once more
}

// waiter waits until something may have changed.
type waiter interface {
	// Wait returns when something has changed since the last call, or after that time.
	Wait(ctx context.Context, atMost time.Duration) error
}

// errAbandoned says that the chunk is not finished, and will not be; or that nobody wants to
// wait for it.
var errAbandoned = errors.New("the chunk is not finished")

// maxWait is how long a wait takes at most. Whoever writes is looked after so often.
var maxWait = time.Second

// next waits until something has been flushed. It fails with io.EOF when the chunk is
// finished, or cannot be read on after an error.
func (f *fileFollower) next(ctx context.Context) (part, error) {
	for {
		if f.failed {
			return part{}, io.EOF
		}
		stay := f.noFollow() // before it is looked at what there is
		span, err := f.chunk.Advance()
		f.failed = err != nil
		gone := f.lastLook
		f.lastLook = false
		if span.From < span.To {
			return part{chunk: &f.chunk.GrowingChunk, events: span}, err
		}
		switch {
		case err != nil:
			return part{}, err
		case f.chunk.Finished():
			return part{}, io.EOF
		case stay || gone:
			f.lastLook = gone
			return part{}, errAbandoned
		}
		if !f.askedOnce {
			if f.askedOnce, f.lastLook = true, f.writerGone(); f.lastLook {
				continue
			}
		}
		began := time.Now()
		if err := f.watch.Wait(ctx, maxWait); err != nil {
			return part{}, err
		}
		f.lastLook = time.Since(began) >= maxWait && f.writerGone()
	}
}

// skip passes over what has been flushed so far. The part that it returns, if there is any
// yet, has nothing to be delivered.
func (f *fileFollower) skip() (part, error) {
	for !f.failed {
		span, err := f.chunk.Advance()
		f.failed = err != nil
		if err != nil || span.From >= span.To {
			if !f.chunk.HasHeader() {
				return part{}, err
			}
			return part{chunk: &f.chunk.GrowingChunk, skip: true}, err
		}
	}
	return part{}, nil
}

// source gives a stream what has been flushed, bit by bit.
type source interface {
	// next waits until something has been flushed that has not been delivered, and returns
	// the chunk and the part of it. Errors say what cannot be read: the stream tells them and
	// calls next again, but for io.EOF, which ends it, and for those of the context. A part
	// may come with an error: it is delivered first.
	next(ctx context.Context) (part, error)
	// close gives back what the source holds. Parts are no longer in use.
	close() error
}

// part is a part of a chunk that has been flushed.
type part struct {
	chunk  *mmapjfr.GrowingChunk // nil if there is none
	events mmapjfr.ByteRange
	// skip tells that nothing of it is to be delivered, which then is no matter of the span: it
	// was flushed before the stream began.
	skip bool
}
