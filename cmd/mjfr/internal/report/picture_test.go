package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestZerosBetweenPoints go down to zero after the last point before a gap, and up again before the next one.
func TestZerosBetweenPoints(t *testing.T) {
	start := time.Unix(1_000_000, 0).UTC()
	values := map[int]int64{0: 7, 1: 8, 3: 9, 10: 5}
	rows := func(yield func([]query.Value, error) bool) {
		for _, second := range []int{0, 1, 3, 10} {
			if !yield([]query.Value{query.NewValue(start.Add(time.Duration(second) * time.Second)), query.NewValue(values[second])}, nil) {
				return
			}
		}
	}
	var at []int
	for row, err := range withZeros(rows, time.Second) {
		assert.NoError(t, err)
		second := int(row[0].Time().Sub(start) / time.Second)
		at = append(at, second)
		assert.Equal(t, values[second], row[1].Int())
	}
	assert.Equal(t, []int{-1, 0, 1, 2, 3, 4, 9, 10, 11}, at)
}
