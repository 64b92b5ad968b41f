// Package timespec parses points in time within a recording.
package timespec

import (
	"fmt"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/parseunit"
)

// Forms describes what [Parse] takes, for error messages.
const Forms = "a time (2026-11-20T21:22:37.5Z, \"2026-11-20 21:22:37\", 21:22:37), " +
	"how long after the start (10s, 1m30s), how long before the end (-10s), or how far (50%)"

// Parse returns the point in time of a text in a recording that lasts from start to end:
//
//   - 2026-11-20T21:22:37.5Z, as in RFC 3339;
//   - "2026-11-20 21:22:37.5", also without seconds, or the date alone, in the zone;
//   - 21:22:37.5 or 21:22, in the zone: on the first day of the recording, or on the next
//     day if the recording had not begun then and had not ended;
//   - 10s, +10s or 1h30m: that long after the start; the units are ns, us, ms, s, m, h, d;
//   - -10s: that long before the end;
//   - 25%: after that part of the time from start to end.
func Parse(text string, start, end time.Time, zone *time.Location) (time.Time, error) {
	if t, ok := parseunit.Time(text, zone); ok {
		return t, nil
	}
	if t, ok := onTheDay(text, start, end, zone); ok {
		return t, nil
	}
	if share, ok := parseunit.Percent(text); ok {
		return start.Add(time.Duration(share * float64(end.Sub(start)))), nil
	}
	if d, ok := parseunit.Duration(strings.TrimPrefix(text, "+")); ok && !strings.HasPrefix(text, "+-") {
		if strings.HasPrefix(text, "-") {
			return end.Add(d), nil
		}
		return start.Add(d), nil
	}
	return time.Time{}, fmt.Errorf("%q is not a point in time; give %s", text, Forms)
}

// onTheDay returns the point in time of a time of day.
func onTheDay(text string, start, end time.Time, zone *time.Location) (time.Time, bool) {
	year, month, day := start.In(zone).Date()
	for _, layout := range []string{"15:04:05", "15:04"} {
		clock, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		at := func(day int) time.Time {
			return time.Date(year, month, day, clock.Hour(), clock.Minute(), clock.Second(), clock.Nanosecond(), zone)
		}
		if next := at(day + 1); at(day).Before(start) && !next.After(end) {
			return next, true
		}
		return at(day), true
	}
	return time.Time{}, false
}
