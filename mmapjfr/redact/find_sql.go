package redact

import "strings"

// statements are how SQL begins, and what else it then has.
var statements = [][2]string{
	{"select ", " from "}, {"insert ", "into "}, {"update ", " set "}, {"delete ", "from "}, {"merge ", "into "}, {"replace ", "into "},
	{"call ", "("}, {"exec ", " "}, {"with ", " as "}, {"select ", "("}, {" where ", " "}, {"values", "("},
}

// findLiterals finds quoted texts and numbers of SQL.
func findLiterals(e *environment, text string, found func(from, to int)) {
	from := statement(text)
	if from < 0 {
		return
	}
	for i := from; i < len(text); {
		switch b := text[i]; {
		case b == '\'':
			to := i + 1
			for to < len(text) && (text[to] != '\'' || to+1 < len(text) && text[to+1] == '\'') {
				if text[to] == '\'' {
					to++
				}
				to++
			}
			to = min(to+1, len(text))
			found(i, to)
			i = to
		case b == '"':
			i = 1 + run(text, i+1, func(b byte) bool { return b != '"' })
		case isDigit(b) && (i == 0 || !isWord(text[i-1]) && strings.IndexByte("$:?@#.", text[i-1]) < 0):
			to := run(text, i, func(b byte) bool { return isAlnum(b) || b == '.' })
			found(i, to)
			i = to
		case isWord(b):
			i = run(text, i, isWord)
		default:
			i++
		}
	}
}

// longestClause is how far the second word of a statement is looked for.
const longestClause = 4 << 10

// statement returns where a statement of SQL begins in a text; -1 if none does.
func statement(text string) int {
	for i := 0; i < len(text); i++ {
		switch lower(text[i]) { // letters with which statements begin
		case 's', 'i', 'u', 'd', 'm', 'r', 'c', 'e', 'w', 'v':
			if !wordStarts(text, i) {
				continue
			}
		case ' ':
			if i+1 >= len(text) || lower(text[i+1]) != 'w' {
				continue
			}
		default:
			continue
		}
		for _, s := range statements {
			if hasFoldPrefix(text[i:], s[0]) && indexFold(text[:min(len(text), i+longestClause)], s[1], i+len(s[0])-1) >= 0 && startsStatement(text, i) {
				return i
			}
		}
	}
	return -1
}

// startsStatement reports whether a statement can begin at i: at the start of the text, after a mark such as a colon,
// or with a word in capital letters.
func startsStatement(text string, i int) bool {
	before := strings.TrimRight(text[:i], " \t\r\n")
	return before == "" || strings.IndexByte(":;(\"'[/=", before[len(before)-1]) >= 0 || isUpper(text[i]) && i+1 < len(text) && isUpper(text[i+1]) ||
		text[i] == ' ' && strings.Contains(text[i:min(len(text), i+longestClause)], "=")
}
