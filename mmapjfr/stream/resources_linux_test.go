package stream_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// sources are what streams can be of, good and bad.
func sources(t *testing.T) map[string]func() (*stream.Stream, error) {
	t.Helper()
	growing := chunk(0, []int{1, 2})
	growing.Header.State = 2
	whole := concat(chunk(0, []int{1, 2}), chunk(1, []int{3}))
	dir := t.TempDir()
	place := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	files := map[string]string{
		"whole":           place("whole.jfr", whole),
		"growing":         place("growing.jfr", growing.Bytes()),
		"both":            place("both.jfr", append(whole, growing.Bytes()...)),
		"cut":             place("cut.jfr", whole[:len(whole)-5]),
		"empty":           place("empty.jfr", nil),
		"not a recording": place("text.jfr", []byte(strings.Repeat("text", 100))),
		"missing":         filepath.Join(dir, "missing.jfr"),
	}
	list := map[string]func() (*stream.Stream, error){}
	for name, path := range files {
		list["file, "+name] = func() (*stream.Stream, error) { return stream.OpenFile(path) }
	}
	for name, data := range map[string][]byte{"whole": whole, "growing": growing.Bytes(), "cut": whole[:len(whole)-5], "empty": nil} {
		list["reader, "+name] = func() (*stream.Stream, error) { return stream.OpenReader(strings.NewReader(string(data))), nil }
		sub := filepath.Dir(place(name+"/2026_01_01_00_00_00.jfr", data))
		list["repository, "+name] = func() (*stream.Stream, error) { return stream.OpenRepository(sub) }
	}
	list["reader that fails"] = func() (*stream.Stream, error) {
		return stream.OpenReader(io.MultiReader(strings.NewReader(string(whole[:500])), iotest.ErrReader(errTest))), nil
	}
	empty := filepath.Join(dir, "nothing")
	require.NoError(t, os.Mkdir(empty, 0o700))
	list["empty repository"] = func() (*stream.Stream, error) { return stream.OpenRepository(empty) }
	list["missing repository"] = func() (*stream.Stream, error) { return stream.OpenRepository(dir + "/none") }
	return list
}

// streamUses are what is done with a stream. The context ends soon, as many would wait
// without end.
var streamUses = map[string]func(ctx context.Context, s *stream.Stream){
	"closed":      func(_ context.Context, s *stream.Stream) { _ = s.Close() },
	"forgotten":   func(context.Context, *stream.Stream) {},
	"to its end":  func(ctx context.Context, s *stream.Stream) { _ = s.Start(ctx) },
	"no waiting":  func(ctx context.Context, s *stream.Stream) { _ = s.SetFollow(false); _ = s.Start(ctx) },
	"events kept": func(ctx context.Context, s *stream.Stream) { _ = s.SetReuse(false); _ = s.Start(ctx) },
	"break": func(ctx context.Context, s *stream.Stream) {
		for range s.Events(ctx) {
			break
		}
	},
	"panic in a loop": func(ctx context.Context, s *stream.Stream) {
		defer func() { _ = recover() }()
		for range s.Events(ctx) {
			panic(errTest)
		}
	},
	"panic in a handler": func(ctx context.Context, s *stream.Stream) {
		defer func() { _ = recover() }()
		s.OnEvent(func(mmapjfr.Event) error { panic(errTest) })
		_ = s.Start(ctx)
	},
	"error of a handler": func(ctx context.Context, s *stream.Stream) {
		s.OnEvent(func(mmapjfr.Event) error { return errTest })
		_ = s.Start(ctx)
	},
	"closed by a handler": func(ctx context.Context, s *stream.Stream) {
		s.OnFlush(s.Close)
		_ = s.Start(ctx)
	},
	"cancelled by a handler": func(ctx context.Context, s *stream.Stream) {
		ctx, cancel := context.WithCancel(ctx)
		s.OnFlush(func() error { cancel(); return nil })
		_ = s.Start(ctx)
		cancel()
	},
	"another goroutine": func(ctx context.Context, s *stream.Stream) {
		_ = s.StartAsync(ctx)
		_ = s.Close()
		_ = s.AwaitTermination(0)
	},
}

// use opens all sources and does something with each, and returns how many there were.
func use(t *testing.T, list map[string]func() (*stream.Stream, error), do func(ctx context.Context, s *stream.Stream)) (opened int) {
	t.Helper()
	for name, open := range list {
		s, err := open()
		if strings.Contains(name, "missing") {
			require.ErrorIs(t, err, os.ErrNotExist)
			continue
		}
		require.NoError(t, err, name)
		if strings.HasPrefix(name, "repository") {
			require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
		}
		s.OnError(func(error) {}) // or it is written to the log
		ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Millisecond, errTest)
		do(ctx, s)
		cancel()
		opened++
	}
	return opened
}

func TestStreamsLeaveNothing(t *testing.T) {
	list := sources(t)
	for name, do := range streamUses {
		t.Run(name, func(t *testing.T) {
			leaktest.Check(t, func() { assert.Equal(t, len(list)-2, use(t, list, do)) })
		})
	}
}

// TestStreamsWithoutDescriptors: what cannot be opened is an error of Start.
func TestStreamsWithoutDescriptors(t *testing.T) {
	list := sources(t)
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	leaktest.Check(t, func() {
		now := before
		now.Cur = 0
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &now))
		defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)) }()
		failed := 0
		use(t, list, func(ctx context.Context, s *stream.Stream) {
			if err := s.Start(ctx); errors.Is(err, syscall.EMFILE) {
				failed++
			}
		})
		assert.Greater(t, failed, 4)
	})
}
