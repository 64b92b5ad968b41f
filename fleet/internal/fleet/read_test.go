package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

var note = []string{"query", "--", "select @type, count(*), max(startTime) from * group by @type"}

// element returns the work of a recording in many items.
func element(t *testing.T) (text string, items int) {
	t.Helper()
	objects, err := store().List(t.Context(), []string{"../../../testdata/jdk17-chunks.jfr"})
	require.NoError(t, err)
	q, err := questionOf(note)
	require.NoError(t, err)
	w := work{batch.Plan(q, objects, batch.PlanOptions{Size: 20_000})}
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

// TestABundleThatFails is done again by another instance.
func TestABundleThatFails(t *testing.T) {
	text, items := element(t)
	require.Greater(t, items, 8)
	ctx, cancel := context.WithCancelCause(t.Context())
	lost := errors.New("the machine is gone")
	n := 0
	err := (&readFn{Note: note}).ProcessElement(ctx, text, func(string, Sum) {
		if n++; n == 3 {
			cancel(lost)
		}
	})
	require.ErrorIs(t, err, lost)
	read := func() (sums []Sum) {
		require.NoError(t, (&readFn{Note: note}).ProcessElement(t.Context(), text, func(key string, s Sum) {
			assert.Equal(t, "null", key)
			sums = append(sums, s)
		}))
		require.Len(t, sums, items)
		return sums
	}
	assert.Equal(t, merged(t, read()...), merged(t, read()...))
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
