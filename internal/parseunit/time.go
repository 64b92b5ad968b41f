package parseunit

import "time"

// layouts are the ways to write a point in time. Seconds can have a fraction.
var layouts = []string{
	time.RFC3339,
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02T15:04",
	"2006-01-02 15:04",
	"2006-01-02",
}

// Time returns a point in time, as in RFC 3339, or without a zone, and then in the one
// that is given: 2026-11-20 21:22:37.5, 2026-11-20 21:22, or 2026-11-20 for its
// midnight. It is false if the text is none.
func Time(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
