package mmapjfr_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestEventNAllocatesNothing(t *testing.T) {
	rec := openBytes(t, longFile())
	_, err := rec.EventByOrdinal(50_000)
	require.NoError(t, err)
	n := uint64(0)
	allocatesNothing(t, func() {
		n = (n + 7919) % 50_000
		ev, err := rec.EventByOrdinal(n)
		if err != nil || ev.IsZero() {
			t.Error(err)
		}
	})
}

func TestEventNOfAClosedRecording(t *testing.T) {
	rec := openBytes(t, longFile())
	require.NoError(t, rec.Close())
	_, err := rec.EventByOrdinal(0)
	require.ErrorIs(t, err, mmapjfr.ErrClosed)
	_, err = rec.FirstEventSince(time.Time{})
	require.ErrorIs(t, err, mmapjfr.ErrClosed)
}

// TestEventFromIsTheFirstByTime compares with the least time of all events.
func TestEventFromIsTheFirstByTime(t *testing.T) {
	check := func(t *testing.T, data []byte) {
		events, _ := walk(t, openBytes(t, data).Select())
		rec := openBytes(t, data)
		starts := make([]time.Time, len(events))
		for i, ev := range events {
			starts[i] = ev.Start()
		}
		want := func(at time.Time) (first int) {
			first = -1
			for i, s := range starts {
				if !s.IsZero() && !s.Before(at) && (first < 0 || s.Before(starts[first])) {
					first = i
				}
			}
			return first
		}
		ask := func(at time.Time) {
			i := want(at)
			ev, err := rec.FirstEventSince(at)
			if i < 0 {
				require.ErrorIs(t, err, mmapjfr.ErrNoEvent)
				return
			}
			require.NoError(t, err)
			require.Equal(t, events[i].Offset(), ev.Offset(), "from %s", at)
		}
		for i := 0; i < len(events); i += 1 + len(events)/longtest.Cases(10, 25) {
			for _, by := range []time.Duration{-1, 0, 1, -time.Millisecond, 3 * time.Microsecond} {
				if !starts[i].IsZero() {
					ask(starts[i].Add(by))
				}
			}
		}
		ask(time.Time{})
		ask(time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC))
		ask(time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC))
		ask(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	t.Run("long", func(t *testing.T) { check(t, longFile()) })
	t.Run("starts are constants", func(t *testing.T) {
		b := jfrtest.NewChunk()
		start := jfrtest.Const("startTime", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "TICKS"))
		typ := b.Class("test.Constant", jfrtest.Of("n", "int"), start)
		typ.SuperType = jfrtest.EventSuperType
		for i := range int64(5) {
			b.Constant("long", i+1, b.Header.StartTicks+i*1000)
			b.Emit(typ, i, 5-i)
		}
		check(t, b.Bytes())
	})
	corpus(t, func(t *testing.T, name string, data []byte) {
		if isOld(name) {
			t.Skip("of a version that is not read")
		}
		check(t, data)
	})
	_, err := openBytes(t, plain(1).Bytes()).FirstEventSince(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
	assert.ErrorContains(t, err, "none begins at 2200-01-01 00:00:00 +0000 UTC or later")
}
