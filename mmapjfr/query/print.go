package query

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/where"
)

// String returns the statement in one line. Parsing it gives the same statement.
func (s *Statement) String() string {
	w := &writer{}
	s.writeOutputs(w)
	w.list("FROM ", len(s.from), func(i int) { w.source(s.from[i]) })
	for _, j := range s.joins {
		w.text([]string{during: "DURING ", within: "WITHIN ", asof: "ASOF "}[j.mode])
		if w.source(j.event); j.where != nil {
			w.buf = append(append(append(w.buf, " ("...), j.where.String()...), ')')
		}
	}
	if s.where != nil {
		w.text("WHERE " + s.where.String())
	}
	if s.byAll {
		w.text("GROUP BY ALL")
	}
	w.list("GROUP BY ", len(s.groupBy), func(i int) { w.expr(s.groupBy[i].expr) })
	if s.having != nil {
		w.text("HAVING ")
		w.expr(s.having)
	}
	w.list("ORDER BY ", len(s.orderBy), func(i int) {
		o := s.orderBy[i]
		if w.expr(o.expr); o.desc {
			w.buf = append(w.buf, " DESC"...)
		} else if o.said {
			w.buf = append(w.buf, " ASC"...)
		}
	})
	if s.limit >= 0 {
		w.text("LIMIT " + strconv.Itoa(s.limit))
	}
	return string(w.buf)
}

// writeOutputs writes SELECT.
func (s *Statement) writeOutputs(w *writer) {
	if len(s.outputs) == 0 {
		w.text("SELECT *")
	}
	w.list("SELECT ", len(s.outputs), func(i int) {
		o := s.outputs[i]
		switch w.expr(o.expr); {
		case o.alias != "" && o.title == "" && !isName(o.alias):
			w.buf = append(append(append(w.buf, " AS `"...), o.alias...), '`') // quotes would make it the title
		case o.alias != "":
			w.alias(o.alias)
		}
		if o.title != "" && (o.title != o.alias || isName(o.alias)) {
			w.buf = appendQuoted(append(w.buf, ' '), o.title)
		}
		if o.format != (Format{}) {
			w.buf = append(appendFormat(append(w.buf, " {"...), o.format), '}')
		}
	})
}

// writer appends the clauses of a statement.
type writer struct{ buf []byte }

// text begins a clause.
func (w *writer) text(t string) {
	if len(w.buf) > 0 {
		w.buf = append(w.buf, ' ')
	}
	w.buf = append(w.buf, t...)
}

// list writes a clause with n elements, if there are any.
func (w *writer) list(clause string, n int, one func(i int)) {
	for i := range n {
		if i == 0 {
			w.text(clause)
		} else {
			w.buf = append(w.buf, ", "...)
		}
		one(i)
	}
}

func (w *writer) expr(e expr) { w.buf = appendExpr(w.buf, e, orBinds) }

func (w *writer) source(s source) {
	if w.buf = appendPattern(w.buf, s.pattern); s.alias != "" {
		w.alias(s.alias)
	}
}

// appendPattern appends the name of an event type, in quotes if it needs them.
func appendPattern(dst []byte, pattern string) []byte {
	if pattern != "" && end(pattern, isPattern) == len(pattern) && !isKeyword[strings.ToUpper(pattern)] {
		return append(dst, pattern...)
	}
	return appendQuoted(dst, pattern)
}

func (w *writer) alias(name string) {
	w.buf = append(w.buf, " AS "...)
	if isName(name) {
		w.buf = append(w.buf, name...)
	} else {
		w.buf = appendQuoted(w.buf, name)
	}
}

// isName reports whether a name needs no quotes.
func isName(name string) bool {
	p := parser{Lexer: where.Lexer{Text: name}}
	return p.Word() == name && p.keyword(isKeyword) == ""
}

// appendExpr appends an expression. It stands in parentheses if its operator does not bind that strong.
func appendExpr(dst []byte, e expr, least precedence) []byte {
	switch e := e.(type) {
	case *path:
		return appendPath(dst, e)
	case *number:
		return append(dst, e.text...)
	case *text:
		return appendQuoted(dst, e.value)
	case *call:
		dst = append(append(dst, strings.ToLower(e.name)...), '(')
		if e.star {
			dst = append(dst, '*')
		}
		for i, a := range e.args {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendExpr(dst, a, orBinds)
		}
		return append(dst, ')')
	}
	u, isUnary := e.(*unary)
	b, _ := e.(*binary)
	binds := signBinds
	switch {
	case !isUnary:
		binds = bindingOf(b.op)
	case u.op == "NOT":
		binds = notBinds
	}
	if binds < least {
		return append(appendExpr(append(dst, '('), e, orBinds), ')')
	}
	if !isUnary {
		dst = appendExpr(dst, b.left, binds)
		dst = append(append(append(dst, ' '), b.op...), ' ')
		return appendExpr(dst, b.right, binds+1)
	}
	dst = append(dst, u.op...)
	if _, twice := u.operand.(*unary); twice || u.op == "NOT" {
		dst = append(dst, ' ') // -- is a comment
	}
	return appendExpr(dst, u.operand, binds)
}

// appendPath appends a path, with backquotes if it could mean something else without.
func appendPath(dst []byte, e *path) []byte {
	if len(e.sources) == 1 && isName(e.sources[0]) {
		dst = append(append(dst, e.sources[0]...), '.')
	} else if len(e.sources) > 0 {
		for i, name := range e.sources {
			dst = appendPattern(append(dst, "[|"[min(i, 1)]), name)
		}
		dst = append(dst, "]."...)
	}
	if e.quoted {
		return append(append(append(dst, '`'), e.field...), '`')
	}
	return append(dst, e.field...)
}

// appendQuoted appends a text in quotes, with escapes where it needs them.
func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '\'')
	for _, r := range text {
		switch {
		case r == '\'' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < 0x10000 && !unicode.IsPrint(r):
			dst = append(dst, `\u`...)
			hex := strconv.FormatUint(uint64(r), 16)
			dst = append(append(dst, "0000"[len(hex):]...), hex...)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '\'')
}
