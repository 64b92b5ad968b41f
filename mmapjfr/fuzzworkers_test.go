package mmapjfr_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/internal/dumpall"
)

// FuzzWorkers reads a recording with one worker, with several that share even the
// smallest chunk, and with a cursor: all must find the same events, in the same order where
// there is one, and the same errors.
func FuzzWorkers(f *testing.F) {
	for _, in := range fuzzInputs() {
		f.Add(in.which, in.program, in.edits)
	}
	mmapjfr.SetPartSize(f, 64)
	var told tellers
	f.Fuzz(func(t *testing.T, which uint8, program, edits []byte) {
		data := fuzzed(which, program, edits)
		rec, err := mmapjfr.OpenBytes(data, mmapjfr.Workers(1))
		if err != nil {
			return
		}
		want, wantErrs := told.walk(rec.Select())
		for _, workers := range []int{1, 4} {
			rec, err := mmapjfr.OpenBytes(data, mmapjfr.Workers(workers))
			require.NoError(t, err)
			how := fmt.Sprintf("%d workers", workers)
			got, err := told.parallel(rec.Select())
			compareSeen(t, how, want, got)
			sameFaults(t, how, wantErrs, err)
			got, err = told.batches(rec.Select())
			compareSeen(t, how+", batches", want, got)
			sameFaults(t, how+", batches", wantErrs, err)
			got, err = mmapjfr.Fold(context.Background(), rec.Select(), func(sum *[]seen, ev mmapjfr.Event) error {
				*sum = append(*sum, seen{ev.Offset(), 0})
				return nil
			}, func(sum, next *[]seen) { *sum = append(*sum, *next...) })
			sameFaults(t, how+", fold", wantErrs, err)
			for i := range want {
				if i >= len(got) || got[i].offset != want[i].offset {
					t.Fatalf("%s, fold: %v, want %v", how, got, want)
				}
			}
		}
	})
}

// seen is an event: where it is, and the sum of what it tells.
type seen struct{ offset, sum uint64 }

func compareSeen(t *testing.T, how string, want, got []seen) {
	slices.SortFunc(got, func(a, b seen) int { return cmp.Compare(a.offset, b.offset) })
	if !slices.Equal(want, got) {
		t.Fatalf("%s: %x, want %x", how, got, want)
	}
}

// sameFaults compares joined errors with those that a walk has delivered.
func sameFaults(t *testing.T, how string, want []error, got error) {
	var list []error
	if joined, ok := got.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	} else if got != nil {
		list = []error{got}
	}
	if len(want) > 32 {
		return // these are cut short
	}
	same := slices.EqualFunc(want, list, func(a, b error) bool { return a.Error() == b.Error() })
	if !same {
		t.Fatalf("%s: errors %v, want %v", how, list, want)
	}
}

// tellers are one for each worker.
type tellers [4]dumpall.Dumper

func (x *tellers) seen(worker int, ev mmapjfr.Event) seen {
	x[worker].Reset()
	x[worker].Fields(ev)
	return seen{ev.Offset(), dumpall.Sum(x[worker].Bytes())}
}

func (x *tellers) walk(sel *mmapjfr.Selection) (list []seen, errs []error) {
	for ev, err := range sel.Events() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, x.seen(0, ev))
	}
	return list, errs
}

func (x *tellers) parallel(sel *mmapjfr.Selection) ([]seen, error) {
	var lists [4][]seen
	err := sel.Parallel(context.Background(), func(worker int, ev mmapjfr.Event) error {
		lists[worker] = append(lists[worker], x.seen(worker, ev))
		return nil
	})
	return slices.Concat(lists[:]...), err
}

// batches reads columns, too, and gives an event of which they say something else the sum 0.
func (x *tellers) batches(sel *mmapjfr.Selection) ([]seen, error) {
	var lists [4][]seen
	err := engine.SelectionBatches(sel, context.Background(), func(worker int, b *mmapjfr.Batch) error {
		from := len(lists[worker])
		for i := range engine.BatchLen(b) {
			lists[worker] = append(lists[worker], x.seen(worker, engine.BatchEvent(b, i)))
		}
		for _, p := range dumpall.Paths {
			keys, ints, floats, texts := engine.BatchConstants(b, p) != nil, engine.BatchInts(b, p), engine.BatchFloats(b, p), engine.BatchStrings(b, p)
			for i := range engine.BatchLen(b) {
				ev := engine.BatchEvent(b, i)
				v := ev.Get(p)
				if ints != nil && !keys && v.Int() != ints[i] ||
					floats != nil && math.Float64bits(v.Float()) != math.Float64bits(floats[i]) ||
					texts != nil && v.Str() != texts[i] || engine.BatchValue(b, p, i).Text() != v.Text() {
					lists[worker][from+i].sum = 0
				}
			}
		}
		return nil
	})
	return slices.Concat(lists[:]...), err
}
