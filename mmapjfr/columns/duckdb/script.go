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

// Statement is a statement of a script.
type Statement struct {
	// Text is as it is written, without the semicolon at its end, and Line is the number of its first line in the script.
	Text string
	Line int
}

// Split returns the statements of a script without those that are empty.
func Split(script string) (list []Statement) {
	begin, empty := 0, true
	end := func(at int) {
		if !empty {
			text := strings.TrimLeftFunc(script[begin:at], unicode.IsSpace)
			list = append(list, Statement{strings.TrimSpace(text), 1 + strings.Count(script[:at-len(text)], "\n")})
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

// Statements returns the texts of the statements of a script.
func Statements(script string) (list []string) {
	for _, s := range Split(script) {
		list = append(list, s.Text)
	}
	return list
}

// Endless returns what has no end in a statement, as in "string", and where it begins; "" if all have one.
func Endless(statement string) (what string, at int) {
	scan(statement, func(t token) {
		if t.end < len(statement) {
			return
		}
		written := statement[t.begin:t.end]
		switch {
		case strings.HasPrefix(written, "/*") && (len(written) < 4 || !strings.HasSuffix(written, "*/")):
			what, at = "comment", t.begin
		case t.kind == quoted && !isClosed(written, '"'):
			what, at = "name in quotes", t.begin
		case t.kind == text && written[0] == '\'' && !isClosed(written, '\''):
			what, at = "string", t.begin
		case t.kind == text && (written[0] == 'e' || written[0] == 'E') && t.value == written[2:]:
			what, at = "string", t.begin
		case t.kind == text && written[0] == '$' && len(written) == len(t.value)+strings.IndexByte(written[1:], '$')+2:
			what, at = "string between dollars", t.begin
		}
	})
	return what, at
}

// isClosed reports whether what begins with a quote ends with one: an odd number of them follows the text.
func isClosed(written string, quote byte) bool {
	return strings.Count(written, string(quote))%2 == 0
}

// Plain returns a statement with the same meaning and length, in which no string has quotes after backslashes: programs
// that look for the end of a statement take those for the end of a string.
func Plain(statement string) string {
	b := []byte(statement)
	scan(statement, func(t token) {
		if t.kind != text || b[t.begin] != 'e' && b[t.begin] != 'E' {
			return
		}
		for i := t.begin + 2; i < t.end-1; i++ {
			if b[i] != '\\' {
				continue
			}
			if i++; b[i] == '\'' {
				b[i-1] = '\''
			}
		}
	})
	return string(b)
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

// first returns the first word of a statement in capitals, and that after it; "" for what is no word.
func first(statement string) (word1, word2 string) {
	n := 0
	scan(statement, func(t token) {
		if t.kind == space || t.kind == symbol && t.value == "(" && n == 0 {
			return
		}
		if n++; t.kind == word && n == 1 {
			word1 = strings.ToUpper(t.value)
		} else if t.kind == word && n == 2 {
			word2 = strings.ToUpper(t.value)
		}
	})
	return word1, word2
}

// Describe returns a statement that describes the rows of another one, from its second line on, as [DESCRIBE] does; "" for
// one that has no rows, or such that only its execution shows them.
//
// [DESCRIBE]: https://duckdb.org/docs/stable/guides/meta/describe
func Describe(statement string) string {
	switch word, _ := first(statement); word {
	case "SELECT", "FROM", "WITH", "VALUES", "TABLE":
		return "DESCRIBE\n" + statement
	case "SHOW", "DESCRIBE", "DESC", "SUMMARIZE", "PIVOT", "UNPIVOT":
		return "DESCRIBE FROM (\n" + statement + "\n)"
	}
	return ""
}

// IsExplain reports whether a statement shows how another one is executed.
func IsExplain(statement string) bool {
	word, _ := first(statement)
	return word == "EXPLAIN"
}

// listsTables reports whether a statement shows which tables there are.
func listsTables(statement string) (does bool) {
	switch word, next := first(statement); word {
	case "SHOW":
		does = true
	case "DESCRIBE", "DESC":
		does = next == "TABLES" || strings.EqualFold(strings.TrimSpace(statement), word)
	}
	names(statement, func(name string) {
		switch name {
		case "information_schema", "duckdb_tables", "duckdb_views", "duckdb_columns", "pg_catalog", "pg_tables", "pg_views", "sqlite_master", "show_tables":
			does = true
		}
	})
	return does
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
