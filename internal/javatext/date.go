// Package javatext writes numbers, durations, points in time and amounts of data as Java
// does, and as the JDK's jfr print shows them.
package javatext

import (
	"bytes"
	"strconv"
	"time"
)

// What the JDK writes for what is not known, and for a duration without end.
const (
	NoTime     = "-999999999-01-01T00:00+18:00"
	NoDuration = "PT-2562047788015215H-30M-8S"
	Forever    = "PT2562047788015215H30M7.999999999S"
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

// OffsetTime appends what java.time.OffsetDateTime writes of a point in time, in the time's own
// zone: what stands before the fraction of the second to head, and what stands after it to tail.
func OffsetTime(head, tail []byte, t time.Time) (newHead, newTail []byte) {
	head = t.AppendFormat(AppendYear(head, t.Year()), "-01-02T15:04:05")
	switch _, offset := t.Zone(); {
	case offset == 0:
		return head, append(tail, 'Z')
	case offset%60 != 0:
		return head, t.AppendFormat(tail, "-07:00:05")
	}
	return head, t.AppendFormat(tail, "-07:00")
}

// AppendOffsetTime appends what [OffsetTime] has returned, with the nanoseconds of the second:
// "2026-11-20T21:22:37.347Z", without the seconds too if all of that is 0.
func AppendOffsetTime(dst, head, tail []byte, nanos int) []byte {
	if nanos == 0 {
		return append(append(dst, bytes.TrimSuffix(head, []byte(":00"))...), tail...)
	}
	digits := 9
	for ; nanos%1000 == 0; digits -= 3 {
		nanos /= 1000
	}
	dst = AppendDigits(append(append(dst, head...), '.'), int64(nanos), digits)
	return append(dst, tail...)
}
