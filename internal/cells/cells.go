// Package cells writes cells of CSV and TSV.
package cells

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/lazy"
)

// Append appends a cell: of CSV as in RFC 4180, or of TSV, with \t, \n, \r and \\ for what
// would end a cell, if the separator is a tab. Quotes are written only where they are needed.
func Append(dst, cell []byte, separator byte) []byte {
	if separator == '\t' {
		return appendTSV(dst, cell)
	}
	return appendCSV(dst, cell)
}

// formulaStart are the first characters of formulas for spreadsheets, with their wide forms,
// and characters that some programs skip before them.
const formulaStart = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"

// number is what a spreadsheet takes for a number instead of a formula.
var number = lazy.Regexp(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// Defused returns a cell with an apostrophe before it if a spreadsheet could take it for a
// formula, and else as it is.
func Defused(cell []byte) []byte {
	if isFormula(cell) {
		return append([]byte{'\''}, cell...)
	}
	return cell
}

// isFormula reports whether a spreadsheet could take the cell for a formula.
func isFormula(cell []byte) bool {
	first, _ := utf8.DecodeRune(cell)
	return len(cell) > 0 && strings.ContainsRune(formulaStart, first) && !number().Match(cell)
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

// tsvEscapes are the letters by which TSV escapes what would end a cell.
var tsvEscapes = [256]byte{'\t': 't', '\n': 'n', '\r': 'r', '\\': '\\'}

// appendTSV appends a cell without tabs and ends of lines.
func appendTSV(dst, cell []byte) []byte {
	for _, c := range cell {
		if letter := tsvEscapes[c]; letter != 0 {
			dst, c = append(dst, '\\'), letter
		}
		dst = append(dst, c)
	}
	return dst
}
