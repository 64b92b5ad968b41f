package writer

import (
	"bytes"
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// contextState is what a context says of events.
type contextState struct {
	thread *contextThread
	span   int64 // the event that has begun
}

// contextThread is the thread of a context, and its constant in the writer that used it last.
type contextThread struct {
	thread Thread
	cached atomic.Pointer[constant]
}

type contextKey struct{}

// stateOf returns what a context, which can be nil, says.
func stateOf(ctx context.Context) (s contextState) {
	if ctx == nil {
		return s
	}
	if p, _ := ctx.Value(contextKey{}).(*contextState); p != nil {
		return *p
	}
	return s
}

// WithThread returns a context whose events belong to a thread with a name: a worker, a connection
// or whatever tools shall show a lane for. Without it the thread of an event is the goroutine that
// records it.
func WithThread(ctx context.Context, t Thread) context.Context {
	s := stateOf(ctx)
	s.thread = &contextThread{thread: t}
	return context.WithValue(ctx, contextKey{}, &s)
}

// constant returns the constant of a context's thread.
func (t *contextThread) constant(w *Writer) (*constant, error) {
	if c := t.cached.Load(); c != nil && c.owner == w {
		w.touch(c)
		return c, nil
	}
	v := t.thread.Value()
	c, err := w.intern(w.types.named[jdktypes.Thread], &v)
	if err == nil && c != nil {
		t.cached.Store(c)
	}
	return c, err
}

// goroutine returns the constant of a goroutine's thread.
func (w *Writer) goroutine(id int64) (*constant, error) {
	if c := w.goroutines[id]; c != nil {
		w.touch(c)
		return c, nil
	}
	v := Thread{Name: "goroutine " + strconv.FormatInt(id, 10), ID: id}.Value()
	// The JDK shows the key as the number of the thread. So it depends on nothing but the goroutine, and is odd.
	c, err := w.internAs(w.types.named[jdktypes.Thread], &v, 2*id+1)
	if err == nil {
		w.goroutines[id] = c
	}
	return c, err
}

var stackBuffers = sync.Pool{New: func() any { return new([64]byte) }}

// goroutineID returns the number of the calling goroutine. Package runtime shows it in tracebacks
// only; 0 if it does not any more.
func goroutineID() int64 {
	buf, ok := stackBuffers.Get().(*[64]byte)
	if !ok {
		return 0
	}
	defer stackBuffers.Put(buf)
	rest, ok := bytes.CutPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	if !ok {
		return 0
	}
	var id int64
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + int64(c-'0')
	}
	return id
}
