package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// writeFile writes a recording to a file.
func writeFile(t *testing.T, data []byte) string {
	path := filepath.Join(t.TempDir(), "test.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func recording(t *testing.T, file string) []byte {
	data, err := os.ReadFile("../../testdata/" + file)
	require.NoError(t, err)
	return data
}

func TestUnfinishedIsANote(t *testing.T) {
	code, stdout, _ := command("../../testdata/jdk25-killed.jfr")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, stdout, "\nnote: chunk 0, offset 0x0: chunk header: unfinished chunk")
	assert.NotContains(t, stdout, "error")
}

func TestTruncatedIsAnError(t *testing.T) {
	data := recording(t, "jdk25-chunks.jfr")
	code, stdout, _ := command(writeFile(t, data[:len(data)-100]))
	assert.Equal(t, exitDamaged, code)
	assert.Regexp(t, `\n1 error, the first: chunk 2, offset 0x[0-9a-f]+: .*truncated.*; mjfr verify lists them\n$`, stdout)
	assert.Contains(t, stdout, "\n  read ")
}

func TestManyErrorsAreCounted(t *testing.T) {
	b := jfrtest.NewChunk()
	ev := b.Event("test.Event", jfrtest.Of("text", jfrtest.StringClass))
	for range 5000 {
		b.EmitRaw(jfrtest.EventOptions{}, ev.ID, []byte{1, 3, 100}) // a string beyond the event's end
	}
	code, stdout, _ := command(writeFile(t, b.Bytes()))
	assert.Equal(t, exitDamaged, code)
	assert.Contains(t, stdout, "\n5,000 errors, the first: ")
}

// TestAnyPrefixEnds reads what is left of a recording that was cut anywhere.
func TestAnyPrefixEnds(t *testing.T) {
	data := recording(t, "jdk25-live-1.jfr")
	for n := 1; n < len(data); n += longtest.Cases(25_013, 5003) {
		code, _, stderr := command(writeFile(t, data[:n]))
		assert.Contains(t, []int{exitOK, exitDamaged}, code, "%d %s", n, stderr)
	}
}

// TestFileThatShrinks cuts a file that is mapped.
func TestFileThatShrinks(t *testing.T) {
	file := writeFile(t, recording(t, "jdk25-profile.jfr"))
	b := &bencher{result: result{file: file}}
	require.NoError(t, b.stage("open", b.open))
	defer b.rec.Close()
	if os.Truncate(file, 10_000) != nil || runtime.GOOS != "linux" {
		t.Skip("files that are mapped cannot be cut here, or are not mapped")
	}
	assert.ErrorContains(t, b.stage("walk", b.walk), "the file was cut while it was read")
}

func sample() *result {
	return &result{
		file: "app.jfr", size: 2_000_000_000, chunks: 2, events: 1_000_000,
		start:    time.Date(2026, 11, 21, 0, 44, 52, 5e8, time.UTC),
		duration: 90 * time.Second,
		stages: []measurement{
			{name: "open", time: 40 * time.Microsecond, mallocs: 20, allocated: 8000, heap: 160_000, anonymous: 6_000_000},
			{name: "read", time: 500 * time.Millisecond, mallocs: 250_000, heap: 4_000_000},
		},
		index: indexSize{constants: 1_000_000, blocks: 600_000, keys: 200_000, number: 30_000, events: 1_000_000},
		err:   errors.Join(errors.New("one\x1b"), errors.New("two")),
	}
}

const wantReport = `app.jfr: 2.0 GB, 2 chunks, 1,000,000 events
recorded from 2026-11-21 00:44:52 UTC for 1m30s

  stage      time    GB/s  ns/event  allocs/event  allocated    heap
  open    40.0 µs  50,000    0.0400       <0.0001     8.0 kB  160 kB
  read   500.0 ms    4.00       500         0.250        0 B  4.0 MB

index: 1.6 MB, 0.08% of the file: 5.00 bytes for each of 200,000 constants, 20.0 for each of 30,000 blocks, which are 0.600 per event
memory: 6.0 MB at most after a stage, pages of the file aside

2 errors, the first: one\x1b; mjfr verify lists them
`

func TestReport(t *testing.T) {
	var b strings.Builder
	writeReport(&b, sample())
	assert.Equal(t, wantReport, b.String())
}

func TestReportOfARecording(t *testing.T) {
	code, stdout, stderr := command("../../testdata/jdk25-chunks.jfr")
	assert.Equal(t, exitOK, code)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "jdk25-chunks.jfr: 363 kB, 3 chunks, ")
	assert.Regexp(t, `recorded from 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC for \d`, stdout)
	for _, name := range []string{"open", "sweep", "walk", "blocks", "layout", "read"} {
		assert.Regexp(t, `\n  `+name+` +[\d.]+ (µs|ms|s) `, stdout)
	}
	assert.Contains(t, stdout, "\nindex: ")
	assert.NotContains(t, stdout, "error")

	_, stdout, _ = command("../../testdata/jdk25-empty.jfr")
	assert.Contains(t, stdout, "1 chunk, 0 events\n")
	assert.Regexp(t, `\n  read +\S+ (ns|µs|ms|s) +\S+ +- +- `, stdout)
}

func TestDigits(t *testing.T) {
	for want, f := range map[string]float64{
		"0.0045": 0.0045, "0.123": 0.1234, "1.23": 1.234, "12.3": 12.34, "123": 123.4, "12,346": 12345.6,
	} {
		assert.Equal(t, want, digits(f))
	}
	assert.Equal(t, "0", small(0))
	assert.Equal(t, "<0.0001", small(0.00001))
	assert.Equal(t, "2.50", small(2.5))
}
