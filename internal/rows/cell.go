package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/lazy"
)

// formulaStart are the first characters of formulas for spreadsheets, with their wide forms,
// and characters that some programs skip before them.
const formulaStart = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"

// number is what a spreadsheet takes for a number instead of a formula.
var number = lazy.Regexp(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// isFormula reports whether a spreadsheet could take a cell for a formula.
func isFormula(cell []byte) bool {
	first, _ := utf8.DecodeRune(cell)
	return len(cell) > 0 && strings.ContainsRune(formulaStart, first) && !number().Match(cell)
}

// appendCell appends the text of a cell. An empty one has quotes in CSV, so that it is not null.
func (r *Row) appendCell(dst, cell []byte) []byte {
	mark := r.safe && isFormula(cell)
	if r.format == TSV {
		if mark {
			dst = append(dst, '\'')
		}
		return appendTSV(dst, cell)
	}
	quotes := needsQuotes(cell)
	if quotes {
		dst = append(dst, '"')
	}
	if mark {
		dst = append(dst, '\'')
	}
	if !quotes {
		return append(dst, cell...)
	}
	for _, c := range cell {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// special are the bytes that need quotes in CSV.
var special = [256]bool{',': true, '"': true, '\n': true, '\r': true}

// endOfData is what PostgreSQL takes for the end of all rows.
const endOfData = `\.`

// needsQuotes reports whether a cell of CSV needs quotes: where encoding/csv writes them, and an
// empty text.
func needsQuotes(cell []byte) bool {
	for _, c := range cell {
		if special[c] {
			return true
		}
	}
	first, _ := utf8.DecodeRune(cell)
	return len(cell) == 0 || unicode.IsSpace(first) || string(cell) == endOfData
}

// appendTSV appends a cell with backslashes for what would end it.
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
