package tally_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/tally"
)

// numbers returns numbers of all sizes, and the ends of what there is.
func numbers(seed uint64, n int) []int64 {
	r := rand.New(rand.NewPCG(seed, 15))
	list := []int64{0, 1, -1, 255, 256, 257, -256, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, 1 << 40}
	for len(list) < n {
		list = append(list, r.Int64()>>r.IntN(64)*int64(1-2*r.IntN(2)))
	}
	return list
}

// TestQuantilesAreNearTheExactOnes compares with sorted numbers.
func TestQuantilesAreNearTheExactOnes(t *testing.T) {
	for seed := range uint64(5) {
		list := numbers(seed, 10+int(seed)*500)
		var q tally.Quantiles
		for _, n := range list {
			q.Add(n)
		}
		slices.Sort(list)
		assert.Equal(t, uint64(len(list)), q.Count())
		assert.Equal(t, list[0], q.Min())
		assert.Equal(t, list[len(list)-1], q.Max())
		for _, p := range []float64{0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1} {
			want := list[max(int(math.Ceil(p*float64(len(list)))), 1)-1]
			got := q.At(p)
			assert.LessOrEqual(t, math.Abs(float64(got)-float64(want)), math.Abs(float64(want))/256, "%v: %d, not %d", p, got, want)
			if want > -256 && want < 256 {
				assert.Equal(t, want, got)
			}
		}
	}
	assert.Zero(t, new(tally.Quantiles).At(0.5))
	var q tally.Quantiles
	q.Add(7)
	assert.Equal(t, []int64{7, 7, 7}, []int64{q.At(math.NaN()), q.At(-1), q.At(2)})
}

// TestPartsMergeInAnyOrder splits numbers into parts, and writes and reads some of these.
func TestPartsMergeInAnyOrder(t *testing.T) {
	list := numbers(1, 2000)
	keys := []string{"a", "b", "c", ""}
	var whole tally.Table[string]
	var all tally.Quantiles
	tables, parts := make([]tally.Table[string], 7), make([]tally.Quantiles, 7)
	for i, n := range list {
		whole.Add(keys[i%len(keys)], n)
		all.Add(n)
		tables[i%3*i%7].Add(keys[i%len(keys)], n)
		parts[i%3*i%7].Add(n)
	}
	want, err := json.Marshal([]any{&whole, &all})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(2, 15))
	for range 10 {
		var table tally.Table[string]
		var q tally.Quantiles
		for _, i := range r.Perm(len(parts)) {
			text, err := json.Marshal([]any{&tables[i], &parts[i]})
			require.NoError(t, err)
			var readTable tally.Table[string]
			var readPart tally.Quantiles
			require.NoError(t, json.Unmarshal(text, &[]any{&readTable, &readPart}))
			table.Merge(&readTable)
			q.Merge(&readPart)
		}
		got, err := json.Marshal([]any{&table, &q})
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}

// TestReadingRejects what MarshalJSON does not write.
func TestReadingRejects(t *testing.T) {
	for _, text := range []string{
		`{"count":1}`, `{"count":1,"min":5,"max":5,"buckets":{"6":1}}`, `{"count":1,"min":6,"max":5,"buckets":{"5":1}}`,
		`{"count":2,"min":5,"max":6,"buckets":{"5":1}}`, `{"count":1,"min":5,"max":5,"buckets":{"5":2}}`, `{"count":0,"buckets":{"0":0}}`, `[]`, `{"buckets":{"x":1}}`, `{"buckets":{"99999":1}}`,
	} {
		assert.Error(t, json.Unmarshal([]byte(text), new(tally.Quantiles)), text)
	}
	for _, text := range []string{`{}`, `[{"key":1}]`, `[{"key":"a","count":0}]`, `[{"key":"a","count":1,"min":2,"max":1}]`} {
		assert.Error(t, json.Unmarshal([]byte(text), new(tally.Table[string])), text)
	}
}

// TestCountIsWhatALoopCounts compares with maps, whatever the number of workers.
func TestCountIsWhatALoopCounts(t *testing.T) {
	for _, workers := range []int{1, 4} {
		rec, err := mmapjfr.Open("../../testdata/jdk25-chunks.jfr", mmapjfr.Workers(workers))
		require.NoError(t, err)
		defer rec.Close()
		count, bytes := make(map[string]uint64), make(map[string]int64)
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			count[ev.Type().Name()]++
			bytes[ev.Type().Name()] += int64(ev.Size())
		}
		table, err := tally.Sum(context.Background(), rec.Select(),
			func(ev mmapjfr.Event) string { return ev.Type().Name() },
			func(ev mmapjfr.Event) int64 { return int64(ev.Size()) })
		require.NoError(t, err)
		require.Equal(t, len(count), table.Len())
		last := uint64(math.MaxUint64)
		for _, row := range table.TopByCount(-1) {
			assert.Equal(t, count[row.Key], row.Count, row.Key)
			assert.Equal(t, bytes[row.Key], row.Sum, row.Key)
			assert.LessOrEqual(t, row.Count, last)
			last = row.Count
		}
		assert.Len(t, table.TopBySum(3), 3)
		total := table.Total()
		q, err := tally.Measure(context.Background(), rec.Select(), func(ev mmapjfr.Event) int64 { return int64(ev.Size()) })
		require.NoError(t, err)
		assert.Equal(t, []any{total.Count, total.Sum, total.Min, total.Max}, []any{q.Count(), q.Sum(), q.Min(), q.Max()})
	}
}
