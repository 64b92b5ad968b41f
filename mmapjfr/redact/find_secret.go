package redact

import (
	"slices"
	"strings"
)

// keywords are globs of keys, compiled. What has no * and no ? is a word: the whole key, or the last part of it. A long word
// may be several ones, however they are joined: cardno is card_no, card-no, card.no and cardNo, too.
type keywords struct {
	parts  [256][]string // of *part*, by the first byte
	starts bytePairs     // with which parts begin
	globs  []string      // the others
	words  map[string]bool
	ends   bytePairs // with which words end
}

// bytePairs are pairs of bytes in lower case, more or less: of the second one five bits.
type bytePairs [256]uint32

func (p *bytePairs) add(a, b byte) { p[lower(a)] |= 1 << (b & 31) }

func (p *bytePairs) has(a, b byte) bool { return p[lower(a)]>>(b&31)&1 != 0 }

const (
	// longestWord is the greatest length of a word among keys, and shortestJoined the least of one that may be several.
	longestWord    = 32
	shortestJoined = 6
)

// compileKeywords compiles globs in lower case.
func compileKeywords(globs []string) *keywords {
	k := &keywords{words: make(map[string]bool)}
	for _, g := range globs {
		part := strings.Trim(g, "*")
		switch {
		case part == "":
			k.globs = append(k.globs, g)
		case !strings.ContainsAny(g, "*?") && 2 <= len(g) && len(g) <= longestWord:
			k.words[string(wordOf(&[longestWord]byte{}, g))] = true
			k.ends.add(g[len(g)-2], g[len(g)-1])
		case g == "*"+part+"*" && len(part) >= 2 && !strings.ContainsAny(part, "*?"):
			k.parts[part[0]] = append(k.parts[part[0]], part)
			k.starts.add(part[0], part[1])
		default:
			k.globs = append(k.globs, g)
		}
	}
	return k
}

// match reports whether a key is among them. A word of it begins after a mark, or with a capital letter after a small one.
func (k *keywords) match(key string) bool {
	if len(key) > 2 && key[0] == '-' && isUpper(key[1]) { // -Dkey
		key = key[2:]
	}
	return key != "" && k.matchFrom(key, false)
}

// matchFrom is match for a key that is not empty. If atEnd is true, a part of it must be its end: passwordLength is no password.
func (k *keywords) matchFrom(key string, atEnd bool) bool {
	for i := range len(key) - 1 {
		if !k.starts.has(key[i], key[i+1]) {
			continue
		}
		for _, part := range k.parts[lower(key[i])] {
			if hasFoldPrefix(key[i:], part) && !slices.ContainsFunc(otherWords, func(w string) bool { return hasFoldPrefix(key[i:], w) }) && (!atEnd || i+len(part) == len(key)) {
				return true
			}
		}
	}
	if n := len(key); n >= 2 && k.ends.has(key[n-2], key[n-1]) {
		var word [longestWord]byte
		for i := max(0, len(key)-longestWord); i < len(key); i++ {
			if i > 0 && isAlnum(key[i-1]) && !(isUpper(key[i]) && !isUpper(key[i-1])) || isSpace(key[i]) {
				continue
			}
			if k.words[string(wordOf(&word, key[i:]))] {
				return true
			}
		}
	}
	if !atEnd && len(k.globs) > 0 && matchesAny(k.globs, strings.ToLower(key)) {
		return true
	}
	// Letters that are not ASCII have cases, too.
	for i := range len(key) {
		if classOf[key[i]] == hasHigh {
			low := strings.ToLower(key)
			return low != key && k.matchFrom(low, atEnd)
		}
	}
	return false
}

// wordOf returns a word in lower case, without marks if enough is left.
func wordOf(out *[longestWord]byte, word string) []byte {
	n := 0
	for i := range len(word) {
		if !isOneOf(word[i], "_-.") {
			out[n] = lower(word[i])
			n++
		}
	}
	if n < shortestJoined && n < len(word) {
		for i := range len(word) {
			out[i] = lower(word[i])
		}
		n = len(word)
	}
	return out[:n]
}

// isKeyByte reports whether a byte can stand in a key.
func isKeyByte(b byte) bool { return isWord(b) || b == '-' || b == '.' }

// findSecrets finds the values of key=value, key: value, key -> value, key|value, "key": "value", --key value,
// -u name:value, <key>value</key>, <key value="value"/>, setKey("value"), and of key=KEY, value=value.
func findSecrets(e *environment, text string, found func(from, to int)) {
	var c commands
	for i := 0; i < len(text); i++ {
		if !keySigns[text[i]] {
			continue
		}
		if e.stopped(i) {
			return
		}
		from, to := 0, 0
		e.key = ""
		switch b := text[i]; {
		case b == '=' || b == ':':
			key, start := keyBefore(e, text, i)
			if from, to = assigned(e, text, i, 1, key, start); from >= to {
				from, to = valueBeside(e, text, i, key, start)
			}
			if from >= to && !e.names {
				from, to = grantValue(text, i, key, start)
			}
		case b == wideSign && (strings.HasPrefix(text[i:], "：") || strings.HasPrefix(text[i:], "＝")):
			key, start := keyBefore(e, text, i)
			from, to = assigned(e, text, i, len("："), key, start)
		case b == '<':
			from, to = elementValue(e, text, i)
		case b == '|' || b == '~':
			from, to = separated(e, text, i)
		case b == '(' && quoteAt(text, run(text, i+1, isSpace)) != "":
			from, to = passed(e, text, i)
		case b == '[' && !e.names:
			from, to = pairValue(e, text, i)
		case b == '-' && strings.HasPrefix(text[i:], "->"):
			key, start := keyBefore(e, text, i)
			from, to = assigned(e, text, i, len("->"), key, start)
		case b == '-' && startsOption(text, i):
			if from, to = optionValue(e, text, i, &c); from < to && isPlain(e, text[from:to]) {
				to = from
			}
		case isSpace(b) && i > 1 && wordsAtSpaces.has(text[i-2], text[i-1]):
			if from, to = netrcValue(e, text, i); from >= to && !e.names {
				if from, to = setValue(e, text, i); from >= to {
					from, to = spokenValue(e, text, i)
				}
			}
		}
		if from < to {
			if value := text[from:to]; !isPlain(e, value) && !isAmount(e.key, value) {
				found(from, to)
			}
			i = max(i, to-1)
		}
	}
}

// keySigns are the bytes at which findSecrets looks for a key or a value.
var keySigns = func() (signs [256]bool) {
	for b := range 256 {
		signs[b] = isOneOf(byte(b), "=:<|~([-") || isSpace(byte(b)) || b == wideSign
	}
	return signs
}()

// wideSign is the first byte of signs as wide as Chinese characters.
const wideSign = 0xef

// separated returns where the value lies that follows a key and the sign at i, as in password|x. What follows a list of keys
// is none.
func separated(e *environment, text string, i int) (from, to int) {
	key, start := keyBefore(e, text, i)
	if len(key) < 2 || start+len(key) < i || !e.isKey(key) || start > 0 && text[start-1] == text[i] && e.isKey(keyThatEnds(text, start-1)) {
		return 0, 0
	}
	if n := strings.IndexByte(text[i+1:], text[i]); n >= 0 && quoteAt(text, i+1) == "" {
		text = text[:i+1+n]
	}
	from, to = valueAt(text, i+1, listEnds)
	if run(text, from, isKeyByte) == to && e.isKey(text[from:to]) && indexAny(text[from:to], "-0123456789") == to-from {
		return 0, 0 // a list of keys
	}
	return from, to
}

// keyThatEnds returns the key that ends at i.
func keyThatEnds(text string, i int) string { return text[runBack(text, i, isKeyByte):i] }

// passed returns where the value lies that a function takes, whose bracket is at i, as in setPassword("x"),
// PasswordToken("user", "x") and put("password", "x").
func passed(e *environment, text string, i int) (from, to int) {
	if key := keyThatEnds(text, i); len(key) >= 3 && e.isKey(key) {
		from, to = valueAt(text, run(text, i+1, isSpace), listEnds)
		if quote := quoteAt(text, max(from-1, 0)); quote != "" {
			comma := run(text, min(to+len(quote), len(text)), isSpace)
			if next := run(text, min(comma+1, len(text)), isSpace); comma < len(text) && text[comma] == ',' && quoteAt(text, next) != "" {
				_, to = valueAt(text, next, listEnds) // the name of a user, and the password
			}
		}
		return from, to
	}
	at := run(text, i+1, isSpace)
	quote := quoteAt(text, at)
	from, to = quoted(text[:min(len(text), at+longestBeside)], at)
	if key := text[from:to]; len(key) < 2 || run(key, 0, isKeyByte) < len(key) || !e.isKey(key) {
		return 0, 0
	}
	comma := run(text, min(to+len(quote), len(text)), isSpace)
	if comma == len(text) || text[comma] != ',' {
		return 0, 0
	}
	from, to = valueAt(text, run(text, comma+1, isSpace), listEnds)
	if end := run(text, to, func(b byte) bool { return isQuote(b) || b == '\\' }); e.isKey(text[from:to]) && (e.names || end == len(text) || text[end] != ')' || isOfKeys(keyThatEnds(text, i))) {
		return 0, 0 // a list of keys
	}
	return from, to
}

// isOfKeys reports whether a function takes keys, and not a key and its value.
func isOfKeys(function string) bool {
	for _, of := range []string{"of", "asList", "list", "contains", "equals", "in", "arrayOf", "listOf", "setOf"} {
		if strings.HasSuffix(function, "."+of) || function == of {
			return true
		}
	}
	return false
}

// elementValue returns where the text lies of the element whose tag begins at i, or that of its attribute value.
func elementValue(e *environment, text string, i int) (from, to int) {
	end := run(text, i+1, func(b byte) bool { return isKeyByte(b) || b == ':' })
	if end-i <= 2 {
		return 0, 0
	}
	if tag := text[i+1 : end]; end < len(text) && text[end] == '>' && lastWord(tag, namers) != "" && !e.isKey(tag) {
		return siblingValue(e, text, end+1)
	} else if !e.isKey(tag) {
		return 0, 0
	}
	if end < len(text) && e.isMark(text[i:end+1]) { // no tag
		return 0, 0
	}
	from = end + indexAny(text[end:], "<>") + 1
	if from > len(text) || text[from-1] != '>' {
		return 0, 0
	}
	if at := attribute(text[:from], end); at > 0 {
		return valueAt(text[:from-1], at, listEnds)
	}
	if text[from-2] == '/' {
		return 0, 0
	}
	return elementText(text, from)
}

// attribute returns where the attribute value begins of a tag, with its quote, from i; 0 if the tag has no such attribute.
func attribute(tag string, i int) int {
	const name = "value"
	for at := indexFold(tag, name, i); at >= 0; at = indexFold(tag, name, at+1) {
		if sign := run(tag, at+len(name), isSpace); isSpace(tag[at-1]) && sign < len(tag) && tag[sign] == '=' {
			return run(tag, sign+1, isSpace)
		}
	}
	return 0
}

// elementText returns where the text of an element lies that begins at from, or that of the element value in it.
func elementText(text string, from int) (int, int) {
	near := text[:min(len(text), from+longestBeside)]
	if open := run(near, from, isSpace); open < len(near) && near[open] == '<' {
		end := run(near, open+1, func(b byte) bool { return isKeyByte(b) || b == ':' })
		if close := end + indexAny(near[end:], ">"); close < len(near) && near[close-1] != '/' && lastWord(near[open+1:end], valuers) != "" {
			from = close + 1
		}
	}
	const begin, end = "<![CDATA[", "]]>"
	if first := run(text, from, isSpace); strings.HasPrefix(text[first:], begin) {
		from = first + len(begin)
		if n := strings.Index(text[from:], end); n >= 0 {
			return from, from + n
		}
		return from, len(text)
	}
	to := from + indexAny(text[from:], "<")
	if strings.TrimSpace(text[from:to]) == "" {
		return 0, 0
	}
	return from, to
}

// isKey reports whether a text is a key of what is looked for.
func (e *environment) isKey(text string) bool {
	if !e.keys.match(text) {
		return false
	}
	e.key = text
	return true
}

// isPlain reports whether a value is not to be hidden: a mark, or a word that says yes or no; or what is no name, if names
// are looked for.
func isPlain(e *environment, value string) bool {
	return isAmong(plainWords, value) || e.names && !e.isUser(value) || e.isMark(value) || value[0] == ' ' && strings.TrimSpace(value) == ""
}

var plainWords = []string{"true", "false", "null", "none", "yes", "no"}

// keyBefore returns the key that ends before the sign at i, and where it begins: as it is, in quotes, or in brackets.
func keyBefore(e *environment, text string, i int) (key string, start int) {
	const longest = 64
	if text[i] == '=' { // also as ?=, .= and the like
		i = runBack(text, i, func(b byte) bool { return strings.IndexByte("?+.|:", b) >= 0 })
	}
	end := spacesBefore(text, i)
	if end > 0 && isQuote(text[end-1]) {
		end = runBack(text, end-1, func(b byte) bool { return b == '\\' || b == '"' })
	}
	if end > 0 && text[end-1] == ']' { // user[password]=x, or password[0]=x
		open := end - 1 - min(end-1, longest)
		if n := strings.LastIndexByte(text[open:end], '['); n >= 0 {
			open += n
			if inner := strings.Trim(text[open+1:end-1], `'"`); len(inner) >= 2 && e.isKey(inner) {
				return inner, runBack(text, open, isKeyByte)
			}
			end = open
		}
	}
	start = runBack(text, end, isKeyByte)
	if start > 0 && start < end && text[start-1] == '\\' && isOneOf(text[start], "nrt") && !e.isKey(text[start:end]) {
		start++ // an escaped space
	}
	return text[start:end], start
}

// assigned returns where the value lies that follows the sign of a width at i, and the key before it, which begins at start; from is
// not below to if the key is not that of a secret, or the value is empty.
func assigned(e *environment, text string, i, width int, key string, start int) (from, to int) {
	if len(key) < 2 || text[i] == ':' && isClassName(key) {
		return 0, 0
	}
	if !e.isKey(key) {
		if start = secondWord(e, text, start, key); start < 0 {
			return 0, 0
		}
	}
	if text[i] == ':' && strings.HasPrefix(text[i:], "://") {
		return 0, 0
	}
	from = i + width
	if colons := run(text, i, func(b byte) bool { return b == ':' }); colons-i > 1 {
		if from = colons; from == len(text) || text[from] != '=' {
			return 0, 0 // a member of a class
		}
	}
	if end := run(text, from, func(b byte) bool { return b == '=' }); end > from || text[i] == '=' {
		from = run(text, end, func(b byte) bool { return b == '>' })
	}
	sign := from
	if from = afterSpaces(text, from); strings.ContainsAny(text[sign:from], "\n\r\\") && isEntry(e, text, from) {
		return 0, 0 // the value is empty
	}
	if e.names && text[i] == ':' && from > i+1 && quoteAt(text, from) == "" && !startsEntry(text, start) {
		return 0, 0 // as in: last login: Monday
	}
	ends := listEnds
	if width == 1 && !(e.names && text[i] == '=') {
		ends = valueEnds(e, text, start)
	}
	if hasFoldSuffix(key, "authorization") {
		if first, to := headerValue(text, from, ends); first < to {
			return first, to
		}
	}
	value := from
	from, to = valueAt(text, value, ends)
	switch {
	case hasFoldSuffix(key, "cookie"):
		if from == value { // in no quotes or brackets as a whole
			to = cookieEnd(text, from, ends)
		}
		to = cookiesEnd(text, start, i, from, to, ends)
	case hasFoldSuffix(key, "phrase"):
		to = phraseEnd(text, from, to)
	}
	return from, to
}

// grantValue returns where the value lies of a key that is one of a secret only in some places, whose sign is at i: code in a query
// and assertion, of OAuth, and what a key in JSON (RFC 7517) keeps private.
func grantValue(text string, i int, key string, start int) (from, to int) {
	if text[i] == ':' {
		if quoteAt(text, run(text, i+1, isSpace)) == "" || !slices.Contains([]string{"d", "p", "q", "dp", "dq", "qi", "k"}, key) {
			return 0, 0
		}
		before, after := text[max(0, start-longestQuoted):start], text[i:min(len(text), i+longestQuoted)]
		before, after = before[strings.LastIndexAny(before, "{}")+1:], after[:indexAny(after, "{}")]
		if !strings.Contains(before, `"kty`) && !strings.Contains(after, `"kty`) {
			return 0, 0
		}
		return valueAt(text, run(text, i+1, isSpace), listEnds)
	}
	if !strings.EqualFold(key, "assertion") && (!strings.EqualFold(key, "code") || start == 0 || !isOneOf(text[start-1], "?&\n")) {
		return 0, 0
	}
	const shortest = 8
	from, to = valueAt(text[:min(len(text), i+longestBeside)], i+1, listEnds)
	if _, digits := featuresOf(text[from:to]); to-from < shortest || digits == 0 || digits == to-from {
		return 0, 0
	}
	return valueAt(text, i+1, listEnds)
}

// secondWord returns where a key of two words begins, as in api key: x, of which the second begins at start; below 0 if
// there is no such key.
func secondWord(e *environment, text string, start int, second string) int {
	const longest = 16
	seconds := []string{"key", "code", "codes", "phrase", "string", "number", "token", "word"}
	if e.names {
		seconds = []string{"id", "name"}
	}
	if start == 0 || text[start-1] != ' ' || len(second) > longest || !isAmong(seconds, second) {
		return -1
	}
	first := runBack(text, start-1, isLetter)
	if word := text[first : start-1]; len(word) < 2 || len(word) > longest || !e.isKey(word+second) {
		return -1
	}
	return first
}

// phraseEnd returns where a phrase of twelve words or more ends, as wallets have them, of which the first ends at to.
func phraseEnd(text string, from, to int) int {
	const fewest, most, longest = 12, 24, 8
	if run(text, from, isLetter) != to {
		return to
	}
	end, n := to, 1
	for ; n < most && end < len(text) && text[end] == ' '; n++ {
		next := run(text, end+1, isLetter)
		if next == end+1 || next > end+1+longest {
			break
		}
		end = next
	}
	if n < fewest {
		return to
	}
	return end
}

// startsEntry reports whether what begins at i is the first of a line, of a list, or of the text.
func startsEntry(text string, i int) bool {
	before := runBack(text, i, func(b byte) bool { return b == ' ' || b == '\t' || isQuote(b) })
	return before == 0 || strings.IndexByte("\n\r,;{[(<|", text[before-1]) >= 0
}

// isEntry reports whether a line begins at i that is a comment, or a key with a sign and perhaps a value: no value of a key on the
// line before. What may be base64 is no entry.
func isEntry(e *environment, text string, i int) bool {
	if strings.HasPrefix(text[i:], "- ") {
		i += len("- ")
	}
	end := run(text, i, isKeyByte)
	sign := blanks(text, end)
	if sign >= len(text) || end == i || text[sign] != '=' && text[sign] != ':' {
		return strings.HasPrefix(text[i:], "# ") || strings.HasPrefix(text[i:], "! ")
	}
	rest := text[sign+1:]
	ends := rest == "" || isSpace(rest[0])
	switch {
	case sign > end || e.isKey(text[i:end]):
		return true
	case text[sign] == ':':
		return ends
	case ends:
		return (sign+1-i)%4 != 0
	}
	return rest[0] != '='
}

// listEnds are the bytes with which a value in a list ends.
const listEnds = "&,;)}]"

// valueEnds returns the bytes with which the value ends whose key begins at i, if it is in no quotes: the value of an
// argument of a command line ends with a space, or with the bracket in which it stands, that of a parameter of a list
// earlier.
func valueEnds(e *environment, text string, i int) string {
	if e.unescaped || i > 0 && text[i-1] != '-' && !isSpace(text[i-1]) && text[i] != '-' {
		return listEnds
	}
	const longest = 256
	depth := 0
	for at := i - 1; at >= max(0, i-longest); at-- {
		switch text[at] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				return map[byte]string{'(': ")", '[': "]", '{': "}"}[text[at]]
			}
		}
	}
	return ""
}

// escapedSpaces are how characters of space are written in JSON, in properties and in source code.
var escapedSpaces = []string{`\t`, `\n`, `\r`}

// spacesBefore returns where the spaces begin that end at i, of which some can be escaped.
func spacesBefore(text string, i int) int {
	for {
		end := runBack(text, i, isSpace)
		i = end
		for _, s := range escapedSpaces {
			if strings.HasSuffix(text[:i], s) && !strings.HasSuffix(text[:i], `\`+s) {
				i -= len(s)
			}
		}
		if i == end {
			return end
		}
	}
}

// afterSpaces returns where the spaces end that begin at i, of which some can be escaped.
func afterSpaces(text string, i int) int {
	for {
		end := run(text, i, isSpace)
		i = end
		for _, s := range escapedSpaces {
			if strings.HasPrefix(text[i:], s) {
				i += len(s)
			}
		}
		if i == end {
			return end
		}
	}
}

func isSpace(b byte) bool { return classOf[b]&hasSpace != 0 }

func isQuote(b byte) bool { return b == '"' || b == '\'' }

// isClassName reports whether a key is the name of a class, as in what an exception says of itself.
func isClassName(key string) bool {
	dot := strings.LastIndexByte(key, '.')
	return dot >= 0 && dot+1 < len(key) && isUpper(key[dot+1])
}
