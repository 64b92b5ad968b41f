package query

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// distribution is the values of a group, for percentiles: all distinct ones with how often they
// came, or else buckets that are as wide as 1/256 of their values.
type distribution struct {
	runs    []run
	pending []float64 // not in runs yet
	buckets map[int32]int64
	n       int64 // in buckets
}

// run is a value that came that many times.
type run struct {
	value float64
	n     int64
}

// bucketShift leaves the exponent of a number, and eight bits of its mantissa.
const bucketShift = 44

// full reports whether values wait that should be sorted.
func (d *distribution) full() bool { return len(d.pending) >= max(512, len(d.runs)/2) }

// settle sorts the values that wait, and returns by how much the number of distinct values has grown.
func (d *distribution) settle() int {
	if len(d.pending) == 0 {
		return 0
	}
	before := len(d.runs)
	slices.Sort(d.pending)
	add := make([]run, 0, len(d.pending))
	for _, f := range d.pending {
		if n := len(add); n > 0 && add[n-1].value == f {
			add[n-1].n++
			continue
		}
		add = append(add, run{f, 1})
	}
	d.runs, d.pending = mergeRuns(d.runs, add), d.pending[:0]
	return len(d.runs) - before
}

func mergeRuns(a, b []run) []run {
	if len(a) == 0 {
		return slices.Clip(b)
	}
	out := make([]run, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch o := cmp.Compare(a[0].value, b[0].value); {
		case o < 0:
			out, a = append(out, a[0]), a[1:]
		case o > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, run{a[0].value, a[0].n + b[0].n})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// toBucket adds a value to its bucket, and returns how many buckets are new.
func (d *distribution) toBucket(f float64, n int64) int {
	before := len(d.buckets)
	d.buckets[bucketOf(f)] += n
	d.n += n
	return len(d.buckets) - before
}

// toBuckets gives up the values for buckets, and returns how many are new. No values wait.
func (d *distribution) toBuckets() (made int) {
	if d.buckets == nil {
		d.buckets = make(map[int32]int64)
	}
	for _, r := range d.runs {
		made += d.toBucket(r.value, r.n)
	}
	d.runs, d.pending = nil, nil
	return made
}

// merge adds the values of another distribution, and returns by how much the numbers of distinct
// values and of buckets have grown. No values wait; this one has buckets if the other has.
func (d *distribution) merge(o *distribution) (distinct, buckets int) {
	if d.buckets == nil {
		before := len(d.runs)
		d.runs = mergeRuns(d.runs, o.runs)
		return len(d.runs) - before, 0
	}
	before := len(d.buckets)
	for _, r := range o.runs {
		d.toBucket(r.value, r.n)
	}
	for b, n := range o.buckets {
		d.buckets[b] += n
	}
	d.n += o.n
	return 0, len(d.buckets) - before
}

// bucketOf returns the bucket of a number. Buckets are ordered as their numbers are.
func bucketOf(f float64) int32 {
	if f < 0 {
		return -bucketOf(-f) - 1
	}
	return int32(math.Float64bits(f) >> bucketShift)
}

// middle returns the number in the middle of a bucket.
func middle(b int32) float64 {
	if b < 0 {
		return -middle(-b - 1)
	}
	low, next := math.Float64frombits(uint64(b)<<bucketShift), math.Float64frombits(uint64(b+1)<<bucketShift)
	if low == 0 || math.IsInf(next, 0) {
		return low
	}
	return low + (next-low)/2
}

// sorted returns the values, none of which wait, or the middles of the buckets, in their order.
func (d *distribution) sorted() []run {
	if d.buckets == nil {
		return d.runs
	}
	list := make([]run, 0, len(d.buckets))
	for b, n := range d.buckets {
		list = append(list, run{middle(b), n})
	}
	slices.SortFunc(list, func(a, b run) int { return cmp.Compare(a.value, b.value) })
	return list
}

// quantile returns the value at a share of the values, between neighbours as the JDK does; false if
// there are no values.
func (d *distribution) quantile(share float64) (float64, bool) {
	runs := d.sorted()
	var n int64
	for _, r := range runs {
		n += r.n
	}
	if n == 0 {
		return 0, false
	}
	at := float64(n+1) * share
	i, fraction := int64(at)-1, at-math.Floor(at)
	if i < 0 {
		return runs[0].value, true
	}
	if i+1 >= n {
		return runs[len(runs)-1].value, true
	}
	for j, r := range runs {
		if i >= r.n {
			i -= r.n
			continue
		}
		next := r.value
		if i+1 == r.n {
			next = runs[j+1].value
		}
		return r.value + fraction*(next-r.value), true
	}
	return 0, false
}

// text returns a number as text, in the unit that values of the shape have.
func (s shape) text(f float64) string {
	v := fromFloat(s.kind, f)
	if s.unit != mmapjfr.NoUnit {
		return string(AppendNumber(nil, v, s.unit, s.rate, -1))
	}
	return v.String()
}

// histogram returns how many values lie between powers of two: texts such as "1.05ms..2.1ms 12".
func (d *distribution) histogram(s shape) Value {
	var list []Value
	low, n := math.NaN(), int64(0)
	end := func() {
		if n > 0 {
			from, to := low, 2*low
			if from > to {
				from, to = to, from
			}
			list = append(list, textValue(s.text(from)+".."+s.text(to)+" "+strconv.FormatInt(n, 10)))
		}
	}
	for _, r := range d.sorted() {
		power := 0.0
		if r.value != 0 {
			_, exp := math.Frexp(r.value)
			power = math.Copysign(math.Ldexp(0.5, exp), r.value)
		}
		if power != low {
			end()
			low, n = power, 0
		}
		n += r.n
	}
	end()
	return listValue(list)
}

var (
	// maxDistinct is how many distinct values all groups of an aggregate have at most. Beyond it
	// groups that have more than fewDistinct are kept in buckets.
	maxDistinct = 1 << 21
	fewDistinct = 1 << 10
)

// maxWaiting is how many values of all groups of an aggregate wait to be sorted.
const maxWaiting = 1 << 23

// distributionState has the distribution of the values of groups.
type distributionState struct {
	a        *aggregate
	groups   []distribution
	distinct int  // values in all groups
	waiting  int  // values that have not been sorted yet
	buckets  int  // in all groups
	over     bool // there are more than maxDistinct
}

func (s *distributionState) grow(n int) { s.groups = grown(s.groups, n) }

func (s *distributionState) add(b *feed, groups []uint32) {
	kind := b.kind(s.a.in)
	for i, raw := range b.columns[s.a.in] {
		if raw == nullRaw {
			continue
		}
		if f := (Value{kind: kind, num: uint64(raw)}).Float(); !math.IsInf(f, 0) {
			s.addOne(&s.groups[groups[i]], f)
		}
	}
	if s.waiting > maxWaiting {
		s.settle()
	}
}

func (s *distributionState) addOne(d *distribution, f float64) {
	if d.buckets != nil {
		s.buckets += d.toBucket(f, 1)
		return
	}
	d.pending = append(d.pending, f)
	if s.waiting++; d.full() {
		s.settleOne(d)
	}
}

// settle counts all values, so that whether there are too many does not depend on the order of events.
func (s *distributionState) settle() {
	for i := range s.groups {
		d := &s.groups[i]
		s.settleOne(d)
		d.pending = nil
	}
}

// settleOne sorts the values of a group that wait.
func (s *distributionState) settleOne(d *distribution) {
	s.waiting -= len(d.pending)
	s.limit(d.settle(), d)
}

// limit counts distinct values. If there are too many it keeps large groups in buckets.
func (s *distributionState) limit(more int, d *distribution) {
	s.distinct += more
	if s.over {
		s.narrow(d)
	}
	if s.distinct > maxDistinct && !s.over {
		s.over = true
		for i := range s.groups {
			s.narrow(&s.groups[i])
		}
	}
}

// narrow keeps a group in buckets if it has many distinct values.
func (s *distributionState) narrow(d *distribution) {
	s.waiting -= len(d.pending)
	if s.distinct += d.settle(); len(d.runs) > fewDistinct {
		s.distinct -= len(d.runs)
		s.buckets += d.toBuckets()
	}
}

func (s *distributionState) merge(o state, to []uint32, _ *merger) {
	from := o.(*distributionState)
	for i := range from.groups {
		d, other := &s.groups[to[i]], &from.groups[i]
		s.settleOne(d)
		other.settle()
		if d.buckets == nil && other.buckets != nil {
			s.distinct -= len(d.runs)
			s.buckets += d.toBuckets()
		}
		distinct, buckets := d.merge(other)
		s.buckets += buckets
		s.limit(distinct, d)
	}
	if from.over && !s.over {
		s.over = true
		for i := range s.groups {
			s.narrow(&s.groups[i])
		}
	}
}

func (s *distributionState) memory() int {
	return 90*len(s.groups) + 16*s.distinct + 12*s.waiting + bucketSize*s.buckets
}

func (s *distributionState) result(g int, p *partial) Value {
	d := &s.groups[g]
	if s.a.kind == histogram {
		return d.histogram(p.plan.inputs[s.a.in].shape)
	}
	f, ok := d.quantile(s.a.share)
	if !ok {
		return Value{}
	}
	return fromFloat(s.a.shape.kind, f)
}
