package where

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Lexer reads the words and quotes of conditions and of statements.
type Lexer struct {
	Text string
	At   int // what is next, in bytes
	// Comments is set if two hyphens begin one, up to the end of the line.
	Comments bool
}

// ErrorAt returns the [SyntaxError] about what begins at a byte of the text.
func (l *Lexer) ErrorAt(pos int, format string, args ...any) error {
	return &SyntaxError{Text: l.Text, Offset: pos, Message: fmt.Sprintf(format, args...)}
}

// wrong returns an error that says what is wrong with what is next.
func (l *Lexer) wrong(format string, args ...any) error { return l.ErrorAt(l.At, format, args...) }

// Skip skips spaces and comments.
func (l *Lexer) Skip() {
	for {
		rest := strings.TrimLeftFunc(l.Text[l.At:], unicode.IsSpace)
		l.At = len(l.Text) - len(rest)
		if !l.Comments || !strings.HasPrefix(rest, "--") {
			return
		}
		comment, _, _ := strings.Cut(rest, "\n")
		l.At += len(comment)
	}
}

// Accept skips spaces and a token. It is false if the token is not next.
func (l *Lexer) Accept(token string) bool {
	l.Skip()
	if !strings.HasPrefix(l.Text[l.At:], token) {
		return false
	}
	l.At += len(token)
	return true
}

// IsLetter reports whether a word can begin with a character.
func IsLetter(r rune) bool { return unicode.IsLetter(r) || r == '_' || r == '$' }

// IsPart reports whether a word can go on with a character.
func IsPart(r rune) bool { return IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) }

// Word skips spaces, and returns the word that is next; "" if something else is.
func (l *Lexer) Word() string {
	l.Skip()
	rest := l.Text[l.At:]
	if first, _ := utf8.DecodeRuneInString(rest); !IsLetter(first) {
		return ""
	}
	return rest[:len(rest)-len(strings.TrimLeftFunc(rest, IsPart))]
}

// AcceptWord skips a word in any case. It is false if the word is not next, or is the beginning of
// a path.
func (l *Lexer) AcceptWord(word string) bool {
	if !strings.EqualFold(l.Word(), word) {
		return false
	}
	if rest := l.Text[l.At+len(word):]; strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "@") {
		if next, _ := utf8.DecodeRuneInString(rest[1:]); IsLetter(next) {
			return false
		}
	}
	l.At += len(word)
	return true
}

// IsQuote skips spaces, and reports whether a text in quotes is next.
func (l *Lexer) IsQuote() bool {
	l.Skip()
	return l.At < len(l.Text) && (l.Text[l.At] == '\'' || l.Text[l.At] == '"')
}

// Backquoted returns what stands between backquotes; "" if none are next.
func (l *Lexer) Backquoted() (string, error) {
	if !strings.HasPrefix(l.Text[l.At:], "`") {
		return "", nil
	}
	name, _, closed := strings.Cut(l.Text[l.At+1:], "`")
	switch {
	case !closed:
		return "", l.wrong("a backquote is not closed")
	case name == "":
		return "", l.wrong("the backquotes are empty")
	}
	l.At += len(name) + 2
	return name, nil
}

// Quoted returns the text in quotes that is next. In a regular expression, escapes that mean the
// same to package regexp stay.
func (l *Lexer) Quoted(pattern bool) (string, error) {
	begin, quote := l.At, l.Text[l.At]
	var b strings.Builder
	for l.At++; l.At < len(l.Text); l.At++ {
		switch c := l.Text[l.At]; {
		case c == quote:
			l.At++
			return b.String(), nil
		case c == '\\' && l.At+1 < len(l.Text):
			if err := l.escape(&b, pattern); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
	}
	l.At = begin
	return "", l.wrong("a quote is not closed")
}

// escapes are the letters of JSON's escapes, except for u.
var escapes = map[byte]byte{'"': '"', '\'': '\'', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape writes the character of an escape, whose backslash is next, and moves to the last
// character of the escape.
func (l *Lexer) escape(b *strings.Builder, pattern bool) error {
	l.At++
	c := l.Text[l.At]
	char, known := escapes[c]
	switch {
	case c == 'u':
		r, err := l.unit()
		if err != nil {
			return err
		}
		if utf16.IsSurrogate(r) {
			high, before := r, l.At
			if r = utf8.RuneError; strings.HasPrefix(l.Text[l.At+1:], `\u`) {
				l.At += 2
				low, err := l.unit()
				if err != nil {
					return err
				}
				if r = utf16.DecodeRune(high, low); r == utf8.RuneError {
					l.At = before // the second one is a character of its own
				}
			}
		}
		if pattern {
			fmt.Fprintf(b, `\x{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	case known && (!pattern || strings.IndexByte(`"'\`, c) >= 0):
		b.WriteByte(char)
	default: // no escape, or one that stays
		b.WriteString(l.Text[l.At-1 : l.At+1])
	}
	return nil
}

// unit returns the UTF-16 code unit of an escape, whose u is next, and moves to the last of
// its four digits.
func (l *Lexer) unit() (rune, error) {
	digits := l.Text[l.At+1 : min(l.At+5, len(l.Text))]
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil || len(digits) < 4 {
		return 0, l.wrong(`\u needs four hexadecimal digits, and a backslash is \\`)
	}
	l.At += 4
	return rune(n), nil
}
