package redact

import (
	"strings"
)

// keywords are globs of the keys of secrets, compiled.
type keywords struct {
	parts [256][]string // of *part*, by the first byte
	globs []string      // the others
}

// compileKeywords compiles globs in lower case.
func compileKeywords(globs []string) (k keywords) {
	for _, g := range globs {
		part := strings.Trim(g, "*")
		if part != "" && g == "*"+part+"*" && !strings.ContainsAny(part, "*?") {
			k.parts[part[0]] = append(k.parts[part[0]], part)
			continue
		}
		k.globs = append(k.globs, g)
	}
	return k
}

// match reports whether a key is that of a secret.
func (k *keywords) match(key string) bool {
	for i := range len(key) {
		for _, part := range k.parts[lower(key[i])] {
			if hasFoldPrefix(key[i:], part) {
				return true
			}
		}
	}
	return len(k.globs) > 0 && matchesAny(k.globs, strings.ToLower(key))
}

// isKeyByte reports whether a byte can stand in a key.
func isKeyByte(b byte) bool { return isWord(b) || b == '-' || b == '.' }

// findSecrets finds the values of key=value, key: value, key -> value, key|value, "key": "value", key%3Dvalue, --key value,
// -u name:value, <key>value</key>, <key value="value"/>, setKey("value"), and of key=KEY, value=value.
func findSecrets(e *environment, text string, found func(from, to int)) {
	for i := 0; i < len(text); i++ {
		from, to := 0, 0
		switch b := text[i]; {
		case b == '=' || b == ':':
			if from, to = assigned(e, text, i, 1); from >= to {
				from, to = valueBeside(e, text, i)
			}
		case b == '%' || b == '\\':
			if width := escapedSign(text[i:]); width > 0 {
				from, to = assigned(e, text, i, width)
			}
		case b == '<':
			from, to = elementValue(e, text, i)
		case b == '|' || b == '~':
			from, to = separated(e, text, i)
		case b == '(' && quoteAt(text, i+1) != "":
			from, to = passed(e, text, i)
		case b == '-' && strings.HasPrefix(text[i:], "->"):
			from, to = assigned(e, text, i, len("->"))
		case b == '-' && startsOption(text, i):
			if from, to = optionValue(e, text, i); from < to && isPlain(e, text[from:to]) {
				to = from
			}
		}
		if from < to {
			if !isPlain(e, text[from:to]) {
				found(from, to)
			}
			i = max(i, to-1)
		}
	}
}

// escapedSigns are how = and : are written in URLs and in JSON, and & after a value.
var escapedSigns = []struct{ equal, colon, and string }{
	{"%3d", "%3a", "%26"}, {"%253d", "%253a", "%2526"}, {`\u003d`, `\u003a`, `\u0026`}, {`\x3d`, `\x3a`, `\x26`},
}

// escapedSign returns the length of the = or : with which a text begins, escaped; 0 if it does with none.
func escapedSign(text string) int {
	for _, s := range escapedSigns {
		if hasFoldPrefix(text, s.equal) || hasFoldPrefix(text, s.colon) {
			return len(s.equal)
		}
	}
	return 0
}

// separated returns where the value lies that follows a key and the sign at i, as in password|x. What follows a list of keys
// is none.
func separated(e *environment, text string, i int) (from, to int) {
	start := runBack(text, i, isKeyByte)
	if i-start < 3 || !e.keys.match(text[start:i]) || start > 0 && text[start-1] == text[i] && e.keys.match(keyThatEnds(text, start-1)) {
		return 0, 0
	}
	if n := strings.IndexByte(text[i+1:], text[i]); n >= 0 && quoteAt(text, i+1) == "" {
		text = text[:i+1+n]
	}
	from, to = valueAt(text, i+1, false)
	if run(text, from, isKeyByte) == to && e.keys.match(text[from:to]) {
		return 0, 0
	}
	return from, to
}

// keyThatEnds returns the key that ends at i.
func keyThatEnds(text string, i int) string { return text[runBack(text, i, isKeyByte):i] }

// passed returns where the value lies that a function takes, whose bracket is at i, as in setPassword("x").
func passed(e *environment, text string, i int) (from, to int) {
	if key := keyThatEnds(text, i); len(key) < 3 || !e.keys.match(key) {
		return 0, 0
	}
	return valueAt(text, i+1, false)
}

// elementValue returns where the text lies of the element whose tag begins at i, or that of its attribute value.
func elementValue(e *environment, text string, i int) (from, to int) {
	end := run(text, i+1, func(b byte) bool { return isKeyByte(b) || b == ':' })
	if end-i <= 3 || !e.keys.match(text[i+1:end]) {
		return 0, 0
	}
	from = end + indexAny(text[end:], "<>") + 1
	if from > len(text) || text[from-1] != '>' {
		return 0, 0
	}
	if at := attribute(text[:from], end); at > 0 {
		return valueAt(text[:from-1], at, false)
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

// elementText returns where the text of an element lies that begins at from.
func elementText(text string, from int) (int, int) {
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

// isPlain reports whether a value is no secret: a mark, or a word that says yes or no.
func isPlain(e *environment, value string) bool {
	switch value {
	case "true", "false", "null", "none", "yes", "no":
		return true
	}
	return e.isMark(value)
}

// keyBefore returns the key that ends before the sign at i, and where it begins: as it is, in quotes, or in brackets.
func keyBefore(e *environment, text string, i int) (key string, start int) {
	const longest = 64
	end := spacesBefore(text, i)
	if end > 0 && isQuote(text[end-1]) {
		end = runBack(text, end-1, func(b byte) bool { return b == '\\' })
	}
	if end > 0 && text[end-1] == ']' { // user[password]=x, or password[0]=x
		open := end - 1 - min(end-1, longest)
		if n := strings.LastIndexByte(text[open:end], '['); n >= 0 {
			open += n
			if inner := strings.Trim(text[open+1:end-1], `'"`); len(inner) >= 3 && e.keys.match(inner) {
				return inner, runBack(text, open, isKeyByte)
			}
			end = open
		}
	}
	start = runBack(text, end, isKeyByte)
	return text[start:end], start
}

// assigned returns where the value lies that follows the = or : of a width at i; from is not below to if the key is not
// that of a secret, or the value is empty.
func assigned(e *environment, text string, i, width int) (from, to int) {
	key, start := keyBefore(e, text, i)
	if len(key) < 3 || !e.keys.match(key) || text[i] == ':' && isClassName(key) {
		return 0, 0
	}
	if text[i] == ':' && strings.HasPrefix(text[i:], "://") {
		return 0, 0
	}
	from = i + width
	if end := run(text, from, func(b byte) bool { return b == '=' }); end > from || text[i] == '=' {
		from = run(text, end, func(b byte) bool { return b == '>' })
	}
	from = afterSpaces(text, from)
	// The value of an argument of a command line ends with a space, that of a parameter of a list earlier.
	argument := width == 1 && (start == 0 || text[start-1] == '-' || classOf[text[start-1]]&hasSpace != 0 || text[start] == '-')
	if hasFoldSuffix(key, "authorization") {
		if first, to := headerValue(text, from, argument); first < to {
			return first, to
		}
	}
	from, to = valueAt(text, from, argument)
	if width > 1 {
		to = beforeAnd(text, from, to)
	}
	if hasFoldSuffix(key, "cookie") {
		to = cookiesEnd(text, from, to, argument)
	}
	return from, to
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

// beforeAnd returns where a value ends before an escaped &, or to.
func beforeAnd(text string, from, to int) int {
	for _, s := range escapedSigns {
		if n := indexFold(text[:to], s.and, from); n >= 0 {
			to = n
		}
	}
	return to
}

// cookiesEnd returns where the last cookie of a header ends, of which the first ends at to.
func cookiesEnd(text string, from, to int, argument bool) int {
	for to > from && to < len(text) {
		next := to
		switch {
		case text[to-1] == ';':
		case text[to] == ';':
			next++
		default:
			return to
		}
		next = run(text, next, func(b byte) bool { return b == ' ' })
		if name := run(text, next, isKeyByte); !argument && (name == next || name == len(text) || text[name] != '=') {
			return to // no cookie
		}
		_, end := valueAt(text, next, argument)
		if end <= to || end == next {
			return to
		}
		to = end
	}
	return to
}

// valueBeside returns where the value lies of a key that itself is the value of key or name, whose sign is at i: of
// key=password, value=x, of <property name="password" value="x"/> and of <entry key="password">x</entry>.
func valueBeside(e *environment, text string, i int) (from, to int) {
	key, start := keyBefore(e, text, i)
	if !isNamer(key) {
		return 0, 0
	}
	near := text[:min(len(text), i+longestBeside)]
	from, to = valueAt(near, run(near, i+1, isSpace), false)
	if to-from < 3 || to == len(near) && to < len(text) || !e.keys.match(text[from:to]) {
		return 0, 0
	}
	if from, to := valueAfter(text, to); from < to {
		return from, to
	}
	return valueBefore(text, start)
}

// longestBeside is how far away from a key its value is looked for.
const longestBeside = 256

// isNamer reports whether a key says how another one is called.
func isNamer(key string) bool {
	return len(key) == 3 && hasFoldPrefix(key, "key") || len(key) == 4 && hasFoldPrefix(key, "name")
}

// valueAfter returns where the value lies that follows a key which ends at i. A few other attributes may be between them.
func valueAfter(text string, i int) (from, to int) {
	near := text[:min(len(text), i+longestBeside)]
	for range 4 {
		i = run(near, i, func(b byte) bool { return isSpace(b) || strings.IndexByte("\"'\\,;&", b) >= 0 })
		if i < len(near) && text[i] == '>' {
			return elementText(text, i+1)
		}
		end := run(near, i, isKeyByte)
		word := text[i:end]
		sign := run(near, end, func(b byte) bool { return isSpace(b) || strings.IndexByte("\"'\\", b) >= 0 })
		if word == "" || sign >= len(near) || text[sign] != '=' && text[sign] != ':' {
			return 0, 0
		}
		if len(word) == len("value") && hasFoldPrefix(word, "value") {
			return valueAt(text, run(text, sign+1, isSpace), false)
		}
		_, i = valueAt(near, run(near, sign+1, isSpace), false)
	}
	return 0, 0
}

// valueBefore returns where the value lies that precedes a key which begins at i, in the same object or tag.
func valueBefore(text string, i int) (from, to int) {
	least := max(0, i-longestBeside)
	least += strings.LastIndexAny(text[least:i], "{<[(\n") + 1
	for at := indexFold(text[:i], "value", least); at >= 0; at = indexFold(text[:i], "value", at+1) {
		sign := run(text, at+len("value"), func(b byte) bool { return isSpace(b) || strings.IndexByte("\"'\\", b) >= 0 })
		if !wordStarts(text, at) || sign >= i || text[sign] != '=' && text[sign] != ':' {
			continue
		}
		if from, to = valueAt(text[:i], run(text, sign+1, isSpace), false); to < i {
			return from, to
		}
	}
	return 0, 0
}

func isSpace(b byte) bool { return classOf[b]&hasSpace != 0 }

func isQuote(b byte) bool { return b == '"' || b == '\'' }

// isClassName reports whether a key is the name of a class, as in what an exception says of itself.
func isClassName(key string) bool {
	dot := strings.LastIndexByte(key, '.')
	return dot >= 0 && dot+1 < len(key) && isUpper(key[dot+1])
}
