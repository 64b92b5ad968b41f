package query

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/where"
)

// Limits of statements, which keep parsing and planning them cheap.
const (
	maxText    = 4 << 20 // bytes of the text
	maxList    = 1000    // elements of a list: outputs, sources, keys, arguments
	maxTerms   = 1000    // operands and operators of one expression
	maxAll     = 20_000  // of all expressions
	maxNesting = 100     // parentheses, calls and signs inside each other
)

// parser reads the text of a statement, in one pass.
type parser struct {
	where.Lexer
	options Options
	st      *Statement
	seen    map[string]int // clauses, and where they begin
	paths   []*path        // their sources are found in the end
	titles  []string
	formats []Format

	terms   int // of the expression that is parsed
	all     int // of all expressions
	nesting int

	// alias is the last alias without AS, which can be a misspelt keyword; aliasAt is where the last one
	// begins, with AS or without.
	alias   string
	aliasAt int
}

// Parse returns the statement with a text. The error is an [Error], which says what is wrong and
// where.
func Parse(text string, o Options) (*Statement, error) {
	p := &parser{Lexer: where.Lexer{Text: text, Comments: true}, options: o, st: &Statement{text: text, limit: -1}, seen: make(map[string]int)}
	if len(text) > maxText {
		return nil, newError("", 0, errors.New("the statement is longer than 4 MB"))
	}
	if i := invalid(text); i >= 0 {
		return nil, p.errorAt(i, "this is not UTF-8")
	}
	for _, step := range []func() error{p.noParameters, p.clauses, p.finishOutputs, p.qualifyAll} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p.st, nil
}

// invalid returns where a text is not UTF-8, or -1.
func invalid(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if _, n := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return -1
}

// clauses parses all clauses.
func (p *parser) clauses() error {
	for {
		if p.Accept(";") {
			if p.Skip(); p.At < len(p.Text) {
				return p.expected("nothing more after the semicolon")
			}
		}
		if p.At == len(p.Text) && len(p.seen) > 0 {
			return nil
		}
		begin, word := p.At, p.keyword(isClause)
		if word == "" {
			return p.noClause()
		}
		if _, twice := p.seen[word]; twice && !isJoin(word) {
			return p.errorAt(begin, "%s is there twice", word)
		}
		p.seen[word], p.alias = begin, ""
		p.At += len(word)
		if err := p.clause(word); err != nil {
			return err
		}
		p.Skip()
	}
}

func isJoin(word string) bool { return word == "DURING" || word == "WITHIN" || word == "ASOF" }

func (p *parser) clause(word string) error {
	switch word {
	case "COLUMN":
		return p.list(func() error { return p.column() })
	case "FORMAT":
		return p.list(func() error {
			f, err := p.properties()
			p.formats = append(p.formats, f)
			return err
		})
	case "SELECT":
		return p.selects()
	case "FROM":
		return p.from()
	case "DURING":
		return p.join(during)
	case "WITHIN":
		return p.join(within)
	case "ASOF":
		return p.join(asof)
	case "WHERE":
		return p.where()
	case "GROUP":
		return p.groupBy()
	case "HAVING":
		return p.having()
	case "ORDER":
		return p.orderBy()
	}
	return p.limit()
}

// noClause returns the error for what stands where a clause should begin.
func (p *parser) noClause() error {
	for _, w := range []struct {
		word string
		at   int
	}{{p.alias, p.aliasAt}, {p.Word(), p.At}} {
		switch strings.ToUpper(shortened(w.word)) {
		case "JOIN", "INNER", "LEFT", "CROSS":
			return p.errorAt(w.at, "events are joined by DURING, WITHIN or ASOF, as in DURING jdk.GarbageCollection")
		case "WITH", "OFFSET":
			return p.errorAt(w.at, "%s is not supported; mjfr sql has all of DuckDB's SQL", strings.ToUpper(w.word))
		case "UNION":
			return p.errorAt(w.at, "FROM takes several event types, as in FROM jdk.FileRead, jdk.FileWrite")
		}
		if question := didYouMean(w.word, clauses); question != "" {
			return p.errorAt(w.at, "unknown clause %s%s", w.word, question)
		}
	}
	switch {
	case len(p.seen) == 0:
		return p.errorAt(p.At, "a query begins with SELECT or FROM; got %s", p.found())
	case strings.HasPrefix(p.Text[p.At:], ")"):
		return p.errorAt(p.At, "a parenthesis closes none")
	}
	return p.expected("a comma, an operator or a clause such as WHERE or GROUP BY")
}

// list parses parts with commas between them.
func (p *parser) list(part func() error) error {
	for n := 1; ; n++ {
		if p.Skip(); n > maxList {
			return p.errorAt(p.At, "there are more than %d elements in a list", maxList)
		}
		p.alias = ""
		if err := part(); err != nil {
			return err
		}
		if !p.Accept(",") {
			return nil
		}
	}
}

func (p *parser) column() error {
	if !p.IsQuote() {
		return p.expected("a title in quotes")
	}
	title, err := p.quoted()
	p.titles = append(p.titles, title)
	return err
}

func (p *parser) selects() error {
	if p.Accept("*") {
		return nil
	}
	return p.list(func() error {
		e, text, err := p.expression("a field, an aggregate such as count(*), or *")
		if err != nil {
			return err
		}
		o := output{expr: e, text: text}
		if err := p.named(&o); err != nil {
			return err
		}
		p.st.outputs = append(p.st.outputs, o)
		return nil
	})
}

// named parses the alias, the title and the format of an output. An alias in quotes is the title, too.
func (p *parser) named(o *output) (err error) {
	if o.alias, err = p.as(); err != nil {
		return err
	}
	if o.alias != "" && slices.ContainsFunc(p.st.outputs, func(other output) bool { return other.alias == o.alias }) {
		return p.errorAt(p.aliasAt, "there are two columns called %s; give one of them another name", shortened(o.alias))
	}
	if q := p.Text[p.At-1]; o.alias != "" && (q == '\'' || q == '"') {
		o.title = o.alias
	}
	if p.IsQuote() {
		if o.title, err = p.quoted(); err != nil {
			return err
		}
	}
	if !p.Accept("{") {
		return nil
	}
	if o.format, err = p.properties(); err == nil && !p.Accept("}") {
		err = p.expected("a semicolon or } after the format")
	}
	return err
}

// as returns a name after AS, or one without AS; "" without a name.
func (p *parser) as() (string, error) {
	if p.AcceptWord("AS") {
		p.Skip()
		p.aliasAt = p.At
		return p.name("a name")
	}
	w := p.Word()
	if w == "" || p.keyword(isKeyword) != "" {
		return "", nil
	}
	p.alias, p.aliasAt = w, p.At
	p.At += len(w)
	return w, nil
}

func (p *parser) where() (err error) {
	p.Skip()
	p.st.whereAt = p.At
	p.st.where, err = p.condition()
	return err
}

// by skips the word after GROUP and ORDER.
func (p *parser) by(what string) error {
	if !p.AcceptWord("BY") {
		return p.expected("BY after " + what)
	}
	return nil
}

func (p *parser) groupBy() error {
	if err := p.by("GROUP"); err != nil {
		return err
	}
	if p.AcceptWord("ALL") {
		p.st.byAll = true
		return nil
	}
	return p.list(func() error {
		e, text, err := p.expression("a field to group by")
		p.st.groupBy = append(p.st.groupBy, grouping{e, text})
		return err
	})
}

func (p *parser) having() (err error) {
	p.st.having, _, err = p.expression("a condition such as count(*) > 10")
	return err
}

func (p *parser) orderBy() error {
	if err := p.by("ORDER"); err != nil {
		return err
	}
	return p.list(func() error {
		e, text, err := p.expression("a field or an alias to order by")
		if err != nil {
			return err
		}
		o := ordering{expr: e, text: text}
		o.desc = p.AcceptWord("DESC")
		o.said = o.desc || p.AcceptWord("ASC")
		p.st.orderBy = append(p.st.orderBy, o)
		return nil
	})
}

func (p *parser) limit() error {
	p.Skip()
	rest := p.Text[p.At:]
	sign := len(rest) - len(strings.TrimLeft(rest, "+-"))
	digits := rest[:sign+end(rest[sign:], func(r rune) bool { return where.IsPart(r) || r == '.' })]
	n, err := strconv.ParseUint(digits, 10, 63)
	switch {
	case errors.Is(err, strconv.ErrRange) || n > math.MaxInt:
		return p.errorAt(p.At, "LIMIT %s is too large; without LIMIT there are all rows", shortened(digits))
	case err != nil && digits != "":
		return p.errorAt(p.At, "LIMIT takes a whole number of rows; got %s", shortened(digits))
	case err != nil:
		return p.expected("a whole number of rows after LIMIT")
	}
	p.st.limit = int(n)
	p.At += len(digits)
	return nil
}

// finishOutputs gives outputs their titles and formats.
func (p *parser) finishOutputs() error {
	n := len(p.st.outputs)
	for _, list := range []struct {
		clause string
		len    int
	}{{"COLUMN", len(p.titles)}, {"FORMAT", len(p.formats)}} {
		begin, there := p.seen[list.clause]
		switch {
		case !there || list.len == n:
		case n == 0:
			return p.errorAt(begin, "%s needs fields after SELECT", list.clause)
		default:
			return p.errorAt(begin, "%s has %d parts, but SELECT has %d", list.clause, list.len, n)
		}
	}
	for i := range p.titles {
		p.st.outputs[i].title = p.titles[i]
	}
	for i := range p.formats {
		p.st.outputs[i].format = p.formats[i]
	}
	if len(p.st.from) == 0 {
		return p.errorAt(len(p.Text), "FROM is missing, with the event types to read, as in FROM jdk.FileRead")
	}
	return nil
}
