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

// findSecrets finds the values of key=value, key: value, "key": "value" and --key value.
func findSecrets(e *environment, text string, found func(from, to int)) {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '=' || b == ':':
			if from, to := assigned(e, text, i); from < to {
				if !isPlain(e, text[from:to]) {
					found(from, to)
				}
				i = to - 1
			}
		case b == '-' && (i == 0 || classOf[text[i-1]]&hasSpace != 0):
			if from, to := optionValue(e, text, i); from < to && !isPlain(e, text[from:to]) {
				found(from, to)
				i = to - 1
			}
		}
	}
}

// isPlain reports whether a value is no secret: a mark, or a word that says yes or no.
func isPlain(e *environment, value string) bool {
	switch value {
	case "true", "false", "null", "none", "yes", "no":
		return true
	}
	return e.isMark(value)
}

// assigned returns where the value lies that follows the = or : at i; from is not below to if the key is not that of
// a secret, or the value is empty.
func assigned(e *environment, text string, i int) (from, to int) {
	end := i
	for end > 0 && text[end-1] == ' ' {
		end--
	}
	if end > 0 && (text[end-1] == '"' || text[end-1] == '\'') {
		end--
	}
	start := runBack(text, end, isKeyByte)
	key := text[start:end]
	if len(key) < 3 || !e.keys.match(key) || text[i] == ':' && isClassName(key) {
		return 0, 0
	}
	from = i + 1
	for from < len(text) && (text[from] == ' ' || text[i] == '=' && text[from] == '=') {
		from++
	}
	if text[i] == ':' && strings.HasPrefix(text[i:], "://") {
		return 0, 0
	}
	// The value of an argument of a command line ends with a space, that of a parameter of a list earlier.
	argument := start == 0 || text[start-1] == '-' || classOf[text[start-1]]&hasSpace != 0 || text[start] == '-'
	return valueAt(text, from, argument)
}

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
	if q := text[from]; q == '"' || q == '\'' {
		from++
		to := from
		for to < len(text) && text[to] != q {
			if text[to] == '\\' {
				to++
			}
			to++
		}
		return from, min(to, len(text))
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

// optionValue returns where the value of --key value lies, whose dashes begin at i.
func optionValue(e *environment, text string, i int) (from, to int) {
	end := run(text, i, isKeyByte)
	key := strings.TrimLeft(text[i:end], "-")
	if len(key) < 3 || end >= len(text) || text[end] != ' ' || !e.keys.match(key) {
		return 0, 0
	}
	from = run(text, end, func(b byte) bool { return b == ' ' })
	if from < len(text) && text[from] == '-' {
		return 0, 0 // the next option
	}
	return valueAt(text, from, true)
}

// tokenForm is how the tokens of a service look.
type tokenForm struct {
	prefix string
	least  int               // bytes after the prefix
	is     func(b byte) bool // of these
}

func isUpperDigit(b byte) bool { return isUpper(b) || isDigit(b) }

func isTokenByte(b byte) bool { return isAlnum(b) || strings.IndexByte("_-", b) >= 0 }

func isDottedToken(b byte) bool { return isTokenByte(b) || b == '.' }

func isBearer(b byte) bool { return isAlnum(b) || strings.IndexByte("-._~+/=", b) >= 0 }

// tokenForms are the forms by the first byte.
var tokenForms = func() (table [256][]tokenForm) {
	for _, f := range []tokenForm{
		{"AKIA", 16, isUpperDigit}, {"ASIA", 16, isUpperDigit}, {"AGPA", 16, isUpperDigit}, {"AROA", 16, isUpperDigit}, {"AIDA", 16, isUpperDigit},
		{"AIza", 35, isTokenByte}, {"ya29.", 20, isDottedToken}, {"GOCSPX-", 20, isTokenByte},
		{"ghp_", 30, isAlnum}, {"gho_", 30, isAlnum}, {"ghu_", 30, isAlnum}, {"ghs_", 30, isAlnum}, {"ghr_", 30, isAlnum},
		{"github_pat_", 22, isTokenByte}, {"glpat-", 16, isTokenByte}, {"npm_", 30, isAlnum}, {"dop_v1_", 32, isAlnum},
		{"xoxb-", 10, isTokenByte}, {"xoxp-", 10, isTokenByte}, {"xoxa-", 10, isTokenByte}, {"xoxr-", 10, isTokenByte}, {"xoxs-", 10, isTokenByte}, {"xapp-", 10, isTokenByte},
		{"sk_live_", 16, isAlnum}, {"sk_test_", 16, isAlnum}, {"rk_live_", 16, isAlnum}, {"rk_test_", 16, isAlnum}, {"pk_live_", 16, isAlnum}, {"whsec_", 16, isAlnum},
		{"sk-ant-", 20, isTokenByte}, {"sk-proj-", 20, isTokenByte}, {"SG.", 40, isDottedToken}, {"hf_", 30, isAlnum}, {"shpat_", 32, isAlnum},
		{"hvs.", 20, isTokenByte}, {"AccountKey=", 40, isBearer},
	} {
		table[f.prefix[0]] = append(table[f.prefix[0]], f)
	}
	return table
}()

// findTokens finds keys and tokens of services by their prefixes, and what follows Bearer and Basic.
func findTokens(e *environment, text string, found func(from, to int)) {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b == 'B' || b == 'b' {
			if from, to := credentials(text, i); from < to && !e.isMark(text[from:to]) {
				found(from, to)
				i = to - 1
				continue
			}
		}
		for _, f := range tokenForms[b] {
			if !strings.HasPrefix(text[i:], f.prefix) || !wordStarts(text, i) {
				continue
			}
			to := run(text, i+len(f.prefix), f.is)
			if to-i >= len(f.prefix)+f.least && (to >= len(text) || !isAlnum(text[to])) {
				found(i, to)
				i = to - 1
				break
			}
		}
	}
}

// credentials returns where the word lies that follows Bearer or Basic at i.
func credentials(text string, i int) (from, to int) {
	for _, s := range schemes[:2] {
		if !hasFoldPrefix(text[i:], s) || !wordStarts(text, i) {
			continue
		}
		from = i + len(s)
		to = run(text, from, isBearer)
		word := text[from:to]
		// A secret is long, or has digits or letters of both cases in the midst.
		f, _ := featuresOf(word)
		if len(word) >= 8 && (f.has(hasDigit) || f.has(hasUpper|hasLower) && isLetter(word[0]) && strings.ToLower(word[1:]) != word[1:]) {
			return from, to
		}
	}
	return 0, 0
}

// findJWTs finds JSON web tokens.
func findJWTs(_ *environment, text string, found func(from, to int)) {
	for i := 0; ; {
		at := strings.Index(text[i:], "eyJ")
		if at < 0 {
			return
		}
		from := i + at
		to := run(text, from, isDottedToken)
		if dot := strings.IndexByte(text[from:to], '.'); dot >= 8 && wordStarts(text, from) && to-from-dot > 8 {
			found(from, to)
		}
		i = max(to, from+3)
	}
}

// findPrivateKeys finds private keys as texts, to their end or that of the text.
func findPrivateKeys(_ *environment, text string, found func(from, to int)) {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	for i := 0; ; {
		at := strings.Index(text[i:], begin)
		if at < 0 {
			return
		}
		from := i + at
		i = from + len(begin)
		line := run(text, i, func(b byte) bool { return isUpperDigit(b) || b == ' ' })
		if !strings.HasSuffix(text[i:line], "PRIVATE KEY") && !strings.HasSuffix(text[i:line], "PRIVATE KEY BLOCK") {
			continue
		}
		to := len(text)
		if e := strings.Index(text[line:], end); e >= 0 {
			last := line + e + len(end)
			if d := strings.Index(text[last:], dashes); d >= 0 {
				to = last + d + len(dashes)
			}
		}
		found(from, to)
		i = to
	}
}
