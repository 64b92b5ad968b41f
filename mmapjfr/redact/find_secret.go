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

// findSecrets finds the values of key=value, key: value, "key": "value", key%3Dvalue, --key value, -u name:value and
// <key>value</key>.
func findSecrets(e *environment, text string, found func(from, to int)) {
	for i := 0; i < len(text); i++ {
		from, to := 0, 0
		switch b := text[i]; {
		case b == '=' || b == ':':
			from, to = assigned(e, text, i, 1)
		case b == '%' && (hasFoldPrefix(text[i:], "%3d") || hasFoldPrefix(text[i:], "%3a")):
			from, to = assigned(e, text, i, len("%3d"))
		case b == '<':
			from, to = elementValue(e, text, i)
		case b == '-' && (i == 0 || classOf[text[i-1]]&hasSpace != 0):
			if from, to = optionValue(e, text, i); from < to && isPlain(e, text[from:to]) {
				to = from
			}
		}
		if from < to {
			if !isPlain(e, text[from:to]) {
				found(from, to)
			}
			i = to - 1
		}
	}
}

// elementValue returns where the text lies of the element whose tag begins at i.
func elementValue(e *environment, text string, i int) (from, to int) {
	end := run(text, i+1, func(b byte) bool { return isKeyByte(b) || b == ':' })
	if end-i <= 3 || !e.keys.match(text[i+1:end]) {
		return 0, 0
	}
	from = end + indexAny(text[end:], "<>") + 1
	if from > len(text) || text[from-1] != '>' || text[from-2] == '/' {
		return 0, 0
	}
	return from, from + indexAny(text[from:], "<")
}

// isPlain reports whether a value is no secret: a mark, or a word that says yes or no.
func isPlain(e *environment, value string) bool {
	switch value {
	case "true", "false", "null", "none", "yes", "no":
		return true
	}
	return e.isMark(value)
}

// assigned returns where the value lies that follows the = or : of a width at i; from is not below to if the key is not
// that of a secret, or the value is empty.
func assigned(e *environment, text string, i, width int) (from, to int) {
	end := runBack(text, i, isSpace)
	if end > 0 && (text[end-1] == '"' || text[end-1] == '\'') {
		end = runBack(text, end-1, func(b byte) bool { return b == '\\' })
	}
	start := runBack(text, end, isKeyByte)
	key := text[start:end]
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
	from = run(text, from, isSpace)
	// The value of an argument of a command line ends with a space, that of a parameter of a list earlier.
	argument := width == 1 && (start == 0 || text[start-1] == '-' || classOf[text[start-1]]&hasSpace != 0 || text[start] == '-')
	from, to = valueAt(text, from, argument)
	if width > 1 {
		if n := indexFold(text[:to], "%26", from); n >= 0 {
			to = n
		}
	}
	for argument && hasFoldSuffix(key, "cookie") && to > from && text[to-1] == ';' && to < len(text) { // there are more
		next := run(text, to, func(b byte) bool { return b == ' ' })
		if _, to = valueAt(text, next, true); to == next {
			break
		}
	}
	return from, to
}

func isSpace(b byte) bool { return classOf[b]&hasSpace != 0 }

// isClassName reports whether a key is the name of a class, as in what an exception says of itself.
func isClassName(key string) bool {
	dot := strings.LastIndexByte(key, '.')
	return dot >= 0 && dot+1 < len(key) && isUpper(key[dot+1])
}

// schemes are words that stand before a secret in headers.
var schemes = []string{"basic ", "bearer ", "digest ", "negotiate ", "token "}

// valueAt returns where a value lies that begins at from.
func valueAt(text string, from int, argument bool) (int, int) {
	if from >= len(text) {
		return from, from
	}
	if text[from] == '[' { // a list of texts
		if first := run(text, from+1, isSpace); quoteAt(text, first) != "" {
			from, to := quoted(text, first)
			for {
				next := run(text, to+len(quoteAt(text, first)), isSpace)
				if next < len(text) && text[next] == ',' {
					next = run(text, next+1, isSpace)
				}
				if next >= len(text) || quoteAt(text, next) != quoteAt(text, first) {
					return from, to
				}
				_, to = quoted(text, next)
			}
		}
	}
	if quoteAt(text, from) != "" {
		return quoted(text, from)
	}
	start := from
	for _, s := range schemes {
		if hasFoldPrefix(text[from:], s) {
			start = from + len(s)
		}
	}
	to := run(text, start, func(b byte) bool {
		return classOf[b]&hasSpace == 0 && b != '"' && b != '\'' && (argument || strings.IndexByte("&,;)}]", b) < 0)
	})
	return start, to
}

// quoteAt returns the quote at i, with the backslashes before it; "" if no quote is there.
func quoteAt(text string, i int) string {
	end := run(text, i, func(b byte) bool { return b == '\\' })
	if end < len(text) && (text[end] == '"' || text[end] == '\'') {
		return text[i : end+1]
	}
	return ""
}

// quoted returns where the text lies whose quote is at i. It ends with the same quote, before which there are as many
// backslashes.
func quoted(text string, i int) (from, to int) {
	quote := quoteAt(text, i)
	slashes := len(quote) - 1
	from = i + len(quote)
	for to, n := from, 0; to < len(text); to++ {
		switch {
		case text[to] == '\\':
			n++
			continue
		case text[to] == quote[slashes] && (n == slashes || n%(2*slashes+2) == slashes):
			return from, to - slashes
		}
		n = 0
	}
	return from, len(text)
}

// optionValue returns where the value of --key value lies, whose dashes begin at i.
func optionValue(e *environment, text string, i int) (from, to int) {
	end := run(text, i, isKeyByte)
	key := strings.TrimLeft(text[i:end], "-")
	named := key == "u" || key == "user" || key == "proxy-user" // of curl: name:password
	if end >= len(text) || text[end] != ' ' || !named && (len(key) < 3 || !e.keys.match(key)) {
		return 0, 0
	}
	from = run(text, end, func(b byte) bool { return b == ' ' })
	if from < len(text) && text[from] == '-' {
		return 0, 0 // the next option
	}
	from, to = valueAt(text, from, true)
	if name, password, ok := strings.Cut(text[from:to], ":"); named {
		if !ok || strings.IndexFunc(name, isNoDigit) < 0 || strings.HasPrefix(password, "//") { // numbers of user and group, a URL
			return 0, 0
		}
		from += len(name) + 1
	}
	return from, to
}
