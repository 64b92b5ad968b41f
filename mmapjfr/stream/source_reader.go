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
	return newStream(func(_ context.Context, o *settings) (source, error) {
		pump := newPump(r)
		live, err := mmapjfr.ReadChunks(pump, chunkOptions(*o)...)
		if err != nil {
			return nil, err
		}
		return &readerSource{pump: pump, chunks: live}, nil
	})
}

// readerSource reads chunks out of something that cannot be gone back in.
type readerSource struct {
	pump   *pump
	chunks *mmapjfr.ChunkStream
}

func (s *readerSource) next(ctx context.Context) (part, error) {
	s.pump.ctx = ctx
	live, span, err := s.chunks.Next()
	return part{chunk: live, events: span}, err
}

func (s *readerSource) close() error {
	s.pump.stop()
	return nil
}

// pump reads ahead in a goroutine of its own, so that waiting for more can be given up.
type pump struct {
	ctx     context.Context
	filled  chan piece
	empty   chan []byte
	stopped chan struct{}
	left    piece // what has come and has not been asked for
	spent   []byte
}

// piece is what one reading got.
type piece struct {
	data []byte
	err  error
}

// pumpSize is how much is read at a time.
const pumpSize = 64 << 10

func newPump(r io.Reader) *pump {
	p := &pump{filled: make(chan piece), empty: make(chan []byte, 2), stopped: make(chan struct{})}
	p.empty <- make([]byte, pumpSize)
	p.empty <- make([]byte, pumpSize)
	go p.work(r)
	return p
}

func (p *pump) work(r io.Reader) {
	for {
		var buf []byte
		select {
		case buf = <-p.empty:
		case <-p.stopped:
			return
		}
		n, err := r.Read(buf)
		select {
		case p.filled <- piece{buf[:n], err}:
		case <-p.stopped:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read returns what has come, and waits for it until the context ends.
func (p *pump) Read(b []byte) (int, error) {
	for len(p.left.data) == 0 {
		if p.left.err != nil {
			return 0, p.left.err
		}
		if p.spent != nil {
			p.empty <- p.spent[:cap(p.spent)]
			p.spent = nil
		}
		select {
		case p.left = <-p.filled:
			p.spent = p.left.data
		case <-p.ctx.Done():
			return 0, context.Cause(p.ctx)
		}
	}
	n := copy(b, p.left.data)
	p.left.data = p.left.data[n:]
	return n, nil
}

func (p *pump) stop() { close(p.stopped) }
