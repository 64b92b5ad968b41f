// Package javatext writes numbers, lengths of time, points in time and amounts of data as
// Java does, and as the JDK's jfr print shows them.
package javatext

import (
	"strconv"
	"time"
)

// AppendDigits appends a number with leading zeros.
func AppendDigits(dst []byte, n int64, digits int) []byte {
	at := len(dst)
	for range digits {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; i >= at; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
	return dst
}

// AppendYear appends a year, which has a sign if it has not four digits.
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

// AppendDate appends the date of a point in time as jfr print does, after the time of
// day: " (2026-11-20)".
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

// appendYearOfEra appends a year as Java's yyyy does: years before the first one
// count backwards, and what has more than four digits has a sign.
func appendYearOfEra(dst []byte, year int) []byte {
	if year <= 0 {
		year = 1 - year
	}
	if year > 9999 {
		return strconv.AppendInt(append(dst, '+'), int64(year), 10)
	}
	return AppendDigits(dst, int64(year), 4)
}
