package query

import (
	"math"
	"math/big"
	"math/bits"
)

// exactSum is a sum of floating point numbers without any rounding, so that it does not depend on
// their order: a number of fixed point that holds all of them. Infinite numbers are left out.
type exactSum struct {
	limbs [limbs]int64 // of 32 bits each, the least first; they hold carries until there are too many
	adds  int          // since carries were propagated
}

const (
	limbBits = 32
	// limbs are enough for all exponents, from 2^-1074 on, and for carries.
	limbs = (2046+52)/limbBits + 3
)

func (s *exactSum) add(f float64) {
	b := math.Float64bits(f)
	exp, mantissa := int(b>>52&0x7ff), b&(1<<52-1)
	switch exp {
	case 0x7ff:
		return
	case 0:
		exp = 1
	default:
		mantissa |= 1 << 52
	}
	i, shift := (exp-1)/limbBits, uint((exp-1)%limbBits)
	hi, lo := mantissa>>(64-shift), mantissa<<shift // a shift by 64 leaves 0
	parts := [3]int64{int64(lo & math.MaxUint32), int64(lo >> limbBits), int64(hi)}
	for j, p := range parts {
		if b>>63 != 0 {
			p = -p
		}
		s.limbs[i+j] += p
	}
	if s.adds++; s.adds == 1<<30 {
		s.carry()
	}
}

// addSquare adds the square of a number.
func (s *exactSum) addSquare(f float64) {
	square := f * f
	s.add(square)
	s.add(math.FMA(f, f, -square)) // what the square lost by rounding
}

// carry propagates carries, so that limbs have 32 bits, and the last the sign.
func (s *exactSum) carry() {
	for i := range limbs - 1 {
		s.limbs[i+1] += s.limbs[i] >> limbBits
		s.limbs[i] &= math.MaxUint32
	}
	s.adds = 0
}

func (s *exactSum) merge(o *exactSum) {
	s.carry()
	o.carry()
	for i, n := range o.limbs {
		s.limbs[i] += n
	}
	s.carry()
}

// big returns the sum.
func (s *exactSum) big() *big.Float {
	sum, limb := new(big.Int), new(big.Int)
	for i := limbs - 1; i >= 0; i-- {
		sum.Lsh(sum, limbBits)
		sum.Add(sum, limb.SetInt64(s.limbs[i]))
	}
	f := new(big.Float).SetPrec(uint(sum.BitLen()) + 1).SetInt(sum)
	return f.SetMantExp(f, -1074)
}

// wideInt is a sum of whole numbers in 128 bits.
type wideInt struct {
	hi int64
	lo uint64
}

func (w *wideInt) add(n int64) { w.merge(wideInt{n >> 63, uint64(n)}) }

func (w *wideInt) merge(o wideInt) {
	lo, carry := bits.Add64(w.lo, o.lo, 0)
	w.lo, w.hi = lo, w.hi+o.hi+int64(carry)
}

// int64 returns the sum; false if it is beyond 64 bits.
func (w *wideInt) int64() (int64, bool) { return int64(w.lo), w.hi == int64(w.lo)>>63 }

// big returns the sum.
func (w *wideInt) big() *big.Float {
	hi := new(big.Int).Lsh(big.NewInt(w.hi), 64)
	return new(big.Float).SetPrec(160).SetInt(hi.Add(hi, new(big.Int).SetUint64(w.lo)))
}
