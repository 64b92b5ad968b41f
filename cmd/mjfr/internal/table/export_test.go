package table

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// Recorded returns what a recording has: a stack trace of a.B.run(int, String) in line 7 and of
// a.B.main(), one without frames, and classes called String[] and ConcurrentHashMap.
func Recorded(t testing.TB) (stack, empty, array, class query.Value) {
	t.Helper()
	b := jfrtest.NewChunk()
	for i, text := range []string{
		"a/B", "run", "(ILjava/lang/String;)V", "main", "()V", "[Ljava/lang/String;", "java/util/concurrent/ConcurrentHashMap",
	} {
		b.Constant("jdk.types.Symbol", int64(i+1), text)
	}
	for i, name := range []int{1, 6, 7} {
		b.Constant("java.lang.Class", int64(i+1), 0, name, 0, 0, false)
	}
	b.Constant("jdk.types.Method", 1, 1, 2, 3, 0, false)
	b.Constant("jdk.types.Method", 2, 1, 4, 5, 0, false)
	b.Constant("jdk.types.StackTrace", 1, false, []any{jfrtest.Inline{1, 7, 0, 0}, jfrtest.Inline{2, 0, 0, 0}})
	b.Constant("jdk.types.StackTrace", 2, false, []any{})
	ev := b.Event("test.E", jfrtest.Const("stack", "jdk.types.StackTrace"), jfrtest.Const("empty", "jdk.types.StackTrace"),
		jfrtest.Const("array", "java.lang.Class"), jfrtest.Const("class", "java.lang.Class"))
	b.Emit(ev, 1_000_000, 1, 2, 2, 3)
	rec := opentest.Bytes(t, b.Bytes())
	r, err := query.Run(t.Context(), []*mmapjfr.Recording{rec}, "select stack, empty, array, class from test.E")
	require.NoError(t, err)
	for row, err := range r.Rows {
		require.NoError(t, err)
		return row[0], row[1], row[2], row[3]
	}
	require.Fail(t, "no row")
	return
}
