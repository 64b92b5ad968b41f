package stream

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// fileFollower follows a chunk in a file until it is finished.
type fileFollower struct {
	chunk *mmapjfr.ChunkFollower
	watch waiter
	// noFollow reports whether the stream ends where there is nothing more to read.
	noFollow func() bool
	// writerGone reports whether the process that wrote the chunk has ended. It is called if nothing
	// has been written for a while.
	writerGone func() bool

	failed    bool // the chunk cannot be read any further
	askedOnce bool // writerGone has been called
	lastLook  bool // writerGone was true: the chunk is read for the last time
}

// waiter waits until something may have changed.
type waiter interface {
	// Wait returns when something has changed since the last call, or after atMost.
	Wait(ctx context.Context, atMost time.Duration) error
}

// errAbandoned says that the chunk will not be finished, or that the stream does not wait for that.
var errAbandoned = errors.New("the chunk is not finished")

// maxWait is how long a wait takes at most, and how often the writer is looked for.
var maxWait = time.Second

// next waits for the next flush. The error is io.EOF when the chunk is finished, or cannot be read
// any further after an error.
func (f *fileFollower) next(ctx context.Context) (part, error) {
	for {
		if f.failed {
			return part{}, io.EOF
		}
		stay := f.noFollow() // before Advance, so that all that was there is read
		events, err := engine.ChunkFollowerAdvance(f.chunk)
		f.failed = err != nil
		gone := f.lastLook
		f.lastLook = false
		if events.From < events.To {
			return part{chunk: &f.chunk.GrowingChunk, events: events}, err
		}
		switch {
		case err != nil:
			return part{}, err
		case engine.ChunkFollowerFinished(f.chunk):
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

// skip skips what has been flushed so far. Nothing of the part that it returns is to be delivered.
func (f *fileFollower) skip() (part, error) {
	for !f.failed {
		events, err := engine.ChunkFollowerAdvance(f.chunk)
		f.failed = err != nil
		if err != nil || events.From >= events.To {
			if !engine.ChunkFollowerHasHeader(f.chunk) {
				return part{}, err
			}
			return part{chunk: &f.chunk.GrowingChunk, skip: true}, err
		}
	}
	return part{}, nil
}

// source reads the flushes that a stream delivers.
type source interface {
	// next waits for a flush that has not been delivered, and returns it. Errors say what cannot be
	// read: the stream reports them and calls next again. The error io.EOF ends the stream, and so
	// does the end of the context. A part that comes with an error is delivered first.
	next(ctx context.Context) (part, error)
	// close releases what the source holds. No part is in use any more.
	close() error
}

// part is a part of a chunk.
type part struct {
	chunk  *mmapjfr.GrowingChunk // nil if there is no part
	events mmapjfr.ByteRange
	// skip reports that nothing of the part is delivered, whatever events is: it was flushed before
	// the stream began.
	skip bool
}

// OpenReader returns a stream of the recordings that r holds: a pipe, a connection, the bytes that
// a FlightRecorderMXBean or a remote stream sends, or a file. They are decoded as they arrive,
// without seeking, through any number of chunks. The stream holds the constants of a chunk and one
// flush. A recording without flushes is delivered chunk by chunk; profilers and virtual machines
// before JDK 14 write such recordings.
//
// Do not copy a file that a virtual machine writes to into a pipe: bytes after the last flush may
// still change. Use [OpenFile] for such files.
//
// The stream ends where r ends, or fails, which is reported. If it ends for another reason, a call
// of r.Read may be running, and the bytes it reads are lost. Closing r is up to its owner.
// [Stream.SetFollow] has no effect.
//
// Some constants are written after the flush of the first event that refers to them: the class
// loaders of jdk.ClassLoaderStatistics. These values are missing here.
func OpenReader(r io.Reader) *Stream {
	return newStream(func(ctx context.Context, o *settings) (source, error) {
		pipe, w := io.Pipe()
		chunks, err := engine.ReadChunks(pipe, chunkOptions(*o)...)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithCancelCause(ctx)
		go func() {
			// A goroutine of its own reads, so that waiting for r can end with the context.
			_, err := io.CopyBuffer(w, readerFunc(func(b []byte) (int, error) {
				if ctx.Err() != nil {
					return 0, io.EOF
				}
				return r.Read(b)
			}), make([]byte, readSize))
			w.CloseWithError(err)
		}()
		context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
		return &readerSource{chunks, cancel}, nil
	})
}

// readSize is how many bytes are read at once.
const readSize = 64 << 10

// readerFunc is a function that is called to read.
type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// readerSource reads chunks from a reader that cannot seek.
type readerSource struct {
	chunks *mmapjfr.ChunkStream
	cancel context.CancelCauseFunc
}

func (s *readerSource) next(context.Context) (part, error) {
	chunk, events, err := engine.ChunkStreamNext(s.chunks)
	return part{chunk: chunk, events: events}, err
}

func (s *readerSource) close() error {
	s.cancel(nil)
	return nil
}
