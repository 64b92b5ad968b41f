package javatext

import (
	"bytes"
	"math"
	"strconv"
)

// AppendFixed appends a number with that number of digits, at least one, after the point,
// as Java's format %.2f does. It rounds the fewest digits that mean the number, not
// the number: 1.005 becomes 1.01.
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
	return dst
}

// roundUp adds one to the last digit of the number that begins at at.
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
