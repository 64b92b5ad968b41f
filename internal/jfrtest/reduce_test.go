package jfrtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

func TestReduce(t *testing.T) {
	for _, name := range []string{"jdk17-profile", "jdk25-profile"} {
		data := testdata(t, name)
		b, err := jfrtest.Reduce(data, 0, 2, "jdk.ExecutionSample", "jdk.ThreadStart")
		require.NoError(t, err)
		reduced := b.Bytes()
		assert.Less(t, len(reduced), 12<<10, name)
		want := decode(t, data).Chunks[0]
		got := decode(t, reduced).Chunks[0]
		require.Len(t, got.Events, 4, name)
		i := 0
		for _, e := range want.Events {
			if e.TypeName != got.Events[i].TypeName {
				continue
			}
			for _, path := range [][]string{
				{"startTime"}, {"sampledThread", "javaName"}, {"thread", "osThreadId"}, {"stackTrace", "frames"}, {"state"}, {"eventThread", "group", "name"},
			} {
				assert.Equal(t, flat(want, want.Path(e.Field(path[0]), path[1:]...)), flat(got, got.Path(got.Events[i].Field(path[0]), path[1:]...)), "%s %v", e.TypeName, path)
			}
			if i++; i == len(got.Events) {
				break
			}
		}
		assert.Equal(t, len(got.Events), i)
	}
	_, err := jfrtest.Reduce(nil, 0, 1)
	assert.ErrorIs(t, err, jfrtest.ErrBad)
}

// flat makes a value one without constants, as deep as it matters.
func flat(c *jfrtest.Chunk, v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = flat(c, v[i])
		}
		return list
	case *jfrtest.Struct:
		return []any{v.Class.Name, c.Path(v, "method", "name"), c.Path(v, "lineNumber"), c.Path(v, "method", "type", "name")}
	}
	return v
}
