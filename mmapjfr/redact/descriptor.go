package redact

import (
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// editSymbol is edit for names of classes and methods, and their descriptors. What was a descriptor becomes one, if only
// that of a method without parameters, and what was no array does not begin like one: the JDK parses both when it prints
// stack traces.
func (f *field) editSymbol(text string, of rewrite.Values) (string, bool) {
	edited, changed := f.edit(text, of)
	if changed && isDescriptor(text) && !isDescriptor(edited) {
		edited = "()V"
	}
	if changed && strings.HasPrefix(edited, "[") && text[0] != '[' && edited != Marker {
		edited = "_" + edited
	}
	if changed && text[0] == '[' && typeEnd(text, 0) == len(text) && typeEnd(edited, 0) != len(edited) {
		edited = strings.Trim(edited, "[") // an array no more
	}
	return edited, changed && edited != text
}

// isDescriptor reports whether a text is the descriptor of a method, as (Ljava/lang/String;I)V.
func isDescriptor(text string) bool {
	if !strings.HasPrefix(text, "(") {
		return false
	}
	for i := 1; i < len(text); {
		if text[i] == ')' {
			end := typeEnd(text, i+1)
			return end == len(text) && end > i+1
		}
		end := typeEnd(text, i)
		if end == i {
			return false
		}
		i = end
	}
	return false
}

// typeEnd returns where the descriptor of a type ends that begins at i; i if none does.
func typeEnd(text string, i int) int {
	at := run(text, i, func(b byte) bool { return b == '[' })
	switch {
	case at == len(text):
		return i
	case text[at] == 'L':
		if n := strings.IndexByte(text[at:], ';'); n > 1 {
			return at + n + 1
		}
		return i
	case strings.IndexByte("BCDFIJSZV", text[at]) < 0:
		return i
	}
	return at + 1
}
