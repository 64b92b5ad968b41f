package tally

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Table counts and adds up numbers by a key. The zero Table is empty.
type Table[K cmp.Ordered] struct {
	rows map[K]*Row[K]
}

// Row is what a [Table] has of a key.
type Row[K cmp.Ordered] struct {
	Key   K      `json:"key"`
	Count uint64 `json:"count"`
	// Sum is that of the numbers. It is exact as long as it fits an int64, and wraps around
	// beyond: 292 years in nanoseconds, 8 EiB.
	Sum int64 `json:"sum"`
	// Min and Max are the least and the greatest of the numbers.
	Min int64 `json:"min"`
	Max int64 `json:"max"`
}

// Mean returns the mean of the numbers; 0 if there are none.
func (r Row[K]) Mean() float64 {
	if r.Count == 0 {
		return 0
	}
	return float64(r.Sum) / float64(r.Count)
}

// Add counts a key, and adds a number to its sum. It allocates for new keys alone.
func (t *Table[K]) Add(key K, number int64) {
	t.merge(&Row[K]{key, 1, number, number, number})
}

// Merge adds all that is in another table.
func (t *Table[K]) Merge(o *Table[K]) {
	for _, row := range o.rows {
		t.merge(row)
	}
}

func (t *Table[K]) merge(o *Row[K]) {
	if t.rows == nil {
		t.rows = make(map[K]*Row[K])
	}
	row := t.rows[o.Key]
	if row == nil {
		row = &Row[K]{Key: o.Key}
		t.rows[o.Key] = row
	}
	row.add(o)
}

func (r *Row[K]) add(o *Row[K]) {
	if r.Count == 0 {
		r.Min, r.Max = o.Min, o.Max
	}
	r.Count += o.Count
	r.Sum += o.Sum
	r.Min, r.Max = min(r.Min, o.Min), max(r.Max, o.Max)
}

// Len returns how many keys there are.
func (t *Table[K]) Len() int { return len(t.rows) }

// Row returns what there is of a key; false, and zeros, if it has not been counted.
func (t *Table[K]) Row(key K) (Row[K], bool) {
	if row := t.rows[key]; row != nil {
		return *row, true
	}
	return Row[K]{Key: key}, false
}

// Rows returns the rows in the order of their keys.
func (t *Table[K]) Rows() iter.Seq[Row[K]] {
	return slices.Values(t.top(-1, func(a, b Row[K]) int { return 0 }))
}

// TopByCount returns the n rows with the greatest counts, the greatest first; all rows if n is
// negative. Equal ones are in the order of their keys.
func (t *Table[K]) TopByCount(n int) []Row[K] {
	return t.top(n, func(a, b Row[K]) int { return cmp.Compare(b.Count, a.Count) })
}

// TopBySum returns the n rows with the greatest sums, as [Table.TopByCount] does by counts.
func (t *Table[K]) TopBySum(n int) []Row[K] {
	return t.top(n, func(a, b Row[K]) int { return cmp.Compare(b.Sum, a.Sum) })
}

// TopByMax returns the n rows with the greatest numbers, as [Table.TopByCount] does by counts.
func (t *Table[K]) TopByMax(n int) []Row[K] {
	return t.top(n, func(a, b Row[K]) int { return cmp.Compare(b.Max, a.Max) })
}

// top returns the first n rows in an order, and those that are equal in it by their keys; all rows
// if n is negative.
func (t *Table[K]) top(n int, order func(a, b Row[K]) int) []Row[K] {
	rows := make([]Row[K], 0, len(t.rows))
	for _, row := range t.rows {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b Row[K]) int { return cmp.Or(order(a, b), cmp.Compare(a.Key, b.Key)) })
	if n < 0 {
		return rows
	}
	return rows[:min(n, len(rows))]
}

// Total returns the row of all keys together, with the zero key.
func (t *Table[K]) Total() (total Row[K]) {
	for _, row := range t.rows {
		total.add(row)
	}
	return total
}

// MarshalJSON writes the rows in the order of their keys.
func (t *Table[K]) MarshalJSON() ([]byte, error) {
	return json.Marshal(slices.Collect(t.Rows()))
}

// UnmarshalJSON reads what [Table.MarshalJSON] has written. What was in the table before is
// gone.
func (t *Table[K]) UnmarshalJSON(data []byte) error {
	var rows []Row[K]
	if err := json.Unmarshal(data, &rows); err != nil {
		return fmt.Errorf("tally: table: %w", err)
	}
	var read Table[K]
	for i := range rows {
		if rows[i].Count == 0 || rows[i].Min > rows[i].Max {
			return errors.New("tally: table: a row counts nothing, or has a minimum above its maximum")
		}
		read.merge(&rows[i])
	}
	*t = read
	return nil
}

// Count counts the events of a selection by a key. The function that returns it is called by
// several goroutines.
func Count[K cmp.Ordered](ctx context.Context, s *mmapjfr.Selection, key func(ev mmapjfr.Event) K) (*Table[K], error) {
	return Sum(ctx, s, key, func(mmapjfr.Event) int64 { return 0 })
}

// Sum counts the events of a selection by a key and adds up a number of theirs, such as
// int64(ev.Duration()) or bytes. The functions that return them are called by several
// goroutines.
func Sum[K cmp.Ordered](ctx context.Context, s *mmapjfr.Selection, key func(ev mmapjfr.Event) K, number func(ev mmapjfr.Event) int64) (*Table[K], error) {
	t, err := mmapjfr.Fold(ctx, s, func(t *Table[K], ev mmapjfr.Event) error {
		t.Add(key(ev), number(ev))
		return nil
	}, func(t, next *Table[K]) { t.Merge(next) })
	return &t, err
}

// Measure returns the quantiles of a number of the events of a selection, such as
// int64(ev.Duration()). The function that returns it is called by several goroutines.
func Measure(ctx context.Context, s *mmapjfr.Selection, number func(ev mmapjfr.Event) int64) (*Quantiles, error) {
	q, err := mmapjfr.Fold(ctx, s, func(q *Quantiles, ev mmapjfr.Event) error {
		q.Add(number(ev))
		return nil
	}, func(q, next *Quantiles) { q.Merge(next) })
	return &q, err
}
