package columns

import (
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
}

func (s *starts) Extension() string                       { return ".test" }
func (s *starts) Begin(io.Writer, *Table) (Writer, error) { return s, nil }
func (s *starts) Close(late int64) error                  { s.late = late; return nil }
func (s *starts) Write(t *Table, rows *Rows) error {
	v := rows.Column(t, 0)
	s.all, s.sizes = append(s.all, v.Ints...), append(s.sizes, rows.N)
	return nil
}

// TestRowsThatWaitAreBounded adds rows as chunks do, which overlap a little, and one that is very late.
func TestRowsThatWaitAreBounded(t *testing.T) {
	var got starts
	e := &export{o: &Options{}, format: &got, sink: func(_ string, fill func(io.Writer) error) error { return fill(io.Discard) }, tokens: make(chan struct{}, 2)}
	e.blocks.size, e.groups.size = blockRows, GroupRows
	e.ctx, e.cancel = context.WithCancelCause(t.Context())
	defer e.cancel(nil)
	table := e.newTable(Table{Name: "test"})
	table.withSlots([]Column{{Name: "start_ns", Kind: Int}})
	r := rand.New(rand.NewPCG(1, 2))
	const parts, size = 150, 10_000
	var want []int64
	for part := range parts {
		rows := table.spare()
		rows.grow(&table.Table, size, nil)
		for i := range size {
			start := int64(part*size+i)*1000 - r.Int64N(20_000_000)
			if part == 140 && i == 0 {
				start = -1 << 40
			}
			rows.start[i] = start
			rows.slots[0].set(i, number(start))
			want = append(want, start)
		}
		e.add(table, rows)
		assert.Less(t, table.rows, int64(heldGroups*GroupRows))
		assert.LessOrEqual(t, e.held, int64(heldBytes))
	}
	report, err := e.finish(nil)
	require.NoError(t, err)
	assert.Equal(t, []Count{{"test", parts * size, 1}}, report.Tables)
	assert.Equal(t, int64(1), got.late)
	assert.Equal(t, GroupRows, got.sizes[0])
	assert.LessOrEqual(t, slices.Max(got.sizes), GroupRows)
	at := slices.Index(got.all, -1<<40)
	assert.True(t, slices.IsSorted(slices.Delete(slices.Clone(got.all), at, at+1)))
	slices.Sort(want)
	slices.Sort(got.all)
	assert.Equal(t, want, got.all)
}

func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		start := make([]int64, r.IntN(500))
		for i := range start {
			start[i] = int64(r.Uint64()) >> r.IntN(64)
		}
		want := make([]int32, len(start))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int {
			switch {
			case start[a] < start[b]:
				return -1
			case start[a] > start[b]:
				return 1
			}
			return 0
		})
		assert.Equal(t, want, new(sorter).orderOf([][]int64{start}))
	}
}
