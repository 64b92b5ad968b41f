package print

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

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
