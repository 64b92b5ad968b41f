package batch_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestAReaderKeepsObjectsOpen reads ranges of recordings in turns, several at once: few times does it open them, and the
// answers are those of [batch.Map].
func TestAReaderKeepsObjectsOpen(t *testing.T) {
	objects, err := batch.List([]string{"../../testdata/jdk17-chunks.jfr", "../../testdata/jdk25-chunks.jfr", "../../testdata/jdk25-kinds.jfr"})
	require.NoError(t, err)
	items := batch.Plan(objects, batch.PlanOptions{Size: 50_000})
	require.Greater(t, len(items), 6)
	list := questions(t)
	for _, q := range []batch.Question{list[0], list[2], list[4]} {
		var mu sync.Mutex
		opened := make(map[string]int)
		r := batch.NewReader(q, nil, func(ctx context.Context, p batch.Part, onError func(error)) (*input.Set, error) {
			mu.Lock()
			defer mu.Unlock()
			opened[p.Object]++
			return batch.Open(ctx, p, onError)
		})
		got := make([][]byte, len(items))
		var group sync.WaitGroup
		for i, item := range items {
			group.Go(func() {
				p, err := r.Map(t.Context(), item)
				if assert.NoError(t, err) {
					got[i] = marshalled(t, p)
				}
			})
		}
		group.Wait()
		require.NoError(t, r.Close())
		assert.Equal(t, mapped(t, q, items), got)
		for _, item := range items {
			if p := item.Parts[0]; p.To != 0 {
				assert.Equal(t, 1, opened[p.Object], p.Object)
			}
		}
	}
	r := batch.NewReader(list[0], nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Map(ctx, items[0])
	require.ErrorIs(t, err, context.Canceled)
}
