// Package rows writes rows for programs, as NDJSON, CSV or TSV. docs/COLUMNS.md has the rules
// for null, numbers, times, lists, quotes and spreadsheets: all verbs share them.
package rows

import (
	"strconv"
	"time"
)

// Format is how rows are written.
type Format uint8

// The formats.
const (
	// NDJSON is an object in each line.
	NDJSON Format = iota
	// CSV is as in RFC 4180, except that lines end in \n, with quotes only where they are needed.
	CSV
	// TSV has tabs between cells.
	TSV
)

// Row makes the text of a row, value by value. It is used again for each row, by one goroutine.
type Row struct {
	format Format
	safe   bool
	heads  [][]byte // what stands before each value
	header []byte

	out  []byte
	at   int // how many values the row, or the innermost open list, has
	form form
	open []list
	cell []byte
}

// form is how values are written.
type form uint8

const (
	inCell form = iota
	inJSON
	inStack // a part of a cell
)

// list is what surrounds a list that is open.
type list struct {
	form form
	at   int
	from int // where the list begins
}

// New returns a row with a value for each name. Safe puts an apostrophe before each cell, and each
// name, of CSV and TSV that a spreadsheet could take for a formula.
func New(f Format, safe bool, names []string) *Row {
	r := &Row{format: f, safe: safe}
	separator := byte(',')
	if f == TSV {
		separator = '\t'
	}
	for i, name := range names {
		var head []byte
		switch {
		case i > 0:
			head = []byte{separator}
		case f == NDJSON:
			head = []byte{'{'}
		}
		if f == NDJSON {
			head = append(AppendString(head, name), ':')
		} else {
			r.header = r.appendCell(append(r.header, head...), []byte(name))
		}
		r.heads = append(r.heads, head)
	}
	return r
}

// Header returns the line of names, without its end; nil for NDJSON.
func (r *Row) Header() []byte { return r.header }

// Begin begins a row after other text.
func (r *Row) Begin(dst []byte) {
	r.out, r.at, r.open, r.form = dst, 0, r.open[:0], inCell
	if r.format == NDJSON {
		r.form = inJSON
	}
}

// End returns the text with the row, without the end of its line.
func (r *Row) End() []byte {
	switch {
	case r.format == NDJSON && len(r.heads) == 0:
		return append(r.out, "{}"...)
	case r.format == NDJSON:
		return append(r.out, '}')
	}
	return r.out
}

// Next begins a value and returns the text so far, to which the caller appends JSON, or what needs
// no quotes, and calls Set.
func (r *Row) Next() []byte {
	switch {
	case len(r.open) == 0:
		r.out = append(r.out, r.heads[r.at]...)
	case r.at > 0 && r.form == inStack:
		r.out = append(r.out, ';')
	case r.at > 0:
		r.out = append(r.out, ',')
	}
	r.at++
	return r.out
}

// Set sets the text so far.
func (r *Row) Set(out []byte) { r.out = out }

// Null writes a value that is absent or unknown: null, or an empty cell.
func (r *Row) Null() {
	if r.out = r.Next(); r.form == inJSON {
		r.out = append(r.out, "null"...)
	}
}

// Bool writes true or false.
func (r *Row) Bool(b bool) { r.out = strconv.AppendBool(r.Next(), b) }

// Int writes a whole number.
func (r *Row) Int(n int64) { r.out = strconv.AppendInt(r.Next(), n, 10) }

// Uint writes a whole number without a sign.
func (r *Row) Uint(n uint64) { r.out = strconv.AppendUint(r.Next(), n, 10) }

// Float writes a number; null for NaN and infinities.
func (r *Row) Float(f float64) {
	at := len(r.Next())
	if r.out = AppendFloat(r.out, f, 64); len(r.out) == at && r.form == inJSON {
		r.out = append(r.out, "null"...)
	}
}

// Time writes a point in time in a layout.
func (r *Row) Time(t time.Time, layout string) {
	if r.out = r.Next(); r.form != inJSON {
		r.out = t.AppendFormat(r.out, layout)
		return
	}
	r.out = append(t.AppendFormat(append(r.out, '"'), layout), '"')
}

// Text writes a text.
func (r *Row) Text(s string) { r.Frame(s, 0) }

// Frame writes a method with its line, if that is greater than 0.
func (r *Row) Frame(method string, line int) {
	switch r.out = r.Next(); r.form {
	case inJSON:
		if r.out = AppendString(r.out, method); line > 0 {
			r.out = append(appendLine(r.out[:len(r.out)-1], line), '"')
		}
	case inCell:
		r.cell = appendLine(append(r.cell[:0], method...), line)
		r.out = r.appendCell(r.out, r.cell)
	default:
		r.out = appendLine(append(r.out, method...), line)
	}
}

func appendLine(dst []byte, line int) []byte {
	if line > 0 {
		return strconv.AppendInt(append(dst, ':'), int64(line), 10)
	}
	return dst
}

// Cell writes a cell of CSV or TSV.
func (r *Row) Cell(text []byte) { r.out = r.appendCell(r.Next(), text) }

// List begins a list, whose values follow, and EndList: an array of JSON, also in a cell.
func (r *Row) List() { r.begin(inJSON) }

// Stack begins a stack trace, which is a list; in a cell its frames have semicolons between them.
func (r *Row) Stack() { r.begin(inStack) }

func (r *Row) begin(f form) {
	r.Next()
	r.open = append(r.open, list{r.form, r.at, len(r.out)})
	if r.form != inCell || f == inJSON {
		f = inJSON
		r.out = append(r.out, '[')
	}
	r.form, r.at = f, 0
}

// EndList ends a list or a stack trace.
func (r *Row) EndList() {
	if r.form == inJSON {
		r.out = append(r.out, ']')
	}
	l := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if r.form, r.at = l.form, l.at; r.form == inCell {
		r.cell = append(r.cell[:0], r.out[l.from:]...)
		r.out = r.appendCell(r.out[:l.from], r.cell)
	}
}

// Value returns the text of one value as a cell has it, without quotes.
func Value(add func(r *Row)) string {
	r := Row{format: CSV, heads: [][]byte{nil}}
	r.Stack()
	add(&r)
	return string(r.out)
}
