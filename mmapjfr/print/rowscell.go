package print

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// formulaStart are the characters by which spreadsheets take a cell for a formula, the
// wide ones among them, and those that some programs skip before they look.
const formulaStart = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"

// number is what a spreadsheet takes for a number, not for a formula.
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

// endOfData is what Postgres takes for the end of all rows.
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
