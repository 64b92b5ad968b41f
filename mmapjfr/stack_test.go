package mmapjfr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// text returns what the reference decoder has at the end of a path; "" for
// nothing.
func text(c *jfrtest.Chunk, v any, names ...string) string {
	s, _ := c.Path(v, names...).(string)
	return oneMark(strings.ToValidUTF8(s, "\ufffd"))
}

func number(c *jfrtest.Chunk, v any, names ...string) int64 {
	switch n := c.Path(v, names...).(type) {
	case int64:
		return n
	case int32:
		return int64(n)
	case bool:
		if n {
			return 1
		}
	}
	return 0
}

// key returns the key of a constant, and 0 if nothing is there with it.
func key(c *jfrtest.Chunk, v any, names ...string) int64 {
	for _, name := range names {
		s, ok := c.Resolve(v).(*jfrtest.Struct)
		if !ok {
			return 0
		}
		v = s.Field(name)
	}
	k, _ := v.(jfrtest.Constant)
	return k.Key
}

// TestViewsAgreeWithReference compares stacks, frames, methods, classes, loaders
// and threads of real recordings, concatenated ones among them, where the same
// keys stand for other things in the next chunk.
func TestViewsAgreeWithReference(t *testing.T) {
	for _, name := range []string{
		"jdk25-profile.jfr", "jdk17-profile.jfr", "concat-jdk25-jdk25.jfr", "concat-jdk17-jdk25.jfr",
		"jdk25-virtual.jfr", "jdk25-chunks.jfr", "jdk25-oldobjects.jfr",
	} {
		if !longtest.Chosen(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../testdata/" + name)
			require.NoError(t, err)
			want, err := jfrtest.Decode(data)
			require.NoError(t, err)
			rec := openBytes(t, data)
			at, threads := 0, 0
			var events []jfrtest.Event
			var chunks []*jfrtest.Chunk
			for _, c := range want.Chunks {
				for _, e := range c.Events {
					events, chunks = append(events, e), append(chunks, c)
				}
			}
			seen := map[[2]int64]bool{}
			eventThread := mmapjfr.Path("eventThread")
			for ev, err := range rec.Events() {
				require.NoError(t, err)
				e, c := events[at], chunks[at]
				at++
				compareThread(t, c, ev.Get(eventThread).Thread(), e.Field("eventThread"))
				if !ev.Thread().IsZero() {
					threads++
				}
				s := ev.StackTrace()
				require.Equal(t, key(c, e.Field("stackTrace")), s.Key())
				k := [2]int64{c.Offset, s.Key()}
				if s.IsZero() || seen[k] {
					continue
				}
				seen[k] = true
				compareStack(t, c, s, e.Field("stackTrace"))
			}
			assert.Len(t, events, at)
			assert.NotZero(t, threads)
		})
	}
}

func compareThread(t *testing.T, c *jfrtest.Chunk, got mmapjfr.Thread, want any) {
	t.Helper()
	require.Equal(t, key(c, want), got.Key())
	_, is := c.Resolve(want).(*jfrtest.Struct)
	require.Equal(t, is, !got.IsZero())
	java := text(c, want, "javaName")
	_, isJava := c.Path(want, "javaName").(string)
	name := java
	if !isJava {
		name = text(c, want, "osName")
	}
	require.Equal(t, name, oneMark(got.Name()))
	require.Equal(t, java, oneMark(got.JavaName()))
	require.Equal(t, text(c, want, "osName"), oneMark(got.OSName()))
	require.Equal(t, number(c, want, "javaThreadId"), got.JavaThreadID())
	require.Equal(t, number(c, want, "osThreadId"), got.OSThreadID())
	require.Equal(t, number(c, want, "virtual") == 1, got.IsVirtual())
	require.Equal(t, text(c, want, "group", "name"), got.Group().Name())
	require.Equal(t, text(c, want, "group", "parent", "name"), got.Group().Parent().Name())
}

func compareStack(t *testing.T, c *jfrtest.Chunk, s mmapjfr.StackTrace, want any) {
	t.Helper()
	frames, _ := c.Path(want, "frames").([]any)
	require.Equal(t, len(frames), s.Len())
	require.Equal(t, number(c, want, "truncated") == 1, s.IsTruncated())
	list := engine.StackTraceAppendFrames(s, nil)
	require.Len(t, list, len(frames))
	i := 0
	for f := range s.Frames() {
		w := frames[i]
		require.Equal(t, list[i], f)
		if i < 3 {
			require.Equal(t, f, s.Frame(i))
		}
		i++
		require.Equal(t, int(number(c, w, "lineNumber")), f.Line())
		require.Equal(t, int(number(c, w, "bytecodeIndex")), f.BytecodeIndex())
		require.Equal(t, text(c, w, "type"), f.Kind())
		m := f.Method()
		require.Equal(t, key(c, w, "method"), engine.MethodKey(m))
		require.Equal(t, text(c, w, "method", "name"), m.Name())
		require.Equal(t, text(c, w, "method", "descriptor"), engine.MethodDescriptor(m))
		require.Equal(t, int(number(c, w, "method", "modifiers")), engine.MethodModifiers(m))
		require.Equal(t, number(c, w, "method", "hidden") == 1, m.IsHidden())
		class := m.Class()
		require.Equal(t, key(c, w, "method", "type"), engine.ClassKey(class))
		internal := text(c, w, "method", "type", "name")
		require.Equal(t, internal, engine.ClassInternalName(class))
		require.Equal(t, strings.ReplaceAll(internal, "/", "."), class.Name())
		require.Equal(t, text(c, w, "method", "type", "package", "name"), class.Package())
		require.Equal(t, int(number(c, w, "method", "type", "modifiers")), engine.ClassModifiers(class))
		require.Equal(t, number(c, w, "method", "type", "hidden") == 1, class.IsHidden())
		loader := class.Loader()
		require.Equal(t, key(c, w, "method", "type", "classLoader"), engine.ClassLoaderKey(loader))
		require.Equal(t, text(c, w, "method", "type", "classLoader", "name"), loader.Name())
		require.Equal(t, text(c, w, "method", "type", "classLoader", "type", "name"), engine.ClassInternalName(loader.Type()))
	}
	require.Equal(t, len(frames), i)
	require.Zero(t, s.Frame(i).Line())
	require.Zero(t, s.Frame(-1).Line())
}
