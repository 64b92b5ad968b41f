package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/oracle"
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
}

func TestRatio(t *testing.T) {
	r := contest{theirs: laps(30, 10, 20), ours: laps(4, 400, 1)}
	f, ok := ratio(&r, loopTime)
	require.True(t, ok)
	require.Equal(t, 5.0, f)

	for name, r := range map[string]contest{
		"an error":   {theirs: laps(10), ours: laps(1), err: errors.New("they differ")},
		"theirs not": {ours: laps(1)},
		"ours not":   {theirs: laps(1)},
		"no loop":    {theirs: laps(0), ours: laps(0)},
	} {
		_, ok := ratio(&r, loopTime)
		require.False(t, ok, name)
	}
}

// script is a side that sees the events of a list, one after the other, and notes
// whose turn it was.
func script(log *[]string, name string, events ...uint64) func() (lap, error) {
	return func() (lap, error) {
		*log = append(*log, name)
		n := events[0]
		events = events[1:]
		return lap{process: 2, loop: 1, events: n}, nil
	}
}

func TestContestTakesTurns(t *testing.T) {
	var log []string
	c := contest{work: "count", peer: "JDK"}
	c.hold(3, script(&log, "theirs", 5, 5, 5), script(&log, "ours", 5, 5, 5))
	require.NoError(t, c.err)
	require.Equal(t, []string{"theirs", "ours", "theirs", "ours", "theirs", "ours"}, log)
	require.Len(t, c.theirs, 3)
	require.Len(t, c.ours, 3)
}

func TestContestEndsWithDisagreement(t *testing.T) {
	var log []string
	c := contest{peer: "RecordingFile"}
	c.hold(3, script(&log, "theirs", 5, 5, 5), script(&log, "ours", 5, 6, 5))
	require.ErrorContains(t, c.err, "in run 2 RecordingFile saw 5 events, jfrbench 6 events;")
	require.Len(t, log, 4, "it ends there")

	c = contest{}
	c.hold(2, script(&log, "theirs", 5, 6), script(&log, "ours", 5, 6))
	require.ErrorContains(t, c.err, "in run 2 both saw 6 events, in run 1 5 events;")

	side := func(bytes uint64) func() (lap, error) {
		return func() (lap, error) {
			return lap{types: map[string]oracle.Count{"a": {Events: 1, Bytes: bytes}}}, nil
		}
	}
	c = contest{}
	c.hold(1, side(10), side(20))
	require.EqualError(t, c.err, "of a the JDK has 1 event in 10 bytes, jfrbench 1 event in 20 bytes")
}

func TestContestEndsWithAFailure(t *testing.T) {
	fails := func() (lap, error) { return lap{}, errors.New("broken") }
	var log []string
	var c contest
	c.hold(1, fails, script(&log, "ours", 1))
	require.EqualError(t, c.err, "broken")
	require.Empty(t, log)
	c.hold(1, script(&log, "theirs", 1), fails)
	require.EqualError(t, c.err, "broken")
}

func TestDifferentTypes(t *testing.T) {
	theirs := map[string]oracle.Count{"a": {Events: 1, Bytes: 10}, "b": {Events: 2, Bytes: 20}, "only theirs": {}}
	ours := map[string]oracle.Count{"a": {Events: 1, Bytes: 10}, "b": {Events: 2, Bytes: 20}, "only ours": {}}
	require.NoError(t, differentTypes(theirs, ours))
	ours["c"] = oracle.Count{Events: 1, Bytes: 5}
	require.ErrorContains(t, differentTypes(theirs, ours), "of c the JDK has 0 events")
	delete(ours, "a")
	require.ErrorContains(t, differentTypes(theirs, ours), "jfrbench 0 events in 0 bytes")
}

func TestTimedLoop(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	run := func(script string) (lap, error) { return timedLoop(exec.Command(sh, "-c", script)) }
	l, err := run(`echo 'VM warning: something'; printf '{"events":12,"values":30,"nanos":4567}\r\n'`)
	require.NoError(t, err)
	require.Equal(t, 4567*time.Nanosecond, l.loop)
	require.Equal(t, uint64(12), l.events)
	require.Positive(t, l.process)
	for _, text := range []string{"", "12 events", `{"events":1}`, `{"events":-1,"nanos":1}`, "{\"events\":1,\"nanos\":1}\nand so on"} {
		_, err := run("echo '" + text + "'")
		require.ErrorContains(t, err, "sh: its last line should have events and nanos, and is ")
	}
	_, err = run("echo first >&2; echo second >&2; exit 3")
	require.EqualError(t, err, "sh: exit status 3: first")
	_, err = run("echo 'WARNING: old' >&2; echo 'Exception in thread' >&2; exit 3")
	require.EqualError(t, err, "sh: exit status 3: Exception in thread")
	_, err = run("exit 3")
	require.EqualError(t, err, "sh: exit status 3")
}

func TestPeersMarkdown(t *testing.T) {
	both := func(process, loop time.Duration) []lap {
		return []lap{{process: process, loop: loop, events: 1_000_000}}
	}
	r := &peersReport{
		peersOptions: peersOptions{file: "app.jfr", runs: 1, typeName: "jdk.Some"},
		scanned:      scanned{Events: 1_000_000, chunks: 2, size: 2_000_000_000}, typed: 9_900, jdk: "OpenJDK VM",
		limits: limits{workers: 2, touch: 50 * time.Millisecond, read: 80 * time.Millisecond},
		rows: []contest{
			{work: "summary", peer: "jfr summary", note: "Nothing.", theirs: both(9*time.Second, 0), ours: both(500*time.Millisecond, 400*time.Millisecond)},
			{work: "count", peer: "RecordingFile", version: "25.0.3", note: "Objects.",
				theirs: both(3*time.Second, 2*time.Second), ours: both(300*time.Millisecond, 100*time.Millisecond)},
			{work: "read", peer: "RecordingFile", note: "More.", theirs: both(time.Second, time.Second), ours: both(1, 1), err: errors.New("they differ")},
			{work: "read", peer: "JMC", missing: errors.New("no jar")},
		},
	}
	var b strings.Builder
	writePeers(&b, r)
	lines := strings.Split(b.String(), "\n")
	require.Equal(t, []string{
		"| work | peer | process: peer | jfrbench | ratio | loop: peer | jfrbench | ratio | limit | events | n |",
		"|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
		"| summary | jfr summary | 9.00 s | 500.0 ms | 18.0 | - | - | - | 8.00 | 1,000,000 | 1 |",
		"| count | RecordingFile 25.0.3 | 3.00 s | 300.0 ms | 10.0 | 2.00 s | 100.0 ms | 20.0 | 2.00 | 1,000,000 | 1 |",
		"| read | RecordingFile | - | - | - | - | - | - | - | error | - |",
		"| read | JMC | - | - | - | - | - | - | - | missing | - |",
	}, lines[:6])
	for _, line := range []string{
		"- app.jfr: 2.0 GB, 2 chunks, 1,000,000 events", "- JDK: OpenJDK VM, with its own defaults", "- type is jdk.Some: 9,900 events, 0.99% of all",
		"- count: RecordingFile 25.0.3. Objects.", "- error in read with RecordingFile, so no times are shown: they differ",
		"- read with JMC was not measured: no jar",
		"- limit by map: to map the file and touch each page of it once, on 2 goroutines, takes 50.0 ms, 40.0 GB/s, median of the same number of runs",
		"- limit by read: to read the file by pread into buffers of 256 KiB that are used again, on 2 goroutines, takes 80.0 ms, 25.0 GB/s, median of the same number of runs",
	} {
		require.Contains(t, lines, line)
	}
}
