package table

import (
	"math"
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/internal/rows"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// lines writes the rows of a result as lines: NDJSON, CSV or TSV.
func (w *Writer) lines(r *query.Result) error {
	f := map[Format]rows.Format{NDJSON: rows.NDJSON, CSV: rows.CSV, TSV: rows.TSV}[w.o.Format]
	line := rows.New(f, w.o.SpreadsheetSafe, columnNames(r))
	if header := string(line.Header()); f != rows.NDJSON && (!w.o.OneHeading || w.names != header) {
		w.names = header
		w.out.WriteString(header + "\n")
	}
	_, err := w.eachLine(r, line, func(_ int, text []byte) { w.out.Write(append(text, '\n')) })
	return err
}

// eachLine visits the text of each row, and returns how many there are.
func (w *Writer) eachLine(r *query.Result, line *rows.Row, visit func(n int, text []byte)) (n int, err error) {
	var text []byte
	err = eachRow(r, w.o.Zone, func(list []texts, row []query.Value) {
		line.Begin(text[:0])
		for i, v := range row {
			addValue(line, list[i].share(v), w.o.Zone)
		}
		text = line.End()
		visit(n, text)
		n++
	})
	return n, err
}

// addValue adds a value to a row.
func addValue(row *rows.Row, v query.Value, zone *time.Location) {
	switch v.Kind() {
	case query.Null:
		row.Null()
	case query.Bool:
		row.Bool(v.Bool())
	case query.Unsigned:
		row.Uint(v.Uint())
	case query.Int:
		row.Int(v.Int())
	case query.Float:
		row.Float(v.Float())
	case query.Timespan:
		if v.Int() == math.MinInt64 {
			row.Null()
			return
		}
		row.Int(v.Int())
	case query.Timestamp:
		row.Time(v.Time().In(zone), jsonout.Time)
	case query.Stack, query.List:
		if v.Kind() == query.Stack {
			row.Stack()
		} else {
			row.List()
		}
		for _, e := range v.Elements() {
			addValue(row, e, zone)
		}
		row.EndList()
	default:
		row.Frame(v.Text(), v.Line())
	}
}

// unitName returns what the numbers of a column count, and what its times are.
func unitName(c *query.Column) string {
	name := ""
	switch {
	case c.Format.Normalized:
		return "fraction"
	case c.Kind == query.Timespan:
		return "nanoseconds"
	case c.Unit == mmapjfr.Bytes:
		name = "bytes"
	case c.Unit == mmapjfr.Bits:
		name = "bits"
	case c.Unit == mmapjfr.Percentage:
		return "fraction"
	case c.Unit == mmapjfr.Hertz:
		return "hertz"
	case c.Unit == mmapjfr.Address:
		return "address"
	}
	if c.Rate && name != "" {
		name += " per second"
	}
	return name
}
