package profile

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
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

// writeCSV writes the table for spreadsheets.
func (v *verb) writeCSV(w io.Writer, rows []profile.TopRow) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{v.by, "self", "total"}) // Flush returns errors
	for _, r := range rows {
		_ = out.Write([]string{r.Name, strconv.FormatInt(r.Self, 10), strconv.FormatInt(r.Total, 10)})
	}
	out.Flush()
	return out.Error()
}
