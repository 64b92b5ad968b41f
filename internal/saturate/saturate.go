// Package saturate computes with numbers that end at the greatest and the least there are, and do
// not begin again at the other side. Files can name any numbers.
package saturate

import "math"

// Add returns the sum of two numbers. Sums of numbers that are not negative do not depend on their
// order.
func Add(a, b int64) int64 {
	sum := a + b
	if (a^sum)&(b^sum) >= 0 { // the sign is that of a or of b
		return sum
	}
	if a < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// Mul returns the product of two numbers, and 0 if one of them is negative.
func Mul(a, b int64) int64 {
	switch {
	case a <= 0 || b <= 0:
		return 0
	case a > math.MaxInt64/b:
		return math.MaxInt64
	}
	return a * b
}

// Int returns the number that is nearest to a fraction, and 0 for what is negative or no number.
func Int(f float64) int64 {
	switch f = math.Round(f); {
	case !(f > 0):
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	}
	return int64(f)
}
