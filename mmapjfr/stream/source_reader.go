package stream

import (
	"context"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
)

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
		chunks, err := mmapjfr.ReadChunks(pipe, chunkOptions(*o)...)
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
	chunk, events, err := s.chunks.Next()
	return part{chunk: chunk, events: events}, err
}

func (s *readerSource) close() error {
	s.cancel(nil)
	return nil
}
