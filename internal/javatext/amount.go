package javatext

import (
	"math"
	"strconv"
	"strings"
)

// AppendAddress appends a memory address, in at least eight hexadecimal digits.
func AppendAddress(dst []byte, n uint64) []byte {
	const hex = "0123456789ABCDEF"
	dst = append(dst, "0x"...)
	digits := 8
	for digits < 16 && n>>(4*digits) != 0 {
		digits++
	}
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, hex[n>>(4*i)&15])
	}
	return dst
}

// AppendAmount appends an amount of data, in bytes or bits, as jfr print does: "1.2 MB".
// Rate is set for an amount per second.
func AppendAmount(dst []byte, n int64, bits, rate bool) []byte {
	if n > -1024 && n < 1024 {
		dst = strconv.AppendInt(dst, n, 10)
		return append(dst, smallUnit(n, bits, rate)...)
	}
	if n == math.MinInt64 {
		return append(dst, "N/A"...)
	}
	exp := exponent(n)
	dst = AppendFixed(dst, float64(n)/math.Ldexp(1, 10*exp), 1)
	dst = append(dst, ' ', "kMGTPE"[exp-1])
	switch {
	case bits && rate:
		return append(dst, "bps"...)
	case bits:
		return append(dst, "bit"...)
	case rate:
		return append(dst, "B/s"...)
	}
	return append(dst, 'B')
}

// Size returns a number of bytes for a sentence: as [AppendAmount] shows it, but 64 MB without a
// fraction.
func Size[N int64 | uint64](n N) string {
	return strings.Replace(string(AppendAmount(nil, int64(min(n, math.MaxInt64)), false, false)), ".0 ", " ", 1)
}

// smallUnit returns the unit of less than 1024 bytes or bits.
func smallUnit(n int64, bits, rate bool) string {
	one := n == 1 || n == -1
	switch {
	case bits && rate:
		return " bps"
	case rate:
		return " byte/s"
	case bits && one:
		return " bit"
	case bits:
		return " bits"
	case one:
		return " byte"
	}
	return " bytes"
}

// AppendExactAmount appends an amount in full, as jfr print --exact does. As in the JDK,
// only amounts greater than one are plural.
func AppendExactAmount(dst []byte, n int64, bits, rate bool) []byte {
	dst = strconv.AppendInt(dst, n, 10)
	if bits {
		dst = append(dst, " bit"...)
	} else {
		dst = append(dst, " byte"...)
	}
	if n > 1 {
		dst = append(dst, 's')
	}
	if rate {
		dst = append(dst, "/s"...)
	}
	return dst
}

// powers are the least amounts with the first to sixth prefix. Java finds the prefix by
// logarithms, so that the last two begin a little early.
var powers = [...]int64{1 << 10, 1 << 20, 1 << 30, 1 << 40, 1<<50 - 3, 1<<60 - 6208}

// exponent returns the power of 1024 that is the unit of an amount of at least 1024.
func exponent(n int64) int {
	if n < 0 {
		n = -n
	}
	exp := 1
	for exp < len(powers) && n >= powers[exp] {
		exp++
	}
	return exp
}
