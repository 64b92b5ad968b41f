package table

import (
	"math"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// JSON, NDJSON, CSV and TSV have the values that package print writes in NDJSON and CSV: points in
// time as in RFC 3339 with nine digits after the point, lengths of time in nanoseconds, amounts in
// bytes or bits, and percentages as fractions of 1; so are shares of a sum. A stack frame is its
// method, a colon and its line. What is absent is null or an empty cell.

// appendPlain appends what is no list and no stack trace, without quotes; nothing if it is absent.
// Quoted is set if it is a text.
func appendPlain(dst []byte, v query.Value, zone *time.Location) (text []byte, quoted bool) {
	switch v.Kind() {
	case query.Null:
		return dst, false
	case query.Bool:
		return strconv.AppendBool(dst, v.Bool()), false
	case query.Unsigned:
		return strconv.AppendUint(dst, v.Uint(), 10), false
	case query.Int:
		return strconv.AppendInt(dst, v.Int(), 10), false
	case query.Float:
		return jsonout.AppendFloat(dst, v.Float(), 64), false
	case query.Timespan:
		if v.Int() == math.MinInt64 {
			return dst, false
		}
		return strconv.AppendInt(dst, v.Int(), 10), false
	case query.Timestamp:
		return v.Time().In(zone).AppendFormat(dst, jsonout.Time), true
	case query.Frame:
		if dst = append(dst, v.Text()...); v.Line() > 0 {
			dst = strconv.AppendInt(append(dst, ':'), int64(v.Line()), 10)
		}
		return dst, true
	}
	return append(dst, v.Text()...), true
}

// appendCell appends the text of a cell of CSV or TSV. A semicolon is between frames, and between
// values of lists.
func appendCell(dst []byte, v query.Value, zone *time.Location) []byte {
	if v.Kind() != query.Stack && v.Kind() != query.List {
		dst, _ = appendPlain(dst, v, zone)
		return dst
	}
	for i, e := range v.Elements() {
		if i > 0 {
			dst = append(dst, ';')
		}
		dst = appendCell(dst, e, zone)
	}
	return dst
}

func appendJSON(dst []byte, v query.Value, zone *time.Location) []byte {
	if v.Kind() == query.Stack || v.Kind() == query.List {
		dst = append(dst, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, e, zone)
		}
		return append(dst, ']')
	}
	at := len(dst)
	dst, quoted := appendPlain(dst, v, zone)
	switch {
	case quoted:
		return jsonout.AppendString(dst[:at], string(dst[at:]))
	case len(dst) == at:
		return append(dst, "null"...)
	}
	return dst
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
