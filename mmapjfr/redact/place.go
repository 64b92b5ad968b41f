package redact

import (
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// place selects fields by globs of the names of type and field.
type place struct{ typ, field string }

// parsePlace reads TYPE or TYPE:FIELD.
func parsePlace(text string) place {
	typ, field, ok := strings.Cut(text, ":")
	if !ok {
		field = "*"
	}
	return place{typ, field}
}

// matches reports whether a field is among those that are selected: by its name, or by its path in a struct.
func (p place) matches(of rewrite.Place) bool {
	return p.matchesType(of.Type) && (matchGlob(p.field, of.Field) || matchGlob(p.field, of.Field[strings.LastIndexByte(of.Field, '.')+1:]))
}

// matchesType reports whether a type is selected. The prefix jdk. need not be written.
func (p place) matchesType(name string) bool {
	if matchGlob(p.typ, name) {
		return true
	}
	short, ok := strings.CutPrefix(name, "jdk.")
	return ok && !strings.Contains(p.typ, ".") && matchGlob(p.typ, short)
}

// condition is about another field of the same event or constant: its text matches one of some globs, in any case.
type condition struct {
	field string
	globs []string // in lower case
}

// holds reports whether the condition holds; nil always does.
func (c *condition) holds(of rewrite.Values) bool {
	if c == nil {
		return true
	}
	if of == nil {
		return false
	}
	text, ok := of.Text(c.field)
	return ok && matchesAny(c.globs, strings.ToLower(shortKey(text)))
}

// shortKey returns the start of a text that is asked about for each event: so the work does not grow with its length.
func shortKey(text string) string {
	const longest = 4 << 10
	return text[:min(len(text), longest)]
}

// matchesAny reports whether one of some globs matches a text.
func matchesAny(globs []string, text string) bool {
	for _, g := range globs {
		if matchGlob(g, text) {
			return true
		}
	}
	return false
}

// matchGlob reports whether a glob matches a text: * stands for any characters, ? for one byte.
func matchGlob(glob, text string) bool {
	star, again := -1, 0 // the last * and where what it stands for ends
	g, t := 0, 0
	for t < len(text) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, again = g, t
			g++
		case g < len(glob) && (glob[g] == '?' || glob[g] == text[t]):
			g, t = g+1, t+1
		case star >= 0:
			again++
			g, t = star+1, again
		default:
			return false
		}
	}
	return strings.Trim(glob[g:], "*") == ""
}
