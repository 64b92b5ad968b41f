package query

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// aggregateKind is what an aggregate computes.
type aggregateKind uint8

const (
	count        aggregateKind = iota // of events
	countPresent                      // of values
	sum
	average
	deviation
	rate
	minimum
	maximum
	argMin
	argMax
	quantile
	histogram
	difference
	first
	last
	lastPresent // as a field alone means in a grouped statement
	lastBatch
	listOf
	setOf
	unique
	topK
)

// aggregate is an aggregate of a statement.
type aggregate struct {
	kind  aggregateKind
	in    int     // the input; -1 is none
	by    int     // the input that argMin and argMax look at
	share float64 // of quantile
	k     int     // of topK
	text  string
	shape shape
}

var aggregateKinds = map[string]aggregateKind{
	"COUNT": count, "SUM": sum, "AVG": average, "STDEV": deviation, "RATE": rate, "MIN": minimum, "MAX": maximum,
	"ARG_MIN": argMin, "ARG_MAX": argMax, "QUANTILE": quantile, "MEDIAN": quantile, "HISTOGRAM": histogram, "DIFF": difference,
	"FIRST": first, "LAST": last, "LAST_BATCH": lastBatch, "LIST": listOf, "SET": setOf, "UNIQUE": unique, "TOP_K": topK,
}

// aggregateNames are those of aggregates, with some percentiles.
func aggregateNames() []string {
	names := []string{"P50", "P90", "P95", "P99", "P999"}
	for name := range aggregateKinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func isAggregate(name string) bool {
	_, ok := aggregateKinds[name]
	return ok || isPercentile(name)
}

// isPercentile reports whether a name is P and digits: P50 is the median, P999 is 99.9 %.
func isPercentile(name string) bool {
	digits, ok := strings.CutPrefix(name, "P")
	return ok && len(digits) >= 1 && len(digits) <= 6 && strings.Trim(digits, "0123456789") == ""
}

// percentile returns the share of the percentile P50, P5, P999.
func percentile(name string) float64 {
	digits := name[1:]
	n, _ := strconv.ParseFloat(digits, 64)
	if len(digits) == 1 {
		return n / 100
	}
	return n / math.Pow10(len(digits))
}

// aggregateCall compiles an aggregate that was written.
func (c *compiler) aggregateCall(e *call, text string) (*node, error) {
	kind, args := aggregateKinds[e.name], e.args
	a := aggregate{kind: kind, in: -1, by: -1, text: text}
	want := 1
	switch kind {
	case argMin, argMax, topK:
		want = 2
	case quantile:
		if want = 2; isPercentile(e.name) {
			want, a.share = 1, percentile(e.name)
		} else if e.name == "MEDIAN" {
			want, a.share = 1, 0.5
		}
	}
	if isPercentile(e.name) {
		a.kind = quantile
		want, a.share = 1, percentile(e.name)
	}
	if e.star || len(args) == 0 {
		if a.kind != count && a.kind != rate {
			return nil, c.st.errorAt(e.pos, "%s needs a field, as in %s(duration)", e.name, strings.ToLower(e.name))
		}
		return c.add(e, a, shape{kind: Int})
	}
	if len(args) != want {
		return nil, c.st.errorAt(e.pos, "%s takes %d arguments", e.name, want)
	}
	if want == 2 {
		if err := c.secondArgument(e, &a); err != nil {
			return nil, err
		}
	}
	if a.kind == count {
		a.kind = countPresent
	}
	return c.aggregateOf(e.pos, a, args[0])
}

// secondArgument reads what an aggregate takes besides a field.
func (c *compiler) secondArgument(e *call, a *aggregate) (err error) {
	n, written := e.args[1].(*number)
	switch a.kind {
	case argMin, argMax:
		a.by, err = c.input(c.unaliased(e.args[1]))
		return err
	case topK:
		if !written || n.value.Int() < 1 || n.value.Int() > 10_000 {
			return c.st.errorAt(e.pos, "TOP_K takes how many values, as in top_k(path, 5), at most 10000")
		}
		a.k = int(n.value.Int())
	case quantile:
		if !written || !(n.value.Float() > 0 && n.value.Float() < 1) {
			return c.st.errorAt(e.pos, "QUANTILE takes a share between 0 and 1, as in quantile(duration, 0.99)")
		}
		a.share = n.value.Float()
	}
	return nil
}

// aggregate compiles an aggregate of a field.
func (c *compiler) aggregate(pos int, text string, kind aggregateKind, of expr) (*node, error) {
	return c.aggregateOf(pos, aggregate{kind: kind, in: -1, by: -1, text: text}, of)
}

func (c *compiler) aggregateOf(pos int, a aggregate, of expr) (n *node, err error) {
	if a.in, err = c.input(c.unaliased(of)); err != nil {
		return nil, err
	}
	return c.add(&call{pos: pos, name: strings.ToUpper(a.text)}, a, c.inputs[a.in].shape)
}

// add adds an aggregate of values of a shape, unless there is one like it.
func (c *compiler) add(e *call, a aggregate, of shape) (*node, error) {
	var ok bool
	if a.shape, ok = a.of(of); !ok {
		return nil, c.st.errorAt(e.pos, "%s needs numbers, and not %s", strings.ToLower(a.text), of)
	}
	i := slices.Index(c.aggs, a)
	if i < 0 {
		i = len(c.aggs)
		c.aggs = append(c.aggs, a)
	}
	return &node{op: opAggregate, index: i, shape: a.shape}, nil
}

// of returns the shape of the aggregate's result; false if it cannot be computed of such values.
func (a aggregate) of(s shape) (shape, bool) {
	isNumber := s.isNumber() || s.kind == Timespan
	switch a.kind {
	case count, countPresent, unique:
		return shape{kind: Int}, true
	case sum:
		if s.kind == Unsigned {
			s.kind = Int
		}
		return s, isNumber
	case rate:
		if s.kind == Timespan {
			return shape{kind: Float}, true // a share of the time
		}
		return shape{Float, s.unit, true}, isNumber
	case average, deviation, quantile:
		if s.isNumber() {
			s.kind = Float
		}
		return s, isNumber || s.kind == Timestamp && a.kind == quantile
	case difference:
		if s.kind == Timestamp {
			return shape{kind: Timespan}, true
		}
		if s.kind == Unsigned {
			s.kind = Int // it can be negative
		}
		return s, isNumber
	case histogram:
		return shape{kind: List}, isNumber
	case listOf, setOf, topK:
		return shape{kind: List}, true
	}
	return s, s.kind != Null
}

// state is what an aggregate has summed up of groups.
type state interface {
	// grow makes room for n groups.
	grow(n int)
	// add adds events to the groups that they belong to.
	add(b *feed, groups []uint32)
	// merge adds the groups of another state of the same aggregate, the i-th to the group to[i].
	merge(o state, to []uint32, m *merger)
	// result returns what the aggregate is of a group.
	result(g int, p *partial) Value
	// code writes or reads what has been summed up.
	code(c *coder, p *partial)
}

// newState returns an empty state of an aggregate.
func (a *aggregate) newState() state {
	switch a.kind {
	case count, countPresent:
		return &countState{a: a}
	case sum, average, rate, deviation:
		return &sumState{a: a}
	case minimum, maximum, argMin, argMax:
		return &extremeState{a: a}
	case quantile, histogram:
		return &distributionState{a: a}
	case first, last, lastPresent, difference, lastBatch:
		return &edgeState{a: a}
	}
	return &setState{a: a}
}

// feed is the events of a batch that a source takes: raw values of inputs, and when they came.
type feed struct {
	columns [][]int64 // by input
	readers []reader  // nil if the events have no values
	moments []moment
	n       int
}

// kind returns the kind of the values of an input.
func (b *feed) kind(in int) Kind {
	if b.readers[in] == nil {
		return Null
	}
	return b.readers[in].kind()
}

// merger turns raw values of one partial result into those of another.
type merger struct {
	from, to *partial
	value    func(in int, raw int64) Value // of from, as one of to
	same     []bool                        // by input: raw values are the same in both
}

func (m *merger) raw(in int, raw int64) int64 {
	if raw == nullRaw || m.same[in] {
		return raw
	}
	return m.to.values.raw(m.value(in, raw))
}

// grown returns a slice with room for n groups.
func grown[T any](list []T, n int) []T {
	if n <= len(list) {
		return list
	}
	if n <= cap(list) {
		return list[:n]
	}
	return append(slices.Grow(list, max(n, 2*cap(list))-len(list)), make([]T, n-len(list))...)
}

// countState counts events, or values.
type countState struct {
	a *aggregate
	n []int64
}

func (s *countState) grow(n int) { s.n = grown(s.n, n) }

func (s *countState) add(b *feed, groups []uint32) {
	if s.a.kind == count {
		for _, g := range groups {
			s.n[g]++
		}
		return
	}
	for i, raw := range b.columns[s.a.in] {
		if raw != nullRaw {
			s.n[groups[i]]++
		}
	}
}

func (s *countState) merge(o state, to []uint32, _ *merger) {
	for i, n := range o.(*countState).n {
		s.n[to[i]] += n
	}
}

func (s *countState) result(g int, _ *partial) Value { return intValue(s.n[g]) }

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

// distributionState has the distribution of the values of groups.
type distributionState struct {
	a        *aggregate
	groups   []distribution
	distinct int  // values in all groups
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
			d := &s.groups[groups[i]]
			if d.add(f); d.full() {
				s.limit(d.settle(), d)
			}
		}
	}
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

func (s *distributionState) narrow(d *distribution) {
	if s.distinct += d.settle(); len(d.runs) > fewDistinct {
		s.distinct -= len(d.runs)
		d.toBuckets()
	}
}

func (s *distributionState) merge(o state, to []uint32, _ *merger) {
	from := o.(*distributionState)
	for i := range from.groups {
		d := &s.groups[to[i]]
		s.limit(d.merge(&from.groups[i]), d)
	}
	if from.over && !s.over {
		s.distinct = maxDistinct + 1
		s.limit(0, &s.groups[0])
	}
}

func (s *distributionState) result(g int, p *partial) Value {
	d := &s.groups[g]
	if s.limit(d.settle(), d); s.a.kind == histogram {
		return d.histogram(p.plan.inputs[s.a.in].shape.kind)
	}
	f, ok := d.quantile(s.a.share)
	if !ok {
		return Value{}
	}
	return fromFloat(s.a.shape.kind, f)
}

// seconds returns how long the time lasts that rates are taken over.
func (p *partial) seconds() float64 { return max(p.span.Seconds(), 1e-9) }
