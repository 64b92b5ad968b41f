package where

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/mmapjfr"
)

const (
	maxNesting     = 100    // how deep parentheses may be nested
	maxComparisons = 10_000 // of a condition
)

// parser reads a condition.
type parser struct {
	*Lexer
	depth   int
	count   int // of comparisons
	options Options
	// stop reports whether a word ends the condition. It is nil if the whole text is one.
	stop func(word string) bool
	// inList is set in the parentheses of IN, where a comma ends a value.
	inList bool
}

// parse parses a condition up to the end of the text, or up to what ends one that stop is for.
func parse(l *Lexer, o Options, stop func(word string) bool) (node, error) {
	p := &parser{Lexer: l, options: o, stop: stop}
	n, err := p.condition()
	if err != nil {
		return nil, err
	}
	p.Skip()
	rest := p.Text[p.At:]
	if rest == "" || stop != nil && (rest[0] == ')' || rest[0] == ';' || stop(p.Word())) {
		return n, nil
	}
	return nil, p.wrongEnd()
}

// wrongEnd returns the error for what follows a condition.
func (p *parser) wrongEnd() error {
	if p.Text[p.At] == ')' {
		return p.wrong("a parenthesis closes none")
	}
	return p.wrong("expected AND or OR; put values with spaces in quotes, and write numbers with their unit, as in 20ms")
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
		if !p.Accept(token) && !p.AcceptWord(word) {
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
	if p.Accept("(") {
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
	if !p.Accept(")") {
		return nil, p.wrong("a parenthesis is not closed")
	}
	return n, nil
}

func (p *parser) comparison() (node, error) {
	p.Skip()
	if p.count++; p.count > maxComparisons {
		return nil, p.wrong("there are more than %d comparisons; IN compares a field with many values", maxComparisons)
	}
	c := &comparison{offset: p.At, quoted: strings.HasPrefix(p.Text[p.At:], "`")}
	var err error
	if c.field, err = p.field(); err != nil {
		return nil, err
	}
	if c.path, err = mmapjfr.ParsePath(c.field); err != nil {
		return nil, &SyntaxError{Text: p.Text, Offset: c.offset, Message: err.Error(), path: err}
	}
	end := p.At
	if err = p.predicate(c); err != nil {
		return nil, err
	}
	c.predicate = p.Text[end:p.At]
	return c, nil
}

// field returns the path of the field. A path with other characters than those of Java's
// names stands between backquotes.
func (p *parser) field() (path string, err error) {
	begin := p.At
	if path, err = p.Backquoted(); path != "" || err != nil {
		return path, err
	}
	path = p.upTo(func(rest string) bool { return strings.IndexByte(endsField, rest[0]) >= 0 })
	if end := p.At; p.stop != nil && p.stop(path) && !p.beforeOperator() {
		p.At, path = begin, ""
	} else {
		p.At = end
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
	begin := p.At
	for p.At < len(p.Text) {
		r, n := utf8.DecodeRuneInString(p.Text[p.At:])
		if unicode.IsSpace(r) || ends(p.Text[p.At:]) {
			break
		}
		p.At += n
	}
	return p.Text[begin:p.At]
}

// value returns what a field is compared with, and whether it stands in quotes. Pattern is
// set if it is a regular expression.
func (p *parser) value(pattern bool) (text string, quoted bool, err error) {
	if p.IsQuote() {
		text, err = p.Quoted(pattern)
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
	isSymbol := slices.ContainsFunc(symbols, func(o symbol) bool { return o.text == text })
	switch {
	case text == "":
		return "", false, p.wrong(`a value is missing; write "" for an empty text`)
	case isSymbol:
		return "", false, p.ErrorAt(p.At-len(text), `unexpected %s; expected a value, such as 10ms or "a text"`, text)
	}
	return text + p.measure(text), false, nil
}

// measure returns the unit after a number and a space, as in 438 ms, which is how print shows
// values.
func (p *parser) measure(number string) string {
	after := Lexer{Text: p.Text, At: p.At}
	word := after.Word()
	if _, ok := parseunit.Number(number); word == "" || !ok {
		return ""
	}
	_, isTime := parseunit.Duration(number + word)
	_, isSize := parseunit.Size(number + word)
	if !isTime && !isSize {
		return ""
	}
	p.At = after.At + len(word)
	return word
}
