package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// OpenFile returns a stream of the events of a file, chunk by chunk from the beginning. If its last
// chunk is still being written, the stream follows it until it is finished. OpenFile fails if the
// file does not exist; what is wrong in the file is reported once the stream has been started.
func OpenFile(path string) (*Stream, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("stream: " + path + " is a directory; use OpenRepository")
	}
	return newStream(func(_ context.Context, o *settings) (source, error) { return openFileSource(path, *o) }), nil
}

// fileSource reads the chunks of a file.
type fileSource struct {
	path     string
	settings settings
	// rec is the recording as it was when it was opened; nil if its first chunk was still being
	// written. chunks are the chunks of it that are still to be delivered, and leadingErrReported
	// reports that the error before the first of them has been returned.
	rec                *mmapjfr.Recording
	chunks             []mmapjfr.Chunk
	leadingErrReported bool
	// follower follows the chunk that is being written, which begins at offset, and watch waits for
	// changes of the file.
	follower *fileFollower
	offset   uint64
	watch    *repository.Watch
	// writerGone reports that the file is not written to any more.
	writerGone bool
	liveness   *repository.Liveness // of a virtual machine that has made the file's directory
}

func openFileSource(path string, o settings) (source, error) {
	f := &fileSource{path: path, settings: o, liveness: repository.NewLiveness(filepath.Dir(path))}
	live, err := engine.FollowChunk(path, 0, chunkOptions(o)...)
	if err != nil {
		return nil, err
	}
	_, err = engine.ChunkFollowerAdvance(live)
	short := errors.Is(err, mmapjfr.ErrTruncated)
	if err != nil && !short && !engine.ChunkFollowerHasHeader(live) {
		return nil, errors.Join(err, engine.ChunkFollowerClose(live))
	}
	finished := short || engine.ChunkFollowerHasHeader(live) && engine.ChunkFollowerFinished(live)
	if err := engine.ChunkFollowerClose(live); err != nil {
		return nil, err
	}
	if f.writerGone = !finished && f.idle(); finished || f.writerGone {
		return f, f.load()
	}
	return f, f.follow(0)
}

// chunkOptions returns the options with which a stream reads chunks.
func chunkOptions(o settings) []mmapjfr.Option {
	opts := []mmapjfr.Option{engine.ShareStrings(o.strings)}
	if o.keepEvents {
		opts = append(opts, engine.KeepEvents())
	}
	return opts
}

// load reads the file as one that does not grow, from the followed chunk on.
func (f *fileSource) load() (err error) {
	if err := f.unload(); err != nil {
		return err
	}
	opts := []mmapjfr.Option{engine.ShareStrings(f.settings.strings)}
	if f.settings.keepEvents {
		opts = append(opts, mmapjfr.CopyOnOpen())
	}
	f.rec, err = mmapjfr.Open(f.path, opts...)
	if err != nil {
		return err
	}
	f.chunks = f.rec.Chunks()
	f.chunks = slices.DeleteFunc(f.chunks, func(c mmapjfr.Chunk) bool {
		_, repeats := engine.ChunkRepeats(c)
		return repeats || c.Offset() < f.offset
	})
	return nil
}

// unload closes the recording. Events that are kept stay valid.
func (f *fileSource) unload() error {
	rec := f.rec
	f.rec, f.chunks = nil, nil
	if rec == nil || f.settings.keepEvents {
		return nil
	}
	return rec.Close()
}

// follow follows the chunk that is being written.
func (f *fileSource) follow(offset uint64) error {
	live, err := engine.FollowChunk(f.path, int64(offset), chunkOptions(f.settings)...)
	if err != nil {
		return err
	}
	f.offset, f.watch = offset, repository.NewWatch(f.path)
	f.follower = &fileFollower{chunk: live, watch: f.watch, noFollow: f.noFollow, writerGone: f.idle}
	return nil
}

func (f *fileSource) next(ctx context.Context) (part, error) {
	if f.follower != nil {
		return f.nextFollowed(ctx)
	}
	for len(f.chunks) > 0 {
		c := f.chunks[0]
		if !f.leadingErrReported {
			f.leadingErrReported = true
			if err := engine.ChunkIndex(c).LeadingErr(); err != nil {
				return part{}, err
			}
		}
		if arrived, err := f.awaitEnd(ctx, c); err != nil {
			return part{}, err
		} else if arrived {
			f.offset = c.Offset()
			if err := f.load(); err != nil {
				return part{}, err
			}
			continue
		}
		trail := engine.ChunkIndex(c).TrailingErr()
		if len(f.chunks) == 1 && errors.Is(trail, mmapjfr.ErrUnfinished) {
			switch {
			case !lacksEnd(c) && !f.writerGone && !f.idle():
				f.chunks = nil
				if err := f.follow(c.Offset()); err != nil {
					return part{}, err
				}
				return f.nextFollowed(ctx)
			case lacksEnd(c):
			case f.settings.noFollow:
				trail = nil
			default:
				trail = fmt.Errorf("%w: %w", f.killedErr(), trail)
			}
		}
		f.chunks, f.leadingErrReported = f.chunks[1:], false
		if len(f.chunks) > 0 && endedBefore(c, f.chunks[0], f.settings.from) {
			continue
		}
		live := engine.ChunkGrowing(c)
		return part{chunk: live, events: engine.GrowingChunkEvents(live)}, trail
	}
	if f.rec != nil {
		if err := engine.RecordingIndex(f.rec).TrailingErr(); err != nil && !f.leadingErrReported {
			f.leadingErrReported = true
			return part{}, err
		}
	}
	return part{}, io.EOF
}

// awaitEnd waits for the bytes that the last chunk lacks, as long as the file is still written to:
// it may be the copy of a recording that is being made. It reports whether the bytes are there.
func (f *fileSource) awaitEnd(ctx context.Context, c mmapjfr.Chunk) (bool, error) {
	if len(f.chunks) > 1 || !lacksEnd(c) || f.writerGone || f.settings.noFollow {
		return false, nil
	}
	h := engine.ChunkIndex(c).Header()
	watch := repository.NewWatch(f.path)
	defer func() { _ = watch.Close() }() // what it could fail with is of no use
	for {
		info, err := os.Stat(f.path)
		if err != nil {
			return false, err
		}
		if size := uint64(info.Size()); size > c.Offset() && size-c.Offset() >= h.Size {
			return true, nil
		}
		if f.idle() {
			f.writerGone = true
			return false, nil
		}
		if err := watch.Wait(ctx, maxWait); err != nil {
			return false, err
		}
	}
}

// lacksEnd reports whether the file has fewer bytes of the chunk than its header says.
func lacksEnd(c mmapjfr.Chunk) bool {
	ix := engine.ChunkIndex(c)
	h := ix.Header()
	return ix.TrailingErr() != nil && h.Size > uint64(len(ix.Data())) && h.Metadata != 0
}

// endedBefore reports whether the chunk c, which another one follows, has no events at time t or
// later. The times of day in the headers do not prove that; the clock of the events does, which is
// never set back.
func endedBefore(c, following mmapjfr.Chunk, t time.Time) bool {
	h, next := engine.ChunkIndex(c).Header(), engine.ChunkIndex(following).Header()
	return !t.IsZero() && c.Finished() && c.End().Before(t) && next.TicksPerSecond == h.TicksPerSecond &&
		next.StartTicks > h.StartTicks && engine.ChunkTicksToTime(c, next.StartTicks).Before(t)
}

// nextFollowed returns the next flush of the chunk that is being written.
func (f *fileSource) nextFollowed(ctx context.Context) (part, error) {
	p, err := f.follower.next(ctx)
	live := f.follower.chunk
	switch {
	case errors.Is(err, io.EOF) && f.hasNextChunk():
		if err := errors.Join(f.unfollow(), f.follow(f.offset+engine.ChunkFollowerBytesRead(live))); err != nil {
			return part{}, err
		}
		return f.nextFollowed(ctx)
	case !errors.Is(err, errAbandoned):
		return p, err
	case engine.ChunkFollowerHasHeader(live) && f.settings.noFollow:
		return part{}, io.EOF
	case engine.ChunkFollowerHasHeader(live):
		f.follower.failed = true
		return part{}, f.killedErr()
	}
	// Nothing has ever been flushed. The file may be readable all the same.
	f.writerGone = true
	if err := errors.Join(f.unfollow(), f.load()); err != nil {
		return part{}, err
	}
	return f.next(ctx)
}

// hasNextChunk reports whether the file goes on after the chunk that was followed.
func (f *fileSource) hasNextChunk() bool {
	live := f.follower.chunk
	info, err := engine.ChunkFollowerStat(live)
	return err == nil && !f.follower.failed && engine.ChunkFollowerFinished(live) && uint64(info.Size()) > f.offset+engine.ChunkFollowerBytesRead(live)
}

// killedErr returns the error of a chunk that will not be finished.
func (f *fileSource) killedErr() error { return fmt.Errorf("%s: %w", f.path, ErrKilled) }

// noFollow reports whether the stream ends where there is nothing more to read.
func (f *fileSource) noFollow() bool { return f.settings.noFollow }

// unfollow ends following the chunk.
func (f *fileSource) unfollow() error {
	if f.follower == nil {
		return nil
	}
	err := errors.Join(engine.ChunkFollowerClose(f.follower.chunk), f.watch.Close())
	f.follower = nil
	return err
}

// idle reports whether the file has not been written to for a while, and its virtual machine is not
// known to live.
func (f *fileSource) idle() bool {
	info, err := os.Stat(f.path)
	return err != nil || time.Since(info.ModTime()) > idleAfter && f.liveness.State() != repository.Alive
}

// idleAfter is how long a file must be unchanged before its writer is taken for dead. Virtual
// machines rewrite the header at every flush, which is once a second by default.
var idleAfter = 10 * time.Second

func (f *fileSource) close() error { return errors.Join(f.unfollow(), f.unload()) }
