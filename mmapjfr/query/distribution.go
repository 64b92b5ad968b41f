package query

import (
	"cmp"
	"math"
	"slices"
	"strconv"
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

const (
	// maxDistinct is how many distinct values all groups of an aggregate have at most. Beyond it
	// groups that have more than fewDistinct are kept in buckets.
	maxDistinct = 1 << 21
	fewDistinct = 1 << 10
	// bucketShift leaves the exponent of a number, and eight bits of its mantissa.
	bucketShift = 44
)

func (d *distribution) add(f float64) {
	if d.buckets != nil {
		d.buckets[bucketOf(f)]++
		d.n++
		return
	}
	d.pending = append(d.pending, f)
}

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

// toBuckets gives up the values for buckets.
func (d *distribution) toBuckets() {
	d.settle()
	if d.buckets == nil {
		d.buckets = make(map[int32]int64)
	}
	for _, r := range d.runs {
		d.buckets[bucketOf(r.value)] += r.n
		d.n += r.n
	}
	d.runs, d.pending = nil, nil
}

// merge adds the values of another distribution, and returns by how much the number of distinct
// values has grown.
func (d *distribution) merge(o *distribution) int {
	o.settle()
	if o.buckets != nil || d.buckets != nil {
		before := len(d.runs)
		d.toBuckets()
		for _, r := range o.runs {
			d.buckets[bucketOf(r.value)] += r.n
			d.n += r.n
		}
		for b, n := range o.buckets {
			d.buckets[b] += n
		}
		d.n += o.n
		return -before
	}
	grown := d.settle()
	before := len(d.runs)
	d.runs = mergeRuns(d.runs, o.runs)
	return grown + len(d.runs) - before
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

// sorted returns the values, or the middles of the buckets, in their order.
func (d *distribution) sorted() []run {
	d.settle()
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

// histogram returns how many values lie between powers of two: texts such as "1.05ms..2.1ms 12".
func (d *distribution) histogram(kind Kind) Value {
	var list []Value
	low, n := math.NaN(), int64(0)
	end := func() {
		if n > 0 {
			from, to := fromFloat(kind, low), fromFloat(kind, 2*low)
			if low == 0 {
				to = from
			}
			list = append(list, textValue(from.String()+".."+to.String()+" "+strconv.FormatInt(n, 10)))
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
