package mmapjfr_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// errHadEnough is what functions that are called with events return when they have had enough.
var errHadEnough = errors.New("enough")

// cancel begins to read and does not go on to the end, in a way that is chosen at random. An
// end that was not asked for fails the test.
func (f *loadFile) cancel(t *testing.T, rec *mmapjfr.Recording, r *rand.Rand) {
	t.Helper()
	loadCount.cancels.Add(1)
	enough := int64(r.IntN(int(f.events/2) + 2))
	var n atomic.Int64
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	count := func(events int) bool {
		loadCount.events.Add(int64(events))
		return n.Add(int64(events)) > enough
	}
	full := func(events int) error {
		if count(events) {
			return errHadEnough
		}
		return nil
	}
	last := func(events int) error {
		if count(events) {
			cancel(errHadEnough)
		}
		return nil
	}
	var err error
	way := r.IntN(9)
	switch way {
	case 0, 1: // leave the loop, and perhaps go on with the iteration of another
		for ev := range rec.Events() {
			if count(1) {
				break
			}
			if ev.IsZero() {
				continue
			}
			for range ev.StackTrace().Frames() {
				break
			}
		}
	case 2: // leave a loop over constants
		for _, c := range rec.Chunks() {
			types, _ := c.Types()
			for _, typ := range types {
				for range c.Constants(typ) {
					break
				}
			}
		}
	case 3:
		err = rec.Select().Parallel(ctx, func(int, mmapjfr.Event) error { return full(1) })
	case 4:
		err = rec.Select().Parallel(ctx, func(int, mmapjfr.Event) error { return last(1) })
	case 5:
		err = rec.Select().Batches(ctx, func(_ int, b *mmapjfr.Batch) error { return last(b.Len()) })
	case 6:
		_, err = mmapjfr.Fold(ctx, rec.Select(), func(*int, mmapjfr.Event) error { return full(1) }, func(_, _ *int) {})
	case 7: // from outside, at any moment
		go cancel(errHadEnough)
		err = rec.Select(mmapjfr.Types("*")).Parallel(ctx, func(int, mmapjfr.Event) error { return nil })
	}
	var broken *mmapjfr.FormatError
	switch ended := n.Load() > enough; {
	case errors.Is(err, errHadEnough):
	case ended && (way == 3 || way == 6):
		t.Errorf("%s: a function has failed, but the error is %v", f.name, err)
	case err != nil && !errors.As(err, &broken):
		t.Errorf("%s: %v", f.name, err)
	}
}
