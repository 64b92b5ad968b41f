package where

import (
	"regexp"
	"strings"
)

// not skips NOT, or ! before a parenthesis. It is false if neither is next, and for a field with
// that name, which is next if it is compared.
func (p *parser) not() bool {
	p.Skip()
	begin := p.At
	switch {
	case p.AcceptWord("NOT"):
		if !p.beforeOperator() {
			return true
		}
	case p.Accept("!"):
		if p.Skip(); p.At < len(p.Text) && strings.IndexByte("(!", p.Text[p.At]) >= 0 {
			return true
		}
	}
	p.At = begin
	return false
}

type symbol struct {
	text string
	op   operator
	not  bool
}

// symbols are tried in this order.
var symbols = []symbol{
	{"==", equal, false}, {"=", equal, false}, {"!=", equal, true}, {"<>", equal, true},
	{"<=", atMost, false}, {"<", less, false}, {">=", atLeast, false}, {">", greater, false},
	{"!~", match, true}, {"~", match, false},
}

// beforeOperator reports whether a symbol that compares is next.
func (p *parser) beforeOperator() bool {
	p.Skip()
	for _, o := range symbols {
		if strings.HasPrefix(p.Text[p.At:], o.text) {
			return true
		}
	}
	return false
}

// predicate parses what a field is compared with, and how.
func (p *parser) predicate(c *comparison) error {
	for _, o := range symbols {
		if p.Accept(o.text) {
			c.not = o.not
			return p.term(c, o.op, false)
		}
	}
	begin := p.At
	c.not = p.AcceptWord("NOT")
	switch {
	case p.AcceptWord("IN"):
		return p.in(c)
	case p.AcceptWord("LIKE"):
		return p.term(c, match, true)
	case p.AcceptWord("BETWEEN"):
		return p.between(c)
	case !c.not && p.AcceptWord("IS"):
		c.not = p.AcceptWord("NOT")
		if !p.AcceptWord("NULL") {
			return p.wrong("expected NULL or NOT NULL")
		}
		c.terms = append(c.terms, &term{op: equal, value: literalOf("null", false, p.options)})
		return nil
	}
	p.At = begin
	return p.wrong("an operator is missing, one of = != < <= > >= ~ !~")
}

// maxValues is how many values IN takes at most.
const maxValues = 10_000

// in parses the values of IN.
func (p *parser) in(c *comparison) error {
	if !p.Accept("(") {
		return p.wrong("the values of IN stand in parentheses, as in IN (1, 2)")
	}
	p.inList = true
	for {
		if err := p.term(c, equal, false); err != nil {
			return err
		}
		if !p.Accept(",") {
			break
		}
		if len(c.terms) == maxValues {
			return p.wrong("there are more than %d values here", maxValues)
		}
	}
	p.inList = false
	if !p.Accept(")") {
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
	if !p.AcceptWord("AND") {
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
