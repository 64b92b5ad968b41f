package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	names "github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
)

// DuckDB tells functions of a program which columns it needs, and not which rows. Its plan says that: where a filter stands
// right above a scan, events that it leaves out need not be read. DuckDB filters again, so that a scan may have more rows than
// it needs, and never less.

// filters are the conditions of the scans of a statement by what they read, see [scanKey].
type filters map[string][]expression

// scanKey is the same for scans that read the same.
func scanKey(function string, arguments ...string) string {
	text, _ := json.Marshal(append([]string{strings.ToLower(function)}, arguments...)) // texts are never wrong
	return string(text)
}

// longestPlan is how many bytes a plan has that is read. One in which a long text was computed has all of it.
const longestPlan = 16 << 20

// filtersOf returns the filters of a statement, nil if it has none or its plan is not known. It has none for what it reads in
// two places.
func (e *engine) filtersOf(ctx context.Context, statement string) filters {
	var text string
	serialize := fmt.Sprintf("SELECT plan FROM (SELECT CAST(json_serialize_plan(%s, optimize := true, skip_null := true, skip_empty := true) AS VARCHAR) AS plan) WHERE strlen(plan) <= %d", names.Text(statement), longestPlan)
	if err := e.conn.QueryRowContext(ctx, serialize).Scan(&text); err != nil {
		return nil // to execute it says why
	}
	var all struct {
		Plans []planNode `json:"plans"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&all) != nil || len(all.Plans) != 1 {
		return nil
	}
	found, scans := make(filters), make(map[string]int)
	all.Plans[0].visit(nil, func(n, parent *planNode) {
		key := n.scan()
		if key == "" {
			return
		}
		if scans[key]++; scans[key] > 1 {
			delete(found, key)
			return
		}
		if parent != nil && parent.Type == "LOGICAL_FILTER" {
			for _, x := range parent.Expressions {
				if n.resolve(&x) {
					found[key] = append(found[key], x)
				}
			}
		}
	})
	return found
}

// planNode is an operator of a plan.
type planNode struct {
	Type        string       `json:"type"`
	Children    []planNode   `json:"children"`
	Expressions []expression `json:"expressions"`

	// Of what reads a table function: its name, its arguments, all its columns, and those that are read.
	Name       string     `json:"name"`
	Parameters []constant `json:"parameters"`
	Names      []string   `json:"names"`
	Columns    []struct {
		Index uint64 `json:"index"`
	} `json:"column_indexes"`
	Projection []uint64 `json:"projection_ids"` // of columns that are read: those which are handed on, if not all are
}

// scan returns the key of a node that reads events; "" for all others.
func (n *planNode) scan() string {
	if n.Type != "LOGICAL_GET" || !strings.EqualFold(n.Name, "events") && !strings.EqualFold(n.Name, "jfr_events") {
		return ""
	}
	var arguments []string
	for _, p := range n.Parameters {
		text, _ := p.Value.(string) // that of an empty one is left out
		arguments = append(arguments, text)
	}
	return scanKey(n.Name, arguments...)
}

func (n *planNode) visit(parent *planNode, do func(n, parent *planNode)) {
	do(n, parent)
	for i := range n.Children {
		n.Children[i].visit(n, do)
	}
}

// resolve gives references their names of columns. What a name in the statement means depends on its place, so numbers count
// alone. It is false if one leads nowhere.
func (n *planNode) resolve(x *expression) bool {
	if x.Class == "BOUND_REF" {
		i := x.Index
		if len(n.Projection) > 0 {
			if i >= uint64(len(n.Projection)) {
				return false
			}
			i = n.Projection[i]
		}
		if i >= uint64(len(n.Columns)) || n.Columns[i].Index >= uint64(len(n.Names)) {
			return false
		}
		x.column = n.Names[n.Columns[i].Index]
	}
	return !slices.ContainsFunc(x.kids(), func(k *expression) bool { return !n.resolve(k) })
}

// narrow sets the filters of scans that are bound from now on.
func (e *engine) narrow(f filters) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.filters = f
}

// narrowed returns the source of a table, which leaves out what the filter of the scan does not need.
func (e *engine) narrowed(s *source, key string) *source {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := &conditions{table: s.table}
	times := bounds{math.MinInt64, math.MaxInt64}
	for _, x := range e.filters[key] {
		times.add(&x)
		if holds := c.of(&x); holds != nil {
			s.keep = append(s.keep, holds)
		}
	}
	s.keepBy = c.columns
	s.o.Filters = append(slices.Clip(s.o.Filters), times.filters()...)
	return s
}

// bounds are the least and the greatest start, in nanoseconds since 1970, of events that a statement needs.
type bounds struct{ from, to int64 }

// add adds the bounds that an expression has.
func (b *bounds) add(x *expression) {
	switch {
	case x.Class == "BOUND_CONJUNCTION" && x.Type == "CONJUNCTION_AND":
		for _, k := range x.kids() {
			b.add(k)
		}
	case x.Class == "BOUND_COMPARISON":
		left, right, op := x.sides()
		b.limit(left, op, right)
	case x.Class == "BOUND_BETWEEN" && x.Input != nil:
		low, high := x.between()
		b.limit(x.Input, low, x.Lower)
		b.limit(x.Input, high, x.Upper)
	}
}

// limit adds a comparison of a column with a value.
func (b *bounds) limit(left *expression, op string, right *expression) {
	if left == nil || right == nil {
		return
	}
	n, ok := right.int()
	if !ok || left.column != "start_ns" && left.column != "start_time" {
		return
	}
	last := n
	if left.column == "start_time" { // it is cut to microseconds
		if n <= math.MinInt64/1000 || n >= math.MaxInt64/1000 {
			return
		}
		n, last = n*1000, n*1000+999
	}
	switch op {
	case ">":
		b.from = max(b.from, last)
	case ">=", "=":
		b.from = max(b.from, n)
	}
	switch op {
	case "<":
		b.to = min(b.to, n)
	case "<=", "=":
		b.to = min(b.to, last)
	}
}

// filters returns a filter by time. Events whose start is not known begin before all others, so a lower bound leaves them out.
func (b *bounds) filters() []mmapjfr.Filter {
	var from, to time.Time
	if b.from > math.MinInt64 {
		from = time.Unix(0, b.from).UTC()
	}
	if b.to < math.MaxInt64 {
		to = time.Unix(0, max(b.to, b.from)+1).UTC()
	}
	if from.IsZero() && to.IsZero() {
		return nil
	}
	return []mmapjfr.Filter{mmapjfr.Between(from, to)}
}

// enough is how many rows show whether conditions leave out many.
const enough = 1 << 14

// keepRows tells a scan which rows to leave out, unless most rows would stay: DuckDB looks at these faster.
func (s *source) keepRows(scan *columns.Scanner) {
	if len(s.keep) == 0 {
		return
	}
	var seen, kept atomic.Int64
	scan.Keep(s.keepBy, func(of []columns.View, from int, keep []bool) {
		if n := seen.Load(); n > enough && 2*kept.Load() > n {
			return
		}
		stay := int64(0)
		for i, yes := range keep {
			for _, holds := range s.keep {
				yes = yes && holds(of, from+i)
			}
			if keep[i] = yes; yes {
				stay++
			}
		}
		kept.Add(stay)
		seen.Add(int64(len(keep)))
	})
}

// expression is a part of a plan that is computed for each row.
type expression struct {
	Class string `json:"expression_class"`
	Type  string `json:"type"`

	Left     *expression   `json:"left"`
	Right    *expression   `json:"right"`
	Child    *expression   `json:"child"`
	Children []*expression `json:"children"`
	Name     string        `json:"name"`  // of a function
	Index    uint64        `json:"index"` // of a reference: among the columns that come from below
	Value    *constant     `json:"value"`
	Returns  typeID        `json:"return_type"`

	Input          *expression `json:"input"`
	Lower          *expression `json:"lower"`
	Upper          *expression `json:"upper"`
	LowerInclusive bool        `json:"lower_inclusive"`
	UpperInclusive bool        `json:"upper_inclusive"`

	column string // of a reference
}

type typeID struct {
	ID string `json:"id"`
}

// constant is a value of a statement.
type constant struct {
	Type   typeID `json:"type"`
	IsNull bool   `json:"is_null"`
	Value  any    `json:"value"`
}

// kids returns the expressions inside of an expression.
func (x *expression) kids() (list []*expression) {
	for _, k := range append([]*expression{x.Left, x.Right, x.Child, x.Input, x.Lower, x.Upper}, x.Children...) {
		if k != nil {
			list = append(list, k)
		}
	}
	return list
}

// operators are comparisons, and turned are the same from right to left.
var (
	operators = map[string]string{"COMPARE_EQUAL": "=", "COMPARE_NOTEQUAL": "!=", "COMPARE_LESSTHAN": "<", "COMPARE_LESSTHANOREQUALTO": "<=", "COMPARE_GREATERTHAN": ">", "COMPARE_GREATERTHANOREQUALTO": ">="}
	turned    = map[string]string{"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
)

// sides returns a comparison with its value at the right.
func (x *expression) sides() (left, right *expression, op string) {
	if op = operators[x.Type]; x.Left != nil && x.Left.Value != nil {
		return x.Right, x.Left, turned[op]
	}
	return x.Left, x.Right, op
}

// between returns the comparisons that BETWEEN is.
func (x *expression) between() (low, high string) {
	low, high = ">", "<"
	if x.LowerInclusive {
		low = ">="
	}
	if x.UpperInclusive {
		high = "<="
	}
	return low, high
}

// int returns a whole number, or the microseconds of a point in time; false for other values, and for such without a sign.
func (x *expression) int() (n int64, ok bool) {
	if x.Value == nil || x.Value.IsNull || x.Value.Type.ID != "BIGINT" && x.Value.Type.ID != "TIMESTAMP WITH TIME ZONE" {
		return 0, false
	}
	number, ok := x.Value.Value.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(string(number), 10, 64)
	return n, err == nil
}
