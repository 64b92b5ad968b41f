package metadata

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// compareAsJDK orders types as the JDK lists them: by what they are for, then by
// package, then by name.
func compareAsJDK(a, b Type) int {
	return cmp.Or(
		cmp.Compare(a.group(), b.group()),
		compareUTF16(packageOf(a.Name), packageOf(b.Name)),
		compareUTF16(a.Name, b.Name))
}

// group tells what the type is for, as a place in the list.
func (t *Type) group() int {
	switch t.Super {
	case "":
		return 0
	case jdktypes.Annotation:
		return 2
	case jdktypes.Setting:
		return 3
	case jdktypes.Event:
		return 4
	}
	return 1
}

// compareUTF16 orders texts by their UTF-16 code units, as Java does.
func compareUTF16(a, b string) int {
	if a == b {
		return 0
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// packageOf returns the name up to the last dot, with it.
func packageOf(name string) string { return name[:strings.LastIndexByte(name, '.')+1] }

// simpleName returns the name without its package.
func simpleName(name string) string { return name[len(packageOf(name)):] }
