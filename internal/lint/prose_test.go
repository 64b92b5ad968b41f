package lint_test

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// rule is a forbidden phrase.
type rule struct {
	word    string // a part of it, in lower case, that is quick to look for
	phrase  *regexp.Regexp
	instead string
}

// forbidden are phrases that a reader has to read twice, with what to write instead. They are
// looked for in comments, string literals and Markdown, in any case and across ends of lines.
var forbidden = []rule{
	{"tells", phrase(`tells (whether|which|how|of)`), "reports whether, returns which, says how, lists"},
	{"told", phrase(`(is|are) told`), "is reported, is returned, gets"},
	{"so", phrase(`so many`), "the number, n, that many"},
	{"ever", phrase(`who(so)?ever`), "the caller, the reader, anybody who"},
	{"through", phrase(`(goes|gone) through`), "visits, reads, iterates over; visited"},
	{"none", phrase(`there is none`), "there is no X, X is missing"},
	{"ever", phrase(`for ever`), "forever, without end"},
	{"comes", phrase(`what comes`), "the next event, the rest"},
	{"business", phrase(`no one's business`), "ignored here"},
	{"grief", phrase(`comes to grief`), "fails, panics"},
	{"nothing", phrase(`good for nothing`), "not valid, useless"},
	{"behind", phrase(`behind`), "after (bytes, time), below (lines)"},
	// "Those who read" and "a caller who goes on" are people. "For who reads it" has no noun.
	{"who", phrase(`(for|by|of|to|from|with|what|is|so|and|or|if|that|but) who`), "the caller, the reader, code that"},
	{"who", regexp.MustCompile(`(?:[.:;,]\s+|^\s*)[Ww]ho\s+[a-z]+s\b`), "a caller that, anybody who"},
}

// phrase compiles words that may be separated by any white space.
func phrase(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b` + strings.ReplaceAll(words, " ", `\s+`) + `\b`)
}

// allowed are uses of forbidden words that say what they should.
var allowed = regexp.MustCompile(`(?i)\b(?:(?:fall|falls|fell|falling|lag|lags|far|leaves?|leaving|left|run|runs)\s+behind|behind\s+(?:it|a)\s+proxy)\b`)

// here is the file that lists the phrases, and is not searched.
const here = "internal/lint/prose_test.go"

// ceilings are how many forbidden phrases a folder may still have. A folder that is not listed may
// have none. Numbers only go down.
var ceilings = map[string]int{}

// finding is a forbidden phrase in a text.
type finding struct {
	line          int
	text, instead string
}

// findings returns the forbidden phrases of a text that begins at a line of its file.
func findings(text string, line int) []finding {
	var found []finding
	blanked := blank(text, allowed)
	lower := strings.ToLower(blanked)
	for _, rule := range forbidden {
		if !strings.Contains(lower, rule.word) {
			continue
		}
		for _, at := range rule.phrase.FindAllStringIndex(blanked, -1) {
			words := strings.Join(strings.Fields(text[at[0]:at[1]]), " ")
			found = append(found, finding{line + strings.Count(text[:at[0]], "\n"), words, rule.instead})
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(a.line, b.line) })
	return found
}

// blank replaces what the pattern matches by as many bytes that no phrase has, but keeps the ends
// of lines.
func blank(text string, pattern *regexp.Regexp) string {
	return pattern.ReplaceAllStringFunc(text, func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return '_'
		}, strings.ToValidUTF8(s, ""))
	})
}

// inlineCode is code in a line of Markdown.
var inlineCode = regexp.MustCompile("`[^`\n]+`")

// inMarkdown returns the forbidden phrases of a page, except those in inline code.
func inMarkdown(text string) []finding {
	return findings(blank(text, inlineCode), 1)
}

// inGo returns the forbidden phrases in the comments and string literals of a Go file. Comments
// of consecutive lines are one text, and so are literals that are joined by +.
func inGo(text string) []finding {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)

	var found []finding
	var joined strings.Builder
	var kind token.Token // of what is joined
	first, last := 0, 0  // its lines
	flush := func() {
		found = append(found, findings(joined.String(), first)...)
		joined.Reset()
	}
	add := func(k token.Token, line int, text string) {
		if k != kind || k == token.COMMENT && line > last+1 {
			flush()
			kind, first = k, line
		}
		joined.WriteString(text)
		last = line + strings.Count(text, "\n")
	}
	for {
		pos, tok, literal := s.Scan()
		line := files.Position(pos).Line
		switch tok {
		case token.EOF:
			flush()
			return found
		case token.COMMENT:
			add(tok, line, strings.TrimLeft(literal, "/*"))
			joined.WriteByte('\n')
		case token.STRING:
			value, _ := strconv.Unquote(literal)
			add(tok, line, value)
		case token.ADD: // may join literals
		default:
			flush()
			kind = tok
		}
	}
}

// TestPlainEnglish fails if a folder has more forbidden phrases than its ceiling.
func TestPlainEnglish(t *testing.T) {
	counts := make(map[string]int)
	reports := make(map[string][]string)
	for _, file := range sourceFiles(t, ".go", ".md") {
		if file.Path == here {
			continue
		}
		find := inGo
		if strings.HasSuffix(file.Path, ".md") {
			find = inMarkdown
		}
		for _, f := range find(file.Text) {
			dir := file.Dir()
			counts[dir]++
			reports[dir] = append(reports[dir], fmt.Sprintf("%s:%d: %q; rather: %s", file.Path, f.line, f.text, f.instead))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(counts)) {
		switch n, most := counts[dir], ceilings[dir]; {
		case n > most:
			t.Errorf("%s: %d forbidden phrases, and %d are allowed:\n%s", dir, n, most, strings.Join(reports[dir], "\n"))
		case n < most:
			t.Logf("%s: the ceiling of %d can be lowered to %d", dir, most, n)
		}
	}
	for dir := range ceilings {
		if counts[dir] == 0 {
			t.Errorf("%s has no forbidden phrase: remove its ceiling", dir)
		}
	}
}

// TestForbiddenPhrasesAreFound makes sure that the rule can fail.
func TestForbiddenPhrasesAreFound(t *testing.T) {
	tests := map[string]struct {
		text string
		want int
	}{
		"comment":                 {"package p\n\n// f tells whether x.\nfunc f() {}\n", 1},
		"across lines":            {"package p\n\n// f tells\n// whether x.\nfunc f() {}\n", 1},
		"not across a blank line": {"package p\n\n// f tells\n\n// whether x.\nfunc f() {}\n", 0},
		"block comment":           {"package p\n\n/* there\nis none */\n", 1},
		"string":                  {"package p\n\nvar s = \"so many\"\n", 1},
		"raw string":              {"package p\n\nvar s = `so many`\n", 1},
		"joined strings":          {"package p\n\nvar s = \"so \" +\n\t\"many\"\n", 1},
		"separate strings":        {"package p\n\nvar s = f(\"so \", \"many\")\n", 0},
		"identifier":              {"package p\n\nvar behind = 1\n", 0},
		"upper case":              {"package p\n\n// Whoever.\n", 1},
		"allowed":                 {"package p\n\n// A handler that falls behind.\n", 0},
		"people":                  {"package p\n\n// those who read\n", 0},
		"no noun":                 {"package p\n\n// for who reads\n", 1},
		"no noun at the start":    {"package p\n\n// X. Who reads it gets it.\n", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Len(t, inGo(test.text), test.want)
		})
	}
	assert.Empty(t, inMarkdown("Do not write `so many`.\n"), "inline code")
	found := inMarkdown("One line.\nThey are so\nmany.\n")
	if assert.Len(t, found, 1) {
		assert.Equal(t, 2, found[0].line)
		assert.Equal(t, "so"+" many", found[0].text)
	}
}
