package leakcheck_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/leakcheck"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// shows formats something in all ways, and fails if that shows a value.
func shows(t *testing.T, what string, x any) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		text := fmt.Sprintf(verb, x)
		assert.Empty(t, leakcheck.Leak(text), "%s as %s", what, verb)
		assert.Less(t, len(text), 60_000, "%s as %s", what, verb)
	}
	var out bytes.Buffer
	slog.New(slog.NewTextHandler(&out, nil)).Info("m", "x", x)
	assert.Empty(t, leakcheck.Leak(out.String()), "%s in a log", what)
	out.Reset()
	slog.New(slog.NewJSONHandler(&out, nil)).Info("m", "x", x)
	assert.Empty(t, leakcheck.Leak(out.String()), "%s in a log of JSON", what)
}

// TestNothingIsShownByFormatting formats all that holds on to a recording, as a line of a log
// may do. Names of code, those of classes and methods, are shown, and numbers; events and values
// show themselves.
func TestNothingIsShownByFormatting(t *testing.T) {
	data := leakcheck.Chunk().Bytes()
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	for name, opts := range map[string][]mmapjfr.Option{"mapped": nil, "copied": {mmapjfr.CopyOnOpen()}} {
		t.Run(name, func(t *testing.T) {
			rec := opentest.File(t, path, opts...)
			sel, cur := rec.Select(mmapjfr.Types("test.Kinds")), rec.Select().Cursor()
			require.True(t, cur.Next())
			for ev, err := range rec.Events() {
				require.NoError(t, err)
				_ = ev.Value().Text() // so that all that is kept is kept
				shows(t, "a thread", ev.Thread())
				shows(t, "a thread group", ev.Thread().Group())
				for f := range ev.StackTrace().Frames() {
					assert.Equal(t, f.Method().Class().Name(), fmt.Sprint(f.Method().Class()))
					assert.Equal(t, f.Method().Signature(), fmt.Sprint(f.Method()))
				}
			}
			c := rec.Chunks()[0]
			types, err := rec.Types()
			require.NoError(t, err)
			for what, x := range map[string]any{
				"a recording": rec, "a chunk": c, "chunks": rec.Chunks(), "a selection": sel, "a cursor": cur, "types": types,
				"an index": engine.RecordingIndex(rec), "a chunk of the index": engine.RecordingIndex(rec).Chunks()[0], "chunks of the index": engine.RecordingIndex(rec).Chunks(),
				"something with a recording": struct{ R *mmapjfr.Recording }{rec},
			} {
				shows(t, what, x)
			}
		})
	}
	t.Run("stream", func(t *testing.T) {
		s := stream.OpenReader(bytes.NewReader(data))
		s.OnEvent(func(mmapjfr.Event) error {
			shows(t, "a stream", s)
			return nil
		})
		require.NoError(t, s.Start(t.Context()))
	})
}

// TestPanics: what panics tell is what the program itself has said.
func TestPanics(t *testing.T) {
	rec := opentest.Bytes(t, leakcheck.Chunk().Bytes())
	for name, do := range map[string]func(){
		"a path": func() { mmapjfr.Path("a..b") },
		"a handler": func() {
			_ = rec.Select().Parallel(context.Background(), func(int, mmapjfr.Event) error { panic("of the handler") })
		},
		"a fold": func() {
			_, _ = mmapjfr.Fold(context.Background(), rec.Select(), func(*int, mmapjfr.Event) error { panic("of the handler") }, func(_, _ *int) {})
		},
		"an element": func() { _ = first(t, rec).Get(mmapjfr.Path("texts")).Index(100).Str(); panic("none") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				p := recover()
				require.NotNil(t, p)
				assert.Empty(t, leakcheck.Leak(fmt.Sprint(p)))
				assert.Empty(t, leakcheck.Leak(fmt.Sprintf("%+v %#v", p, p)))
			}()
			do()
		})
	}
	s := stream.OpenReader(bytes.NewReader(leakcheck.Chunk().Bytes()))
	s.OnEvent(func(mmapjfr.Event) error { panic("of the handler") })
	var told error
	s.OnError(func(err error) { told = err })
	require.NoError(t, s.Start(t.Context()))
	require.EqualError(t, told, "stream: a handler panicked: of the handler")
}

func first(t *testing.T, rec *mmapjfr.Recording) mmapjfr.Event {
	t.Helper()
	for ev := range rec.Select(mmapjfr.Types("test.Kinds")).Events() {
		return ev.Detached()
	}
	require.Fail(t, "no event")
	return mmapjfr.Event{}
}

// TestConditionsTellWhatWasAsked repeats a condition, and nothing else.
func TestConditionsTellWhatWasAsked(t *testing.T) {
	_, err := where.Parse("utf8 ~ ([")
	require.Error(t, err)
	assert.Contains(t, err.Error(), "utf8 ~ ([")
	assert.NotErrorIs(t, err, io.EOF)
}
