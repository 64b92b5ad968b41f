package mmapjfr_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestFormat: every verb of package fmt prints what a view is, and nothing of what is in it.
func TestFormat(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	info, err := os.Stat("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	file := fmt.Sprintf("recording ../testdata/jdk25-profile.jfr of %d bytes", info.Size())
	in := openBytes(t, profile(t))
	cursor := rec.Cursor()
	w := newLiveWriter(t, flushes(1, 1, "text").Bytes(), 0)
	live := openLive(t, w.path, 0)

	texts := map[any]string{
		rec:                    file,
		in:                     fmt.Sprintf("recording of %d bytes", info.Size()),
		rec.Chunks()[0]:        "chunk 0 at 0x0",
		mmapjfr.Chunk{}:        "no chunk",
		rec.Select():           "selection of " + file,
		cursor:                 "cursor of " + file,
		live:                   "growing chunk of " + w.path,
		&live.GrowingChunk:     "growing chunk",
		&mmapjfr.ChunkStream{}: "stream of chunks",
		mmapjfr.StackTrace{}:   "no stack trace", mmapjfr.Frame{}: "no frame", mmapjfr.Method{}: "no method",
		mmapjfr.Class{}: "no class", mmapjfr.ClassLoader{}: "no class loader",
		mmapjfr.Thread{}: "no thread", mmapjfr.ThreadGroup{}: "no thread group",
		&mmapjfr.Batch{}: "no events",
	}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		frame := ev.StackTrace().Frame(0)
		if loader := frame.Method().Class().Loader(); !loader.IsZero() && !ev.Thread().IsZero() {
			texts[ev] = fmt.Sprintf("%s at %s, offset %#x", ev.Type().Name(), ev.Start().Format(time.RFC3339Nano), ev.Offset())
			texts[ev.StackTrace()] = "java.lang.System$1.start(Thread, ThreadContainer) line: 2231, and 11 more frames"
			texts[frame] = frame.Text()
			texts[frame.Method()] = "java.lang.System$1.start(Thread, ThreadContainer)"
			texts[frame.Method().Class()] = "java.lang.System$1"
			texts[loader] = "bootstrap"
			texts[ev.Thread()] = fmt.Sprint("thread ", ev.Thread().JavaThreadID())
			texts[ev.Type()] = ev.Type().Name()
			texts[ev.Value()] = "struct " + ev.Type().Name()
			texts[ev.Get(mmapjfr.Path("thread.javaName"))] = fmt.Sprintf("string of %d bytes", len(ev.Str(mmapjfr.Path("thread.javaName"))))
			break
		}
	}
	require.Len(t, texts, 17+10)
	for of, want := range texts {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			assert.Equal(t, want, fmt.Sprintf(verb, of), "%T by %s", of, verb)
		}
		assert.Equal(t, "["+want+strings.Repeat(" ", 200-utf8.RuneCountInString(want))+"]", fmt.Sprintf("[%-200v]", of), "%T in a table", of)
		if _, ok := of.(slog.LogValuer); ok {
			var text, json bytes.Buffer
			slog.New(slog.NewTextHandler(&text, nil)).Info("m", "of", of)
			slog.New(slog.NewJSONHandler(&json, nil)).Info("m", "of", of)
			assert.Contains(t, strings.ReplaceAll(text.String(), `"`, ""), " of="+want+"\n", "%T", of)
			assert.Contains(t, json.String(), `"of":"`+want+`"`, "%T", of)
		}
	}
	require.NoError(t, rec.Select(mmapjfr.Types("jdk.ExecutionSample")).Batches(context.Background(), func(_ int, b *mmapjfr.Batch) error {
		assert.Equal(t, fmt.Sprintf("%d of jdk.ExecutionSample", b.Len()), fmt.Sprint(b))
		return nil
	}))
}
