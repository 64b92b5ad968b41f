package mmapjfr_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestFormat: package fmt prints events and values, and of other views what they are.
func TestFormat(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	info, err := os.Stat("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	file := fmt.Sprintf("recording ../testdata/jdk25-profile.jfr of %d bytes", info.Size())
	in := openBytes(t, profile(t))

	texts := map[any]string{
		rec:                  file,
		in:                   fmt.Sprintf("recording of %d bytes", info.Size()),
		rec.Chunks()[0]:      "chunk 0 at 0x0",
		mmapjfr.Chunk{}:      "no chunk",
		rec.Select():         "selection of " + file + ", filters: 0",
		mmapjfr.StackTrace{}: "no stack trace", mmapjfr.Frame{}: "no frame", mmapjfr.Method{}: "no method",
		mmapjfr.Class{}: "no class", mmapjfr.ClassLoader{}: "no class loader",
		mmapjfr.Thread{}: "no thread", mmapjfr.ThreadGroup{}: "no thread group",
		mmapjfr.TimespanNanos: "ns", mmapjfr.Unit(99): "Unit(99)",
	}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		frame := ev.StackTrace().Frame(0)
		if loader := frame.Method().Class().Loader(); !loader.IsZero() && !ev.Thread().IsZero() {
			texts[ev] = "jdk.ThreadStart " + ev.Start().Format(time.RFC3339Nano) + " eventThread=process reaper " +
				"stackTrace=java.lang.System$1.start(Thread, ThreadContainer) line: 2231, and 11 more frames " +
				"thread=process reaper parentThread=main"
			texts[ev.StackTrace()] = "java.lang.System$1.start(Thread, ThreadContainer) line: 2231, and 11 more frames"
			texts[frame] = frame.Text()
			texts[frame.Method()] = "java.lang.System$1.start(Thread, ThreadContainer)"
			texts[frame.Method().Class()] = "java.lang.System$1"
			texts[loader] = "bootstrap"
			texts[ev.Thread()] = fmt.Sprint("thread ", ev.Thread().JavaThreadID())
			texts[ev.Type()] = ev.Type().Name()
			texts[ev.Get(mmapjfr.Path("thread.javaName"))] = ev.Str(mmapjfr.Path("thread.javaName"))
			break
		}
	}
	require.Len(t, texts, 14+9)
	for of, want := range texts {
		assert.Equal(t, want, fmt.Sprint(of), "%T", of)
	}
}
