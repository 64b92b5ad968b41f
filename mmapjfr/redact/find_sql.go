package redact

import "strings"

// statements are how SQL begins, and what else it then has. A space stands for any white space.
var statements = [...][2]string{
	{"select ", " from "}, {"insert ", "into "}, {"update ", " set "}, {"delete ", "from "}, {"merge ", "into "}, {"replace ", "into "},
	{"call ", "("}, {"exec ", " "}, {"with ", " as "}, {"select ", "("}, {" where ", " "}, {"values", "("},
	{"create ", " identified by "}, {"alter ", " identified by "}, {"create ", " password "}, {"alter ", " password "}, {"identified by ", ""},
}

// findLiterals finds quoted texts and numbers of SQL.
func findLiterals(e *environment, text string, found func(from, to int)) {
	from := statement(text)
	if from < 0 {
		return
	}
	values := false
	for i := from; i < len(text); {
		switch b := text[i]; {
		case b == '\'':
			to := literalEnd(text, i)
			found(i, to)
			i = to
		case b == '"':
			to := min(1+run(text, i+1, func(b byte) bool { return b != '"' }), len(text))
			if isCompared(text, i, values) && !strings.HasPrefix(text[to:], ".") {
				found(i, to)
			}
			i = to
		case b == '$' && dollarEnd(text, i) > 0:
			to := dollarEnd(text, i)
			found(i, to)
			i = to
		case isDigit(b) && (i == 0 || !isWord(text[i-1]) && strings.IndexByte("$:?@#.", text[i-1]) < 0):
			to := run(text, i, func(b byte) bool { return isAlnum(b) || b == '.' })
			found(i, to)
			i = to
		case isWord(b):
			to := run(text, i, isWord)
			values = values || strings.EqualFold(text[i:to], "values")
			if hasWords(text, "identified by ", i) { // a password, also without quotes
				to = indexWords(text, "by ", to) + len("by ")
				if to = run(text, to, isSpace); to < len(text) && !isQuote(text[to]) {
					var from int
					from, to = valueAt(text, to, listEnds)
					if !e.isMark(text[from:to]) && !strings.EqualFold(text[from:to], "values") {
						found(from, to)
					}
				}
			}
			i = to
		default:
			i++
		}
	}
}

// literalEnd returns where the literal ends whose quote is at i. Two quotes are one in it, and so is one after a backslash
// where a letter follows, since nothing else does after a literal, or E precedes.
func literalEnd(text string, i int) int {
	escapes := i > 0 && lower(text[i-1]) == 'e' && wordStarts(text, i-1)
	for to := i + 1; to < len(text); to++ {
		switch {
		case text[to] == '\\' && to+1 < len(text) && (escapes || text[to+1] == '\'' && !wordEnds(text, to+2)):
			to++
		case text[to] == '\'' && to+1 < len(text) && text[to+1] == '\'':
			to++
		case text[to] == '\'':
			return to + 1
		}
	}
	return len(text)
}

// isCompared reports whether the double quote at i begins a text, as in MySQL: one that a column is compared with or set
// to. Names of tables and columns are in such quotes, too.
func isCompared(text string, i int, values bool) bool {
	before := runBack(text, i, isSpace)
	return before > 0 && (strings.IndexByte("=<>", text[before-1]) >= 0 || values && strings.IndexByte("(,", text[before-1]) >= 0)
}

// dollarEnd returns where a literal of PostgreSQL ends that begins at i: $$x$$, or $tag$x$tag$; 0 if none does.
func dollarEnd(text string, i int) int {
	const longest = 64
	end := run(text[:min(len(text), i+longest)], i+1, isWord)
	if end >= len(text) || text[end] != '$' || isDigit(text[i+1]) {
		return 0
	}
	end++
	if n := strings.Index(text[end:], text[i:end]); n >= 0 {
		return end + n + end - i
	}
	return len(text)
}

// clauses are where the second words of statements stand next in a text, so that none is looked for twice.
type clauses struct {
	next   [len(statements)]int
	equals int
}

// follows reports whether the second words of a statement stand somewhere after i.
func (c *clauses) follows(text string, statement, i int) bool {
	if next := &c.next[statement]; *next < i {
		*next = indexWords(text, statements[statement][1], i)
	}
	return c.next[statement] < len(text)
}

// statement returns where a statement of SQL begins in a text; -1 if none does.
func statement(text string) int {
	var c *clauses
	for i := 0; i < len(text); i++ {
		switch lower(text[i]) { // letters with which statements begin
		case 's', 'i', 'u', 'd', 'm', 'r', 'c', 'e', 'w', 'v', 'a':
			if !wordStarts(text, i) {
				continue
			}
		case ' ', '\t', '\r', '\n':
			if i+1 >= len(text) || lower(text[i+1]) != 'w' {
				continue
			}
		default:
			continue
		}
		for k := range statements {
			first := &statements[k][0]
			if !hasWords(text, *first, i) || *first == "call " && !callsProcedure(text, i+len(*first)) {
				continue
			}
			if c == nil {
				c = newClauses()
			}
			if c.follows(text, k, i+len(*first)-1) && c.startsStatement(text, i) {
				return i
			}
		}
	}
	return -1
}

// callsProcedure reports whether the name of a procedure stands at i, and its bracket: one calls other things, too.
func callsProcedure(text string, i int) bool {
	i = run(text, i, isSpace)
	end := run(text, i, func(b byte) bool { return isKeyByte(b) || isQuote(b) })
	return end > i && isLetter(text[i]) && end < len(text) && text[end] == '('
}

func newClauses() *clauses {
	c := &clauses{equals: -1}
	for i := range c.next {
		c.next[i] = -1
	}
	return c
}

// startsStatement reports whether a statement can begin at i: at the start of the text, after a mark such as a colon,
// or with a word in capital letters.
func (c *clauses) startsStatement(text string, i int) bool {
	before := runBack(text, i, isSpace)
	if before == 0 || strings.IndexByte(":;({\"'[/=", text[before-1]) >= 0 || isUpper(text[i]) && i+1 < len(text) && isUpper(text[i+1]) {
		return true
	}
	if !isSpace(text[i]) {
		return false
	}
	if c.equals < i {
		c.equals = i + indexAny(text[i:], "=")
	}
	return c.equals < len(text)
}

// hasWords reports whether words in lower case stand in a text at i, in any case. A space in them stands for any white
// space: the first one for one byte of it.
func hasWords(text, words string, i int) bool {
	for w := range len(words) {
		switch {
		case i >= len(text):
			return false
		case words[w] == ' ' && w == 0 && isSpace(text[i]), lower(text[i]) == words[w] && words[w] != ' ':
			i++
		case words[w] == ' ' && w > 0 && isSpace(text[i]):
			i = run(text, i, isSpace)
		default:
			return false
		}
	}
	return true
}

// indexWords returns where words stand in a text from i, as hasWords has it; the length of the text if nowhere.
func indexWords(text, words string, i int) int {
	for ; i < len(text); i++ {
		if hasWords(text, words, i) {
			return i
		}
	}
	return len(text)
}
