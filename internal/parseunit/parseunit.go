// Package parseunit reads times, lengths of time, data amounts and other numbers as
// people write them.
package parseunit

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// durations are numbers with units, in a row.
var durations = regexp.MustCompile(`^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d))+$`)

var part = regexp.MustCompile(`([\d.]+)([^\d.]+)`)

var timeUnits = map[string]time.Duration{
	"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond,
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

// Duration returns a length of time, such as 10ms, 1.5s, 2h30m, 1d or -3s. The units
// are ns, us or µs, ms, s, m, h and d, a day of 24 hours. It is false if the text is
// none, or longer than a time.Duration can tell. What is less than a nanosecond is
// left out.
func Duration(text string) (time.Duration, bool) {
	positive := strings.TrimPrefix(text, "-")
	if !durations.MatchString(positive) {
		return 0, false
	}
	sum := new(big.Rat)
	for _, p := range part.FindAllStringSubmatch(positive, -1) {
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

// sizeUnits are what data amounts are counted in. As in the JDK's jfr each one is
// 1024 of the one before, whatever its letters are.
var sizeUnits = map[string]float64{
	"B": 1, "byte": 1, "bytes": 1,
	"kB": 1 << 10, "KB": 1 << 10, "KiB": 1 << 10,
	"MB": 1 << 20, "MiB": 1 << 20,
	"GB": 1 << 30, "GiB": 1 << 30,
	"TB": 1 << 40, "TiB": 1 << 40,
}

// Size returns a data amount in bytes, such as 512B, 64kB or 1.5GiB. It is false if
// the text is none.
func Size(text string) (float64, bool) {
	end := strings.LastIndexAny(text, "0123456789.") + 1
	unit, ok := sizeUnits[text[end:]]
	if !ok {
		return 0, false
	}
	n, ok := Number(text[:end])
	return n * unit, ok
}

// Percent returns the fraction of 1 that a percentage is, such as 0.5 for 50%. It is
// false if the text is none.
func Percent(text string) (float64, bool) {
	digits, ok := strings.CutSuffix(text, "%")
	if !ok {
		return 0, false
	}
	n, ok := Number(digits)
	return n / 100, ok
}

// Number returns a decimal number. It is false if the text is none: infinities, NaN
// and digits of other bases are not.
func Number(text string) (float64, bool) {
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0)
}
