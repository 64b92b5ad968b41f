package javaname

import (
	"strings"
	"unicode"
	"unicode/utf8"
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

// LastPackage returns where the name of a class begins after its packages. The part of hidden
// classes after their last slash or plus is no name.
func LastPackage(name string) int {
	end := len(name)
	if i := strings.IndexAny(name, "+"); i >= 0 {
		end = i
	} else if i := strings.LastIndexByte(name, '/'); i >= 0 && i+1 < len(name) && '0' <= name[i+1] && name[i+1] <= '9' {
		end = i
	}
	return strings.LastIndexByte(name[:end], '/') + 1
}

// IsClass reports whether a text looks like the name of a class of Java: its last part is in upper
// case, as that of no library and of no package of another language.
func IsClass(name string) bool {
	simple := name[LastPackage(name):]
	if i := strings.IndexAny(simple, "$/+"); i > 0 {
		simple = simple[:i]
	}
	if i := strings.LastIndexByte(simple, '.'); i >= 0 {
		simple = simple[i+1:]
	}
	first, _ := utf8.DecodeRuneInString(simple)
	return unicode.IsUpper(first) || first == '$' || first == '_'
}

// SourceFile returns the file in which a method of a class most likely is, which recordings do not name; ""
// for functions, which have no descriptor.
func SourceFile(class, descriptor string) string {
	if descriptor == "" {
		return ""
	}
	class, _, _ = strings.Cut(Stable(class), "$")
	return class + ".java"
}
