package stream_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// waiting returns a stream that delivers an event and then waits without end, in each of the
// ways in which streams wait.
func waiting(t *testing.T) map[string]*stream.Stream {
	t.Helper()
	b := chunk(0, []int{1, 2})
	b.Header.State = 2
	data := b.Bytes()
	r, w := io.Pipe()
	go func() { _, _ = w.Write(data) }() // the pipe is closed at the end
	t.Cleanup(func() { _ = w.Close() })
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "2026_01_01_00_00_00.jfr"), data, 0o600))
	repository, err := stream.OpenRepository(dir)
	require.NoError(t, err)
	require.NoError(t, repository.SetStartTime(time.Unix(0, 0)))
	return map[string]*stream.Stream{
		"file":       openFile(t, written(t, data)),
		"reader":     stream.OpenReader(r),
		"repository": repository,
	}
}

func TestCloseWhileWaiting(t *testing.T) {
	for name, s := range waiting(t) {
		t.Run(name, func(t *testing.T) {
			n := noting(s)
			flushed := make(chan bool)
			s.OnFlush(func() error { close(flushed); return nil })
			require.NoError(t, s.StartAsync(t.Context()))
			<-flushed
			require.ErrorIs(t, s.AwaitTermination(time.Millisecond), stream.ErrTimeout)
			var closing sync.WaitGroup
			for range 4 {
				closing.Go(func() { assert.NoError(t, s.Close()) })
			}
			closing.Wait()
			require.NoError(t, s.AwaitTermination(0))
			for range 20 {
				require.NoError(t, s.AwaitTermination(1), "as often as one likes")
			}
			assert.Equal(t, 1, n.closed)
			assert.Equal(t, []int{1, 2, -1}, n.events)
			assert.Empty(t, n.errs)
			assert.ErrorIs(t, s.Start(t.Context()), stream.ErrStarted)
			assert.NoError(t, s.Close())
			assert.Equal(t, 1, n.closed)
		})
	}
}

func TestCancel(t *testing.T) {
	for name, s := range waiting(t) {
		t.Run(name, func(t *testing.T) {
			n := noting(s)
			ctx, cancel := context.WithCancelCause(t.Context())
			s.OnFlush(func() error { cancel(errTest); return nil })
			assert.Same(t, errTest, s.Start(ctx))
			assert.Same(t, errTest, s.AwaitTermination(0))
			assert.Equal(t, 1, n.closed)
			assert.Empty(t, n.errs, "it is none of what was read")
		})
	}
}

func TestStates(t *testing.T) {
	s := openFile(t, file("jdk25-kinds.jfr"))
	require.ErrorIs(t, s.AwaitTermination(0), stream.ErrNotStarted)
	set := func() []error {
		return []error{
			s.SetStartTime(time.Time{}), s.SetEndTime(time.Time{}), s.SetOrdered(true), s.SetReuse(true), s.SetFollow(true),
		}
	}
	for _, err := range set() {
		require.NoError(t, err)
	}
	s.OnFlush(func() error {
		for _, err := range set() {
			assert.ErrorIs(t, err, stream.ErrStarted)
		}
		assert.ErrorIs(t, s.Start(t.Context()), stream.ErrStarted)
		assert.ErrorIs(t, s.StartAsync(t.Context()), stream.ErrStarted)
		for _, err := range s.Events(t.Context()) {
			assert.ErrorIs(t, err, stream.ErrStarted)
		}
		return nil
	})
	n := noting(s)
	require.NoError(t, s.Start(t.Context()))
	assert.Empty(t, n.errs)
	assert.Equal(t, 1, n.closed)
	require.ErrorIs(t, s.Start(t.Context()), stream.ErrStarted)
	require.NoError(t, s.AwaitTermination(0))
	for _, err := range set() {
		require.ErrorIs(t, err, stream.ErrClosed)
	}
}

func TestCloseBeforeStart(t *testing.T) {
	s := openFile(t, file("jdk25-kinds.jfr"))
	n := noting(s)
	require.NoError(t, s.Close())
	assert.Equal(t, 1, n.closed)
	require.NoError(t, s.Close())
	assert.Equal(t, 1, n.closed)
	require.NoError(t, s.AwaitTermination(0))
	require.ErrorIs(t, s.Start(t.Context()), stream.ErrClosed)
	require.ErrorIs(t, s.StartAsync(t.Context()), stream.ErrClosed)
	require.ErrorIs(t, s.SetOrdered(false), stream.ErrClosed)
	times := 0
	for ev, err := range s.Events(t.Context()) {
		times++
		assert.True(t, ev.IsZero())
		require.ErrorIs(t, err, stream.ErrClosed)
	}
	assert.Equal(t, 1, times)
	assert.Empty(t, n.events)
}

// A handler closes its stream: no other is called, of whatever kind.
func TestCloseInAHandler(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		for kind, add := range map[string]func(s *stream.Stream){
			"metadata": func(s *stream.Stream) { s.OnMetadata(func(stream.Metadata) error { return s.Close() }) },
			"event":    func(s *stream.Stream) { s.OnEvent(func(mmapjfr.Event) error { return s.Close() }) },
			"flush":    func(s *stream.Stream) { s.OnFlush(func() error { return s.Close() }) },
			"error": func(s *stream.Stream) {
				times := 0
				s.OnError(func(error) {
					times++
					assert.Equal(t, 1, times)
					_ = s.Close()
				})
			},
		} {
			t.Run(kind, func(t *testing.T) {
				b := chunk(0)
				if kind == "error" {
					b.EmitRaw(jfrtest.EventOptions{}, b.Lookup("test.Tick").ID, nil)
					b.EmitRaw(jfrtest.EventOptions{}, b.Lookup("test.Tick").ID, nil)
				}
				flush(b, b.Lookup("test.Tick"), 0, 1, 2)
				s := openFile(t, written(t, concat(b, chunk(1, []int{3}))))
				require.NoError(t, s.SetOrdered(ordered))
				add(s)
				var c called
				s.OnMetadata(func(stream.Metadata) error { c.say("metadata"); return nil })
				s.OnEvent(c.event("event "))
				s.OnFlush(func() error { c.say("flush"); return nil })
				s.OnClose(func() { c.say("closed") })
				require.NoError(t, s.Start(t.Context()))
				want := map[string]called{
					"metadata": {"closed"},
					"event":    {"metadata", "closed"},
					"flush":    {"metadata", "event 1", "event 2", "closed"},
					"error":    {"metadata", "closed"},
				}
				assert.Equal(t, want[kind], c)
			})
		}
	}
}

func TestStartFails(t *testing.T) {
	path := written(t, chunk(0, []int{1}).Bytes())
	s := openFile(t, path)
	n := noting(s)
	require.NoError(t, os.Remove(path))
	require.ErrorIs(t, s.Start(t.Context()), os.ErrNotExist)
	require.ErrorIs(t, s.AwaitTermination(0), os.ErrNotExist)
	assert.Equal(t, 1, n.closed)

	s = openFile(t, written(t, chunk(0, []int{1}).Bytes()))
	require.NoError(t, s.SetStartTime(at(0, 2)))
	require.NoError(t, s.SetEndTime(at(0, 1)))
	require.ErrorContains(t, s.Start(t.Context()), "before the start time")
	require.NoError(t, s.SetEndTime(at(0, 2)), "it has not been started")
	assert.Equal(t, []int{-1}, delivered(t, s))
}
