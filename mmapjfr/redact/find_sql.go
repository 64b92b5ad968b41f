package redact

import (
	"strings"
	"unicode/utf8"
)

// statementForm is how a statement of SQL begins, and what else it then has. A space stands for any white space.
type statementForm struct {
	first, then string
	// fits says more of what follows first, at i; nil if there is no more to say.
	fits func(text string, i int) bool
	sure bool // it begins wherever it stands
}

var statements = [...]statementForm{
	{first: "select ", then: " from ", fits: selects}, {first: "insert ", then: "into ", fits: putsInto}, {first: "update ", then: " set ", fits: noArticle},
	{first: "delete ", then: "from ", fits: deletes}, {first: "merge ", then: "into ", fits: putsInto}, {first: "replace ", then: "into ", fits: putsInto}, {first: "call ", then: "(", fits: callsProcedure}, {first: "exec ", then: " "},
	{first: "with ", then: " as "}, {first: "select ", then: "("}, {first: "select ", fits: selectsLiteral}, {first: " where ", then: " "},
	{first: "values", fits: startsValues}, {first: " values", fits: startsValues, sure: true},
	{first: "create ", then: " identified "}, {first: "alter ", then: " identified "}, {first: "create ", then: " password "}, {first: "alter ", then: " password "},
	{first: "identified by "}, {first: "identified with ", fits: identifiedWith}, {first: "set password ", fits: setsPassword},
	{first: "declare ", fits: declares}, {first: "set @", then: "="}, {first: "begin ", then: ":="},
	{first: "begin ", then: "; end", fits: callsProcedure}, {first: "explain ", then: " select "}, {first: "explain ", then: " set "}, {first: "explain ", then: " from "},
	{first: "grant ", then: " identified by "},
	{first: "match (", then: "{"}, {first: "create (", then: "{"}, {first: "merge (", then: "{"}, // of Cypher
}

// statementsOf are the statements by their first letter, which may be a space, and statementStarts the first two letters.
var statementsOf, statementStarts = func() (by [256][]uint8, starts bytePairs) {
	for k := range statements {
		first := statements[k].first
		by[first[0]] = append(by[first[0]], uint8(k))
		starts.add(first[0], first[1])
	}
	for _, space := range "\t\r\n" {
		by[space], starts[space] = by[' '], starts[' ']
	}
	return by, starts
}()

// findLiterals finds quoted texts and numbers of SQL.
func findLiterals(e *environment, text string, found func(from, to int)) {
	from := statement(e, text)
	if from < 0 {
		return
	}
	values := false
	comment := 0 // where it ends
	e.next = from + workAtOnce
	for i := from; i < len(text) && !e.stopped(i); {
		switch b := text[i]; {
		case b == '\'' && i < comment && i > 1 && isWord(text[i-1]) && isWord(text[i-2]):
			i++ // an apostrophe
		case b == '\'':
			end := len(text)
			if i < comment {
				end = comment
			}
			to := literalEnd(text[:end], i)
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
		case i >= comment && (strings.HasPrefix(text[i:], "--") || strings.HasPrefix(text[i:], "/*")):
			end := "\n"
			if b == '/' {
				end = "*/"
			}
			if comment = i + 2 + strings.Index(text[i+2:], end); comment < i+2 {
				comment = len(text)
			}
			i += 2
		case isDigit(b) && (i == 0 || !isWord(text[i-1]) && strings.IndexByte("$:?@#.", text[i-1]) < 0):
			to := run(text, i, func(b byte) bool { return isAlnum(b) || b == '.' })
			found(i, to)
			i = to
		case isWord(b):
			to := run(text, i, isWord)
			values = isAmong(listWords, text[i:to]) || values && !isAmong(clauseWords, text[i:to])
			if at := identified(text, i); at > 0 { // a password, in quotes or not
				from := at
				if from < len(text) && text[from] == '"' {
					to = min(1+run(text, from+1, func(b byte) bool { return b != '"' }), len(text))
					found(from, to)
				} else if to = from; from == len(text) || text[from] != '\'' {
					from, to = valueAt(text, from, listEnds)
					if !e.isMark(text[from:to]) && (!strings.EqualFold(text[from:to], "values") && !strings.EqualFold(text[from:to], "password") || to == len(text)) {
						found(from, to)
					}
				}
			}
			i = max(to, i+1)
		default:
			i++
		}
	}
}

// listWords are words after which texts in brackets may be in double quotes, and clauseWords those after which columns are.
var listWords, clauseWords = []string{"values", "in"}, []string{"select", "and", "or", "order", "group", "where", "returning"}

// identified returns where the password begins that follows identified by, or identified with x by, at i; 0 if none does.
func identified(text string, i int) int {
	if !hasWords(text, "identified ", i) {
		return 0
	}
	i = run(text, i+len("identified"), isSpace)
	if hasWords(text, "with ", i) {
		name := run(text, i+len("with"), isSpace)
		_, to := valueAt(text, name, listEnds)
		if to < len(text) && isQuote(text[to]) {
			to++
		}
		if i = run(text, to, isSpace); hasWords(text, "as ", i) {
			return run(text, i+len("as"), isSpace)
		}
	}
	if !hasWords(text, "by ", i) {
		return 0
	}
	return run(text, i+len("by"), isSpace)
}

// identifiedWith reports whether a password follows the name at i of how it is kept.
func identifiedWith(text string, i int) bool {
	return identified(text, runBack(text, i, isSpace)-len("identified with")) > 0
}

// articles are words before which sentences name things, and statements do not.
var articles = []string{"the", "an", "this", "that", "these", "those", "your", "my", "our", "their", "its", "his", "her"}

// isShouted reports whether the word that ends before the space before i is in capital letters, as of statements alone.
func isShouted(text string, i int) bool {
	end := runBack(text, i, isSpace)
	return end > 1 && isUpper(text[end-1]) && isUpper(text[end-2])
}

// noArticle reports whether no article stands at i, unless a word in capital letters is before it.
func noArticle(text string, i int) bool {
	i = run(text, i, isSpace)
	return isShouted(text, i) || !isAmong(articles, text[i:run(text, i, isKeyByte)])
}

// selects reports whether no sentence goes on at i, as in: select a file from the list.
func selects(text string, i int) bool {
	near := text[:min(len(text), i+longestBeside)]
	from := indexWords(near, " from ", max(0, i-1))
	return from == len(near) || isShouted(text, i) || noArticle(text, from+len(" from "))
}

// putsInto reports whether into follows at i, or a word that may precede it.
func putsInto(text string, i int) bool {
	i = run(text, i, isSpace)
	word := text[i:wordAfter(text, i)]
	return isShouted(text, i) || word == "" || isAmong([]string{"into", "ignore", "or", "all", "first", "top", "low", "high", "delayed", "overwrite"}, word)
}

// deletes reports whether the name of a table may follow from at i, and no colon follows that.
func deletes(text string, i int) bool {
	if !hasWords(text, "from ", i) {
		return true
	}
	table := run(text, i+len("from"), isSpace)
	end := run(text, table, isKeyByte)
	return noArticle(text, table) && (end == table || !strings.HasPrefix(text[end:], ":") || isShouted(text, i))
}

// isLiteralAt reports whether a quoted text, a number or a parameter is at i, and where it ends.
func isLiteralAt(text string, i int) (to int, ok bool) {
	switch {
	case i >= len(text):
		return i, false
	case text[i] == '\'':
		return literalEnd(text, i), true
	case isDigit(text[i]):
		return run(text, i, func(b byte) bool { return isAlnum(b) || b == '.' }), true
	case text[i] == '$' && dollarEnd(text, i) > 0:
		return dollarEnd(text, i), true
	case i+1 < len(text) && isOneOf(lower(text[i]), "nexbq") && text[i+1] == '\'':
		return literalEnd(text, i+1), true
	}
	return i, false
}

// selectsLiteral reports whether a list of what is selected begins at i and has a literal, as in SELECT 'x' and
// select a, 5 as b. In sentences other words follow a literal.
func selectsLiteral(text string, i int) bool {
	for {
		i = run(text, i, isSpace)
		to, ok := isLiteralAt(text, i)
		if ok {
			next := run(text, to, isSpace)
			return next == len(text) || isOneOf(text[next], ",;)|+*/=<>") || strings.HasPrefix(text[next:], "::") || next > to && (hasWords(text, "as ", next) ||
				hasWords(text, "union ", next) || hasWords(text, "limit ", next))
		}
		if to = run(text, i, func(b byte) bool { return isKeyByte(b) && b != '-' || isOneOf(b, "@?:$") }); to == i {
			return false
		}
		if hasWords(text, "distinct ", i) || hasWords(text, "all ", i) {
			i = to
			continue
		}
		if i = run(text, to, isSpace); i == len(text) || text[i] != ',' && text[i] != '=' {
			return false
		}
		i++
	}
}

// startsValues reports whether a row of values begins at i, with its bracket.
func startsValues(text string, i int) bool {
	if i = run(text, i, isSpace); i == len(text) || text[i] != '(' {
		return false
	}
	i = run(text, i+1, isSpace)
	to, ok := isLiteralAt(text, i)
	if !ok && !hasWords(text, "null", i) && (i == len(text) || text[i] != '?') {
		return false
	}
	to = run(text, max(to, i), func(b byte) bool { return isLetter(b) || b == '?' || isSpace(b) })
	return to == len(text) || isOneOf(text[to], ",):|+")
}

// setsPassword reports whether a password follows set password at i.
func setsPassword(text string, i int) bool {
	const longest = 256
	near := text[:min(len(text), i+longest)]
	i = run(near, i, isSpace)
	if hasWords(near, "for ", i) {
		for i < len(near) && near[i] != '=' && !hasWords(near, " to '", i) {
			i++
		}
	}
	return i < len(near) && (near[i] == '=' || hasWords(near, " to '", i) || hasWords(near, "to '", i))
}

// declares reports whether a variable is declared at i, and gets a value.
func declares(text string, i int) bool {
	const longest = 256
	near := text[i:min(len(text), i+longest)]
	if near != "" && near[0] == '@' {
		return true
	}
	name := run(near, 0, isWord)
	return name > 0 && name < len(near) && isSpace(near[name]) && (strings.Contains(near, ":=") || indexFold(near, " default '", name) > 0)
}

// literalEnd returns where the literal ends whose quote is at i. Two quotes are one in it, and so is one after a backslash
// where a letter follows, since nothing else does after a literal, or E precedes.
func literalEnd(text string, i int) int {
	if i+1 < len(text) && i > 0 && lower(text[i-1]) == 'q' && !isWord(text[i+1]) && text[i+1] != '\'' && (wordStarts(text, i-1) || i > 1 && lower(text[i-2]) == 'n' && wordStarts(text, i-2)) {
		end := text[i+1] // q'[x]'
		if at := strings.IndexByte("[{(<", end); at >= 0 {
			end = "]})>"[at]
		}
		if n := strings.Index(text[i+2:], string(rune(end))+"'"); end < utf8.RuneSelf && n >= 0 {
			return i + 2 + n + 2
		}
	}
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

// clauses are where the second words of statements stand next in a text, so that none is looked for twice; 0, where none can
// stand, if it has not been looked for.
type clauses struct {
	next   [len(statements)]int
	equals int
}

// follows reports whether the second words of a statement stand somewhere after i.
func (c *clauses) follows(text string, statement, i int) bool {
	if next := &c.next[statement]; *next < i {
		*next = indexWords(text, statements[statement].then, i)
	}
	return c.next[statement] < len(text)
}

// statement returns where a statement of SQL begins in a text; -1 if none does.
func statement(e *environment, text string) int {
	var c clauses
	for i := 0; i+1 < len(text); i++ {
		first := lower(text[i])
		if !statementStarts.has(first, text[i+1]) || !isSpace(first) && i > 0 && (isAlnum(text[i-1]) || text[i-1] == '_') {
			continue
		}
		if e.stopped(i) {
			return -1
		}
		for _, k := range statementsOf[first] {
			s := &statements[k]
			next := i + len(s.first)
			if !hasWords(text, s.first, i) || s.fits != nil && !s.fits(text, next) {
				continue
			}
			if (s.then == "" || c.follows(text, int(k), next-1)) && (s.sure || c.startsStatement(text, i)) {
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

// startsStatement reports whether a statement can begin at i: at the start of the text, after a mark such as a colon,
// or with a word in capital letters.
func (c *clauses) startsStatement(text string, i int) bool {
	before := runBack(text, i, isSpace)
	if before == 0 || before == i && text[i-1] >= utf8.RuneSelf || strings.IndexByte(":;({\"'[/=", text[before-1]) >= 0 || isUpper(text[i]) && i+1 < len(text) && isUpper(text[i+1]) {
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
