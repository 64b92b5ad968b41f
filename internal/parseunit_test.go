package internal_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/parseunit"
)

func TestParseunitDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10ms": 10 * time.Millisecond, "1.5s": 1500 * time.Millisecond, "2h30m": 150 * time.Minute, "1d": 24 * time.Hour,
		"3us": 3000, "3µs": 3000, "3μs": 3000, "7ns": 7, "-3s": -3 * time.Second, ".5s": 500 * time.Millisecond, "0s": 0,
		"0.1s": 100 * time.Millisecond, "0.9ns": 0, "106751d": 106751 * 24 * time.Hour, "1.d": 24 * time.Hour, "2h.5m": 2*time.Hour + 30*time.Second,
	} {
		got, ok := parseunit.Duration(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "10", "ms", "10 ms", "1x", "--1s", "+1s", "1s2", "1..2s", "106752d", "1e3s", "."} {
		_, ok := parseunit.Duration(text)
		assert.False(t, ok, text)
	}
}

func TestParseunitTime(t *testing.T) {
	zone := time.FixedZone("", 3600)
	for text, want := range map[string]time.Time{
		"2026-11-20T21:22:37Z":          time.Date(2026, 11, 20, 21, 22, 37, 0, time.UTC),
		"2026-11-20T21:22:37.5+02:00":   time.Date(2026, 11, 20, 19, 22, 37, 5e8, time.UTC),
		"2026-11-20 21:22:37.000000001": time.Date(2026, 11, 20, 21, 22, 37, 1, zone),
		"2026-11-20 21:22:37":           time.Date(2026, 11, 20, 21, 22, 37, 0, zone),
		"2026-11-20T21:22:37,25":        time.Date(2026, 11, 20, 21, 22, 37, 25e7, zone),
		"2026-11-20 21:22":              time.Date(2026, 11, 20, 21, 22, 0, 0, zone),
		"2026-11-20":                    time.Date(2026, 11, 20, 0, 0, 0, 0, zone),
		"+12026-11-20T21:22:37.5Z":      time.Date(12026, 11, 20, 21, 22, 37, 5e8, time.UTC),
		"12024-02-29 21:22:00+02:00":    time.Date(12024, 2, 29, 20, 22, 0, 0, zone),
		"+2026-11-20 21:22":             time.Date(2026, 11, 20, 21, 22, 0, 0, zone),
		"-0004-02-29":                   time.Date(-4, 2, 29, 0, 0, 0, 0, zone),
		"+999999999-12-31T23:59:59Z":    time.Date(999999999, 12, 31, 23, 59, 59, 0, time.UTC),
	} {
		got, ok := parseunit.Time(text, zone)
		assert.True(t, ok, text)
		assert.True(t, want.Equal(got), "%s: %s", text, got)
	}
	for _, text := range []string{"", "21:22", "2026-13-01", "2026-11-20 25:00", "yesterday", "+12026-02-29", "+2026", "-10s", "12026", "+1-02-03", "+1234567890-01-01", "++2026-01-01", "2026-11-20 21:22:37 CET"} {
		_, ok := parseunit.Time(text, zone)
		assert.False(t, ok, text)
	}
}

func TestParseunitSize(t *testing.T) {
	for text, want := range map[string]float64{
		"1B": 1, "1bytes": 1, "1byte": 1, "1kB": 1024, "1KB": 1024, "1KiB": 1024, "1.5MB": 3 << 19, "1MiB": 1 << 20, "2GB": 2 << 30,
		"2GiB": 2 << 30, "1TB": 1 << 40, "1TiB": 1 << 40, "-1kB": -1024, "0B": 0,
	} {
		got, ok := parseunit.Size(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "1", "kB", "1 kB", "1mb", "1kb", "1..2kB", "xB"} {
		_, ok := parseunit.Size(text)
		assert.False(t, ok, text)
	}
}

func TestParseunitPercent(t *testing.T) {
	for text, want := range map[string]float64{"50%": 0.5, "0%": 0, "12.5%": 0.125, "-10%": -0.1} {
		got, ok := parseunit.Percent(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "50", "%", "5 %", "NaN%"} {
		_, ok := parseunit.Percent(text)
		assert.False(t, ok, text)
	}
}

func TestParseunitNumber(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "-1.5": -1.5, "1e3": 1000, "+2": 2, ".5": 0.5} {
		got, ok := parseunit.Number(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "NaN", "Inf", "0x10", "1_000", "1e999", "e"} {
		_, ok := parseunit.Number(text)
		assert.False(t, ok, text)
	}
}
