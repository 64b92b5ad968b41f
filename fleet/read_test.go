package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

var note = []string{"profile", "--"}

// reading is a step that reads, as an engine has it.
func reading(t *testing.T) *readFn {
	t.Helper()
	f := &readFn{Note: note, Split: 4, ItemSize: 50_000}
	require.NoError(t, f.Setup())
	t.Cleanup(func() { assert.NoError(t, f.Teardown()) })
	return f
}

// element returns the work of a recording in many items.
func element(t *testing.T) (text string, items int) {
	t.Helper()
	objects, err := batch.List([]string{"../testdata/jdk17-chunks.jfr"})
	require.NoError(t, err)
	w := work{batch.Plan(objects, batch.PlanOptions{Size: 20_000})}
	data, err := json.Marshal(w)
	require.NoError(t, err)
	return string(data), len(w.Items)
}

// merged returns the bytes of all sums.
func merged(t *testing.T, sums ...Sum) []byte {
	t.Helper()
	f := &sumFn{Note: note}
	total := f.CreateAccumulator()
	for _, s := range sums {
		data, err := encodeSum(s)
		require.NoError(t, err)
		total, err = f.AddInput(total, decodeSum(data))
		require.NoError(t, err)
	}
	data, err := encodeSum(f.ExtractOutput(total))
	require.NoError(t, err)
	return data
}

// TestSplitsWhileAnElementIsRead splits after each number of items, and once more, as engines do. Some items are
// read twice, by a bundle that failed in between: what it had emitted does not count.
func TestSplitsWhileAnElementIsRead(t *testing.T) {
	f := reading(t)
	text, items := element(t)
	require.Greater(t, items, 8)
	all, err := f.CreateInitialRestriction(text)
	require.NoError(t, err)
	require.Equal(t, offsetrange.Restriction{End: int64(items)}, all)
	assert.Len(t, f.SplitRestriction(text, all), (items+3)/4)
	assert.Len(t, (&readFn{Note: note}).SplitRestriction(text, all), 1, "allocations weigh by what all of the object has")
	weighed := []string{"query", "--", "select sum(s.@weight) from ThreadPark during ObjectAllocationSample as s"}
	assert.Len(t, (&readFn{Note: weighed}).SplitRestriction(text, all), 1, "joined events weigh by what all of the object has")
	assert.Len(t, (&readFn{Note: []string{"profile", "-t", "lock", "--"}}).SplitRestriction(text, all), (items+15)/16)
	assert.Equal(t, float64(items)*50_000, f.RestrictionSize(text, all))

	read := func(rest offsetrange.Restriction, after int) (sums []Sum, residual *offsetrange.Restriction) {
		rt := f.CreateTracker(rest)
		require.NoError(t, f.ProcessElement(t.Context(), rt, text, func(key string, s Sum) {
			assert.Equal(t, "null", key)
			if sums = append(sums, s); len(sums) == after {
				_, r, err := rt.TrySplit(0.5)
				require.NoError(t, err)
				if r, ok := r.(offsetrange.Restriction); ok {
					residual = &r
				}
			}
		}))
		require.NoError(t, rt.GetError())
		require.True(t, rt.IsDone())
		return sums, residual
	}
	whole, _ := read(all, 0)
	require.Len(t, whole, items)
	want := merged(t, whole...)
	for after := 1; after < items-1; after += 3 {
		sums, residual := read(all, after)
		for residual != nil {
			var more []Sum
			more, residual = read(*residual, 1)
			sums = append(more, sums...)
		}
		require.Len(t, sums, items)
		assert.Equal(t, want, merged(t, sums...))
	}
	twice := append(append([]Sum{}, whole[:3]...), whole...)
	assert.Equal(t, whole[0].partial.Parts(), twice[3].partial.Parts())
}

// TestABundleThatFails is done again by another instance.
func TestABundleThatFails(t *testing.T) {
	text, items := element(t)
	all := offsetrange.Restriction{End: int64(items)}
	broken := reading(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	lost := errors.New("the machine is gone")
	n := 0
	err := broken.ProcessElement(ctx, broken.CreateTracker(all), text, func(string, Sum) {
		if n++; n == 3 {
			cancel(lost)
		}
	})
	require.ErrorIs(t, err, lost)
	var sums, fresh []Sum
	again := reading(t)
	require.NoError(t, again.ProcessElement(t.Context(), again.CreateTracker(all), text, func(_ string, s Sum) { sums = append(sums, s) }))
	data := merged(t, sums...)
	other := reading(t)
	require.NoError(t, other.ProcessElement(t.Context(), other.CreateTracker(all), text, func(_ string, s Sum) { fresh = append(fresh, s) }))
	assert.Equal(t, merged(t, fresh...), data)
}

// TestSumsThatAreDamaged are errors.
func TestSumsThatAreDamaged(t *testing.T) {
	f := &sumFn{Note: note}
	_, err := f.MergeAccumulators(decodeSum([]byte("x")), decodeSum([]byte("y")))
	require.ErrorIs(t, err, batch.ErrFormat)
	_, err = parse("{")
	require.Error(t, err)
	_, err = parse("{}")
	require.Error(t, err)
}

// TestFoldersOfKeysDiffer, whatever is in their labels.
func TestFoldersOfKeysDiffer(t *testing.T) {
	seen := make(map[string]bool)
	for _, value := range []string{"", "a", "a/b", "a%2Fb", "..", ".", "a b", "a=b", "ä"} {
		for _, other := range []string{"", "x", "/"} {
			folder := folderOf([]batch.Label{{Name: "k", Value: value}, {Name: "l", Value: other}})
			assert.False(t, seen[folder], folder)
			assert.Regexp(t, `^k=[^/]*/l=[^/]*$`, folder)
			seen[folder] = true
		}
	}
	assert.Empty(t, folderOf(nil))
}
