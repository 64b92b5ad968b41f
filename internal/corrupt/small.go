package corrupt

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// Small returns small recordings with something of everything, in the ways of several producers.
func Small(t testing.TB) []*Atlas {
	t.Helper()
	jvm := sample(jfrtest.NewEmptyChunk())
	jvm.SizeWidth = 4
	raw := sample(jfrtest.NewEmptyChunk().Uncompressed())
	profiler := sample(jfrtest.NewEmptyChunk())
	profiler.MetadataFirst, profiler.SizeWidth = true, 5
	profiler.Header.Minor = 0
	two, _ := jfrtest.Concat(sample(jfrtest.NewEmptyChunk()), sample(jfrtest.NewEmptyChunk().Uncompressed()))
	var list []*Atlas
	for name, data := range map[string][]byte{
		"as a virtual machine": jvm.Bytes(), "big-endian": raw.Bytes(), "as async-profiler": profiler.Bytes(), "two chunks": two,
	} {
		list = append(list, atlas(t, name, data))
	}
	return list
}

func atlas(t testing.TB, name string, data []byte) *Atlas {
	t.Helper()
	a, err := NewAtlas(name, data)
	require.NoError(t, err, name)
	return a
}

// sample puts something of everything into a chunk: texts in all encodings, arrays, structs in
// place, constants that lead to others, wrappers, and the views of package mmapjfr.
func sample(b *jfrtest.Builder) *jfrtest.Builder {
	of, konst := jfrtest.Of, jfrtest.Const
	for _, name := range []string{"boolean", "byte", "char", "short", "int", "long", "float", "double", jfrtest.StringClass} {
		b.Class(name)
	}
	b.Class("jdk.jfr.Timestamp", of("value", jfrtest.StringClass)).SuperType = "java.lang.annotation.Annotation"
	b.Class("jdk.jfr.Label", of("value", jfrtest.StringClass)).SuperType = "java.lang.annotation.Annotation"
	b.Class("jdk.types.Symbol", of("string", jfrtest.StringClass)).Simple()
	b.Class("java.lang.Class", konst("name", "jdk.types.Symbol"), of("modifiers", "int"))
	b.Class("jdk.types.Method", konst("type", "java.lang.Class"), konst("name", "jdk.types.Symbol"))
	b.Class("jdk.types.StackFrame", konst("method", "jdk.types.Method"), of("lineNumber", "int"))
	b.Class("jdk.types.StackTrace", of("truncated", "boolean"), of("frames", "jdk.types.StackFrame").Array())
	b.Class("java.lang.Thread", of("javaName", jfrtest.StringClass), of("javaThreadId", "long"))
	b.Class("P", of("x", "int"), of("s", jfrtest.StringClass), of("c", "char"), of("f", "float"))
	b.Class("W", konst("p", "P")).Simple()
	e := b.Event("E", jfrtest.EventThread(), jfrtest.StackTrace(), of("n", "short"), of("d", "double"))
	f := b.Event("F", of("p", "P"), of("ps", "P").Array(), konst("w", "W"), konst("ws", "W").Array(), of("a", "int").Array(), of("text", jfrtest.StringClass))
	for i := range 3 {
		b.Emit(e, startTicks+100*i, 1, 1, i, 1.5)
		b.Emit(f, startTicks+1000*i, jfrtest.Inline{i, "x", 'y', 2}, []any{jfrtest.Inline{1 << 20, nil, 1, 1}},
			1, []int{1, 2, 1}, []int{1, -2, 1 << 30}, []any{jfrtest.UTF16("größer"), jfrtest.Latin1("ä"), jfrtest.Pooled(1)}[i])
	}
	cp := b.Checkpoint(jfrtest.MaskFlush)
	cp.Add("java.lang.Thread", 1, "main", 1)
	cp.Add("jdk.types.StackTrace", 1, true, []any{jfrtest.Inline{1, 10}, jfrtest.Inline{1, -1}})
	cp = b.Checkpoint(0)
	cp.Add("jdk.types.Method", 1, 1, 1)
	cp.Add("java.lang.Class", 1, 1, 0)
	cp.Add("jdk.types.Symbol", 1, "a/b")
	cp.Add("P", 1, 7, "seven", 'z', 0)
	cp.Add("W", 1, 1)
	cp.Add("W", int64(1)<<40, 2)
	cp.Add(jfrtest.StringClass, 1, jfrtest.UTF8("pooled €"))
	return b
}

// Files returns those of the recordings, unpacked, that are good ones and not large: at
// most 600 KB if long tests run, at most 150 KB otherwise.
func Files(t testing.TB, paths ...string) []*Atlas {
	t.Helper()
	most := 150_000
	if longtest.Enabled() {
		most = 600_000
	}
	var list []*Atlas
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for bytes.HasPrefix(data, []byte("\x1f\x8b")) { // some are packed twice
			z, err := gzip.NewReader(bytes.NewReader(data))
			require.NoError(t, err)
			data, err = io.ReadAll(z)
			require.NoError(t, err)
		}
		if len(data) > most {
			continue
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		if a, err := NewAtlas(name, data); err == nil {
			list = append(list, a)
		}
	}
	return list
}
