package columns_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// content is what the keys of a chunk mean.
type content struct{ class, method, descriptor, loader, kind, thread string }

// chunkOf returns a chunk with the same keys, and types, as others.
func chunkOf(c content, number int) []byte {
	b := jfrtest.NewChunk()
	b.Header.StartNanos += int64(number) // equal chunks would count once
	typ := b.Event("E", jfrtest.EventThread(), jfrtest.StackTrace(), jfrtest.Const("klass", "java.lang.Class"))
	class := 1
	if c.loader == "web" { // its class is in stacks alone
		class = 0
	}
	for range 3 {
		b.Emit(typ, int64(1), 1, 1, class)
	}
	b.Constant("java.lang.Thread", 1, "os", 1, c.thread, 1, 0, false)
	b.Constant("jdk.types.StackTrace", 1, false, []any{jfrtest.Inline{1, 7, 3, 1}, jfrtest.Inline{1, 8, 3, 1}})
	b.Constant("jdk.types.FrameType", 1, c.kind)
	b.Constant("jdk.types.Method", 1, 1, 2, 3, 0, false)
	b.Constant("java.lang.Class", 1, 1, 1, 0, 0, false)
	b.Constant("jdk.types.ClassLoader", 1, 0, 4)
	for key, text := range []string{c.class, c.method, c.descriptor, c.loader} {
		b.Constant("jdk.types.Symbol", key+1, text)
	}
	return b.Bytes()
}

// TestKeysMeanWhatTheirChunkSays has chunks one after the other that differ in one thing each, and again the first.
func TestKeysMeanWhatTheirChunkSays(t *testing.T) {
	first := content{"a/B", "run", "(I)V", "app", "Interpreted", "main"}
	list := []content{first}
	for i := range 6 {
		other := first
		*[]*string{&other.class, &other.method, &other.descriptor, &other.loader, &other.kind, &other.thread}[i] = []string{"a/C", "go", "(J)V", "web", "Inlined", "pool"}[i]
		list = append(list, other, first)
	}
	var data []byte
	for i, c := range list {
		data = append(data, chunkOf(c, i)...)
	}
	rec := opentest.Bytes(t, data)
	for _, workers := range []int{1, 3} {
		files := export(t, columns.NDJSON, columns.Options{Workers: workers, InlineStacks: true}, rec)
		rows := rowsOf(t, files["E"])
		require.Len(t, rows, 3*len(list))
		got := make(map[string]int)
		for _, row := range rows {
			frames, ok := row["frames"].([]any)
			require.True(t, ok)
			require.Len(t, frames, 2)
			f, ok := frames[1].(map[string]any)
			require.True(t, ok)
			got[fmt.Sprint(row["klass"], f["class"], f["method"], f["descriptor"], f["type"], f["line"], row["top_frame"], row["thread"])]++
		}
		assert.Equal(t, map[string]int{
			"a.Ba.Brun(I)VInterpreted8a.B.run(int)main":   3 * 7,
			"<nil>a.Brun(I)VInterpreted8a.B.run(int)main": 3, // of another loader
			"a.Ca.Crun(I)VInterpreted8a.C.run(int)main":   3,
			"a.Ba.Bgo(I)VInterpreted8a.B.go(int)main":     3,
			"a.Ba.Brun(J)VInterpreted8a.B.run(long)main":  3,
			"a.Ba.Brun(I)VInlined8a.B.run(int)main":       3,
			"a.Ba.Brun(I)VInterpreted8a.B.run(int)pool":   3,
		}, got)
		var classes []string
		for _, row := range rowsOf(t, files["_classes"]) {
			classes = append(classes, fmt.Sprint(row["class"], " of ", row["loader"]))
		}
		assert.Equal(t, []string{"a.B of app", "a.C of app", "a.B of web"}, classes)
		assert.Len(t, rowsOf(t, files["_stacks"]), 5, "those of two loaders are one")
	}
}
