package writer

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// ErrClosed is the error of what is written after Close.
var ErrClosed = errors.New("writer: the recording is closed")

// Writer writes a recording. It is safe for concurrent use.
type Writer struct {
	options options
	spans   atomic.Int64 // the number of the last event that was begun

	mu         sync.Mutex
	err        error // what the destination failed with, or ErrClosed
	closeErr   error
	dst        destination
	types      *typeTable
	out        wire.Appender // the chunk from chunk.written on
	chunk      chunk
	metadata   *metatree.Element // nil if there are new types
	metadataID int64
	encoders   []*encoder
	borrowed   int
	nesting    int                  // how many Lists the value that is encoded lies in
	stacks     map[string]*constant // by the bytes of their program counters
	goroutines map[int64]*constant  // the threads of goroutines
	counters   []byte               // program counters
}

// New returns a writer of a recording to a stream. A chunk is held in memory until it is full, see
// [ChunkSize], and then written by one call; Flush and Close write it before.
func New(dst io.Writer, opts ...Option) (*Writer, error) {
	if dst == nil {
		return nil, errNothing
	}
	return newWriter(&streamDestination{dst}, opts)
}

// Create returns a writer of a recording to a new file. After each Flush, all that has been written
// can be read, also by those that follow the file while it grows. Close closes the file.
func Create(path string, opts ...Option) (*Writer, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("writer: %w", err)
	}
	w, err := newWriter(&fileDestination{file: file}, opts)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// errNothing is that of a nil destination, and of an event type or a recorder that no writer has made.
var errNothing = errors.New("writer: there is nothing to write to: it is nil, or no writer has defined this event type")

func newWriter(dst destination, opts []Option) (*Writer, error) {
	w := &Writer{
		options: defaultOptions(), dst: dst,
		stacks: make(map[string]*constant), goroutines: make(map[int64]*constant),
	}
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt(&w.options); err != nil {
			return nil, fmt.Errorf("writer: %w", err)
		}
	}
	var err error
	if w.types, err = newTypeTable(); err != nil {
		return nil, err
	}
	w.chunk.anchor, w.chunk.anchorTicks = w.options.clock(), firstTick
	if now := w.chunk.anchor; now.Before(time.Unix(0, firstTick)) || now.After(time.Unix(0, math.MaxInt64/2)) {
		return nil, fmt.Errorf("writer: the clock shows %v, which recordings cannot hold", now)
	}
	w.beginChunk()
	if err := dst.begin(w.header()); err != nil {
		return nil, fmt.Errorf("writer: %w", err)
	}
	dst.advance()
	return w, nil
}

// usable returns why nothing can be written.
func (w *Writer) usable() error {
	if w.dst == nil { // the zero Writer
		return errNothing
	}
	return w.err
}

// fail keeps the first error of the destination: all that is written later would have no place.
func (w *Writer) fail(err error) error {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("writer: %w; what was recorded since the last flush may be lost", err)
	}
	return w.err
}

// EventType is an event type of a writer.
type EventType struct {
	w   *Writer
	typ *definedType
}

// Write writes an event: a value for each field of its type, in order. Nothing is written if a value
// does not fit. Once the destination has failed, that error is returned for all events. The values
// are not kept. In the steady state Write allocates nothing.
func (t *EventType) Write(values ...Value) error {
	if t == nil || t.w == nil {
		return errNothing
	}
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	return t.w.write(t.typ, values)
}

func (w *Writer) write(typ *definedType, values []Value) error {
	if err := w.usable(); err != nil {
		return err
	}
	e := w.borrow()
	defer w.giveBack()
	e.Long(typ.id)
	if err := w.appendFields(e, typ, values); err != nil {
		return fmt.Errorf("writer: an event of type %q was not written: %w", typ.name, err)
	}
	if len(e.Bytes) > maxEvent {
		return fmt.Errorf("writer: an event of type %q was not written: it would have more than %d bytes", typ.name, maxEvent)
	}
	begin, _ := w.number(&typ.fields[0], &values[0])
	var lasted uint64
	if len(values) > 1 && typ.fields[1].name == "duration" {
		lasted, _ = w.number(&typ.fields[1], &values[1])
	}
	if w.chunk.events == 0 {
		w.appendMetadata()
	}
	w.chunk.events++
	w.chunk.time(int64(begin), int64(lasted))
	w.appendSized(e.Bytes)
	if w.chunk.written+len(w.out.Bytes)+w.chunk.pending >= w.options.chunkSize || w.chunk.age() >= w.options.chunkAge {
		return w.fail(w.endChunk(false))
	}
	return nil
}

// appendSized appends an event after its size, in as few bytes as it takes.
func (w *Writer) appendSized(body []byte) {
	n := 1
	for uint64(len(body)+n) >= 1<<(7*n) {
		n++
	}
	w.out.Integer(uint64(len(body)+n), wire.IntLen, 0)
	w.out.Raw(body)
}

// Now returns the time of the writer's clock.
func (w *Writer) Now() time.Time { return w.options.clock() }

// Flush makes what has been written so far readable. In a stream it ends the chunk and writes it, if
// there are events in it. In a file it writes events and the constants that they need, and lets the
// header of the chunk lead to them. Those that follow a file take its writer for dead if it does not
// flush for ten seconds.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	if w.dst.live() && w.chunk.age() < w.options.chunkAge {
		return w.fail(w.flush())
	}
	return w.rotate()
}

// rotate ends the chunk if there are events in it.
func (w *Writer) rotate() error {
	if w.chunk.events == 0 {
		return nil
	}
	return w.fail(w.endChunk(false))
}

// Close ends the recording. It returns the error that the destination has failed with, if it has,
// and returns the same when it is called again. It does not close the destination of [New].
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, ErrClosed) {
		return w.closeErr
	}
	if w.dst == nil {
		return errNothing
	}
	if w.err == nil && (w.chunk.events > 0 || w.chunk.number == 1 || w.dst.live()) {
		_ = w.fail(w.endChunk(true))
	}
	w.closeErr = w.err
	if err := w.dst.close(); err != nil && w.closeErr == nil {
		w.closeErr = fmt.Errorf("writer: %w", err)
	}
	w.err = ErrClosed
	return w.closeErr
}
