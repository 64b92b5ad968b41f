package where_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// TestManyTypes has a condition that thousands of event types can match: work must not grow with
// their square, or this takes half a minute.
func TestManyTypes(t *testing.T) {
	const types = 10_000
	var out bytes.Buffer
	w, err := writer.New(&out)
	require.NoError(t, err)
	for i := range types {
		typ, err := w.DefineEvent(writer.Type{Name: fmt.Sprintf("test.T%d", i), Fields: []writer.Field{writer.StartTimeField(), {Name: "n", Type: "int"}}})
		require.NoError(t, err)
		if i%1000 == 0 {
			require.NoError(t, typ.Write(writer.Time(w.Now()), writer.Int(int64(i))))
		}
	}
	require.NoError(t, w.Close())
	rec := opentest.Bytes(t, out.Bytes())
	c, err := where.Parse("n >= 5000")
	require.NoError(t, err)
	all, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	require.NoError(t, err)
	filter, err := c.Filter(all)
	require.NoError(t, err)
	sel := rec.Select(filter)
	require.NoError(t, sel.Check())
	n := 0
	for ev, err := range sel.Events() {
		require.NoError(t, err)
		if c.Matches(ev) {
			n++
		}
	}
	assert.Equal(t, 5, n)
}
