package stream

import (
	"context"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// OpenReader returns a stream of what comes out of r: a pipe, a connection, the bytes that a
// FlightRecorderMXBean or a remote stream hands out, or a file. It is decoded as it arrives,
// without going back, through any number of chunks. What is kept of it are the constants of
// a chunk and one flush. A recording without flushes, as profilers make them and virtual
// machines before JDK 14, is delivered chunk by chunk.
//
// A file that a virtual machine writes to must not be copied into a pipe as it grows: bytes
// behind the last flush may still change. [OpenFile] is for that.
//
// The stream ends where r does, or fails, which is told. When it ends for another reason a
// call of r.Read may be under way, and what it reads is lost: r is to be closed by its owner.
// What [Stream.SetFollow] says makes no difference.
//
// Some constants are written behind the flush that has the first event with them: the class
// loaders of jdk.ClassLoaderStatistics. Such a value is missing here.
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
