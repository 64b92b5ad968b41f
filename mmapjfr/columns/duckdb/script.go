package duckdb

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token of a script is.
type kind uint8

const (
	space  kind = iota // and comments
	word               // a name without quotes, or a word of the language
	quoted             // a name in double quotes
	text               // in single quotes, or between dollars
	symbol
)

type token struct {
	kind kind
	// value is the name or the text, without its quotes, and the rest of the script as it is written.
	value      string
	begin, end int
}

// scan calls do with the tokens of a script, in order. What has no end goes to the end of the script.
func scan(script string, do func(token)) {
	for at := 0; at < len(script); {
		t := next(script, at)
		do(t)
		at = t.end
	}
}

func next(script string, at int) token {
	rest := script[at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r):
		return token{space, rest[:size], at, at + size}
	case strings.HasPrefix(rest, "--"):
		return token{space, "", at, at + upTo(rest, "\n")}
	case strings.HasPrefix(rest, "/*"):
		return token{space, "", at, at + 2 + upTo(rest[2:], "*/")}
	case r == '"':
		value, n := inQuotes(rest, '"')
		return token{quoted, value, at, at + n}
	case r == '\'':
		value, n := inQuotes(rest, '\'')
		return token{text, value, at, at + n}
	case (r == 'e' || r == 'E') && strings.HasPrefix(rest[1:], "'"):
		value, n := escaped(rest[1:])
		return token{text, value, at, at + 1 + n}
	case r == '$':
		if end := strings.IndexByte(rest[1:], '$'); end >= 0 && strings.IndexFunc(rest[1:1+end], func(r rune) bool { return !isPart(r) }) < 0 {
			tag := rest[:end+2]
			n := len(tag) + upTo(rest[len(tag):], tag)
			return token{text, strings.TrimSuffix(rest[len(tag):n], tag), at, at + n}
		}
	case isPart(r) && !unicode.IsDigit(r):
		n := strings.IndexFunc(rest, func(r rune) bool { return !isPart(r) && r != '$' })
		if n < 0 {
			n = len(rest)
		}
		return token{word, rest[:n], at, at + n}
	}
	return token{symbol, rest[:size], at, at + size}
}

func isPart(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// upTo returns the number of bytes up to the end of a mark.
func upTo(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

// inQuotes returns what stands in quotes, of which two are one, and how many bytes it takes.
func inQuotes(text string, quote byte) (value string, n int) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] == quote {
			if i+1 == len(text) || text[i+1] != quote {
				return b.String(), i + 1
			}
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), len(text)
}

// escaped returns a text with backslashes, which protect quotes.
func escaped(text string) (value string, n int) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'':
			if i+1 == len(text) || text[i+1] != '\'' {
				return text[1:i], i + 1
			}
			i++
		}
	}
	return text[1:], len(text)
}

// Statements returns the statements of a script, without the semicolons between them and those that are empty.
func Statements(script string) (list []string) {
	begin, empty := 0, true
	end := func(at int) {
		if !empty {
			list = append(list, strings.TrimSpace(script[begin:at]))
		}
		empty = true
	}
	scan(script, func(t token) {
		switch {
		case t.kind == symbol && t.value == ";":
			end(t.begin)
			begin = t.end
		case t.kind != space:
			empty = false
		}
	})
	end(len(script))
	return list
}

// IsComplete reports whether a script ends with a semicolon, maybe with space after it, or holds nothing.
func IsComplete(script string) bool {
	complete := true
	scan(script, func(t token) {
		if t.kind != space {
			complete = t.kind == symbol && t.value == ";"
		}
	})
	return complete
}

// IsQuery reports whether a statement has rows that DESCRIBE can describe.
func IsQuery(statement string) (is bool) {
	first := true
	scan(statement, func(t token) {
		if t.kind == space || t.kind == symbol && t.value == "(" || !first {
			return
		}
		first = false
		switch strings.ToUpper(t.value) {
		case "SELECT", "FROM", "WITH", "VALUES", "TABLE":
			is = t.kind == word
		}
	})
	return is
}

// names calls do with all names in a script that could be those of tables, views and macros, in lower case: single
// ones and such with points. Texts count, too, because DuckDB takes them for names in places.
func names(script string, do func(name string)) {
	before, pointed := "", false
	scan(script, func(t token) {
		switch {
		case t.kind == space:
		case t.kind == symbol:
			pointed = t.value == "." && before != ""
			if !pointed {
				before = ""
			}
		default:
			name := strings.ToLower(t.value)
			do(name)
			if pointed {
				name = before + "." + name
				do(name)
			}
			before, pointed = name, false
		}
	})
}
