package attach

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timespanUnits are those that the JDK knows, from the largest.
var timespanUnits = []struct {
	name string
	size time.Duration
}{
	{"d", 24 * time.Hour},
	{"h", time.Hour},
	{"m", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
	{"us", time.Microsecond},
	{"ns", time.Nanosecond},
}

// timespan writes a length of time as the JDK takes it: a whole number, what stands
// between, and the largest unit that it is a multiple of.
func timespan(d time.Duration, between string) string {
	if d == 0 {
		return "0" + between + "s"
	}
	for _, u := range timespanUnits {
		if d%u.size == 0 {
			return strconv.FormatInt(int64(d/u.size), 10) + between + u.name
		}
	}
	panic("attach: no length of time is less than a nanosecond")
}

// parseTimespan reads a length of time as the JDK writes it, such as 20 ms or 1d, or
// as Go does, such as 1m30s.
func parseTimespan(s string) (time.Duration, error) {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	unit := strings.TrimSpace(s[digits:])
	for _, u := range timespanUnits {
		if digits == 0 || unit != u.name {
			continue
		}
		n, err := strconv.ParseInt(s[:digits], 10, 64)
		if err != nil || n > int64(1<<63-1)/int64(u.size) {
			return 0, fmt.Errorf("%q is too long a time", s)
		}
		return time.Duration(n) * u.size, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no length of time, which looks like 20ms, 1 s or 5m", s)
	}
	return d, nil
}
