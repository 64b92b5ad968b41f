package javaname

import (
	"strings"
	"unicode"
)

// Field returns the name of a field of a Go struct as Java programs write it: ID is id, and
// HTTPStatus is httpStatus.
func Field(name string) string {
	runes := []rune(name)
	upper := 0
	for upper < len(runes) && unicode.IsUpper(runes[upper]) {
		upper++
	}
	if upper > 1 && upper < len(runes) && unicode.IsLower(runes[upper]) {
		upper-- // the capital that begins the next word
	}
	return strings.ToLower(string(runes[:upper])) + string(runes[upper:])
}
