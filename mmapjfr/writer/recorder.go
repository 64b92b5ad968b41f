package writer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// EventInfo describes the events of a [Recorder].
type EventInfo struct {
	// Name is the full name; empty is that of the Go type, such as "main.Request", with _ for what names of classes in
	// Java cannot have. Structs of fields have their names there too.
	Name, Label, Description string
	// Category is the place in the tree of event types, from the root.
	Category []string
	// Instant events have no duration.
	Instant bool
	// NoThread leaves out the field eventThread.
	NoThread bool
	// StackTrace adds the field stackTrace: the stack of the goroutine that records the event.
	StackTrace bool
	// Spans adds the fields spanId and parentSpanId. Events that were begun by [Recorder.Begin] have
	// a number as their spanId, and that of the event around them as parentSpanId. Others have the
	// number of the event around them as spanId, and 0.
	Spans bool
	// Annotations are added to the event type.
	Annotations []Annotation
}

// Recorder writes events of one type from structs of the type T. It is safe for concurrent use, and
// allocates nothing in the steady state.
//
// Each exported field of T, and each with the tag jfr, is a field of the event:
//
//	type Request struct {
//		Path   string        `jfr:"path" label:"Path" description:"Without the query"`
//		Size   int64         `jfr:"size" label:"Response Size" unit:"bytes"`
//		Queued time.Duration `jfr:"queued" label:"Time in Queue"`
//		Status int32         // is called status
//		State  string        `jfr:"state" type:"app.State"`
//		buffer []byte        // is left out, and so is `jfr:"-"`
//	}
//
// Go types are written as types of the same width, unsigned ones with the annotation Unsigned,
// time.Time with Timestamp, time.Duration with Timespan, [Thread], [ClassName] and [Stack] as
// constants, structs as types of their own. Slices are of truth values, signed numbers, floats and
// strings; the JDK prints no others, and these as JSON and XML only.
//
// The tag unit is one of ns, us, ms, s and ticks for times, bytes, bits, bytes/s, bits/s,
// percentage, hertz and address for numbers. The tag annotate has names of other annotation types
// without members, separated by commas, such as jdk.jfr.Contextual. The tag type makes a text a
// constant: of java.lang.String, or of a simple type, which is defined if it is not yet. For a
// struct it names its type.
type Recorder[T any] struct {
	w       *Writer
	typ     *definedType
	info    EventInfo
	fields  []structField
	scratch *T // the event that is being written, under the writer's lock
	value   reflect.Value
	values  []Value
	leading int // how many of them are not fields of T
}

// NewRecorder defines an event type by a struct.
func NewRecorder[T any](w *Writer, info EventInfo) (*Recorder[T], error) {
	if w == nil {
		return nil, errNothing
	}
	r := &Recorder[T]{w: w, info: info, scratch: new(T)}
	r.value = reflect.ValueOf(r.scratch).Elem()
	if r.info.Name == "" {
		r.info.Name = describe.JavaName(r.value.Type().String())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	b := structBuilder{w: w}
	fields, defined, err := b.fields(r.value.Type())
	if err != nil {
		return nil, fmt.Errorf("writer: event type %q: %w", r.info.Name, err)
	}
	r.fields = fields
	t := r.info.describe()
	r.leading = len(t.Fields)
	t.Fields = append(t.Fields, defined...)
	r.values = make([]Value, len(t.Fields))
	if err := w.define(append(b.types, t)); err != nil {
		return nil, err
	}
	r.typ = w.types.named[t.Name]
	return r, nil
}

// describe returns the event type, with the fields that the writer fills.
func (info *EventInfo) describe() Type {
	t := Type{Name: info.Name, super: jdktypes.Event, Fields: []Field{StartTimeField()}, Annotations: info.Annotations}
	if info.Label != "" {
		t.Annotations = append(t.Annotations, Label(info.Label))
	}
	if info.Description != "" {
		t.Annotations = append(t.Annotations, Description(info.Description))
	}
	if len(info.Category) > 0 {
		t.Annotations = append(t.Annotations, Category(info.Category...))
	}
	if !info.Instant {
		t.Fields = append(t.Fields, DurationField())
	}
	if !info.NoThread {
		t.Fields = append(t.Fields, ThreadField())
	}
	if info.StackTrace {
		t.Fields = append(t.Fields, StackTraceField())
	}
	if info.Spans {
		t.Fields = append(t.Fields, of("spanId", "long", "Span Id"), of("parentSpanId", "long", "Parent Span Id"))
	}
	return t
}

// isZero reports whether no writer has made the recorder.
func (r *Recorder[T]) isZero() bool { return r == nil || r.w == nil }

// Record writes an event that happens now and takes no time.
func (r *Recorder[T]) Record(ctx context.Context, event T) error {
	if r.isZero() {
		return errNothing
	}
	var pcs [maxDepth + 1]uintptr
	return r.write(stateOf(ctx), 0, r.w.options.clock(), 0, r.callers(&pcs), event)
}

// RecordAt writes an event that began at a time and lasted as long as that.
func (r *Recorder[T]) RecordAt(ctx context.Context, start time.Time, lasted time.Duration, event T) error {
	if r.isZero() {
		return errNothing
	}
	var pcs [maxDepth + 1]uintptr
	return r.write(stateOf(ctx), 0, start, lasted, r.callers(&pcs), event)
}

// Begin begins an event: a request, a step of it. Events that are recorded with the context that it
// returns are inside, see [EventInfo].
func (r *Recorder[T]) Begin(ctx context.Context) (context.Context, Begun[T]) {
	if ctx == nil {
		ctx = context.Background()
	}
	if r.isZero() {
		return ctx, Begun[T]{} // End returns the error
	}
	b := Begun[T]{r: r, outer: stateOf(ctx), start: r.w.options.clock(), span: r.w.spans.Add(1)}
	b.state = &begunState{contextState: b.outer}
	b.state.span = b.span
	return context.WithValue(ctx, contextKey{}, &b.state.contextState), b
}

// Begun is an event that has begun.
type Begun[T any] struct {
	r     *Recorder[T]
	outer contextState
	start time.Time
	span  int64
	state *begunState
}

// begunState is what contexts inside an event say, and whether the event has ended.
type begunState struct {
	contextState
	ended atomic.Bool
}

// errEnded is the error of an event that ends twice.
var errEnded = errors.New("writer: the event has ended already")

// End writes the event. Its thread is that of the context that it was begun with, or the goroutine
// that ends it. An event that is never ended is not written. Ending it again is an error, and writes nothing.
func (b Begun[T]) End(event T) error {
	if b.r.isZero() {
		return errNothing
	}
	if b.state.ended.Swap(true) {
		return errEnded
	}
	var pcs [maxDepth + 1]uintptr
	now := b.r.w.options.clock()
	return b.r.write(b.outer, b.span, b.start, now.Sub(b.start), b.r.callers(&pcs), event)
}

// callers returns the stack of the caller, if it is recorded. Frames of this package are left out
// where the stack is decoded.
func (r *Recorder[T]) callers(pcs *[maxDepth + 1]uintptr) Stack {
	if !r.info.StackTrace {
		return nil
	}
	return pcs[:runtime.Callers(3, pcs[:])]
}

// write writes an event in a state of the context. The number of an event that was begun is span.
func (r *Recorder[T]) write(s contextState, span int64, start time.Time, lasted time.Duration, stack Stack, event T) error {
	w := r.w
	var goroutine int64
	if s.thread == nil && !r.info.NoThread {
		goroutine = goroutineID()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	var zero T
	*r.scratch = event
	defer func() { *r.scratch = zero }() // it holds no memory of the caller's
	v := append(r.values[:0], Time(start))
	if !r.info.Instant {
		v = append(v, Duration(lasted))
	}
	if !r.info.NoThread {
		c, err := w.threadOf(s, goroutine)
		if err != nil {
			return err
		}
		v = append(v, c.value())
	}
	if r.info.StackTrace {
		c, err := w.stack(stack)
		if err != nil {
			return err
		}
		v = append(v, c.value())
	}
	switch {
	case r.info.Spans && span != 0:
		v = append(v, Int(span), Int(s.span))
	case r.info.Spans:
		v = append(v, Int(s.span), Int(0))
	}
	if err := w.fill(r.values[r.leading:], r.fields, r.value); err != nil {
		return err
	}
	return w.write(r.typ, v[:len(r.values)]) // r.values, all of it
}

// threadOf returns the constant of an event's thread; nil if it is not known.
func (w *Writer) threadOf(s contextState, goroutine int64) (*constant, error) {
	switch {
	case s.thread != nil:
		return s.thread.constant(w)
	case goroutine != 0:
		return w.goroutine(goroutine)
	}
	return nil, nil
}
