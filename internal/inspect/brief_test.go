package inspect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestBrief(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Four", jfrtest.Of("a", "int"), jfrtest.Of("b", jfrtest.StringClass), jfrtest.Of("c", "test.Inner"), jfrtest.Of("d", "int"))
	b.Class("test.Inner", jfrtest.Of("x", "int"))
	ev := b.Event("test.Event",
		jfrtest.Of("text", jfrtest.StringClass),
		jfrtest.Of("numbers", "int").Array(),
		jfrtest.Of("one", "int").Array(),
		jfrtest.Of("four", "test.Four"),
		jfrtest.Const("thread", "java.lang.Thread"),
		jfrtest.Const("class", "java.lang.Class"),
		jfrtest.Const("method", "jdk.types.Method"),
		jfrtest.Const("unknown", "jdk.types.Method"),
		jfrtest.Const("named", "jdk.types.ClassLoader"),
		jfrtest.Const("nameless", "jdk.types.ClassLoader"),
		jfrtest.Const("stack", "jdk.types.StackTrace"),
		jfrtest.Const("empty", "jdk.types.StackTrace"),
		jfrtest.Of("share", "float").With(jfrtest.Mark("jdk.jfr.Percentage")))
	b.Constant("jdk.types.Symbol", 1, "a/B\n")
	b.Constant("jdk.types.Symbol", 2, "run")
	b.Constant("jdk.types.Symbol", 3, "app")
	b.Constant("java.lang.Class", 1, 0, 1, 0, 0, false)
	b.Constant("jdk.types.Method", 1, 1, 2, 0, 0, false)
	b.Constant("jdk.types.ClassLoader", 1, 1, 3)
	b.Constant("jdk.types.ClassLoader", 2, 1, 0)
	b.Constant("java.lang.Thread", 1, "os\n", 1, "main\x1b", 1, 0, false)
	b.Constant("jdk.types.StackTrace", 1, false, []any{jfrtest.Inline{1, 12, 0, 0}, jfrtest.Inline{1, 13, 0, 0}})
	b.Constant("jdk.types.StackTrace", 2, false, []any{})
	b.Emit(ev, 1, strings.Repeat("ü", 100), []any{1, 2}, []any{1}, jfrtest.Inline{1, "b\n", jfrtest.Inline{2}, 3},
		1, 1, 1, 99, 1, 2, 1, 2, 0.5)
	rec := built(t, b)
	want := map[string]string{
		"text":     `"` + strings.Repeat("ü", 60) + `…"`,
		"numbers":  "2 elements",
		"one":      "1 element",
		"four":     `{a: 1, b: "b\n", c: {...}, ...}`,
		"thread":   `"main\x1b"`,
		"class":    `a.B\n`,
		"method":   `a.B\n.run`,
		"unknown":  "missing",
		"named":    `"app"`,
		"nameless": `a.B\n`,
		"stack":    `a.B\n.run:12 and 1 more frame`,
		"empty":    "no frames",
		"share":    "50.00%",
	}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		for path, want := range want {
			assert.Equal(t, want, inspect.Short(ev.Get(mmapjfr.Path(path))), path)
		}
		assert.Equal(t, "absent", inspect.Short(ev.Get(mmapjfr.Path("nowhere"))))
		frame := ev.Get(mmapjfr.Path("stack.frames[1]"))
		assert.Equal(t, `a.B\n.run:13`, inspect.Short(frame))
		assert.Equal(t, "an unknown method", inspect.Frame(mmapjfr.Frame{}))
	}
}
