package query_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestFollowEnds ends a stream with the first error of an answer.
func TestFollowEnds(t *testing.T) {
	s, err := stream.OpenFile(filepath.Join("..", "..", "testdata", "jdk25-flushed.jfr"))
	require.NoError(t, err)
	defer s.Close()
	st, err := query.Parse("select count(*) from jdk.*", query.Options{})
	require.NoError(t, err)
	answers, enough := 0, errors.New("enough")
	err = st.Follow(t.Context(), s, time.Nanosecond, query.Options{}, func(query.Window) error { answers++; return enough })
	assert.Equal(t, enough, err)
	assert.Equal(t, 1, answers)
}

// TestFollowCanceled answers for the time so far.
func TestFollowCanceled(t *testing.T) {
	s, err := stream.OpenFile(filepath.Join("..", "..", "testdata", "jdk25-flushed.jfr"))
	require.NoError(t, err)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	flushes, events, answered := 0, int64(0), int64(0)
	s.OnEvent(func(mmapjfr.Event) error { events++; return nil })
	s.OnFlush(func() error {
		if flushes++; flushes == 3 {
			cancel()
		}
		return nil
	})
	st, err := query.Parse("select count(*) from jdk.*, gen.*", query.Options{})
	require.NoError(t, err)
	err = st.Follow(ctx, s, time.Hour, query.Options{}, func(w query.Window) error {
		for row := range w.Result.Rows {
			answered += row[0].Int()
		}
		assert.Equal(t, s.LastFlush(), w.To)
		return nil
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Positive(t, answered)
	assert.LessOrEqual(t, answered, events, "the context may end between two handlers")
}

// TestFollow follows a recording that has been written: the windows together have all its events.
func TestFollow(t *testing.T) {
	s, err := stream.OpenFile(filepath.Join("..", "..", "testdata", "jdk25-flushed.jfr"))
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.SetFollow(false))
	st, err := query.Parse("select count(*), rate(*), min(startTime), max(startTime) from jdk.*, gen.*", query.Options{})
	require.NoError(t, err)
	windows, events := 0, int64(0)
	var last time.Time
	err = st.Follow(t.Context(), s, time.Nanosecond, query.Options{}, func(w query.Window) error {
		if windows > 0 {
			assert.Equal(t, last, w.From)
		}
		assert.True(t, w.To.After(w.From))
		windows, last = windows+1, w.To
		for row := range w.Result.Rows {
			events += row[0].Int()
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, windows, 1)
	rec := open(t, "jdk25-flushed")
	for row := range run(t, "select count(*) from jdk.*, gen.*", rec).Result().Rows {
		assert.Equal(t, row[0].Int(), events)
	}
}

// TestFollowJoins joins events by windows: one window is the whole recording, and of short ones events find what ends
// one window later.
func TestFollowJoins(t *testing.T) {
	rec := open(t, "jdk25-profile")
	for _, text := range []string{
		"from jdk.* as e asof CPULoad as l select count(*), count(l.machineTotal), sum(l.machineTotal)",
		"from jdk.* as e during GarbageCollection as g select count(*), unique(g.gcId), sum(g.gcId)",
		"from jdk.* as e within ClassLoad as c select count(*), unique(c.loadedClass), count(c.loadedClass)",
	} {
		var want []query.Value
		for row := range run(t, text, rec).Result().Rows {
			want = slices.Clone(row)
		}
		require.Positive(t, want[0].Int(), text)
		for _, every := range []time.Duration{time.Hour, time.Nanosecond} {
			s, err := stream.OpenFile(filepath.Join("..", "..", "testdata", "jdk25-profile.jfr"))
			require.NoError(t, err)
			require.NoError(t, s.SetFollow(false))
			st, err := query.Parse(text, query.Options{})
			require.NoError(t, err)
			sum, windows := int64(0), 0
			require.NoError(t, st.Follow(t.Context(), s, every, query.Options{}, func(w query.Window) error {
				windows++
				for row := range w.Result.Rows {
					if sum += row[0].Int(); every == time.Hour {
						assert.Equal(t, want, slices.Clone(row), text)
					}
				}
				return nil
			}))
			require.NoError(t, s.Close())
			assert.Equal(t, want[0].Int(), sum, "%s: %v", text, every)
			assert.Equal(t, every == time.Hour, windows == 1)
		}
	}
}

// TestFollowRows has the values of events when their window ends, which may be after the stream has.
func TestFollowRows(t *testing.T) {
	s, err := stream.OpenFile(filepath.Join("..", "..", "testdata", "jdk25-profile.jfr"))
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.SetFollow(false))
	const text = "select startTime, machineTotal from CPULoad order by startTime"
	st, err := query.Parse(text, query.Options{})
	require.NoError(t, err)
	var got, want [][]query.Value
	require.NoError(t, st.Follow(t.Context(), s, time.Hour, query.Options{}, func(w query.Window) error {
		for row := range w.Result.Rows {
			got = append(got, slices.Clone(row))
		}
		return nil
	}))
	for row := range run(t, text, open(t, "jdk25-profile")).Result().Rows {
		want = append(want, slices.Clone(row))
	}
	assert.NotEmpty(t, want)
	assert.Equal(t, want, got)
}
