package internal_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/timespec"
)

func TestTimespecParse(t *testing.T) {
	zone := time.FixedZone("", 3600)
	start := time.Date(2026, 11, 20, 22, 50, 0, 0, time.UTC) // 23:50 in the zone
	end := start.Add(20 * time.Minute)                       // 00:10 on the next day
	for text, want := range map[string]time.Time{
		"2026-11-20T21:22:37.5Z": time.Date(2026, 11, 20, 21, 22, 37, 5e8, time.UTC),
		"2026-11-20 23:55:00":    start.Add(5 * time.Minute),
		"2026-11-20 23:55:00.25": start.Add(5*time.Minute + 250*time.Millisecond),
		"2026-11-21":             start.Add(10 * time.Minute),
		"23:55":                  start.Add(5 * time.Minute),
		"23:55:01.5":             start.Add(5*time.Minute + 1500*time.Millisecond),
		"00:05":                  start.Add(15 * time.Minute),
		"00:10:00":               end,
		"00:11":                  start.Add(21*time.Minute - 24*time.Hour),
		"12:00":                  start.Add(-11*time.Hour - 50*time.Minute),
		"10s":                    start.Add(10 * time.Second),
		"+10s":                   start.Add(10 * time.Second),
		"1m30s":                  start.Add(90 * time.Second),
		"0s":                     start,
		"-10s":                   end.Add(-10 * time.Second),
		"-0s":                    end,
		"0%":                     start,
		"25%":                    start.Add(5 * time.Minute),
		"100%":                   end,
	} {
		got, err := timespec.Parse(text, start, end, zone)
		require.NoError(t, err, text)
		assert.True(t, want.Equal(got), "%s: want %s, got %s", text, want, got)
	}
	for _, text := range []string{"", "10", "+-10s", "--10s", "25:00", "soon", "%", "2026-11"} {
		_, err := timespec.Parse(text, start, end, zone)
		assert.ErrorContains(t, err, "is not a point in time; give a time", text)
	}
}
