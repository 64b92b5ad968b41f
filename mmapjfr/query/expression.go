package query

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// precedence is how strong operators bind.
type precedence int

const (
	orBinds precedence = iota + 1
	andBinds
	notBinds
	compareBinds
	addBinds
	multiplyBinds
	signBinds
	leafBinds
)

// symbols are operators that stand between operands, the longer ones first, and what they mean.
var symbols = []struct {
	text, op string
	binds    precedence
}{
	{"||", "OR", orBinds}, {"&&", "AND", andBinds},
	{"==", "=", compareBinds}, {"!=", "!=", compareBinds}, {"<>", "!=", compareBinds},
	{"<=", "<=", compareBinds}, {">=", ">=", compareBinds},
	{"=", "=", compareBinds}, {"<", "<", compareBinds}, {">", ">", compareBinds},
	{"+", "+", addBinds}, {"-", "-", addBinds}, {"*", "*", multiplyBinds}, {"/", "/", multiplyBinds},
}

// bindingOf returns how strong an operator binds.
func bindingOf(op string) precedence {
	for _, s := range symbols {
		if s.op == op {
			return s.binds
		}
	}
	return notBinds
}

// functionSpellings are other names of functions, as the JDK's views write them.
var functionSpellings = map[string]string{
	"AVERAGE": "AVG", "MINIMUM": "MIN", "MAXIMUM": "MAX", "DIFFERENCE": "DIFF",
}

// expression parses an expression, and returns its text, too. What names it for errors.
func (p *parser) expression(what string) (expr, string, error) {
	p.Skip()
	begin := p.At
	p.terms = 0
	if begin == len(p.Text) || p.Text[begin] == ',' || p.keyword(isKeyword) != "" && !strings.EqualFold(p.Word(), "NOT") {
		return nil, "", p.expected(what)
	}
	e, err := p.operation(orBinds)
	if err != nil {
		return nil, "", err
	}
	return e, p.written(begin, e), nil
}

// written returns an expression as it was written, or in one line if it has several or comments.
func (p *parser) written(begin int, e expr) string {
	text := strings.TrimSpace(p.Text[begin:p.At])
	if strings.Contains(text, "--") || strings.ContainsFunc(text, unicode.IsControl) {
		return string(appendExpr(nil, e, orBinds))
	}
	return text
}

// count counts an operand or an operator.
func (p *parser) count(pos int) error {
	p.terms++
	if p.all++; p.terms > maxTerms || p.all > maxAll {
		return p.errorAt(pos, "there are too many terms: more than %d in an expression, or %d in a statement", maxTerms, maxAll)
	}
	return nil
}

// deeper parses what is inside a parenthesis, a call or a sign.
func (p *parser) deeper(inside func() (expr, error)) (expr, error) {
	if p.nesting++; p.nesting > maxNesting {
		return nil, p.errorAt(p.At, "the expression is nested deeper than %d times", maxNesting)
	}
	defer func() { p.nesting-- }()
	return inside()
}

// operation parses operators that bind at least that strong, and their operands.
func (p *parser) operation(least precedence) (expr, error) {
	left, err := p.operand(least)
	if err != nil {
		return nil, err
	}
	for compared := false; ; {
		p.Skip()
		pos := p.At
		op, binds := p.operator(least)
		if op == "" {
			return left, nil
		}
		if compared && binds == compareBinds {
			return nil, p.errorAt(pos, "comparisons need AND between them")
		}
		compared = binds == compareBinds
		if err := p.count(pos); err != nil {
			return nil, err
		}
		right, err := p.operation(binds + 1)
		if err != nil {
			return nil, err
		}
		left = &binary{pos: pos, op: op, left: left, right: right}
	}
}

// operator skips an operator if one is next that binds strong enough; it returns "" if not.
func (p *parser) operator(least precedence) (string, precedence) {
	for _, word := range []string{"OR", "AND"} {
		if binds := bindingOf(word); binds >= least && p.AcceptWord(word) {
			return word, binds
		}
	}
	for _, s := range symbols {
		if strings.HasPrefix(p.Text[p.At:], s.text) {
			if s.binds < least {
				return "", 0
			}
			p.At += len(s.text)
			return s.op, s.binds
		}
	}
	return "", 0
}

// operand parses what stands between operators that bind at least that strong.
func (p *parser) operand(least precedence) (expr, error) {
	p.Skip()
	begin := p.At
	if least <= notBinds && p.AcceptWord("NOT") {
		return p.unary(begin, "NOT", notBinds)
	}
	if p.At == len(p.Text) {
		return nil, p.expected("a field or a value")
	}
	switch c := p.Text[p.At]; {
	case c == '(':
		p.At++
		e, err := p.deeper(func() (expr, error) { return p.operation(orBinds) })
		if err == nil && !p.Accept(")") {
			err = p.expected("an operator or a closing parenthesis")
		}
		return e, err
	case c == '-':
		p.At++
		return p.unary(begin, "-", signBinds)
	case '0' <= c && c <= '9', c == '.':
		return p.number()
	case c == '\'' || c == '"':
		value, err := p.quoted()
		if err == nil {
			err = p.count(begin)
		}
		return &text{pos: begin, value: value}, err
	case c == '[':
		return p.bracketed()
	}
	return p.word()
}

// unary parses the operand of a sign or of NOT.
func (p *parser) unary(pos int, op string, binds precedence) (expr, error) {
	if err := p.count(pos); err != nil {
		return nil, err
	}
	e, err := p.deeper(func() (expr, error) { return p.operation(binds) })
	return &unary{pos: pos, op: op, operand: e}, err
}

// word parses a path, a call, or a value that is a word.
func (p *parser) word() (expr, error) {
	begin := p.At
	if err := p.count(begin); err != nil {
		return nil, err
	}
	if p.keyword(isKeyword) != "" {
		return nil, p.errorAt(begin, "expected a field or a value; put a field called %s in backquotes", p.found())
	}
	w := p.Word()
	if strings.EqualFold(w, "DISTINCT") {
		after := where.Lexer{Text: p.Text, At: p.At + len(w), Comments: true}
		if next := after.Word(); next != "" && !isKeyword[strings.ToUpper(next)] || strings.HasPrefix(p.Text[after.At:], "(") {
			return nil, p.errorAt(begin, "DISTINCT is not supported; use GROUP BY for distinct values, unique(x) for their number, set(x) for a list")
		}
	}
	switch upper := strings.ToUpper(shortened(w)); upper {
	case "TRUE", "FALSE", "NULL":
		if rest := p.Text[p.At+len(w):]; !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "[") {
			p.At += len(w)
			return wordValue(begin, upper), nil
		}
	default:
		if w != "" && p.callIsNext(w) {
			p.At += len(w)
			return p.call(begin, w)
		}
	}
	f := &path{pos: begin}
	var err error
	if f.field, err = p.backquoted(); f.field != "" || err != nil {
		f.quoted = true
		p.paths = append(p.paths, f)
		return f, err
	}
	if f.field, err = p.field(); err != nil {
		return nil, err
	}
	if strings.HasSuffix(f.field, ".") { // alias.`field`
		f.sources, f.quoted = []string{strings.TrimSuffix(f.field, ".")}, true
		f.field, err = p.backquoted()
	}
	p.paths = append(p.paths, f)
	return f, err
}

// callIsNext reports whether a parenthesis follows a word.
func (p *parser) callIsNext(word string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(p.Text[p.At+len(word):], unicode.IsSpace), "(")
}

// wordValue returns true, false or null.
func wordValue(pos int, upper string) expr {
	n := &number{pos: pos, text: strings.ToLower(upper)}
	if upper != "NULL" {
		n.value = boolValue(upper == "TRUE")
	}
	return n
}

// bracketed parses a field of several sources: [A|B].startTime.
func (p *parser) bracketed() (expr, error) {
	f := &path{pos: p.At}
	if err := p.count(f.pos); err != nil {
		return nil, err
	}
	for p.At++; ; {
		name, err := p.pattern()
		if err != nil {
			return nil, err
		}
		if len(f.sources) == maxList {
			return nil, p.errorAt(p.At, "there are more than %d event types", maxList)
		}
		f.sources = append(f.sources, name)
		if p.Accept("]") {
			break
		}
		if !p.Accept("|") {
			return nil, p.expected("| or ]")
		}
	}
	if !p.Accept(".") {
		return nil, p.expected("a point and a field, as in [A|B].startTime")
	}
	p.paths = append(p.paths, f)
	var err error
	if f.field, err = p.backquoted(); f.field != "" || err != nil {
		f.quoted = true
		return f, err
	}
	f.field, err = p.field()
	return f, err
}

// field returns a path as it stands without backquotes. It ends with a point if a backquote follows.
func (p *parser) field() (string, error) {
	begin := p.At
	for {
		rest := strings.TrimPrefix(p.Text[p.At:], "@")
		first, _ := utf8.DecodeRuneInString(rest)
		if !where.IsLetter(first) {
			if p.At > begin && first == '`' {
				return p.Text[begin:p.At], nil
			}
			return "", p.expected("a field or a value")
		}
		p.At = len(p.Text) - len(rest) + end(rest, where.IsPart)
		for strings.HasPrefix(p.Text[p.At:], "[") {
			digits := end(p.Text[p.At+1:], unicode.IsDigit)
			if digits == 0 || !strings.HasPrefix(p.Text[p.At+1+digits:], "]") {
				return "", p.errorAt(p.At, "an element needs a number, as in stackTrace.frames[0]")
			}
			p.At += digits + 2
		}
		if !strings.HasPrefix(p.Text[p.At:], ".") {
			return p.Text[begin:p.At], nil
		}
		p.At++
	}
}

// functionsElsewhere are functions of other databases, and what does the same here.
var functionsElsewhere = map[string]string{
	"DATE_TRUNC":      "time(1m) for steps of time",
	"DATE_BIN":        "time(1m) for steps of time",
	"TIME_BUCKET":     "time(1m) for steps of time",
	"PERCENTILE":      "quantile(x, 0.99) or p99(x)",
	"PERCENTILE_CONT": "quantile(x, 0.99) or p99(x)",
	"QUANTILE_CONT":   "quantile(x, 0.99) or p99(x)",
	"MODE":            "top_k(x, 1)",
	"STDDEV":          "stdev(x)",
	"NVL":             "coalesce(x, y)",
	"IFNULL":          "coalesce(x, y)",
}

// call parses the arguments of a function.
func (p *parser) call(pos int, word string) (expr, error) {
	c := &call{pos: pos, name: strings.ToUpper(word)}
	if other := functionSpellings[c.name]; other != "" {
		c.name = other
	}
	if !isFunction(c.name) {
		hint := didYouMean(word, append(functionNames(), aggregateNames()...))
		if other := functionsElsewhere[c.name]; other != "" {
			hint = "; use " + other
		}
		return nil, p.errorAt(pos, "unknown function %s%s", shortened(word), hint)
	}
	if p.Accept("("); p.Accept(")") {
		return c, nil
	}
	if p.Accept("*") {
		c.star = true
		if !p.Accept(")") {
			return nil, p.expected("a parenthesis after *")
		}
		return c, nil
	}
	_, err := p.deeper(func() (expr, error) {
		for len(c.args) < maxList {
			arg, err := p.operation(orBinds)
			if err != nil {
				return nil, err
			}
			if c.args = append(c.args, arg); !p.Accept(",") {
				break
			}
		}
		return nil, nil
	})
	if err == nil && !p.Accept(")") {
		err = p.expected("a comma or a closing parenthesis")
	}
	return c, err
}

// isFunction reports whether there is a function or an aggregate with a name in upper case.
func isFunction(name string) bool {
	_, ok := functions[name]
	return ok || name == "TIME" || isAggregate(name)
}

// Where returns the filter of events that match a condition, as in "duration > 10ms and stackTrace ~ Locks":
// what follows WHERE, in the language of docs/QUERY.md. Events of types without its fields are not decoded.
// The error says what is wrong and where; [mmapjfr.Selection.Check] finds fields that no event type has.
func Where(condition string, o Options) (mmapjfr.Filter, error) {
	c, err := where.ParseWith(condition, o.times())
	if err == nil {
		err = c.CheckTimes()
	}
	if err != nil {
		return nil, err
	}
	unknown := func(types []mmapjfr.Type) error { _, err := c.Filter(types); return err }
	return engine.EventFilter(c.CanMatch, c.Matches, unknown), nil
}

// condition parses a condition as package where has them, up to the next clause.
func (p *parser) condition() (*where.Condition, error) {
	if p.Skip(); p.At == len(p.Text) {
		return nil, p.expected("a condition such as duration > 10ms")
	}
	isEnd := func(word string) bool { return len(word) < 10 && isClause[strings.ToUpper(word)] }
	begin := p.At
	c, err := where.ParseAt(&p.Lexer, p.options.times(), isEnd)
	wrong, ok := errors.AsType[*where.SyntaxError](err)
	if !ok {
		return c, err
	}
	p.At = wrong.Offset
	if before := strings.TrimRightFunc(p.Text[begin:p.At], unicode.IsSpace); strings.HasPrefix(p.Text[p.At:], "(") {
		word := before[strings.LastIndexFunc(before, func(r rune) bool { return !where.IsPart(r) })+1:]
		switch {
		case isAggregate(strings.ToUpper(word)):
			return nil, p.errorAt(begin+len(before)-len(word), "WHERE tests single events; put conditions on %s in HAVING", shortened(word))
		case isFunction(strings.ToUpper(word)):
			return nil, p.errorAt(begin+len(before)-len(word), "WHERE compares fields; put conditions on %s in HAVING", shortened(word))
		}
	}
	if w := p.Word(); didYouMean(w, clauses) != "" {
		return nil, p.noClause()
	}
	return nil, p.errorAt(p.At, "%s", wrong.Message)
}
