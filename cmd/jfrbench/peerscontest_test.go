package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func laps(times ...time.Duration) []lap {
	var list []lap
	for _, d := range times {
		list = append(list, lap{process: 10 * d, loop: d})
	}
	return list
}

func TestMedian(t *testing.T) {
	require.Zero(t, median(nil, loopTime))
	require.Equal(t, time.Duration(7), median(laps(7), loopTime))
	require.Equal(t, time.Duration(70), median(laps(7), processTime))
	require.Equal(t, time.Duration(5), median(laps(9, 1, 5), loopTime))
	require.Equal(t, time.Duration(6), median(laps(100, 5, 1, 7), loopTime), "between the two in the middle")
	list := laps(3, 1, 2)
	median(list, loopTime)
	require.Equal(t, laps(3, 1, 2), list, "the order of the runs is kept")
}

func TestRatio(t *testing.T) {
	r := peersRow{theirs: laps(30, 10, 20), ours: laps(4, 400, 1)}
	f, ok := r.ratio(loopTime)
	require.True(t, ok)
	require.Equal(t, 5.0, f)

	for name, r := range map[string]peersRow{
		"an error":   {theirs: laps(10), ours: laps(1), err: errors.New("they differ")},
		"theirs not": {ours: laps(1)},
		"ours not":   {theirs: laps(1)},
		"no loop":    {theirs: laps(0), ours: laps(0)},
	} {
		_, ok := r.ratio(loopTime)
		require.False(t, ok, name)
	}
}

// script is a side that sees the events of a list, one after the other, and notes
// whose turn it was.
func script(log *[]string, name string, events ...uint64) func(context.Context) (lap, error) {
	return func(context.Context) (lap, error) {
		*log = append(*log, name)
		n := events[0]
		events = events[1:]
		return lap{process: 2, loop: 1, events: n}, nil
	}
}

func TestContestTakesTurns(t *testing.T) {
	var log []string
	c := contest{work: "count", peer: "JDK", theirs: script(&log, "theirs", 5, 5, 5), ours: script(&log, "ours", 5, 5, 5)}
	r := c.hold(t.Context(), 3, nil)
	require.NoError(t, r.err)
	require.Equal(t, []string{"theirs", "ours", "theirs", "ours", "theirs", "ours"}, log)
	require.Equal(t, uint64(5), r.events)
	require.Len(t, r.theirs, 3)
	require.Len(t, r.ours, 3)
}

func TestContestTellsOfDisagreement(t *testing.T) {
	var log []string
	c := contest{work: "count", peer: "RecordingFile", theirs: script(&log, "theirs", 5, 5, 5), ours: script(&log, "ours", 5, 6, 5)}
	r := c.hold(t.Context(), 3, nil)
	require.ErrorContains(t, r.err, "in run 2 RecordingFile saw 5 events, jfrbench 6 events;")
	require.Len(t, log, 4, "it ends there")
	_, ok := r.ratio(processTime)
	require.False(t, ok)

	c.theirs, c.ours = script(&log, "theirs", 5, 6), script(&log, "ours", 5, 6)
	r = c.hold(t.Context(), 2, nil)
	require.ErrorContains(t, r.err, "in run 2 both saw 6 events, in run 1 5 events;")
}

func TestContestEndsWithAFailure(t *testing.T) {
	fails := func(context.Context) (lap, error) { return lap{}, errors.New("broken") }
	var log []string
	c := contest{theirs: fails, ours: script(&log, "ours", 1)}
	require.EqualError(t, c.hold(t.Context(), 1, nil).err, "broken")
	require.Empty(t, log)

	c = contest{theirs: script(&log, "theirs", 1), ours: fails}
	require.EqualError(t, c.hold(t.Context(), 1, nil).err, "broken")
}

func TestContestChecksBeforeItMeasures(t *testing.T) {
	var log []string
	c := contest{theirs: script(&log, "theirs", 0), ours: script(&log, "ours", 0)}
	c.check = func(context.Context) (uint64, error) { return 9, nil }
	r := c.hold(t.Context(), 1, nil)
	require.NoError(t, r.err)
	require.Equal(t, uint64(9), r.events)

	log = nil
	c.check = func(context.Context) (uint64, error) { return 9, errors.New("they differ") }
	require.EqualError(t, c.hold(t.Context(), 1, nil).err, "they differ")
	require.Empty(t, log)
}
