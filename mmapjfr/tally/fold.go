package tally

import (
	"cmp"
	"context"

	"github.com/mmapjfr/jfr/mmapjfr"
)

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
