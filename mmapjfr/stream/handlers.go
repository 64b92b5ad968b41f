package stream

import (
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Handler is a function that a stream calls. The On methods return it for [Stream.Remove].
type Handler struct {
	kind    kind
	filter  mmapjfr.Filter // nil if all events are wanted
	err     error          // why it is never called
	event   func(mmapjfr.Event) error
	call    func(about any) error // of kinds other than events
	removed atomic.Bool
	// checked reports that the names in the filter have been compared with the event types. It
	// belongs to the dispatcher.
	checked bool
}

// kind is what a handler is called for.
type kind uint8

const (
	kindEvent kind = iota
	kindFlush
	kindMetadata
	kindError
	kindClose
	kindWarning
)

// PanicError is the error that a panic of a handler becomes.
type PanicError struct {
	// Value is the value of the panic.
	Value any
	// Stack is the stack of the panic, as [debug.Stack] writes it.
	Stack []byte
}

// Error returns the value as text.
func (e *PanicError) Error() string { return fmt.Sprintf("stream: a handler panicked: %v", e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// handlers are the handlers of a stream, in the order in which they were added. A list that is in
// use never changes: add and remove make another one.
type handlers struct {
	mu   sync.Mutex // held while another list is made
	list atomic.Pointer[[]*Handler]
}

// all returns the handlers of the moment.
func (h *handlers) all() []*Handler {
	if list := h.list.Load(); list != nil {
		return *list
	}
	return nil
}

// of returns those of a kind.
func (h *handlers) of(k kind) iter.Seq[*Handler] {
	return func(yield func(*Handler) bool) {
		for _, handler := range h.all() {
			if handler.kind == k && !handler.removed.Load() && !yield(handler) {
				return
			}
		}
	}
}

// have reports whether there are handlers of a kind.
func (h *handlers) have(k kind) bool {
	for range h.of(k) {
		return true
	}
	return false
}

func (h *handlers) add(handler *Handler) *Handler {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := append(slices.Clone(h.all()), handler)
	h.list.Store(&list)
	return handler
}

func (h *handlers) addEvents(names []string, f func(mmapjfr.Event) error) *Handler {
	return h.add(&Handler{kind: kindEvent, event: f, filter: mmapjfr.Types(names...)})
}

func (h *handlers) addFailures(k kind, f func(error)) *Handler {
	return h.add(&Handler{kind: k, call: func(err any) error { f(err.(error)); return nil }})
}

func (h *handlers) remove(handler *Handler) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := slices.Clone(h.all())
	i := slices.Index(list, handler)
	if i < 0 {
		return false
	}
	list = slices.Delete(list, i, i+1)
	h.list.Store(&list)
	handler.removed.Store(true)
	return true
}

// fail calls the handlers of errors. Without any, it logs the error.
func (h *handlers) fail(err error) {
	if !h.report(kindError, err, logError) {
		logError(err)
	}
}

// warn calls the handlers of warnings. Without any, it logs the warning.
func (h *handlers) warn(warning error) {
	if !h.report(kindWarning, warning, h.fail) {
		slog.Warn("event stream", "warning", warning)
	}
}

// report calls the handlers of a kind, and failed with their panics. It reports whether there are
// such handlers.
func (h *handlers) report(k kind, about any, failed func(error)) (any bool) {
	for handler := range h.of(k) {
		any = true
		if err := protect(func() error { return handler.call(about) }); err != nil {
			failed(err)
		}
	}
	return any
}

func logError(err error) { slog.Error("event stream", "error", err) }

// closed calls the handlers of the stream's end.
func (h *handlers) closed() { h.report(kindClose, nil, h.fail) }

// protect calls f and returns its panic as an error. It lets a fault of memory through: the file
// may have been truncated, which engine.GrowingChunkProtect reports.
func protect(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return f()
}

// panicked returns the error that the panic of a handler becomes.
func panicked(p any) error {
	if _, fault := p.(interface{ Addr() uintptr }); fault {
		panic(p)
	}
	return &PanicError{p, debug.Stack()}
}

// OnEvent makes the stream call f with every event. Errors that f returns, and panics, go to the
// handlers of [Stream.OnError]. Handlers of the same event are called in the order in which they
// were added. They may be added and removed at any time: a new handler gets events from the next
// flush on, and a removed one is not called any more.
func (s *Stream) OnEvent(f func(ev mmapjfr.Event) error) *Handler {
	return s.handlers.addEvents(nil, f)
}

// OnEventType is OnEvent for events of a type. The name is one that [mmapjfr.Types] takes: with or
// without its package, and with * for any characters. A name that no type has is no error, see
// [Stream.OnWarning].
func (s *Stream) OnEventType(name string, f func(ev mmapjfr.Event) error) *Handler {
	return s.handlers.addEvents([]string{name}, f)
}

// OnSelected is OnEvent for events of the types that a filter selects, such as that of
// [mmapjfr.Categories]. A filter of times or threads is refused: Start fails, or the handlers of
// [Stream.OnError] are called if the stream has started. Compare [mmapjfr.Event.Start] and
// [mmapjfr.Event.Thread] in f instead, or see [Stream.SetStartTime].
func (s *Stream) OnSelected(filter mmapjfr.Filter, f func(ev mmapjfr.Event) error) *Handler {
	h := &Handler{kind: kindEvent, filter: filter, event: f}
	if !engine.SelectsTypes(filter) {
		h.err = errors.New("stream: OnSelected takes filters of types, not of times or threads; compare them in the handler")
	}
	return s.handlers.add(h)
}

// OnFlush makes the stream call f when all events of a flush have been delivered: about once a
// second while a virtual machine records.
func (s *Stream) OnFlush(f func() error) *Handler {
	return s.handlers.add(&Handler{kind: kindFlush, call: func(any) error { return f() }})
}

// OnMetadata makes the stream call f with the first chunk, and when event types are added or
// removed. It is called before the first event of a new type is delivered.
func (s *Stream) OnMetadata(f func(m Metadata) error) *Handler {
	return s.handlers.add(&Handler{kind: kindMetadata, call: func(m any) error { return f(m.(Metadata)) }})
}

// OnError makes the stream call f with each error: errors and panics of handlers, the latter as
// [*PanicError], and whatever cannot be read. The stream goes on. Without such a handler errors go
// to [slog.Default].
func (s *Stream) OnError(f func(err error)) *Handler {
	return s.handlers.addFailures(kindError, f)
}

// OnWarning makes the stream call f with what is likely to be a mistake, once each: names in
// handlers and in [RecordingStream.Enable] that no event type has when the first chunk is read,
// and, as [*SettingError], settings that a type does not have. The warning suggests similar names.
// The stream goes on, and delivers such events if they come: programs can register types at any
// time. Without such a handler warnings go to [slog.Default].
func (s *Stream) OnWarning(f func(warning error)) *Handler {
	return s.handlers.addFailures(kindWarning, f)
}

// OnClose makes the stream call f when it has ended, for any reason.
func (s *Stream) OnClose(f func()) *Handler {
	return s.handlers.add(&Handler{kind: kindClose, call: func(any) error { f(); return nil }})
}

// Remove removes a handler, which is not called any more; a call in another goroutine may still be
// running. It returns false if the stream has no such handler.
func (s *Stream) Remove(h *Handler) bool { return s.handlers.remove(h) }
