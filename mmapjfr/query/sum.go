package query

import (
	"math"
	"math/big"
)

// sumState sums up numbers: sum, average, rate and standard deviation.
type sumState struct {
	a       *aggregate
	n       []int64 // of values; of events if there is no input
	ints    []wideInt
	floats  []*exactSum // nil if there are none
	squares []*exactSum
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
			f := math.Float64frombits(uint64(raw))
			if math.IsInf(f, 0) {
				continue
			}
			s.at(&s.floats, g).add(f)
		case kind == Timespan && raw == math.MaxInt64:
			continue // it has no end
		case kind == Unsigned:
			s.ints[g].merge(wideInt{0, uint64(raw)})
		default:
			s.ints[g].add(raw)
		}
		s.n[g]++
		if s.a.kind == deviation {
			s.at(&s.squares, g).addSquare(Value{kind: kind, num: uint64(raw)}.Float())
		}
	}
}

// at returns the sum of a group, which it makes if it is missing.
func (s *sumState) at(sums *[]*exactSum, g uint32) *exactSum {
	*sums = grown(*sums, len(s.n))
	if (*sums)[g] == nil {
		(*sums)[g] = new(exactSum)
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

func (s *sumState) result(g int, p *partial) Value {
	n := s.n[g]
	if s.a.in < 0 {
		return fromFloat(Float, float64(n)/p.seconds())
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
	if f := exact(s.floats, g); f != nil {
		total.SetPrec(2200).Add(total, f.big())
	}
	f, _ := total.Float64()
	switch s.a.kind {
	case rate:
		if p.plan.inputs[s.a.in].shape.kind == Timespan {
			f /= 1e9
		}
		return fromFloat(Float, f/p.seconds())
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
	variance := s.squares[g].big().SetPrec(4400)
	variance.Mul(variance, n)
	variance.Sub(variance, total.Mul(total, total))
	variance.Quo(variance, n.Mul(n, n))
	f, _ := variance.Float64()
	return math.Sqrt(max(f, 0))
}

// seconds returns how long the time lasts that rates are taken over.
func (p *partial) seconds() float64 { return max(p.span.Seconds(), 1e-9) }
