package where

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/mmapjfr"
)

const (
	maxNesting     = 100    // how deep parentheses may be nested
	maxComparisons = 10_000 // of a condition
)

// parser reads the text of a condition.
type parser struct {
	text    string
	at      int
	depth   int
	count   int // of comparisons
	options Options
	// stop reports whether a word ends the condition. It is nil if the whole text is one.
	stop func(word string) bool
	// inList is set in the parentheses of IN, where a comma ends a value.
	inList bool
}

func parse(text string, o Options) (node, error) {
	p := &parser{text: text, options: o}
	n, err := p.condition()
	if err != nil {
		return nil, err
	}
	if p.skip(); p.at < len(text) {
		return nil, p.wrongEnd()
	}
	return n, nil
}

// parsePrefix parses the condition that a text begins with, and returns the rest of the text.
func parsePrefix(text string, o Options, stop func(word string) bool) (n node, rest string, err error) {
	p := &parser{text: text, options: o, stop: stop}
	if n, err = p.condition(); err != nil {
		return nil, "", err
	}
	p.skip()
	rest = text[p.at:]
	if word := wordOf(rest); rest == "" || rest[0] == ')' || rest[0] == ';' || word != "" && stop(word) {
		return n, rest, nil
	}
	return nil, "", p.wrongEnd()
}

// wrongEnd returns the error for what follows a condition.
func (p *parser) wrongEnd() error {
	if p.text[p.at] == ')' {
		return p.wrong("a parenthesis closes none")
	}
	return p.wrong("expected AND or OR; put values with spaces in quotes, and write numbers with their unit, as in 20ms")
}

// skip skips spaces, and the comments of a statement.
func (p *parser) skip() {
	for {
		rest := strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace)
		p.at = len(p.text) - len(rest)
		if p.stop == nil || !strings.HasPrefix(rest, "--") {
			return
		}
		comment, _, _ := strings.Cut(rest, "\n")
		p.at += len(comment)
	}
}

// accept skips spaces and a token. It is false if the token is not next.
func (p *parser) accept(token string) bool {
	p.skip()
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *parser) condition() (node, error) {
	return p.list("||", "OR", true, func() (node, error) { return p.list("&&", "AND", false, p.one) })
}

// list parses parts with a token or a word between them, and joins them if there are several.
func (p *parser) list(token, word string, or bool, part func() (node, error)) (node, error) {
	var nodes []node
	for {
		n, err := part()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
		if !p.accept(token) && !p.acceptWord(word) {
			break
		}
	}
	if len(nodes) == 1 {
		return nodes[0], nil
	}
	return &junction{or, nodes}, nil
}

func (p *parser) one() (n node, err error) {
	negated := false
	for p.not() {
		negated = !negated
	}
	if p.accept("(") {
		n, err = p.parentheses()
	} else {
		n, err = p.comparison()
	}
	if err == nil && negated {
		n.negate()
	}
	return n, err
}

// parentheses parses a condition up to the parenthesis that closes it.
func (p *parser) parentheses() (node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.wrong("parentheses are nested too deep")
	}
	n, err := p.condition()
	if err != nil {
		return nil, err
	}
	p.depth--
	if !p.accept(")") {
		return nil, p.wrong("a parenthesis is not closed")
	}
	return n, nil
}

func (p *parser) comparison() (node, error) {
	p.skip()
	if p.count++; p.count > maxComparisons {
		return nil, p.wrong("there are more than %d comparisons; IN compares a field with many values", maxComparisons)
	}
	c := &comparison{offset: p.at, quoted: strings.HasPrefix(p.text[p.at:], "`")}
	var err error
	if c.field, err = p.field(); err != nil {
		return nil, err
	}
	if c.path, err = mmapjfr.ParsePath(c.field); err != nil {
		return nil, p.wrongPath(c.offset, err)
	}
	end := p.at
	if err = p.predicate(c); err != nil {
		return nil, err
	}
	c.predicate = p.text[end:p.at]
	return c, nil
}

// field returns the path of the field. A path with other characters than those of Java's
// names stands between backquotes.
func (p *parser) field() (path string, err error) {
	begin := p.at
	if p.accept("`") {
		end := strings.IndexByte(p.text[p.at:], '`')
		if end < 0 {
			return "", p.wrong("a backquote is not closed")
		}
		path = p.text[p.at : p.at+end]
		p.at += end + 1
	} else {
		path = p.upTo(func(rest string) bool { return strings.IndexByte(endsField, rest[0]) >= 0 })
		if end := p.at; p.stop != nil && p.stop(path) && !p.beforeOperator() {
			p.at, path = begin, ""
		} else {
			p.at = end
		}
	}
	if path == "" {
		return "", p.wrong("the name of a field is missing")
	}
	return path, nil
}

// endsField are the characters, besides spaces, that a field has only between backquotes.
const endsField = "=!<>~()&|\"'`"

// upTo returns the characters up to a space, or to where ends is true.
func (p *parser) upTo(ends func(rest string) bool) string {
	begin := p.at
	for p.at < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		if unicode.IsSpace(r) || ends(p.text[p.at:]) {
			break
		}
		p.at += n
	}
	return p.text[begin:p.at]
}

// value returns what a field is compared with, and whether it stands in quotes. Pattern is
// set if it is a regular expression.
func (p *parser) value(pattern bool) (text string, quoted bool, err error) {
	p.skip()
	if p.at < len(p.text) && strings.ContainsRune(`"'`, rune(p.text[p.at])) {
		text, err = p.quoted(pattern)
		return text, true, err
	}
	open := 0
	text = p.upTo(func(rest string) bool {
		switch {
		case rest[0] == '(':
			open++
		case rest[0] == ')':
			open--
		}
		return open < 0 || strings.HasPrefix(rest, "&&") || strings.HasPrefix(rest, "||") ||
			p.inList && rest[0] == ',' && open == 0 || p.stop != nil && rest[0] == ';' && strings.TrimSpace(rest[:min(len(rest), 2)]) == ";"
	})
	if text == "" {
		return "", false, p.wrong(`a value is missing; write "" for an empty text`)
	}
	return text + p.measure(text), false, nil
}

// measure returns the unit after a number and a space, as in 438 ms, which is how print shows values.
func (p *parser) measure(number string) string {
	rest := strings.TrimLeft(p.text[p.at:], " ")
	word := wordOf(rest)
	if _, ok := parseunit.Number(number); word == "" || !ok {
		return ""
	}
	_, isTime := parseunit.Duration(number + word)
	_, isSize := parseunit.Size(number + word)
	if !isTime && !isSize {
		return ""
	}
	p.at = len(p.text) - len(rest) + len(word)
	return word
}

// quoted returns a text in quotes. In a regular expression, escapes that mean the same to
// package regexp stay.
func (p *parser) quoted(pattern bool) (string, error) {
	begin, quote := p.at, p.text[p.at]
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == quote:
			p.at++
			return b.String(), nil
		case c == '\\' && p.at+1 < len(p.text):
			if err := p.escape(&b, pattern); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
	}
	p.at = begin
	return "", p.wrong("a quote is not closed")
}

// escapes are the letters of JSON's escapes, except for u.
var escapes = map[byte]byte{'"': '"', '\'': '\'', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape writes the character of an escape, whose backslash is next, and moves to the last
// character of the escape.
func (p *parser) escape(b *strings.Builder, pattern bool) error {
	p.at++
	c := p.text[p.at]
	char, known := escapes[c]
	switch {
	case c == 'u':
		r, err := p.unit()
		if err != nil {
			return err
		}
		if utf16.IsSurrogate(r) {
			high, before := r, p.at
			if r = utf8.RuneError; strings.HasPrefix(p.text[p.at+1:], `\u`) {
				p.at += 2
				low, err := p.unit()
				if err != nil {
					return err
				}
				if r = utf16.DecodeRune(high, low); r == utf8.RuneError {
					p.at = before // the second one is a character of its own
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
		b.WriteString(p.text[p.at-1 : p.at+1])
	}
	return nil
}

// unit returns the UTF-16 code unit of an escape, whose u is next, and moves to the last of
// its four digits.
func (p *parser) unit() (rune, error) {
	digits := p.text[p.at+1 : min(p.at+5, len(p.text))]
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil || len(digits) < 4 {
		return 0, p.wrong(`\u needs four hexadecimal digits, and a backslash is \\`)
	}
	p.at += 4
	return rune(n), nil
}
