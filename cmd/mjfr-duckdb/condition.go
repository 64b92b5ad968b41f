package main

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// condition reports whether a row can match. What it does not know of may match.
type condition = func(of []columns.View, row int) bool

// conditions makes conditions of a table, and collects the columns that they need.
type conditions struct {
	table   *columns.Table
	columns []string
}

// of returns the condition of an expression; nil if all rows may match. Null counts as false, as in WHERE, so nothing is
// negated but a column.
func (c *conditions) of(x *expression) condition {
	switch {
	case x.Class == "BOUND_CONJUNCTION" && x.Type == "CONJUNCTION_AND":
		return c.all(x.Children)
	case x.Class == "BOUND_CONJUNCTION" && x.Type == "CONJUNCTION_OR":
		return c.any(x.Children)
	case x.Class == "BOUND_COMPARISON":
		left, right, op := x.sides()
		return c.compared(left, op, right)
	case x.Class == "BOUND_BETWEEN":
		low, high := x.between()
		return both(c.compared(x.Input, low, x.Lower), c.compared(x.Input, high, x.Upper))
	case x.Class == "BOUND_REF":
		return c.test(x, columns.Bool, func(n int64, _ string) bool { return n != 0 })
	case x.Class == "BOUND_OPERATOR":
		return c.operator(x)
	case x.Class == "BOUND_FUNCTION":
		return c.function(x)
	}
	return nil
}

func both(a, b condition) condition {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(of []columns.View, row int) bool { return a(of, row) && b(of, row) }
}

// all returns the condition that all expressions hold.
func (c *conditions) all(list []*expression) (all condition) {
	for _, x := range list {
		all = both(all, c.of(x))
	}
	return all
}

// any returns the condition that one of the expressions holds, each of which must be known.
func (c *conditions) any(list []*expression) condition {
	var parts []condition
	for _, x := range list {
		part := c.of(x)
		if part == nil {
			return nil
		}
		parts = append(parts, part)
	}
	return func(of []columns.View, row int) bool {
		return slices.ContainsFunc(parts, func(p condition) bool { return p(of, row) })
	}
}

// operator returns the condition of NOT, IS NULL, IS NOT NULL and IN.
func (c *conditions) operator(x *expression) condition {
	if len(x.Children) == 0 {
		return nil
	}
	of := x.Children[0]
	switch x.Type {
	case "OPERATOR_NOT":
		return c.test(of, columns.Bool, func(n int64, _ string) bool { return n == 0 })
	case "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL":
		at, column := c.find(of)
		if column == nil {
			return nil
		}
		present := x.Type == "OPERATOR_IS_NOT_NULL"
		return func(of []columns.View, row int) bool {
			_, _, _, ok := of[at].At(row)
			return ok == present
		}
	case "COMPARE_IN":
		var list []*expression
		for _, value := range x.Children[1:] {
			list = append(list, &expression{Class: "BOUND_COMPARISON", Type: "COMPARE_EQUAL", Left: of, Right: value})
		}
		return c.any(list)
	}
	return nil
}

// function returns the condition of a function of a text and a part of it; DuckDB makes these of simple patterns of LIKE.
func (c *conditions) function(x *expression) condition {
	holds := map[string]func(s, part string) bool{
		"prefix": strings.HasPrefix, "starts_with": strings.HasPrefix, "suffix": strings.HasSuffix, "ends_with": strings.HasSuffix, "contains": strings.Contains,
	}[x.Name]
	if holds == nil || len(x.Children) != 2 {
		return nil
	}
	part, ok := x.Children[1].text()
	if !ok {
		return nil
	}
	return c.test(x.Children[0], columns.Text, func(_ int64, text string) bool { return holds(text, part) })
}

// find returns the place of a column among views, which is added; nil if the expression is no column.
func (c *conditions) find(x *expression) (at int, column *columns.Column) {
	if x == nil || x.Class != "BOUND_REF" {
		return 0, nil
	}
	i := slices.IndexFunc(c.table.Columns, func(o columns.Column) bool { return o.Name == x.column })
	if i < 0 || c.table.Columns[i].Kind > columns.Text || x.column == "recording_id" {
		return 0, nil
	}
	if at = slices.Index(c.columns, x.column); at < 0 {
		at = len(c.columns)
		c.columns = append(c.columns, x.column)
	}
	return at, &c.table.Columns[i]
}

// test returns the condition that a column of a kind has a value which passes a test.
func (c *conditions) test(x *expression, kind columns.Kind, passes func(n int64, text string) bool) condition {
	at, column := c.find(x)
	if column == nil || column.Kind != kind {
		return nil
	}
	return func(of []columns.View, row int) bool {
		n, text, _, ok := of[at].At(row)
		return ok && passes(n, text)
	}
}

// compared returns the condition that a column is compared with a value of its kind.
func (c *conditions) compared(left *expression, op string, right *expression) condition {
	accepts := map[string]func(int) bool{
		"=": func(c int) bool { return c == 0 }, "!=": func(c int) bool { return c != 0 }, "<": func(c int) bool { return c < 0 },
		"<=": func(c int) bool { return c <= 0 }, ">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	}[op]
	if left == nil || right == nil || right.Value == nil || accepts == nil {
		return nil
	}
	asDouble := left.Class == "BOUND_CAST" && left.Returns.ID == "DOUBLE"
	if asDouble {
		left = left.Child
	}
	if f, ok := right.float(); ok && asDouble {
		if whole := c.test(left, columns.Int, func(n int64, _ string) bool { return accepts(cmp.Compare(float64(n), f)) }); whole != nil {
			return whole
		}
		return c.test(left, columns.Uint, func(n int64, _ string) bool { return accepts(cmp.Compare(float64(uint64(n)), f)) })
	}
	switch right.Value.Type.ID {
	case "BIGINT":
		if n, ok := right.int(); ok {
			return c.test(left, columns.Int, func(o int64, _ string) bool { return accepts(cmp.Compare(o, n)) })
		}
	case "TIMESTAMP WITH TIME ZONE":
		if n, ok := right.int(); ok {
			return c.test(left, columns.Time, func(o int64, _ string) bool { return accepts(cmp.Compare(microseconds(o), n)) })
		}
	case "UBIGINT":
		number, _ := right.Value.Value.(json.Number)
		if n, err := strconv.ParseUint(string(number), 10, 64); err == nil {
			return c.test(left, columns.Uint, func(o int64, _ string) bool { return accepts(cmp.Compare(uint64(o), n)) })
		}
	case "DOUBLE":
		if f, ok := right.float(); ok {
			return c.test(left, columns.Double, func(o int64, _ string) bool { return accepts(cmp.Compare(math.Float64frombits(uint64(o)), f)) })
		}
	case "VARCHAR":
		if text, ok := right.text(); ok {
			return c.test(left, columns.Text, func(_ int64, o string) bool { return accepts(strings.Compare(o, text)) })
		}
	}
	return nil
}

// float returns a number in floating point; false for other values.
func (x *expression) float() (f float64, ok bool) {
	if x.Value == nil || x.Value.IsNull || x.Value.Type.ID != "DOUBLE" {
		return 0, false
	}
	number, ok := x.Value.Value.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := number.Float64()
	return f, err == nil
}

// text returns a text; false for other values, and for one with characters that the plan may not have as they are.
func (x *expression) text() (text string, ok bool) {
	if x.Value == nil || x.Value.IsNull || x.Value.Type.ID != "VARCHAR" {
		return "", false
	}
	if x.Value.Value == nil {
		return "", true // one without characters is left out
	}
	text, ok = x.Value.Value.(string)
	return text, ok && !strings.ContainsRune(text, utf8.RuneError) && !strings.ContainsRune(text, 0)
}
