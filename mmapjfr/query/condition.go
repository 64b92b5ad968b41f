package query

import (
	"errors"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// condition parses a condition as package where has them, up to the next clause.
func (p *parser) condition() (*where.Condition, error) {
	if p.skip(); p.at == len(p.text) {
		return nil, p.expected("a condition such as duration > 10ms")
	}
	isEnd := func(word string) bool { return len(word) < 10 && isClause[strings.ToUpper(word)] }
	c, rest, err := where.ParsePrefix(p.text[p.at:], p.options.Options, isEnd)
	var wrong *where.SyntaxError
	switch {
	case err == nil:
		p.at = len(p.text) - len(rest)
		return c, nil
	case !errors.As(err, &wrong):
		return nil, p.errorAt(p.at, "%v", err)
	}
	p.at += wrong.Offset
	if w := p.peekWord(); didYouMean(w, clauses) != "" {
		return nil, p.noClause()
	}
	return nil, p.errorAt(p.at, "%s", wrong.Message)
}
