package columns_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// TestTimespansThatNoNumberExpresses are null, and none is a large number, whatever its sign.
func TestTimespansThatNoNumberExpresses(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("test.Spans", jfrtest.Of("s", "long").With(jfrtest.Note("jdk.jfr.Timespan", "SECONDS")), jfrtest.Of("ns", "long").With(jfrtest.Note("jdk.jfr.Timespan", "NANOSECONDS")))
	list := []int64{3, -3, 1e15, -1e15, math.MinInt64, math.MaxInt64}
	for i, n := range list {
		b.Emit(typ, int64(i), n, n)
	}
	data, _ := b.Build()
	rec := opentest.Bytes(t, data)
	var seconds, nanos []any
	for _, row := range objects(t, export(t, columns.NDJSON, columns.Options{}, rec)["test.Spans"]) {
		seconds, nanos = append(seconds, row["s"]), append(nanos, row["ns"])
	}
	assert.Equal(t, []any{3e9, -3e9, nil, nil, nil, nil}, seconds)
	assert.Equal(t, []any{3.0, -3.0, 1e15, -1e15, nil, nil}, nanos)
}
