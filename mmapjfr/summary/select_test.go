package summary_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// TestKeepCountsSomeEvents counts by two tallies, and compares with a loop.
func TestKeepCountsSomeEvents(t *testing.T) {
	each(t, func(t *testing.T, _ string, data []byte) {
		s := collect(t, data)
		before, size := s.Events, s.Size()
		tallies := []*summary.Tally{s.NewTally(true), s.NewTally(true)}
		events, first := make(map[string]uint64), make(map[string]time.Time)
		n, bytes := 0, uint64(0)
		for ev, err := range s.Recordings[0].Events() {
			if n++; err != nil || n%3 != 0 {
				continue
			}
			name := ev.Type().Name()
			events[name]++
			bytes += uint64(ev.Size())
			if start := ev.Start(); !start.IsZero() && (first[name].IsZero() || start.Before(first[name])) {
				first[name] = start
			}
			tallies[n%2].Add(ev)
		}
		s.Keep("each third", 0, tallies...)
		sum, chunks := uint64(0), uint64(0)
		got, at := make(map[string]uint64), make(map[string]time.Time)
		for _, typ := range s.Types {
			if typ.IsEvent() && typ.Events > 0 {
				got[typ.Name] += typ.Events
				sum += typ.Bytes
				if !typ.First.IsZero() && (at[typ.Name].IsZero() || typ.First.Before(at[typ.Name])) {
					at[typ.Name] = typ.First
				}
			}
		}
		for _, c := range s.Chunks {
			chunks += c.Events.Events
		}
		assert.Equal(t, events, got)
		assert.Equal(t, first, at)
		assert.Equal(t, bytes, sum)
		assert.Equal(t, s.Events, chunks)
		assert.Equal(t, before, s.Events+s.Unselected.Events)
		space := uint64(0)
		for _, p := range s.Space() {
			space += p.Bytes
		}
		assert.EqualValues(t, size, space)
	})
}

func TestTextOfSomeEvents(t *testing.T) {
	s := collect(t, small())
	tally := s.NewTally(false)
	for ev := range s.Recordings[0].Events() {
		tally.Add(ev)
		break
	}
	s.Keep("--limit 1\n", 0, tally)
	assert.Contains(t, string(text(t, s)), "\n Duration: 1 s\n Selected: 1 of 2 events, by --limit 1 \n\n Event Type")
	assert.Equal(t, 1, bytes.Count(text(t, s), []byte(" test.A ")))
	assert.NotContains(t, string(text(t, s)), "jdk.Checkpoint", "it is no event")
	rate, ok := s.Rate(1)
	require.True(t, ok)
	assert.Equal(t, 1.0, rate)
	s.Keep("", 500*time.Millisecond)
	rate, _ = s.Rate(1)
	assert.Equal(t, 2.0, rate)
}

// TestTallyAllocatesNothing when it has met all types.
func TestTallyAllocatesNothing(t *testing.T) {
	s := collect(t, read(t, "jdk25-chunks.jfr"))
	tally := s.NewTally(true)
	var events []mmapjfr.Event
	for ev := range s.Recordings[0].Events() {
		events = append(events, ev.Detached())
		tally.Add(ev)
	}
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		for _, ev := range events {
			tally.Add(ev)
		}
	}))
}
