package javatext

import (
	"bytes"
	"math"
	"strconv"
)

// AppendDigits appends a number that is not negative, with leading zeros.
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

// AppendFixed appends a number with some digits after the point, as Java's format %.2f does. It
// rounds the shortest decimal number that is equal to f, and not f itself: 1.005 becomes 1.01.
func AppendFixed(dst []byte, f float64, digits int) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return AppendFloat(dst, f, 64)
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	point := bytes.IndexByte(dst[at:], '.')
	if point < 0 {
		point = len(dst) - at
		dst = append(dst, '.')
	}
	end := at + point + 1 + digits
	for len(dst) < end {
		dst = append(dst, '0')
	}
	up := len(dst) > end && dst[end] >= '5'
	dst = dst[:end]
	if up {
		dst = roundUp(dst, at)
	}
	return bytes.TrimSuffix(dst, []byte("."))
}

// AppendNumber appends a whole number as Java's NumberFormat does in English: 52,422.
func AppendNumber(dst []byte, n int64) []byte {
	at := len(dst)
	return group(strconv.AppendInt(dst, n, 10), at)
}

// AppendUnsigned is [AppendNumber] of a number without a sign.
func AppendUnsigned(dst []byte, n uint64) []byte {
	at := len(dst)
	return group(strconv.AppendUint(dst, n, 10), at)
}

// AppendDecimal appends a number as Java's NumberFormat does in English: 1,234.568. It has three
// digits after the point at most, and is rounded from its exact value, halves to the even digit.
func AppendDecimal(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "∞"...)
	case math.IsInf(f, -1):
		return append(dst, "-∞"...)
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if point := bytes.IndexByte(dst[at:], '.'); point >= 0 && len(dst)-at-point > 4 {
		dst = strconv.AppendFloat(dst[:at], f, 'f', 3, 64)
		dst = bytes.TrimSuffix(bytes.TrimRight(dst, "0"), []byte("."))
	}
	return group(dst, at)
}

// group puts commas between the thousands of the number at dst[at:].
func group(dst []byte, at int) []byte {
	if dst[at] == '-' {
		at++
	}
	end := len(dst)
	if point := bytes.IndexByte(dst[at:], '.'); point >= 0 {
		end = at + point
	}
	for i := end - 3; i > at; i -= 3 {
		dst = append(dst, 0)
		copy(dst[i+1:], dst[i:])
		dst[i] = ','
	}
	return dst
}

// roundUp adds one to the last digit of the number at dst[at:].
func roundUp(dst []byte, at int) []byte {
	if dst[at] == '-' {
		at++
	}
	for i := len(dst) - 1; i >= at; i-- {
		switch dst[i] {
		case '.':
		case '9':
			dst[i] = '0'
		default:
			dst[i]++
			return dst
		}
	}
	dst = append(dst, 0)
	copy(dst[at+1:], dst[at:])
	dst[at] = '1'
	return dst
}

// AppendFloat appends a number as Java's Double.toString and Float.toString do: the fewest
// digits that are equal to it, and at least one after the point.
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
		if bytes.IndexByte(dst[at:], '.') < 0 {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
	if bytes.IndexByte(dst[at:], '.') < 0 {
		dst = appendTwoDigits(dst[:at], f, bits)
	}
	return javaExponent(dst, at)
}

// appendTwoDigits appends a number for which one digit is enough. Java writes two: the
// nearest ones if they are equal to it, such as 4.9E-324, and else a zero.
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

// javaExponent changes the exponent of the number at dst[at:] to Java's form: E-5 and E10
// for e-05 and e+10.
func javaExponent(dst []byte, at int) []byte {
	e := at + bytes.IndexByte(dst[at:], 'e')
	n, _ := strconv.Atoi(string(dst[e+1:])) // strconv has written it
	return strconv.AppendInt(append(dst[:e], 'E'), int64(n), 10)
}
