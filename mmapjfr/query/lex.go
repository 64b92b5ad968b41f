package query

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// keywords are words that only stand for fields and names between backquotes.
var keywords = []string{
	"COLUMN", "FORMAT", "SELECT", "FROM", "DURING", "WITHIN", "ASOF", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT",
	"AS", "ASC", "DESC", "AND", "OR", "NOT",
}

var (
	isKeyword = setOfWords(keywords)
	isClause  = setOfWords(clauses)
	isValue   = setOfWords([]string{"TRUE", "FALSE", "NULL", "ALL"})
)

// clauses are the words with which clauses begin.
var clauses = keywords[:12]

func setOfWords(words []string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range words {
		set[w] = true
	}
	return set
}

// errorAt returns an error about what begins at a byte of the text.
func (p *parser) errorAt(pos int, format string, args ...any) error {
	return newError(p.Text, pos, fmt.Errorf(format, args...))
}

// expected returns the error that something else should be next.
func (p *parser) expected(what string) error {
	p.Skip()
	return p.errorAt(p.At, "unexpected %s; expected %s", p.found(), what)
}

// found names what is next, for errors.
func (p *parser) found() string {
	rest := p.Text[p.At:]
	if rest == "" {
		return "end of text"
	}
	if w := p.Word(); w != "" {
		return shortened(w)
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return string(r)
}

// shortened returns a text as errors show it.
func shortened(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// end returns where characters of a kind end.
func end(text string, kind func(r rune) bool) int {
	if i := strings.IndexFunc(text, func(r rune) bool { return !kind(r) }); i >= 0 {
		return i
	}
	return len(text)
}

// keyword returns the word that is next, in upper case, if it is one of a set; "" otherwise.
func (p *parser) keyword(set map[string]bool) string {
	const longest = 10
	if w := p.Word(); len(w) <= longest && set[strings.ToUpper(w)] {
		return strings.ToUpper(w)
	}
	return ""
}

// wrong returns the error of the lexer or of a condition as one of the statement.
func (p *parser) wrong(err error) error {
	if wrong, ok := errors.AsType[*where.SyntaxError](err); ok {
		return p.errorAt(wrong.Offset, "%s", wrong.Message)
	}
	return err
}

// quoted returns the text in quotes that is next.
func (p *parser) quoted() (string, error) {
	text, err := p.Quoted(false)
	return text, p.wrong(err)
}

// backquoted returns a name between backquotes; "" if there are none.
func (p *parser) backquoted() (string, error) {
	name, err := p.Backquoted()
	return name, p.wrong(err)
}

// name returns a name: a word that is no keyword, or one in quotes.
func (p *parser) name(what string) (string, error) {
	if p.IsQuote() {
		begin := p.At
		name, err := p.quoted()
		if err == nil && name == "" {
			err = p.errorAt(begin, "%s is empty", what)
		}
		return name, err
	}
	if name, err := p.backquoted(); name != "" || err != nil {
		return name, err
	}
	w := p.Word()
	if w == "" || p.keyword(isKeyword) != "" {
		return "", p.expected(what)
	}
	p.At += len(w)
	return w, nil
}

// noParameters returns an error if there is a parameter outside quotes and comments: only those of views
// are filled.
func (p *parser) noParameters() (err error) {
	for p.Skip(); p.At < len(p.Text) && err == nil; p.Skip() {
		switch {
		case p.IsQuote():
			_, err = p.quoted()
		case p.Text[p.At] == '`':
			_, err = p.backquoted()
		case strings.HasPrefix(p.Text[p.At:], "${"):
			return p.errorAt(p.At, "parameters such as ${threshold} belong to views; put the statement into a file for mjfr view -f")
		default:
			p.At++
		}
	}
	p.At = 0
	return nil
}

// number returns a number with its unit, which is next.
func (p *parser) number() (*number, error) {
	begin := p.At
	rest := p.Text[begin:]
	size := end(rest, func(r rune) bool { return unicode.IsLetter(r) || '0' <= r && r <= '9' || r == '.' })
	switch {
	case strings.HasPrefix(rest[size:], "%"):
		size++
	case size > 1 && len(rest) > size && strings.IndexByte("+-", rest[size]) >= 0 && strings.Trim(rest[:size-1], "0123456789.") == "" && rest[size-1]|' ' == 'e':
		size += 1 + end(rest[size+1:], func(r rune) bool { return '0' <= r && r <= '9' })
	}
	n := &number{pos: begin, text: rest[:size]}
	if !n.parse() {
		if message := parseunit.TooLarge(n.text); message != "" {
			return nil, p.errorAt(begin, "%s", message)
		}
		return nil, p.errorAt(begin, "%s is not a number; its unit can be ns us ms s m h d, B kB MB GB TB, or %%", shortened(n.text))
	}
	p.At += size
	return n, p.count(begin)
}

// parse sets the value of a number from its text.
func (n *number) parse() bool {
	if len(n.text) > 100 {
		return false
	}
	if i, ok := parseunit.Uint(n.text); ok {
		if n.value = intValue(int64(i)); int64(i) < 0 {
			n.value.kind = Unsigned
		}
		return true
	}
	if d, ok := parseunit.Duration(n.text); ok {
		n.value = Value{kind: Timespan, num: uint64(d)}
		return true
	}
	f, ok := parseunit.Size(n.text)
	if ok {
		if n.unit, n.value = mmapjfr.Bytes, floatValue(f); f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			n.value = intValue(int64(f))
		}
		return true
	}
	if f, ok = parseunit.Percent(n.text); ok {
		n.unit = mmapjfr.Percentage
	} else {
		f, ok = parseunit.Number(n.text)
	}
	n.value = floatValue(f)
	return ok
}

// didYouMean returns a question with keywords that are similar to a word; "" if there are none.
func didYouMean(word string, words []string) string {
	if len(word) > 30 {
		return ""
	}
	return suggest.Question(word, words)
}
