package query

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// aggregateKind is what an aggregate computes.
type aggregateKind uint8

const (
	count        aggregateKind = iota // of events
	countPresent                      // of values; with Options.JDK of events that have the field
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
	nulls bool // countPresent counts null
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

// isPercentile reports whether a name is P and digits: P50 is the median, P999 is 99.9 %. P100 would be
// 10 %, which nobody means.
func isPercentile(name string) bool {
	digits, ok := strings.CutPrefix(name, "P")
	return ok && !strings.HasPrefix(digits, "100") && len(digits) >= 1 && len(digits) <= 6 && strings.Trim(digits, "0123456789") == ""
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
		return nil, c.st.errorAt(e.pos, "%s takes %s; got %d", e.name, argumentCount(want, want), len(args))
	}
	if want == 2 {
		if err := c.secondArgument(e, &a); err != nil {
			return nil, err
		}
	}
	if a.kind == count {
		a.kind, a.nulls = countPresent, c.o.JDK
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
		return nil, c.st.errorAt(e.pos, "%s needs numbers; got %s", strings.ToLower(a.text), of)
	}
	i := slices.Index(c.aggs, a)
	if i < 0 {
		i = len(c.aggs)
		c.aggs = append(c.aggs, a)
		c.timed = c.timed || a.isEdge() && !c.o.JDK
	}
	return &node{op: opAggregate, index: i, shape: a.shape}, nil
}

// of returns the shape of the aggregate's result; false if it cannot be computed of such values.
func (a aggregate) of(s shape) (shape, bool) {
	isNumber := s.isNumber() || s.kind == Timespan || s.absent
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
		return shape{kind: Float, unit: s.unit, rate: true}, isNumber
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
