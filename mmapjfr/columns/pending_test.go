package columns

import (
	"cmp"
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// starts is a format that keeps the start of all rows.
type starts struct {
	all   []int64
	sizes []int
	late  int64
	// blocks returns how many blocks wait, and most is the greatest number of them.
	blocks func() int
	most   int
}

func (s *starts) Extension() string                       { return ".test" }
func (s *starts) Begin(io.Writer, *Table) (Writer, error) { return s, nil }
func (s *starts) Close(late int64) error                  { s.late = late; return nil }
func (s *starts) Write(t *Table, rows *Rows) error {
	v := rows.Column(t, 0)
	s.most = max(s.most, s.blocks())
	s.all, s.sizes = append(s.all, v.Ints...), append(s.sizes, rows.N)
	return nil
}

// TestRowsThatWaitAreBounded adds rows as chunks do, which overlap a little, and one that is very late. In each part one
// lies in the future, and waits until the end.
func TestRowsThatWaitAreBounded(t *testing.T) {
	var got starts
	e := &export{o: &Options{}, format: &got, sink: func(_ string, fill func(io.Writer) error) error { return fill(io.Discard) }, tokens: make(chan struct{}, 2)}
	e.blocks.size, e.groups.size = blockRows, groupRows
	e.ctx, e.cancel = context.WithCancelCause(t.Context())
	defer e.cancel(nil)
	table := e.newTable(Table{Name: "test"})
	got.blocks = func() int { return len(table.held.blocks) }
	table.withSlots([]Column{{Name: "start_ns", Kind: Int}})
	r := rand.New(rand.NewPCG(1, 2))
	const parts, size = 1500, 1000
	var want []int64
	for part := range parts {
		rows := table.spare()
		rows.grow(&table.Table, size, nil)
		for i := range size {
			start := int64(part*size+i)*1000 - r.Int64N(20_000_000)
			if part == 1400 && i == 0 {
				start = -1 << 40
			}
			if i == 1 {
				start = 1<<41 + int64(part)
			}
			rows.start[i] = start
			rows.set(0, i, number(start))
			want = append(want, start)
		}
		e.add(table, rows)
		assert.Less(t, table.rows, int64(heldGroups*groupRows))
		assert.LessOrEqual(t, e.held, int64(heldBytes))
	}
	report, err := e.finish(nil)
	require.NoError(t, err)
	assert.Equal(t, []Count{{"test", parts * size, 1}}, report.Tables)
	assert.Equal(t, int64(1), got.late)
	assert.Equal(t, groupRows, got.sizes[0])
	assert.LessOrEqual(t, slices.Max(got.sizes), groupRows)
	assert.Less(t, got.most, 800)
	at := slices.Index(got.all, -1<<40)
	assert.True(t, slices.IsSorted(slices.Delete(slices.Clone(got.all), at, at+1)))
	slices.Sort(want)
	slices.Sort(got.all)
	assert.Equal(t, want, got.all)
}

func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		start := make([]int64, r.IntN(5000))
		for i := range start {
			start[i] = int64(r.Uint64()) >> r.IntN(64)
		}
		w := waiting{}
		var want []position
		for i := 0; i < len(start); {
			n := min(1+r.IntN(100), len(start)-i)
			w.blocks = append(w.blocks, &Rows{N: n, start: start[i : i+n]})
			w.n += n
			for j := range n {
				want = append(want, at(len(w.blocks)-1, j))
			}
			i += n
		}
		slices.SortStableFunc(want, func(a, b position) int { return cmp.Compare(w.start(a), w.start(b)) })
		assert.Equal(t, len(want), len(new(sorter).order(&w)))
		if len(want) > 0 {
			assert.Equal(t, want, new(sorter).order(&w))
		}
	}
}

// TestMemoryOfThreads counts threads of rows: those that come again and again take no more memory, since rows would not wait for
// as long as others, and not come in order.
func TestMemoryOfThreads(t *testing.T) {
	x := &reader{}
	for _, c := range []struct {
		refs []int32
		want int
	}{{[]int32{4, 4, 4}, 1}, {[]int32{4, 4, 5}, 2}, {[]int32{1, 2, 1, 2, 1, 2}, 2}, {[]int32{0, 1, 2, 3, 3}, 4}, {[]int32{-1, 0, -1}, 2}} {
		changes := 1
		for i := 1; i < len(c.refs); i++ {
			if c.refs[i] != c.refs[i-1] {
				changes++
			}
		}
		assert.Equal(t, c.want, x.different(c.refs, changes), "%v", c.refs)
	}
}
