package where

import (
	"regexp"
	"strings"
	"unicode"
)

// wordOf returns the word that a text begins with; "" if it begins with no word.
func wordOf(text string) string {
	rest := strings.TrimLeftFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_$.@", r)
	})
	return text[:len(text)-len(rest)]
}

// acceptWord skips spaces and a word, in any case. It is false if the word is not next.
func (p *parser) acceptWord(word string) bool {
	p.skip()
	if !strings.EqualFold(wordOf(p.text[p.at:]), word) {
		return false
	}
	p.at += len(word)
	return true
}

// not skips NOT, or ! before a parenthesis. It is false if neither is next, and for a field with
// that name, which is next if it is compared.
func (p *parser) not() bool {
	p.skip()
	begin := p.at
	switch {
	case p.acceptWord("NOT"):
		if !p.beforeOperator() {
			return true
		}
	case p.accept("!"):
		if p.skip(); p.at < len(p.text) && strings.IndexByte("(!", p.text[p.at]) >= 0 {
			return true
		}
	}
	p.at = begin
	return false
}

// symbols are tried in this order.
var symbols = []struct {
	text string
	op   operator
	not  bool
}{
	{"==", equal, false}, {"=", equal, false}, {"!=", equal, true}, {"<>", equal, true},
	{"<=", atMost, false}, {"<", less, false}, {">=", atLeast, false}, {">", greater, false},
	{"!~", match, true}, {"~", match, false},
}

// beforeOperator reports whether a symbol that compares is next.
func (p *parser) beforeOperator() bool {
	p.skip()
	for _, o := range symbols {
		if strings.HasPrefix(p.text[p.at:], o.text) {
			return true
		}
	}
	return false
}

// predicate parses what a field is compared with, and how.
func (p *parser) predicate(c *comparison) error {
	for _, o := range symbols {
		if p.accept(o.text) {
			c.not = o.not
			return p.term(c, o.op, false)
		}
	}
	begin := p.at
	c.not = p.acceptWord("NOT")
	switch {
	case p.acceptWord("IN"):
		return p.in(c)
	case p.acceptWord("LIKE"):
		return p.term(c, match, true)
	case p.acceptWord("BETWEEN"):
		return p.between(c)
	case !c.not && p.acceptWord("IS"):
		c.not = p.acceptWord("NOT")
		if !p.acceptWord("NULL") {
			return p.wrong("expected NULL or NOT NULL")
		}
		c.terms = append(c.terms, &term{op: equal, value: literalOf("null", false, p.options)})
		return nil
	}
	p.at = begin
	return p.wrong("an operator is missing, one of = != < <= > >= ~ !~")
}

// maxValues is how many values IN takes at most.
const maxValues = 10_000

// in parses the values of IN.
func (p *parser) in(c *comparison) error {
	if !p.accept("(") {
		return p.wrong("the values of IN stand in parentheses, as in IN (1, 2)")
	}
	p.inList = true
	for {
		if err := p.term(c, equal, false); err != nil {
			return err
		}
		if !p.accept(",") {
			break
		}
		if len(c.terms) == maxValues {
			return p.wrong("there are more than %d values here", maxValues)
		}
	}
	p.inList = false
	if !p.accept(")") {
		return p.wrong("expected a comma or a closing parenthesis")
	}
	return nil
}

// between parses the two values of BETWEEN.
func (p *parser) between(c *comparison) error {
	c.all = true
	if err := p.term(c, atLeast, false); err != nil {
		return err
	}
	if !p.acceptWord("AND") {
		return p.wrong("expected AND, as in BETWEEN 1 AND 2")
	}
	return p.term(c, atMost, false)
}

// term parses a value that a field is compared with. Like is set if it is a pattern of LIKE.
func (p *parser) term(c *comparison, op operator, like bool) error {
	text, quoted, err := p.value(op == match && !like)
	if err != nil {
		return err
	}
	t := &term{op: op, value: literalOf(text, quoted, p.options)}
	t.lined = strings.Contains(text, ":") && (op == equal || op == match)
	switch {
	case op == equal:
		t.frames = strings.Split(text, ";")
	case like:
		text = likePattern(text)
	}
	if op == match {
		if t.pattern, err = regexp.Compile(text); err != nil {
			return p.wrong("%v", err)
		}
	}
	if t.value.null && op != equal {
		return p.wrong("null can only be compared by = and !=")
	}
	c.terms = append(c.terms, t)
	return nil
}

// likePattern returns the regular expression of a pattern of LIKE.
func likePattern(like string) string {
	var b strings.Builder
	b.WriteString("(?s)")
	rest := strings.TrimLeft(like, "%")
	if rest == like {
		b.WriteByte('^')
	}
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\' && i+1 < len(rest) && strings.IndexByte(`%_\`, rest[i+1]) >= 0:
			i++
			b.WriteString(regexp.QuoteMeta(rest[i : i+1]))
		case c == '_':
			b.WriteByte('.')
		case c == '%' && strings.Trim(rest[i:], "%") == "":
			return b.String() // whatever follows
		case c == '%':
			b.WriteString(".*")
		default:
			b.WriteString(regexp.QuoteMeta(rest[i : i+1]))
		}
	}
	b.WriteByte('$')
	return b.String()
}
