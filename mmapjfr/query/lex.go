package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/internal/suggest"
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
	return newError(p.text, pos, fmt.Sprintf(format, args...))
}

// expected returns the error that something else should be next.
func (p *parser) expected(what string) error {
	p.skip()
	return p.errorAt(p.at, "unexpected %s; expected %s", p.found(), what)
}

// found names what is next, for errors.
func (p *parser) found() string {
	rest := p.text[p.at:]
	if rest == "" {
		return "the end"
	}
	if w := p.peekWord(); w != "" {
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

// skip skips spaces and comments.
func (p *parser) skip() {
	for {
		rest := strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace)
		if strings.HasPrefix(rest, "--") {
			_, rest, _ = strings.Cut(rest, "\n")
			p.at = len(p.text) - len(rest)
			continue
		}
		p.at = len(p.text) - len(rest)
		return
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

func isLetter(r rune) bool { return unicode.IsLetter(r) || r == '_' || r == '$' }

func isPart(r rune) bool { return isLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) }

// peekWord skips spaces, and returns the name that is next; "" if something else is.
func (p *parser) peekWord() string {
	p.skip()
	rest := p.text[p.at:]
	if r, _ := utf8.DecodeRuneInString(rest); !isLetter(r) {
		return ""
	}
	return rest[:end(rest, isPart)]
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
	if w := p.peekWord(); len(w) <= longest && set[strings.ToUpper(w)] {
		return strings.ToUpper(w)
	}
	return ""
}

// acceptWord skips a word in any case. It is false if the word is not next.
func (p *parser) acceptWord(word string) bool {
	if w := p.peekWord(); len(w) != len(word) || !strings.EqualFold(w, word) {
		return false
	}
	p.at += len(word)
	return true
}

// quoted returns a text in quotes, which is next. Escapes are those of package where.
func (p *parser) quoted() (string, error) {
	begin, quote := p.at, p.text[p.at]
	for i := begin + 1; i < len(p.text); i++ {
		switch p.text[i] {
		case '\\':
			i++
		case quote:
			inside := p.text[begin+1 : i]
			text, ok := unescaped(inside)
			if !ok {
				return "", p.errorAt(begin, `\u needs four hexadecimal digits, and a backslash is \\`)
			}
			p.at = i + 1
			return text, nil
		}
	}
	return "", p.errorAt(begin, "a quote is not closed")
}

// isQuote reports whether a text in quotes is next.
func (p *parser) isQuote() bool {
	p.skip()
	return p.at < len(p.text) && (p.text[p.at] == '\'' || p.text[p.at] == '"')
}

// backquoted returns a name between backquotes; "" if there are none.
func (p *parser) backquoted() (string, error) {
	if p.at == len(p.text) || p.text[p.at] != '`' {
		return "", nil
	}
	name, _, closed := strings.Cut(p.text[p.at+1:], "`")
	switch {
	case !closed:
		return "", p.errorAt(p.at, "a backquote is not closed")
	case name == "":
		return "", p.errorAt(p.at, "the backquotes are empty")
	}
	p.at += len(name) + 2
	return name, nil
}

// name returns a name: a word that is no keyword, or one in quotes.
func (p *parser) name(what string) (string, error) {
	if p.isQuote() {
		begin := p.at
		name, err := p.quoted()
		if err == nil && name == "" {
			err = p.errorAt(begin, "%s is empty", what)
		}
		return name, err
	}
	if name, err := p.backquoted(); name != "" || err != nil {
		return name, err
	}
	w := p.peekWord()
	if w == "" || p.keyword(isKeyword) != "" {
		return "", p.expected(what)
	}
	p.at += len(w)
	return w, nil
}

// noParameters returns an error if there is a parameter outside quotes and comments: only those of views
// are filled.
func (p *parser) noParameters() (err error) {
	for p.skip(); p.at < len(p.text) && err == nil; p.skip() {
		switch {
		case p.isQuote():
			_, err = p.quoted()
		case p.text[p.at] == '`':
			_, err = p.backquoted()
		case strings.HasPrefix(p.text[p.at:], "${"):
			return p.errorAt(p.at, "parameters such as ${threshold} belong to views; put the statement into a file for mjfr view -f")
		default:
			p.at++
		}
	}
	p.at = 0
	return nil
}

// number returns a number with its unit, which is next.
func (p *parser) number() (*number, error) {
	begin := p.at
	rest := p.text[begin:]
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
		return nil, p.errorAt(begin, "%s is no number; its unit can be ns us ms s m h d, B kB MB GB TB, or %%", shortened(n.text))
	}
	p.at += size
	return n, p.count(begin)
}

// parse sets the value of a number from its text.
func (n *number) parse() bool {
	if len(n.text) > 100 {
		return false
	}
	base, digits := 10, n.text
	if hex, ok := strings.CutPrefix(n.text, "0x"); ok {
		base, digits = 16, hex
	}
	if i, err := strconv.ParseUint(digits, base, 64); err == nil {
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
