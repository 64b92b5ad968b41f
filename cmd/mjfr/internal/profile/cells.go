package profile

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/rows"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// cell returns a number of a column.
func cell(c profile.Column, n int64) terminal.Cell {
	switch c.Kind.Values[c.Value].Unit {
	case profile.Bytes:
		return terminal.Size(uint64(n))
	case profile.Nanoseconds:
		return terminal.Cell{Text: terminal.ShortDuration(time.Duration(n)), Raw: strconv.FormatInt(n, 10)}
	}
	return terminal.Count(uint64(n))
}

// unitText returns the unit of a column, as tables for programs name it, or what it counts.
func unitText(c profile.Column) string {
	switch value := c.Kind.Values[c.Value]; value.Unit {
	case profile.Nanoseconds:
		return "ns"
	case profile.Count:
		return value.Name
	default:
		return string(value.Unit)
	}
}

// share returns what part of a sum a number is.
func share(n, sum int64) terminal.Cell {
	if sum == 0 {
		return terminal.Cell{}
	}
	return terminal.Share(float64(n) / float64(sum))
}

// writeCSV writes the table as CSV.
func (v *verb) writeCSV(w io.Writer, top []profile.TopRow) error {
	var names []string
	for _, l := range v.key {
		names = append(names, l.Name)
	}
	names = append(names, v.by, "self", "total")
	row := rows.New(rows.CSV, v.spreadsheetSafe, names)
	out := bufio.NewWriter(w)
	if v.newTitles(names...) {
		_, _ = out.Write(append(row.Header(), '\n')) // Flush returns errors
	}
	for _, r := range top {
		row.Begin(out.AvailableBuffer())
		for _, l := range v.key {
			row.Text(l.Value)
		}
		row.Text(r.Name)
		row.Int(r.Self)
		row.Int(r.Total)
		_, _ = out.Write(append(row.End(), '\n'))
	}
	return out.Flush()
}

// newTitles reports whether columns need their titles: not below a table of another key with the
// same.
func (v *verb) newTitles(titles ...string) bool {
	last := v.titles
	v.titles = strings.Join(titles, "\t")
	return len(v.key) == 0 || v.titles != last
}

// writeTable writes a table. For programs each row begins with the labels of the key.
func (v *verb) writeTable(w io.Writer, columns []terminal.Column, rows [][]terminal.Cell) error {
	var titles []string
	if !v.Style.Aligned {
		var first []terminal.Column
		var values []terminal.Cell
		for _, l := range v.key {
			first, values = append(first, terminal.Column{Title: l.Name}), append(values, terminal.Plain(l.Value))
		}
		columns = append(first, columns...)
		for i, row := range rows {
			rows[i] = append(slices.Clip(values), row...)
		}
		for _, c := range columns {
			titles = append(titles, c.Title+c.Unit)
		}
	}
	t := terminal.NewTable(columns...)
	if titles != nil && !v.newTitles(titles...) {
		t.Untitled()
	}
	for _, row := range rows {
		t.Row(row...)
	}
	return t.Write(w, v.Style)
}
