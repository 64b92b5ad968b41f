package stream_test

import (
	"bytes"
	"errors"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// called notes who was called.
type called []string

// event returns a handler that notes its name and the event.
func (c *called) event(name string) func(mmapjfr.Event) error {
	return func(ev mmapjfr.Event) error {
		c.say(name + strconv.FormatInt(ev.Int(fieldN), 10))
		return nil
	}
}

func (c *called) say(what string) { *c = append(*c, what) }

// logged returns where the default logger writes to until the test ends.
func logged(t *testing.T) *bytes.Buffer {
	t.Helper()
	old := slog.Default()
	t.Cleanup(func() { slog.SetDefault(old) })
	buf := new(bytes.Buffer)
	slog.SetDefault(slog.New(slog.NewTextHandler(buf, nil)))
	return buf
}

func TestHandlersAreCalledInOrder(t *testing.T) {
	s := openFile(t, written(t, chunk(0, []int{1, 2}, []int{3}).Bytes()))
	var c called
	s.OnFlush(func() error { c.say("flush"); return nil })
	s.OnClose(func() { c.say("close 1") })
	s.OnEvent(c.event("a"))
	s.OnEventType("test.Tick", c.event("b"))
	s.OnMetadata(func(stream.Metadata) error { c.say("metadata"); return nil })
	s.OnEvent(c.event("c"))
	s.OnClose(func() { c.say("close 2") })
	require.NoError(t, s.Start(t.Context()))
	assert.Equal(t, "metadata a1 b1 c1 a2 b2 c2 flush a3 b3 c3 flush close 1 close 2", strings.Join(c, " "))
}

func TestTypesOfHandlers(t *testing.T) {
	b := chunk(0)
	category := jfrtest.Annotation{Class: "jdk.jfr.Category", Values: []jfrtest.Attribute{
		{Name: "value-0", Value: "Java Application"}, {Name: "value-1", Value: "Odd"},
	}}
	for n, name := range []string{"jdk.Odd", "test.Odd", "test.Other"} {
		c := b.Event(name, jfrtest.Of("n", "long"))
		if n == 1 {
			c.Annotate(category)
		}
		b.Emit(c, ticks(b, n), n)
	}
	path := written(t, b.Bytes())
	for want, subscribe := range map[string]func(s *stream.Stream, c *called){
		"x0":       func(s *stream.Stream, c *called) { s.OnEventType("jdk.Odd", c.event("x")) },
		"x0 x1":    func(s *stream.Stream, c *called) { s.OnEventType("Odd", c.event("x")) },
		"x1 x2":    func(s *stream.Stream, c *called) { s.OnEventType("test.*", c.event("x")) },
		"":         func(s *stream.Stream, c *called) { s.OnEventType("test.None", c.event("x")) },
		"x1":       func(s *stream.Stream, c *called) { s.OnSelected(mmapjfr.Categories("Odd"), c.event("x")) },
		"x0 x1 x2": func(s *stream.Stream, c *called) { s.OnEventType("*", c.event("x")) },
	} {
		t.Run(want, func(t *testing.T) {
			s := openFile(t, path)
			var c called
			subscribe(s, &c)
			require.NoError(t, s.Start(t.Context()))
			assert.Equal(t, want, strings.Join(c, " "))
		})
	}
}

// Filters that look into events are refused: before a stream starts by Start, later as an error.
func TestSelectedByTime(t *testing.T) {
	data := chunk(0, []int{1, 2}).Bytes()
	var c called
	s := openFile(t, written(t, data))
	s.OnSelected(mmapjfr.Between(at(0, 2), at(0, 3)), c.event("x"))
	require.ErrorContains(t, s.Start(t.Context()), "OnSelected takes filters of types")

	s = openFile(t, written(t, data))
	s.OnMetadata(func(stream.Metadata) error {
		s.OnSelected(mmapjfr.Threads("main"), c.event("x"))
		return nil
	})
	var errs []error
	s.OnError(func(err error) { errs = append(errs, err) })
	require.NoError(t, s.Start(t.Context()))
	assert.Empty(t, c)
	require.Len(t, errs, 1)
	assert.ErrorContains(t, errs[0], "OnSelected takes filters of types")
}

func TestRemove(t *testing.T) {
	s := openFile(t, written(t, chunk(0, []int{1, 2}, []int{3}).Bytes()))
	other := openFile(t, file("jdk25-empty.jfr"))
	var c called
	var once, later, flush *stream.Handler
	once = s.OnEvent(func(ev mmapjfr.Event) error {
		c.say("once")
		assert.True(t, s.Remove(once))
		assert.False(t, s.Remove(once), "it is gone")
		assert.True(t, s.Remove(later))
		return nil
	})
	later = s.OnEvent(c.event("later"))
	s.OnEvent(c.event("x"))
	flush = s.OnFlush(func() error {
		c.say("flush")
		s.Remove(flush)
		return nil
	})
	assert.False(t, other.Remove(flush), "it is of another stream")
	gone := s.OnEvent(c.event("gone"))
	assert.True(t, s.Remove(gone))
	closing := s.OnClose(func() { c.say("closed") })
	failing := s.OnError(func(error) { c.say("error") })
	meta := s.OnMetadata(func(stream.Metadata) error { c.say("metadata"); return nil })
	for _, h := range []*stream.Handler{closing, failing, meta} {
		assert.True(t, s.Remove(h))
	}
	require.NoError(t, s.Start(t.Context()))
	assert.Equal(t, "once x1 x2 flush x3", strings.Join(c, " "))
}

// What is added while events are delivered gets those of the next flush.
func TestAddWhileDelivering(t *testing.T) {
	s := openFile(t, written(t, chunk(0, []int{1, 2}, []int{3}).Bytes()))
	var c called
	added := false
	s.OnEvent(func(ev mmapjfr.Event) error {
		c.say("a" + strconv.FormatInt(ev.Int(fieldN), 10))
		if !added {
			added = true
			s.OnEventType("Tick", c.event("b"))
			s.OnFlush(func() error { c.say("flush"); return nil })
		}
		return nil
	})
	require.NoError(t, s.Start(t.Context()))
	assert.Equal(t, "a1 a2 flush a3 b3 flush", strings.Join(c, " "))
}

var errTest = errors.New("told by a test")

// ways are how handlers fail, and the effect.
var ways = map[string]struct {
	fail  func() error
	check func(t *testing.T, err error)
}{
	"error": {
		func() error { return errTest },
		func(t *testing.T, err error) { assert.Same(t, errTest, err) },
	},
	"panic": {
		func() error { panic("so what") },
		func(t *testing.T, err error) {
			p := panicIn(t, err)
			assert.Equal(t, "so what", p.Value)
			assert.Contains(t, string(p.Stack), "handlers_test.go")
			assert.ErrorContains(t, err, "so what")
			assert.NoError(t, p.Unwrap())
		},
	},
	"panic with an error": {
		func() error { panic(errTest) },
		func(t *testing.T, err error) { assert.ErrorIs(t, panicIn(t, err), errTest) },
	},
	"nil": {
		func() error {
			var p *struct{ n int }
			p.n++
			return nil
		},
		func(t *testing.T, err error) {
			_, ok := errors.AsType[runtime.Error](panicIn(t, err))
			assert.True(t, ok)
		},
	},
}

func panicIn(t *testing.T, err error) *stream.PanicError {
	t.Helper()
	p, ok := errors.AsType[*stream.PanicError](err)
	require.True(t, ok, "%v", err)
	return p
}

// Whatever fails, all others are called as if it had not.
func TestHandlersThatFail(t *testing.T) {
	for name, way := range ways {
		for kind, add := range map[string]func(s *stream.Stream){
			"event": func(s *stream.Stream) {
				s.OnEvent(func(ev mmapjfr.Event) error {
					if ev.Int(fieldN) == 2 {
						return way.fail()
					}
					return nil
				})
			},
			"flush":    func(s *stream.Stream) { first := true; s.OnFlush(func() error { return onlyOnce(&first, way.fail) }) },
			"metadata": func(s *stream.Stream) { s.OnMetadata(func(stream.Metadata) error { return way.fail() }) },
			"close": func(s *stream.Stream) {
				s.OnClose(func() {
					if err := way.fail(); err != nil {
						panic(err)
					}
				})
			},
		} {
			for _, ordered := range []bool{true, false} {
				t.Run(name+"/"+kind, func(t *testing.T) {
					s := openFile(t, written(t, chunk(0, []int{1, 2, 3}, []int{4}).Bytes()))
					require.NoError(t, s.SetOrdered(ordered))
					metadata := 0
					add(s)
					n := noting(s)
					s.OnMetadata(func(stream.Metadata) error { metadata++; return nil })
					require.NoError(t, s.Start(t.Context()))
					require.NoError(t, s.AwaitTermination(0))
					assert.Equal(t, []int{1, 2, 3, -1, 4, -1}, n.events)
					assert.Equal(t, 1, metadata)
					assert.Equal(t, 1, n.closed)
					require.Len(t, n.errs, 1)
					if kind == "close" && name == "error" {
						assert.ErrorIs(t, n.errs[0], errTest)
						return
					}
					way.check(t, n.errs[0])
				})
			}
		}
	}
}

func onlyOnce(first *bool, f func() error) error {
	if !*first {
		return nil
	}
	*first = false
	return f()
}

func TestErrorsGoToAllHandlersOfErrors(t *testing.T) {
	out := logged(t)
	s := openFile(t, written(t, chunk(0, []int{1}).Bytes()))
	s.OnEvent(func(mmapjfr.Event) error { return errTest })
	var c called
	s.OnError(func(err error) { c.say("a"); panic("in the handler of errors") })
	s.OnError(func(err error) { c.say("b") })
	require.NoError(t, s.Start(t.Context()))
	assert.Equal(t, called{"a", "b"}, c)
	assert.Contains(t, out.String(), "in the handler of errors", "it has to go somewhere")
	assert.NotContains(t, out.String(), errTest.Error())
}

func TestErrorsWithoutHandler(t *testing.T) {
	out := logged(t)
	s := openFile(t, written(t, chunk(0, []int{1, 2}).Bytes()))
	s.OnEvent(func(ev mmapjfr.Event) error {
		if ev.Int(fieldN) == 1 {
			return errTest
		}
		panic("lost")
	})
	require.NoError(t, s.Start(t.Context()))
	assert.Contains(t, out.String(), errTest.Error())
	assert.Contains(t, out.String(), "a handler panicked: lost")
}

// A handler that ends its goroutine ends the stream as if it had been closed.
func TestGoexit(t *testing.T) {
	for kind, add := range map[string]func(s *stream.Stream){
		"event":    func(s *stream.Stream) { s.OnEvent(func(mmapjfr.Event) error { runtime.Goexit(); return nil }) },
		"flush":    func(s *stream.Stream) { s.OnFlush(func() error { runtime.Goexit(); return nil }) },
		"metadata": func(s *stream.Stream) { s.OnMetadata(func(stream.Metadata) error { runtime.Goexit(); return nil }) },
		"close":    func(s *stream.Stream) { s.OnClose(runtime.Goexit) },
	} {
		t.Run(kind, func(t *testing.T) {
			s := openFile(t, written(t, chunk(0, []int{1, 2}).Bytes()))
			closed := 0
			s.OnClose(func() { closed++ })
			add(s)
			require.NoError(t, s.StartAsync(t.Context()))
			require.NoError(t, s.AwaitTermination(0))
			assert.Equal(t, 1, closed)
		})
	}
}
