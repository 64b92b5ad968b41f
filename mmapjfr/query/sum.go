package query

import (
	"math"
	"math/big"
	"math/bits"
)

// sumState sums up numbers: sum, average, rate and standard deviation.
type sumState struct {
	a       *aggregate
	n       []int64 // of values; of events if there is no input
	ints    []wideInt
	floats  []*exactSum // nil if there are none
	squares []*exactSum
	exact   int // how many sums there are
}

func (s *sumState) grow(n int) {
	s.n, s.ints = grown(s.n, n), grown(s.ints, n)
}

func (s *sumState) add(b *feed, groups []uint32) {
	if s.a.in < 0 {
		for _, g := range groups {
			s.n[g]++
		}
		return
	}
	kind := b.kind(s.a.in)
	for i, raw := range b.columns[s.a.in] {
		if raw == nullRaw {
			continue
		}
		g := groups[i]
		switch {
		case kind == Float:
			s.at(&s.floats, g).add(math.Float64frombits(uint64(raw)))
		case kind == Timespan && raw == math.MaxInt64:
			continue // it has no end
		case kind == Unsigned:
			s.ints[g].merge(wideInt{0, uint64(raw)})
		default:
			s.ints[g].add(raw)
		}
		s.n[g]++
		if s.a.kind == deviation {
			s.addSquare(s.at(&s.squares, g), kind, raw)
		}
	}
}

// addSquare adds the square of a value.
func (s *sumState) addSquare(to *exactSum, kind Kind, raw int64) {
	switch kind {
	case Float:
		to.addSquare(math.Float64frombits(uint64(raw)))
	case Unsigned:
		to.addIntSquare(uint64(raw))
	default:
		to.addIntSquare(magnitude(raw))
	}
}

// at returns the sum of a group, which it makes if it is missing.
func (s *sumState) at(sums *[]*exactSum, g uint32) *exactSum {
	*sums = grown(*sums, len(s.n))
	if (*sums)[g] == nil {
		(*sums)[g] = new(exactSum)
		s.exact++
	}
	return (*sums)[g]
}

// exact returns the sum of a group of the numbers in floating point; nil if there are none.
func exact(sums []*exactSum, g int) *exactSum {
	if g < len(sums) {
		return sums[g]
	}
	return nil
}

func (s *sumState) merge(o state, to []uint32, _ *merger) {
	from := o.(*sumState)
	for i, n := range from.n {
		g := to[i]
		s.n[g] += n
		s.ints[g].merge(from.ints[i])
	}
	for i, f := range from.floats {
		if f != nil {
			s.at(&s.floats, to[i]).merge(f)
		}
	}
	for i, f := range from.squares {
		if f != nil {
			s.at(&s.squares, to[i]).merge(f)
		}
	}
}

func (s *sumState) memory() int { return 40*len(s.n) + exactSize*s.exact }

func (s *sumState) result(g int, p *partial) Value {
	n := s.n[g]
	if s.a.in < 0 {
		return fromFloat(Float, float64(n)/p.seconds(g))
	}
	if n == 0 {
		return Value{}
	}
	if s.a.kind == sum && s.a.shape.kind != Float {
		if total, ok := s.ints[g].int64(); ok {
			return Value{kind: s.a.shape.kind, num: uint64(total)}
		}
	}
	total := s.ints[g].big()
	infinite := 0.0
	if f := exact(s.floats, g); f != nil {
		total.SetPrec(2200).Add(total, f.big())
		infinite = f.infinite()
	}
	f, _ := total.Float64()
	if infinite != 0 {
		if math.IsNaN(infinite) || s.a.kind == deviation {
			return Value{} // infinities of both signs have no sum
		}
		return floatValue(infinite)
	}
	switch s.a.kind {
	case rate:
		if p.plan.inputs[s.a.in].shape.kind == Timespan {
			f /= 1e9
		}
		return fromFloat(Float, f/p.seconds(g))
	case average:
		return rounded(s.a.shape.kind, f/float64(n))
	case deviation:
		return rounded(s.a.shape.kind, s.deviation(g))
	}
	return fromFloat(Float, f)
}

// rounded returns a number as the nearest value of a kind.
func rounded(k Kind, f float64) Value {
	if k != Float {
		f = math.Round(f)
	}
	return fromFloat(k, f)
}

// deviation returns the standard deviation of the values themselves, as if they were all.
func (s *sumState) deviation(g int) float64 {
	n := new(big.Float).SetPrec(4400).SetInt64(s.n[g])
	total := s.ints[g].big().SetPrec(4400)
	if f := exact(s.floats, g); f != nil {
		total.Add(total, f.big())
	}
	squares := exact(s.squares, g)
	if squares == nil {
		return math.NaN()
	}
	variance := squares.big().SetPrec(4400)
	variance.Mul(variance, n)
	variance.Sub(variance, total.Mul(total, total))
	variance.Quo(variance, n.Mul(n, n))
	f, _ := variance.Float64()
	return math.Sqrt(max(f, 0))
}

// exactSum is a sum of floating point numbers without any rounding, so that it does not depend on
// their order: a number of fixed point that holds all of them. Infinite numbers are counted.
type exactSum struct {
	limbs [limbs]int64 // of 32 bits each, the least first; they hold carries until there are too many
	adds  int          // since carries were propagated

	infinities [2]int64 // how many are positive, and how many negative
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
		if mantissa == 0 {
			s.infinities[b>>63]++
		}
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
	if math.IsInf(square, 0) {
		return
	}
	s.add(square)
	s.add(math.FMA(f, f, -square)) // what the square lost by rounding
}

// addIntSquare adds the square of a whole number.
func (s *exactSum) addIntSquare(n uint64) {
	hi, lo := bits.Mul64(n, n)
	for i, part := range [4]uint64{lo & math.MaxUint32, lo >> limbBits, hi & math.MaxUint32, hi >> limbBits} {
		s.add(math.Ldexp(float64(part), limbBits*i))
	}
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
	for i, n := range o.infinities {
		s.infinities[i] += n
	}
}

// infinite returns what infinite numbers add to the sum: 0 if there are none, and NaN if they have both signs.
func (s *exactSum) infinite() (sum float64) {
	for i, n := range s.infinities {
		if n > 0 {
			sum += math.Inf(-i)
		}
	}
	return sum
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
