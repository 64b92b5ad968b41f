package table

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// Arrays are a result as columns, for programs that draw it. They hold no part of a recording.
type Arrays struct {
	Title   string  `json:"title"`
	Form    bool    `json:"form"`
	Columns []Array `json:"columns"`
	// Rows is how many values each column has, and More is set if there are more.
	Rows  int      `json:"rows"`
	More  bool     `json:"more"`
	Notes []string `json:"notes,omitempty"`
}

// Array is a column with its values: a bool, a number, a string, a list of strings, or nil. A length of time is in
// nanoseconds, or the text "forever"; a point in time is in milliseconds since 1970. Shares are numbers up to 1.
type Array struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Kind  string `json:"kind"`
	Unit  string `json:"unit"` // "" if numbers have no unit
	// Rate is set if numbers are per second, and Left if values begin at the left.
	Rate   bool  `json:"rate"`
	Left   bool  `json:"left"`
	Values []any `json:"values"`
}

// ErrTooLong says that a row of an answer has more text than is asked for.
var ErrTooLong = errors.New("a row has too much text: select fewer columns, or no lists of stack traces")

// ArraysOf returns the first rows of a result: at most that number, and as many as have at most
// that many bytes of text. The error is that of the rows, [ErrTooLong] if not even one row fits, or
// the cause of the context when that ends.
func ArraysOf(ctx context.Context, r *query.Result, rows, text int) (*Arrays, error) {
	a := &Arrays{Title: r.Title, Form: r.Form, Notes: r.Notes, Columns: []Array{}}
	list, err := textsOf(r, time.UTC)
	if err != nil {
		return nil, err
	}
	names := columnNames(r)
	for i := range r.Columns {
		c := &r.Columns[i]
		unit, rate := strings.CutSuffix(unitName(c), " per second")
		a.Columns = append(a.Columns, Array{
			Name: names[i], Title: c.Title, Kind: c.Kind.String(), Unit: unit, Rate: rate, Left: c.Layout.Left, Values: []any{},
		})
	}
	for row, err := range r.Rows {
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if a.Rows == rows || text <= 0 {
			a.More = true
			break
		}
		for i, v := range row {
			plain := plainOf(list[i].share(v))
			a.Columns[i].Values = append(a.Columns[i].Values, plain)
			if text -= textLen(plain); text < 0 && a.Rows == 0 {
				return nil, ErrTooLong
			}
		}
		a.Rows++
	}
	return a, nil
}

// textLen returns how many bytes of text a value has, more or less.
func textLen(plain any) (n int) {
	switch v := plain.(type) {
	case string:
		return len(v)
	case []any:
		for _, one := range v {
			n += textLen(one) + 16
		}
	}
	return n
}

// plainOf returns a value as [Array] has it.
func plainOf(v query.Value) any {
	switch v.Kind() {
	case query.Null:
		return nil
	case query.Bool:
		return v.Bool()
	case query.Int:
		return v.Int()
	case query.Unsigned:
		return v.Uint()
	case query.Float:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
		return v.String()
	case query.Timespan:
		switch v.Timespan() {
		case mmapjfr.Forever:
			return "forever"
		case mmapjfr.NoDuration:
			return nil
		}
		return int64(v.Timespan())
	case query.Timestamp:
		return float64(v.Int()) / 1e6
	case query.Stack, query.List:
		list := []any{}
		for _, e := range v.Elements() {
			list = append(list, plainOf(e))
		}
		return list
	}
	if v.Line() > 0 {
		return v.Text() + ":" + strconv.Itoa(v.Line())
	}
	return v.Text()
}
