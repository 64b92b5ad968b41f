package redact

import (
	"slices"
	"strings"
)

var (
	// spokenPasswords are words after which people write a password, and spokenKeys those after which a long one may be.
	spokenPasswords = []string{"password", "passwd", "pwd", "passphrase", "passcode", "passwort", "kennwort", "contraseña", "senha", "wachtwoord", "hasło", "пароль"}
	spokenKeys      = []string{"token", "secret", "key", "apikey", "seed"}
	// ofKeys are words before key where it is one of secrets.
	ofKeys = []string{"private", "secret", "api", "access", "signing", "encryption", "master", "recovery", "priv", "wallet"}
	// links stand between such a word and what it is; owners before a name.
	links  = []string{"is", "was", "are", "were", "ist", "war", "lautet", "lautete", "est", "es", "era", "to"}
	links2 = []string{"set", "changed", "reset", "now", "temporarily"}
	owners = []string{"for", "of", "für", "von", "de", "para"}
	// said are words that follow a link and are no password, also after a colon and in quotes.
	said = []string{
		"required", "expired", "incorrect", "invalid", "wrong", "missing", "empty", "blank", "not", "must", "should", "cannot", "can", "may", "set", "reset", "changed", "too", "the", "a", "an",
		"never", "always", "only", "also", "now", "stored", "needed", "optional", "default", "correct", "valid", "weak", "strong", "hidden", "unknown", "undefined", "given", "used", "provided",
		"ok", "failed", "accepted", "rejected", "hashed", "encrypted", "masked", "redacted", "omitted", "unset", "disabled", "enabled", "locked",
	}
	// asked are words of labels and messages that ask for a password.
	asked = []string{
		"enter", "your", "new", "old", "please", "type", "repeat", "confirm", "confirmation", "choose", "again", "at", "least", "be", "been", "has", "have", "does", "do", "don't", "no", "match",
		"matches", "policy", "field", "user", "forgot", "forgotten", "and", "or", "for", "of", "in", "on", "with", "characters", "long", "short", "parameter", "property", "value", "from", "this", "here", "as", "text", "char",
	}
	// numbered are names that have a number: sha256, arg0, line 5.
	numbered = []string{
		"sha", "md", "base", "utf", "arg", "args", "param", "field", "col", "column", "line", "step", "option", "test", "type", "key", "user", "version", "v", "attempt", "method", "row", "item", "rule",
		"level", "phase", "part", "stage", "argon", "pbkdf", "bcrypt", "aes", "rsa", "hmac", "hmacsha", "oauth", "http", "tls", "tlsv", "rfc", "pkcs", "x", "p", "hs", "rs", "es", "ps", "log", "java", "jdk", "krb", "kerberos",
		"ntlmv", "db", "page", "hash", "digest", "sec", "section", "fig", "id", "no", "num", "group", "case", "issue", "bug", "ec", "ed", "curve", "ripemd", "crc", "sm", "windows", "win", "node", "server", "input", "var", "value", "text",
		"string", "password", "str", "s", "i", "n", "t",
	}
)

// wordsAtSpaces are the last two letters of words after which, and a space, findSecrets looks for a value.
var wordsAtSpaces = func() (ends bytePairs) {
	lists := [][]string{spokenPasswords, spokenKeys, connecting, setting, {"login", "account", "connect", "auth"}}
	for _, p := range positional {
		lists = append(lists, []string{p.command})
	}
	for _, words := range lists {
		for _, w := range words {
			ends.add(w[len(w)-2], w[len(w)-1])
		}
	}
	return ends
}()

// spokenValue returns where a secret lies that a sentence says after the space at i, as in password x, password was: x and
// the token for ann is x. Where no sign is before it, it must look like a secret: other words follow those, too.
func spokenValue(e *environment, text string, i int) (from, to int) {
	start := runBack(text, i, func(b byte) bool { return isLetter(b) || classOf[b] == hasHigh })
	word, isPassword := text[start:i], false
	if start > 0 && isOneOf(text[start-1], "$%{<@#") {
		return 0, 0
	}
	switch {
	case isAmong(spokenPasswords, word):
		isPassword = true
	case !isAmong(spokenKeys, word), hasFoldPrefix(word, "key") && !isAmong(ofKeys, wordBefore(text, start)):
		return 0, 0
	}
	from = blanks(text, i)
	link, colon := false, false
	if next := wordAfter(text, from); isAmong(owners, text[from:next]) {
		name := blanks(text, next)
		next = wordEnd(text, name, "")
		if next > name && text[next-1] == ':' {
			colon, next = true, next-1
		}
		if after := wordAfter(text, blanks(text, next)); !colon && !isAmong(links, text[blanks(text, next):after]) {
			return 0, 0
		}
		from = blanks(text, next)
	}
	for range 3 { // was set to
		next := wordAfter(text, from)
		if isLink := isAmong(links, text[from:next]); isLink || isAmong(links2, text[from:next]) {
			link, from = link || isLink, blanks(text, next)
		}
	}
	if (link || colon) && from < len(text) && text[from] == ':' {
		colon, from = true, blanks(text, from+1)
	}
	if from >= len(text) || isSpace(text[from]) {
		return 0, 0
	}
	quote := quoteAt(text, from)
	if quote != "" {
		if from, to = quoted(text, from); to == len(text) || strings.Contains(text[from:to], "\n") {
			return 0, 0
		}
		if strings.Contains(text[from:to], " ") {
			if isPassword && isPhrase(text[from:to]) {
				return from, to
			}
			return 0, 0
		}
	} else {
		if to = wordEnd(text, from, ""); e.isMark(text[from:to]) {
			return 0, 0
		}
		to = runBack(text[:to], to, func(b byte) bool { return isOneOf(b, ".,;:)]}>`\"'") })
	}
	value := text[from:max(from, to)]
	const longest = 256
	switch {
	case len(value) < 4 || len(value) > longest || isAmong(said, value) || e.isMark(value):
	case !isPassword:
		if looksLikeKey(value) {
			return from, to
		}
	case colon, link && quote != "", looksLikePassword(value, link || hasFoldPrefix(word, "passcode")):
		return from, to
	}
	return 0, 0
}

// isPhrase reports whether several words in quotes can be a password: they are no sentence about one.
func isPhrase(text string) bool {
	const most = 64
	return len(text) <= most && text[len(text)-1] != ' ' && !slices.ContainsFunc(strings.Fields(text), func(word string) bool {
		word = strings.Trim(word, ".,:;!?()<>%${}[]'")
		return word == "" || isAmong(said, word) || isAmong(asked, word) || isAmong(links, word) || isAmong(spokenPasswords, word)
	})
}

// isAmong reports whether a word is one of some in lower case.
func isAmong(words []string, word string) bool {
	return word != "" && slices.ContainsFunc(words, func(w string) bool {
		return len(w) == len(word) && strings.EqualFold(word, w)
	})
}

// blanks returns where the spaces end that begin at i, in the same line.
func blanks(text string, i int) int {
	return run(text, i, func(b byte) bool { return b == ' ' || b == '\t' })
}

// wordAfter returns where the letters end that begin at i.
func wordAfter(text string, i int) int {
	return run(text, i, func(b byte) bool { return isLetter(b) || classOf[b] == hasHigh })
}

// wordBefore returns the word that ends before i, with a mark or a space between them.
func wordBefore(text string, i int) string {
	end := runBack(text, i, func(b byte) bool { return b == ' ' || b == '_' || b == '-' })
	return text[runBack(text, end, isLetter):end]
}

// looksLikePassword reports whether a word of a sentence is rather a password than a word: it has letters and digits, or marks
// that words do not have. What is linked to the word password may have digits alone, and slashes.
func looksLikePassword(value string, linked bool) bool {
	has, digits := featuresOf(value)
	letters := has&(hasUpper|hasLower|hasHigh) != 0
	first, last := value[0], value[len(value)-1]
	switch {
	case digits == len(value):
		return digits >= 6 || linked
	case !letters, isOneOf(first, "/-<$%{[(@#&+=:\\`*~^|"), strings.ContainsAny(value, "=()<>{}[]|`\"',;"), strings.Contains(value, "://"), !linked && strings.ContainsAny(value, `/\:`), isSpace(last):
		return false
	case has.has(hasAt | hasDot), isNumbered(value):
		return false
	}
	inner := strings.Trim(value, "!*~^#@?.")
	if has.has(hasDot) && !strings.ContainsAny(inner, "!@#^*~") || strings.IndexByte(value, '_') >= 0 && strings.ToUpper(value) == value {
		return false // names of fields, files and constants
	}
	return digits > 0 || strings.ContainsAny(inner, "!@#^*~")
}

// isNumbered reports whether a word is a name with a number, as sha256 and arg0, or a number with a unit, as 8-bit and 2nd.
func isNumbered(value string) bool {
	letters := wordAfter(value, 0)
	digits := run(value, letters, func(b byte) bool { return isDigit(b) || b == '-' || b == '.' || b == '/' })
	if letters > 0 {
		return digits == len(value) && isAmong(numbered, value[:letters]) || digits < len(value) && isAmong(numbered, value[:letters]) && letters > 2
	}
	unit := wordAfter(value, digits)
	return unit == len(value) && (unit-digits <= 3 || isOneOf(value[digits-1], "-./")) || hasFoldPrefix(value, "0x") && len(value) < 32
}

// looksLikeKey reports whether a word is a key or a token: long, with digits and letters and without marks that names have.
func looksLikeKey(value string) bool {
	const shortest = 16
	has, digits := featuresOf(value)
	if len(value) < shortest || digits < 3 || has&(hasUpper|hasLower) == 0 || isNumbered(value) {
		return false
	}
	for i := 0; i < len(value); i++ { // a name has words
		word := wordAfter(value, i)
		if word-i >= 4 && (i == 0 || !isAlnum(value[i-1])) && (word == len(value) || isOneOf(value[word], "-_/")) {
			return false
		}
		i = word
	}
	return run(value, 0, func(b byte) bool { return isAlnum(b) || isOneOf(b, "-_+/=") }) == len(value)
}
