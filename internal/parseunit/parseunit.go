// Package parseunit parses points in time, time spans, data amounts and other numbers as
// people write them.
package parseunit

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/lazy"
)

// durations are numbers with units, in a row.
var durations = lazy.Regexp(`^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d))+$`)

var part = lazy.Regexp(`([\d.]+)([^\d.]+)`)

var timeUnits = map[string]time.Duration{
	"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond,
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

// Duration returns a time span, such as 10ms, 1.5s, 2h30m, 1d or -3s. The units are ns, us
// or µs, ms, s, m, h and d, a day of 24 hours. Fractions of a nanosecond are dropped. It is
// false for other texts, and for what is too long for a time.Duration.
func Duration(text string) (time.Duration, bool) {
	positive := strings.TrimPrefix(text, "-")
	if !durations().MatchString(positive) {
		return 0, false
	}
	sum := new(big.Rat)
	for _, p := range part().FindAllStringSubmatch(positive, -1) {
		n, ok := new(big.Rat).SetString(p[1])
		if !ok {
			return 0, false
		}
		sum.Add(sum, n.Mul(n, new(big.Rat).SetInt64(int64(timeUnits[p[2]]))))
	}
	ns := new(big.Int).Quo(sum.Num(), sum.Denom())
	if !ns.IsInt64() {
		return 0, false
	}
	d := time.Duration(ns.Int64())
	if positive != text {
		d = -d
	}
	return d, true
}

// sizeUnits are the units of data amounts. As in the JDK's jfr each is 1024 of the one
// before, with an i or without.
var sizeUnits = map[string]float64{
	"B": 1, "byte": 1, "bytes": 1,
	"kB": 1 << 10, "KB": 1 << 10, "KiB": 1 << 10,
	"MB": 1 << 20, "MiB": 1 << 20,
	"GB": 1 << 30, "GiB": 1 << 30,
	"TB": 1 << 40, "TiB": 1 << 40,
}

// Uint returns a whole number without a sign, in decimal digits or in hexadecimal ones after 0x.
func Uint(text string) (uint64, bool) {
	base := 10
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		base, text = 16, hex
	}
	n, err := strconv.ParseUint(text, base, 64)
	return n, err == nil
}

// Size returns a data amount in bytes, such as 512B, 64kB or 1.5GiB. It is false for other texts.
func Size(text string) (float64, bool) {
	end := strings.LastIndexAny(text, "0123456789.") + 1
	unit, ok := sizeUnits[text[end:]]
	if !ok {
		return 0, false
	}
	n, ok := Number(text[:end])
	return n * unit, ok && !math.IsInf(n*unit, 0)
}

// Bytes returns a number of bytes, as in 8000000, or an amount as [Size] takes it.
func Bytes(text string) (float64, bool) {
	if n, ok := Size(text); ok {
		return n, true
	}
	return Number(text)
}

// Percent returns a percentage as a fraction of 1, such as 0.5 for 50%. It is false for
// other texts.
func Percent(text string) (float64, bool) {
	digits, ok := strings.CutSuffix(text, "%")
	if !ok {
		return 0, false
	}
	n, ok := Number(digits)
	return n / 100, ok
}

// Number returns a decimal number. It is false for other texts: also for infinities, NaN
// and other bases.
func Number(text string) (float64, bool) {
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0)
}

// TooLarge returns an error text for a number, with its unit or without, that only fails to be one
// because it is too large; "" for other texts.
func TooLarge(text string) string {
	const longest = 1000 // characters
	end := strings.LastIndexAny(text, "0123456789.") + 1
	_, isSize := sizeUnits[text[end:]]
	switch {
	case len(text) > longest:
	case durations().MatchString(strings.TrimPrefix(text, "-")):
		if _, ok := Duration(text); !ok {
			return fmt.Sprintf("%.60s is too large; the longest time is 106751d", text)
		}
	case end == len(text), text[end:] == "%", isSize:
		digits := text[:end]
		_, err := strconv.ParseFloat(digits, 64)
		_, ok := Size(text)
		isDecimal := strings.Trim(digits, "+-.0123456789eE") == ""
		if isDecimal && (errors.Is(err, strconv.ErrRange) || err == nil && isSize && !ok) {
			return fmt.Sprintf("%.60s is too large; the greatest number is 1.79e308", text)
		}
	}
	return ""
}

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

// farYear is a year that package time does not parse, up to the last one of Java.
var farYear = lazy.Regexp(`^(\+\d{4,9}|-\d{4,9}|\d{5,9})-`)

// Time returns a point in time, as in RFC 3339, or without a zone, and then in the zone: 2026-11-20
// 21:22:37.5, 2026-11-20 21:22, or 2026-11-20 for its midnight. A year can have a sign and up to
// nine digits, as Java writes years after 9999 and before 0. It is false for other texts.
func Time(text string, zone *time.Location) (time.Time, bool) {
	far := farYear().FindString(text)
	year, _ := strconv.Atoi(strings.TrimSuffix(far, "-"))
	if far != "" {
		// The calendar repeats every 400 years.
		text = strconv.Itoa(2000+(year%400+400)%400) + "-" + text[len(far):]
	}
	for _, layout := range layouts {
		t, err := time.ParseInLocation(layout, text, zone)
		switch {
		case err != nil:
		case far == "":
			return t, true
		default:
			return time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location()), true
		}
	}
	return time.Time{}, false
}
