package javatext

import (
	"math"
	"strconv"
)

// AppendFloat appends a number as Java's Double.toString and Float.toString
// write it: the fewest digits that mean it, and at least one after the point.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	at := len(dst)
	if abs := math.Abs(f); f == 0 || abs >= 1e-3 && abs < 1e7 {
		dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
		if !hasPoint(dst[at:]) {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
	if !hasPoint(dst[at:]) {
		dst = appendTwoDigits(dst[:at], f, bits)
	}
	return javaExponent(dst, at)
}

func hasPoint(text []byte) bool {
	for _, c := range text {
		if c == '.' {
			return true
		}
	}
	return false
}

// appendTwoDigits appends a number one digit of which would do. Java gives two: the
// best ones if they mean the same, such as 4.9E-324, and else a zero.
func appendTwoDigits(dst []byte, f float64, bits int) []byte {
	at := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', 1, bits)
	if back, err := strconv.ParseFloat(string(dst[at:]), bits); err == nil && back == f {
		return dst
	}
	dst = strconv.AppendFloat(dst[:at], f, 'e', -1, bits)
	digit := at
	if dst[digit] == '-' {
		digit++
	}
	return append(dst[:digit+1], append([]byte(".0"), dst[digit+1:]...)...)
}

// javaExponent writes the exponent of a number that begins at at in Java's way:
// E-5 and E10 for e-05 and e+10.
func javaExponent(dst []byte, at int) []byte {
	e := at
	for dst[e] != 'e' {
		e++
	}
	n, _ := strconv.Atoi(string(dst[e+1:])) // as it was just written
	return strconv.AppendInt(append(dst[:e], 'E'), int64(n), 10)
}
