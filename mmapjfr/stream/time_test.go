package stream_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

func TestStartAndEndTime(t *testing.T) {
	data := concat(chunk(0, []int{1, 2}, []int{3, 4}), chunk(1, []int{5}, []int{6, 7}, []int{8}))
	none := time.Time{}
	for name, c := range map[string]struct {
		from, to time.Time
		want     []int
	}{
		"all":              {none, none, []int{1, 2, -1, 3, 4, -1, 5, -1, 6, 7, -1, 8, -1}},
		"start":            {at(1, 7), none, []int{-1, 7, -1, 8, -1}},
		"just after":       {at(1, 7).Add(1), none, []int{-1, -1, 8, -1}},
		"start in a flush": {at(0, 4), none, []int{-1, 4, -1, 5, -1, 6, 7, -1, 8, -1}},
		"end":              {none, at(0, 3), []int{1, 2, -1, 3, -1}},
		"end of a flush":   {none, at(0, 2), []int{1, 2, -1, -1}},
		"just before":      {none, at(0, 2).Add(-1), []int{1, -1}},
		"both":             {at(0, 2), at(0, 3), []int{2, -1, 3, -1}},
		"a moment":         {at(0, 3), at(0, 3), []int{-1, 3, -1}},
		"before all":       {none, at(0, 0), []int{-1}},
		"after all":        {at(9, 0), none, []int{-1, -1, -1}},
		"far away":         {time.Unix(-1<<40, 0), time.Unix(1<<40, 0), []int{1, 2, -1, 3, 4, -1, 5, -1, 6, 7, -1, 8, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ordered := range []bool{true, false} {
				s := openFile(t, written(t, data))
				require.NoError(t, s.SetStartTime(c.from))
				require.NoError(t, s.SetEndTime(c.to))
				require.NoError(t, s.SetOrdered(ordered))
				assert.Equal(t, c.want, delivered(t, s))
			}
		})
	}
}

// A clock that was set back while a chunk was written makes its header tell a time before
// its last events.
func TestStartTimeAfterTheClockWasSetBack(t *testing.T) {
	b := chunk(0, []int{1, 2})
	b.Header.DurationNanos = 1
	s := openFile(t, written(t, concat(b, chunk(1, []int{3}))))
	require.NoError(t, s.SetStartTime(at(0, 2)))
	assert.Equal(t, []int{2, -1, 3, -1}, delivered(t, s))
}

// It is the end of an event that counts.
func TestStartTimeOfLongEvents(t *testing.T) {
	b := chunk(0)
	span := b.Event("test.Span", jfrtest.Duration(), jfrtest.Of("n", "long"))
	b.Emit(span, ticks(b, 1), 9000, 1) // ends at 10
	b.Emit(span, ticks(b, 1), 5000, 2) // ends at 6
	flush(b, b.Lookup("test.Tick"), 0)
	path := written(t, b.Bytes())
	s := openFile(t, path)
	require.NoError(t, s.SetStartTime(at(0, 7)))
	assert.Equal(t, []int{1, -1}, delivered(t, s))
	s = openFile(t, path)
	require.NoError(t, s.SetEndTime(at(0, 7)))
	assert.Equal(t, []int{2, -1}, delivered(t, s))
}

// The time after which nothing more is wanted ends a stream that would wait for more.
func TestEndTimeEndsOneThatWaits(t *testing.T) {
	for name, s := range waiting(t) {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, s.SetEndTime(at(0, 1)))
			assert.Equal(t, []int{1, -1}, delivered(t, s))
		})
	}
}

func TestSetFollow(t *testing.T) {
	for name, s := range waiting(t) {
		t.Run(name, func(t *testing.T) {
			if name == "reader" {
				t.Skip("it ends where its reader does")
			}
			require.NoError(t, s.SetFollow(false))
			assert.Equal(t, []int{1, 2, -1}, delivered(t, s))
		})
	}
}

// Files that are finished end, as do those that nobody writes to.
func TestUnfinishedFiles(t *testing.T) {
	stream.SetSilence(t, -1)
	b := chunk(1, []int{3})
	b.Header.State = 2
	for name, data := range map[string][]byte{
		"one": b.Bytes(),
		"two": concat(chunk(0, []int{1}), b),
	} {
		t.Run(name, func(t *testing.T) {
			s := openFile(t, written(t, data))
			n := noting(s)
			require.NoError(t, s.Start(t.Context()))
			assert.Equal(t, []int{3, -1}, n.events[len(n.events)-2:])
			require.Len(t, n.errs, 1)
			assert.ErrorIs(t, n.errs[0], stream.ErrKilled)
			s = openFile(t, written(t, data))
			require.NoError(t, s.SetFollow(false))
			assert.Contains(t, delivered(t, s), 3, "that it is unfinished is no error then")
		})
	}
}
