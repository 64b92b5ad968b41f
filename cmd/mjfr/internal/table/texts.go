package table

import (
	"bytes"
	"cmp"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// texts makes the texts that people read of the values of a column.
type texts struct {
	column *query.Column
	zone   *time.Location
	total  float64 // of a column that is shown in shares
}

// textsOf returns the texts of all columns. It reads the rows if columns are shown in shares.
func textsOf(r *query.Result, zone *time.Location) ([]texts, error) {
	list := make([]texts, len(r.Columns))
	shares := false
	for i := range r.Columns {
		list[i] = texts{column: &r.Columns[i], zone: zone}
		shares = shares || r.Columns[i].Format.Normalized
	}
	if !shares {
		return list, nil
	}
	for row, err := range allRows(r) {
		if err != nil {
			return nil, err
		}
		for i := range list {
			if isNumber(row[i]) {
				list[i].total += row[i].Float()
			}
		}
	}
	return list, nil
}

// allRows returns the rows that widths and sums are taken from.
func allRows(r *query.Result) iter.Seq2[[]query.Value, error] {
	if r.All != nil {
		return r.All
	}
	return r.Rows
}

// firstRow returns the first of some rows.
func firstRow(rows iter.Seq2[[]query.Value, error]) iter.Seq2[[]query.Value, error] {
	return func(yield func([]query.Value, error) bool) {
		for row, err := range rows {
			yield(row, err)
			return
		}
	}
}

// isNumber reports whether a value can have a share. The JDK gives lengths of time none, but its
// views have no such column.
func isNumber(v query.Value) bool {
	switch v.Kind() {
	case query.Int, query.Unsigned, query.Float, query.Timespan:
		return true
	}
	return false
}

// share returns a number of a column that is shown in shares as one of 1, and other values as they
// are.
func (t *texts) share(v query.Value) query.Value {
	if t.column.Format.Normalized && isNumber(v) {
		return query.NewValue(v.Float() / t.total)
	}
	return v
}

// eachRow visits the rows of a result.
func eachRow(r *query.Result, zone *time.Location, visit func(list []texts, row []query.Value)) error {
	list, err := textsOf(r, zone)
	if err != nil {
		return err
	}
	for row, err := range r.Rows {
		if err != nil {
			return err
		}
		visit(list, row)
	}
	return nil
}

// lines returns the text of a value for pages. Lists and stack traces have an element on each of
// at most height lines; 0 is as many as the column says.
func (t *texts) lines(v query.Value, height int, escape func(string) string, between string) string {
	height = cmp.Or(height, t.column.Format.CellHeight)
	if height < 2 || v.Kind() != query.Stack && v.Kind() != query.List {
		return escape(string(t.onPage(nil, v)))
	}
	var list []string
	for _, e := range v.Elements() {
		if len(list) == height {
			break
		}
		list = append(list, escape(string(t.onPage(nil, e))))
	}
	return strings.Join(list, between)
}

// append appends the text of a value; short is the form of it that is tried where there is no room.
func (t *texts) append(dst []byte, v query.Value, short bool) []byte {
	switch v.Kind() {
	case query.Null:
		return t.appendMissing(dst)
	case query.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case query.Int, query.Unsigned, query.Float:
		if short { // the JDK forgets to divide here
			return t.appendNumber(dst, v)
		}
		return t.appendNumber(dst, t.share(v))
	case query.Timespan:
		return t.appendNumber(dst, t.share(v))
	case query.Timestamp:
		return v.Time().In(t.zone).AppendFormat(dst, "15:04:05")
	case query.Stack:
		return t.append(dst, v.Top(), short)
	case query.List:
		for i, e := range v.Elements() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = t.append(dst, e, short)
		}
		return dst
	case query.Text:
		return appendWithoutBreaks(dst, v.Text())
	}
	if short {
		return appendShort(dst, v)
	}
	return append(dst, v.Text()...)
}

func (t *texts) appendMissing(dst []byte) []byte {
	if t.column.Format.Missing == "" {
		return append(dst, "N/A"...)
	}
	return append(dst, t.column.Format.Missing...)
}

func (t *texts) appendNumber(dst []byte, v query.Value) []byte {
	unit, digits := t.column.Unit, -1
	if t.column.Format.Normalized {
		unit = mmapjfr.Percentage
	}
	if t.column.Format.Millis {
		digits = t.column.Format.MillisDigits
	}
	if f := v.Float(); t.column.Significant && v.Kind() == query.Float && unit == mmapjfr.NoUnit && f != 0 && math.Abs(f) < 1 {
		return strconv.AppendFloat(dst, f, 'g', 3, 64)
	}
	n := len(dst)
	if dst = query.AppendNumber(dst, v, unit, t.column.Rate, digits); len(dst) == n {
		return t.appendMissing(dst)
	}
	return dst
}

// appendWithoutBreaks appends a text with blanks for ends of lines and tabs.
func appendWithoutBreaks(dst []byte, text string) []byte {
	at := len(dst)
	dst = append(dst, text...)
	for i, c := range dst[at:] {
		if c == '\n' || c == '\r' || c == '\t' {
			dst[at+i] = ' '
		}
	}
	return dst
}

// appendShort appends a method without its parameters, or the name of a class without its package.
func appendShort(dst []byte, v query.Value) []byte {
	at := len(dst)
	dst = append(dst, v.Text()...)
	switch v.Kind() {
	case query.Method, query.Frame:
		open := bytes.LastIndexByte(dst[at:], '(')
		if open >= 0 && !bytes.HasSuffix(dst, []byte("()")) {
			dst = append(dst[:at+open+1], "...)"...)
		}
	case query.Class, query.ClassLoader:
		name := dst[at:]
		dst = append(dst[:at], name[bytes.LastIndexByte(name, '.')+1:]...)
	}
	return dst
}
