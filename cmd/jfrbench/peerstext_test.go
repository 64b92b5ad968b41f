package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
)

func sampleComparison() *peersReport {
	both := func(process, loop time.Duration) []lap {
		return []lap{{process: process, loop: loop, events: 1_000_000}}
	}
	return &peersReport{
		file: "app.jfr", size: 2_000_000_000, chunks: 2, events: 1_000_000, runs: 1,
		typeName: "jdk.Some", typed: index.EventCount{Events: 9_900}, jdk: "OpenJDK VM", cpu: "Fast One",
		rows: []peersRow{
			{work: "summary", peer: "jfr summary", note: "Nothing.", events: 1_000_000,
				theirs: both(9*time.Second, 0), ours: both(500*time.Millisecond, 0)},
			{work: "count", peer: "RecordingFile", note: "Objects.", events: 1_000_000,
				theirs: both(3*time.Second, 2*time.Second), ours: both(300*time.Millisecond, 100*time.Millisecond)},
			{work: "read", peer: "RecordingFile", note: "More.",
				theirs: both(time.Second, time.Second), ours: both(1, 1), err: errors.New("they differ")},
		},
	}
}

const wantPeersTable = `
  work     process: JDK  jfrbench  ratio  loop: JDK  jfrbench  ratio     events  n
  summary        9.00 s  500.0 ms   18.0          -         -      -  1,000,000  1
  count          3.00 s  300.0 ms   10.0     2.00 s  100.0 ms   20.0  1,000,000  1
  read                -         -      -          -         -      -      error  -
`

func TestPeersText(t *testing.T) {
	var b strings.Builder
	writePeersText(&b, sampleComparison())
	out := b.String()
	require.True(t, strings.HasPrefix(out, "app.jfr: 2.0 GB, 2 chunks, 1,000,000 events\nmachine: Fast One, "), out)
	require.Contains(t, out, wantPeersTable)
	require.Contains(t, out, "\nJDK: OpenJDK VM, with its own defaults\n")
	require.Contains(t, out, "\n1 run of each side and work,")
	require.Contains(t, out, "\nthe file was read once before: it is in the page cache")
	require.Contains(t, out, "\ntype is jdk.Some: 9,900 events, 0.99% of all\n")
	require.Contains(t, out, "\nsummary: jfr summary. Nothing.\ncount: RecordingFile. Objects.\n")
	require.True(t, strings.HasSuffix(out, "\n\nerror in read, so no times are shown: they differ\n"), out)
}

func TestPeersMarkdown(t *testing.T) {
	var b strings.Builder
	writePeersMarkdown(&b, sampleComparison())
	lines := strings.Split(b.String(), "\n")
	require.Equal(t, []string{
		"| work | process: JDK | jfrbench | ratio | loop: JDK | jfrbench | ratio | events | n |",
		"|---|---:|---:|---:|---:|---:|---:|---:|---:|",
		"| summary | 9.00 s | 500.0 ms | 18.0 | - | - | - | 1,000,000 | 1 |",
		"| count | 3.00 s | 300.0 ms | 10.0 | 2.00 s | 100.0 ms | 20.0 | 1,000,000 | 1 |",
		"| read | - | - | - | - | - | - | error | - |",
	}, lines[:5])
	require.Contains(t, lines, "- app.jfr: 2.0 GB, 2 chunks, 1,000,000 events")
	require.Contains(t, lines, "- type is jdk.Some: 9,900 events, 0.99% of all")
	require.Contains(t, lines, "- count: RecordingFile. Objects.")
	require.Contains(t, lines, "- error in read, so no times are shown: they differ")
}

func TestPeersJSON(t *testing.T) {
	var b strings.Builder
	writePeersJSON(&b, sampleComparison())
	require.Equal(t, 1, strings.Count(b.String(), "\n"), "one line")
	var d peersDocument
	dec := json.NewDecoder(strings.NewReader(b.String()))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&d))
	require.Equal(t, "OpenJDK VM", d.JDK)
	require.Equal(t, uint64(1_000_000), d.Events)
	require.Len(t, d.Works, 3)

	summary, counts, read := d.Works[0], d.Works[1], d.Works[2]
	require.Equal(t, 18.0, *summary.ProcessRatio)
	require.Nil(t, summary.LoopRatio)
	require.Nil(t, summary.JDK.MedianLoop)
	require.NotNil(t, summary.JDK.Loop, "an empty list")
	require.Empty(t, summary.JDK.Loop)
	require.Equal(t, 20.0, *counts.LoopRatio)
	require.Equal(t, []float64{0.3}, counts.Ours.Process)
	require.Equal(t, 2.0, *counts.JDK.MedianLoop)
	require.Equal(t, 1, counts.Runs)
	require.Equal(t, "they differ", read.Error)
	require.Nil(t, read.ProcessRatio)
	require.Equal(t, []float64{1}, read.JDK.Process, "what was measured is kept")
}
