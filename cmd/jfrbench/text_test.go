package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
)

func text(r *result, all bool) string {
	var b strings.Builder
	writeText(&b, r, all)
	return b.String()
}

func sample() *result {
	return &result{
		file: "app.jfr", size: 2_000_000_000, chunks: 2, events: 1_000_000,
		start:    time.Date(2026, 11, 21, 0, 44, 52, 5e8, time.UTC),
		duration: 90 * time.Second,
		types: map[string]index.EventCount{
			"jdk.Few": {Events: 3, Bytes: 40}, "jdk.Even": {Events: 3, Bytes: 50}, "jdk.Many": {Events: 999_994, Bytes: 1_500_000_000},
			"jdk.None": {}, metadataName: {Events: 2, Bytes: 200_000}, "177 (missing event metadata)": {Events: 1, Bytes: 17},
		},
		stages: []measurement{
			{name: "open", time: 40 * time.Microsecond, mallocs: 20, allocated: 8000, heap: 160_000, anonymous: 6_000_000},
			{name: "read", time: 500 * time.Millisecond, mallocs: 250_000, heap: 4_000_000},
		},
		index: indexSize{constants: 1_000_000, blocks: 600_000, keys: 200_000, number: 30_000, events: 1_000_000},
	}
}

const wantText = `app.jfr: 2.0 GB, 2 chunks, 1,000,000 events
recorded from 2026-11-21 00:44:52 UTC for 1m30s

  event type                      count          bytes   share
  jdk.Many                      999,994  1,500,000,000  75.00%
  jdk.Even                            3             50  <0.01%
  jdk.Few                             3             40  <0.01%
  jdk.Metadata                        2        200,000   0.01%
  177 (missing event metadata)        1             17  <0.01%

  stage      time    GB/s  ns/event  allocs/event  allocated    heap
  open    40.0 µs  50,000    0.0400       <0.0001     8.0 kB  160 kB
  read   500.0 ms    4.00       500         0.250        0 B  4.0 MB

index: 1.6 MB, 0.08% of the file: 5.00 bytes for each of 200,000 constants, 20.0 for each of 30,000 blocks, which are 0.600 per event
memory: 6.0 MB at most after a stage, pages of the file aside
`

func TestText(t *testing.T) {
	assert.Equal(t, wantText, text(sample(), false))
	assert.Contains(t, text(sample(), true), "jdk.None                            0              0   0.00%\n")
}

func TestTextOfARecording(t *testing.T) {
	code, stdout, stderr := command("../../testdata/jdk25-chunks.jfr")
	assert.Equal(t, exitOK, code)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "jdk25-chunks.jfr: 363 kB, 3 chunks, ")
	assert.Regexp(t, `recorded from 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC for \d`, stdout)
	assert.Regexp(t, `\n  jdk\.Metadata +\d+ +[\d,]+ `, stdout)
	for _, name := range stageNames {
		assert.Regexp(t, `\n  `+name+` +[\d.]+ (µs|ms|s) `, stdout)
	}
	assert.Contains(t, stdout, "\nindex: ")
	assert.NotContains(t, stdout, "error")
	assert.NotContains(t, stdout, "jdk.ZAllocationStall")

	_, stdout, _ = command("-all", "../../testdata/jdk25-chunks.jfr")
	assert.Regexp(t, `\n  jdk\.ZAllocationStall +0 +0 +0\.00%\n`, stdout)
}

func TestTextWithoutEvents(t *testing.T) {
	_, stdout, _ := command("../../testdata/jdk25-empty.jfr")
	assert.Contains(t, stdout, "1 chunk, 0 events\n")
	assert.Regexp(t, `\n  read +\S+ (ns|µs|ms|s) +\S+ +- +- `, stdout)
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"jdk.CPULoad":    "jdk.CPULoad",
		"my.Wünsche":     "my.Wünsche",
		`C:\a "b".jfr`:   `C:\a "b".jfr`,
		"":               `""`,
		"a\tb":           `"a\tb"`,
		"\x1b]0;x\a":     `"\x1b]0;x\a"`,
		"not\xffutf8":    `"not\xffutf8"`,
		"over\u202eturn": `"over\u202eturn"`,
	} {
		assert.Equal(t, want, printable(in))
	}
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

func TestTextListsDamage(t *testing.T) {
	r := sample()
	for range 23 {
		r.damage.add(assert.AnError)
	}
	out := text(r, false)
	assert.Equal(t, maxListed, strings.Count(out, assert.AnError.Error()))
	require.Contains(t, out, "\n23 errors in the file; everything around was read:\n")
	assert.Contains(t, out, "\n  and 3 more\n")
}
