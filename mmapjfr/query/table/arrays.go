package table

import (
	"math"
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

// ArraysOf returns the first rows of a result. The error is that of its rows.
func ArraysOf(r *query.Result, rows int) (*Arrays, error) {
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
		if a.Rows == rows {
			a.More = true
			break
		}
		a.Rows++
		for i, v := range row {
			a.Columns[i].Values = append(a.Columns[i].Values, plainOf(list[i].share(v)))
		}
	}
	return a, nil
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
	text, _ := appendPlain(nil, v, time.UTC) // frames with their lines
	return string(text)
}
