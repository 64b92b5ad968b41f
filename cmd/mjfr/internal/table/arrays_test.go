package table

import (
	"encoding/json"
	"iter"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// made returns a result with rows.
func made(columns []query.Column, rows ...[]query.Value) *query.Result {
	var all iter.Seq2[[]query.Value, error] = func(yield func([]query.Value, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
	return &query.Result{Title: "Some", Columns: columns, Rows: all}
}

func TestArrays(t *testing.T) {
	at := time.Date(2026, 11, 24, 1, 2, 3, 456_789_012, time.UTC)
	v := query.NewValue
	stack, empty, _, _ := Recorded(t)
	r := made([]query.Column{
		{Name: "t", Kind: query.Timestamp}, {Name: "d", Kind: query.Timespan}, {Name: "f", Kind: query.Float}, {Name: "b", Kind: query.Int, Unit: mmapjfr.Bytes, Rate: true},
		{Name: "s", Kind: query.Stack}, {Name: "x", Kind: query.Int, Format: query.Format{Normalized: true}}, {Name: "x", Kind: query.Text},
	},
		[]query.Value{v(at), v(time.Second), v(1.5), v(int64(7)), stack, v(int64(1)), v("<b>")},
		[]query.Value{v(at), v(mmapjfr.Forever), v(math.Inf(1)), {}, empty, v(int64(3)), {}},
		[]query.Value{{}, {}, v(math.NaN()), v(int64(math.MinInt64)), {}, v(int64(4)), v("é")})
	a, err := ArraysOf(t.Context(), r, 2, 1<<20)
	require.NoError(t, err)
	assert.Equal(t, 2, a.Rows)
	assert.True(t, a.More)
	assert.Equal(t, []any{float64(at.UnixNano()) / 1e6, float64(at.UnixNano()) / 1e6}, a.Columns[0].Values)
	assert.Equal(t, []any{int64(time.Second), "forever"}, a.Columns[1].Values)
	assert.Equal(t, 1.5, a.Columns[2].Values[0])
	assert.IsType(t, "", a.Columns[2].Values[1], "JSON has no infinity")
	assert.Equal(t, []any{int64(7), nil}, a.Columns[3].Values)
	assert.Equal(t, "bytes", a.Columns[3].Unit)
	assert.True(t, a.Columns[3].Rate)
	assert.Equal(t, []any{"a.B.run(int, String):7", "a.B.main()"}, a.Columns[4].Values[0])
	assert.Equal(t, []any{}, a.Columns[4].Values[1])
	assert.Equal(t, []any{0.125, 0.375}, a.Columns[5].Values, "shares of all rows")
	assert.Equal(t, "x_2", a.Columns[6].Name)
	a, err = ArraysOf(t.Context(), r, 3, 1<<20)
	require.NoError(t, err)
	assert.False(t, a.More)
	a, err = ArraysOf(t.Context(), r, 3, 67)
	require.NoError(t, err)
	assert.Equal(t, 1, a.Rows, "the text of the first row is too much for another")
	assert.True(t, a.More)
	_, err = ArraysOf(t.Context(), r, 3, 5)
	assert.ErrorIs(t, err, ErrTooLong)
	_, err = json.Marshal(a)
	assert.NoError(t, err)
}
