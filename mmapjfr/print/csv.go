package print

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// csvRenderer writes each event as a row of cells: CSV as in RFC 4180, with lines
// that end in \n; TSV with \t, \n, \r and \\ for what would end a cell.
//
// Values are plain ones, see plain.go. Threads and thread groups are their names, class
// loaders theirs or that of their class. A stack trace, and its field frames, are the
// frames with semicolons between them, the innermost first. All other structs and arrays
// are as in NDJSON. The cell of an absent value is empty.
type csvRenderer struct {
	json      *jsonRenderer
	columns   []column
	separator byte
	cell      []byte
}

func newCSV(o *Options, columns []column) *csvRenderer {
	r := &csvRenderer{json: newNDJSON(o, nil), columns: slices.Clone(columns), separator: ','}
	if o.Format == TSV {
		r.separator = '\t'
	}
	return r
}

// csvText is the depth of cached texts of cells, which are not those in JSON.
const csvText = ndjsonEvent

func (r *csvRenderer) append(dst []byte, it *item) []byte {
	r.json.enter(nil, it.event)
	for i := range r.columns {
		if i > 0 {
			dst = append(dst, r.separator)
		}
		r.cell = r.cell[:0]
		if v := it.event.Get(r.columns[i].path); v.Kind() != mmapjfr.KindNone {
			r.cell = r.appendValue(r.cell, r.columns[i].templateOf(v), v)
		}
		dst = r.appendCell(dst, r.cell)
	}
	return append(dst, '\n')
}

func (r *csvRenderer) appendValue(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch v.Kind() {
	case mmapjfr.KindString:
		return v.AppendStr(dst)
	case mmapjfr.KindStruct:
		if s.constant {
			return r.appendConstant(dst, s, v)
		}
		return r.appendStruct(dst, s, v)
	case mmapjfr.KindArray:
		if s.frames {
			return r.appendFrames(dst, v)
		}
		return r.json.appendArray(dst, s, v, ndjsonStruct)
	}
	return r.json.clock.appendPlain(dst, s, v)
}

func (r *csvRenderer) appendConstant(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	key := constKey{s.field.Type(), v.Key(), csvText}
	return r.json.constants.appendBounded(dst, key, "", func(dst []byte) ([]byte, bool) {
		return r.appendStruct(dst, s, v), true
	})
}

func (r *csvRenderer) appendStruct(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch v.Type().CurrentName() {
	case jdktypes.Thread:
		return append(dst, v.Thread().Name()...)
	case jdktypes.ThreadGroup:
		return v.Get(pathName).AppendStr(dst)
	case jdktypes.Class:
		return append(dst, v.Class().JavaName()...)
	case jdktypes.ClassLoader:
		return appendLoader(dst, v.ClassLoader())
	case jdktypes.Method:
		return v.Method().AppendSignature(dst)
	case jdktypes.StackFrame:
		return r.appendFrame(dst, v)
	case jdktypes.StackTrace:
		return r.appendFrames(dst, v.Get(pathFrames))
	}
	return r.json.appendStruct(dst, s, v, ndjsonStruct)
}

// appendFrames appends the frames of a stack trace.
func (r *csvRenderer) appendFrames(dst []byte, frames mmapjfr.Value) []byte {
	n := 0
	for e := range frames.Elements() {
		if n == r.json.options.StackDepth {
			break
		}
		if n > 0 {
			dst = append(dst, ';')
		}
		n++
		dst = r.appendFrame(dst, e)
	}
	return dst
}

// appendFrame appends a stack frame: its method and its line.
func (r *csvRenderer) appendFrame(dst []byte, v mmapjfr.Value) []byte {
	frame := v.Frame()
	method := v.Get(pathMethod)
	key := constKey{method.Type(), method.Key(), csvText}
	dst = r.json.constants.append(dst, key, frame.Method().AppendSignature)
	return appendLine(dst, frame)
}

// appendCell appends a cell, with quotes or escapes where it needs them.
func (r *csvRenderer) appendCell(dst, cell []byte) []byte {
	if r.json.options.SpreadsheetSafe && isFormula(cell) {
		cell = append([]byte{'\''}, cell...)
	}
	if r.separator == '\t' {
		return appendTSV(dst, cell)
	}
	return appendCSV(dst, cell)
}

// header returns the line of titles.
func (r *csvRenderer) header() string {
	var line []byte
	for i, c := range r.columns {
		if i > 0 {
			line = append(line, r.separator)
		}
		line = r.appendCell(line, []byte(c.title))
	}
	return string(append(line, '\n'))
}

// formulaStart are the first characters of formulas for spreadsheets, with their wide forms,
// and characters that some programs skip before them.
const formulaStart = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"

// number is what a spreadsheet takes for a number instead of a formula.
var number = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// isFormula reports whether a spreadsheet could take the cell for a formula.
func isFormula(cell []byte) bool {
	first, _ := utf8.DecodeRune(cell)
	return len(cell) > 0 && strings.ContainsRune(formulaStart, first) && !number.Match(cell)
}

// appendCSV appends a cell, in quotes where encoding/csv writes quotes.
func appendCSV(dst, cell []byte) []byte {
	first, _ := utf8.DecodeRune(cell)
	if !unicode.IsSpace(first) && !bytes.ContainsAny(cell, ",\"\n\r") && string(cell) != endOfData {
		return append(dst, cell...)
	}
	dst = append(dst, '"')
	for _, c := range cell {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// endOfData is what PostgreSQL takes for the end of all rows.
const endOfData = `\.`

// appendTSV appends a cell without tabs and ends of lines.
func appendTSV(dst, cell []byte) []byte {
	for _, c := range cell {
		switch c {
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\\':
			dst = append(dst, `\\`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
