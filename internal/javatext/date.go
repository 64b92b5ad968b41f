// Package javatext writes numbers, durations, points in time and amounts of data as Java
// does, and as the JDK's jfr print shows them.
package javatext

import (
	"strconv"
	"time"
)

// AppendYear appends a year, with a sign after 9999 and before 0.
func AppendYear(dst []byte, year int) []byte {
	switch {
	case year > 9999:
		dst = append(dst, '+')
	case year < 0:
		dst, year = append(dst, '-'), -year
	}
	if year < 10000 {
		return AppendDigits(dst, int64(year), 4)
	}
	return strconv.AppendInt(dst, int64(year), 10)
}

// AppendDate appends the date of a point in time as jfr print does: " (2026-11-20)".
func AppendDate(dst []byte, t time.Time) []byte {
	dst = appendYearOfEra(append(dst, " ("...), t.Year())
	return t.AppendFormat(dst, "-01-02)")
}

// AppendTime appends a point in time as jfr print does, in the time's own zone:
// "21:22:37.347 (2026-11-20)".
func AppendTime(dst []byte, t time.Time) []byte {
	dst = AppendDigits(append(t.AppendFormat(dst, "15:04:05"), '.'), int64(t.Nanosecond())/1e6, 3)
	return AppendDate(dst, t)
}

// appendYearOfEra appends a year as Java's yyyy does: years before 1 count backwards, and
// years after 9999 have a sign.
func appendYearOfEra(dst []byte, year int) []byte {
	if year <= 0 {
		year = 1 - year
	}
	if year > 9999 {
		return strconv.AppendInt(append(dst, '+'), int64(year), 10)
	}
	return AppendDigits(dst, int64(year), 4)
}
