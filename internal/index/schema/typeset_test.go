package schema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/index/schema"
)

func TestIDTable(t *testing.T) {
	tests := map[string][]schema.TypeID{
		"none":     nil,
		"one":      {7},
		"one huge": {1 << 50},
		"small":    {0, 1, 2, 3, 4, 5, 100, 1000},
		"the edge": {1<<14 - 1, 1 << 14, 1<<14 + 1},
		"negative": {-1, -2, -3, -1 << 63},
		"huge":     {1 << 40, 1 << 41, 1<<63 - 1, 1 << 62, 1<<32 + 5},
		"mixed":    {5, -5, 1 << 40, 0, -1 << 40, 1 << 14, 6},
	}
	for name, ids := range tests {
		t.Run(name, func(t *testing.T) {
			table := schema.NewIDTable(len(ids))
			for i, id := range ids {
				table.Set(id, i)
			}
			known := map[schema.TypeID]int{}
			for i, id := range ids {
				known[id] = i
			}
			for i, id := range ids {
				got, ok := table.Lookup(id)
				assert.True(t, ok, "%d", id)
				assert.Equal(t, i, got)
				for _, other := range []schema.TypeID{id - 1, id + 1, -id, id ^ -1<<63} {
					want, there := known[other]
					got, ok := table.Lookup(other)
					assert.Equal(t, there, ok, "%d", other)
					if ok {
						assert.Equal(t, want, got)
					}
				}
			}
			for _, other := range []schema.TypeID{77, -77, 1 << 13, 1 << 33} {
				_, ok := table.Lookup(other)
				assert.False(t, ok)
			}
		})
	}
	t.Run("the last of an id counts", func(t *testing.T) {
		table := schema.NewIDTable(4)
		for i, id := range []schema.TypeID{3, -3, 3, -3} {
			table.Set(id, i)
		}
		got, _ := table.Lookup(3)
		assert.Equal(t, 2, got)
		got, _ = table.Lookup(-3)
		assert.Equal(t, 3, got)
	})
}

// TestPrimitiveWithFields has what a flipped bit made: an int with fields of types that are not
// there.
func TestPrimitiveWithFields(t *testing.T) {
	typ := &schema.Type{Kind: schema.Int, Fields: []schema.Field{{Name: "startTime"}, {Name: "eventThread"}}}
	assert.Nil(t, typ.StartTime())
	assert.Nil(t, typ.Thread())
}
