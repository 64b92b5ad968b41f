package redact

import "strings"

// schemes are words that stand before a secret in headers.
var schemes = []string{
	"basic ", "bearer ", "apikey ", "digest ", "negotiate ", "token ", "ntlm ", "aws4-hmac-sha256 ", "hmac ", "hawk ", "oauth ", "dpop ", "scram-sha-1 ", "scram-sha-256 ",
	"kerberos ", "vapid ", "gnap ", "sharedkey ", "sharedaccesssignature ",
}

// credentialSchemes is how many of them stand before a secret wherever they are.
const credentialSchemes = 3

// afterScheme returns where the credentials begin that follow a scheme at i; 0 if none does.
func afterScheme(text string, i int) int {
	for _, s := range schemes {
		if hasFoldPrefix(text[i:], s) {
			return run(text, i+len(s), func(b byte) bool { return b == ' ' })
		}
	}
	return 0
}

// headerValue returns where the credentials of a header lie that are in more than one word, but for their scheme if it
// is a known one.
func headerValue(text string, i int, ends string) (from, to int) {
	if from = afterScheme(text, i); from > 0 {
		return from, credentialsEnd(text, from, ends)
	}
	scheme := run(text, i, func(b byte) bool { return isAlnum(b) || b == '-' })
	if scheme == i || scheme+1 >= len(text) || text[scheme] != ' ' || text[scheme+1] == '-' || isSpace(text[scheme+1]) {
		return 0, 0
	}
	return i, credentialsEnd(text, scheme+1, ends)
}

// credentialsEnd returns where the credentials end that begin at i: a word, or parameters with commas between them, as in
// username="ann", response="x".
func credentialsEnd(text string, i int, ends string) int {
	if to := markedEnd(text, i, ends); to > 0 {
		return to
	}
	for {
		to := i
		for to < len(text) {
			quote := ""
			if isQuote(text[to]) || text[to] == '\\' {
				quote = quoteAt(text, to)
			}
			if quote != "" && to > i && text[to-1] == '=' {
				_, to = quoted(text, to)
				to = min(to+len(quote), len(text))
				continue
			}
			if isSpace(text[to]) || text[to] == ',' || text[to] == 0 || quote != "" || isOneOf(text[to], ")}]") && isOneOf(text[to], ends) {
				break
			}
			to++
		}
		next := run(text, to, func(b byte) bool { return b == ',' || b == ' ' })
		name := run(text, next, isTokenByte)
		if next == to || strings.IndexByte(text[to:next], ',') < 0 || name == next || name == len(text) || text[name] != '=' {
			return to
		}
		i = next
	}
}

// valueAt returns where a value lies that begins at from.
func valueAt(text string, from int, ends string) (int, int) {
	if from >= len(text) {
		return from, from
	}
	if to := markedEnd(text, from, ends); to > 0 {
		return from, to
	}
	switch {
	case text[from] == '[' || text[from] == '{':
		if first, to, ok := listed(text, from); ok {
			return first, to
		}
	case quoteAt(text, from) != "":
		return quotedValue(text, from, ends)
	}
	if start := afterScheme(text, from); start > 0 {
		return start, credentialsEnd(text, start, ends)
	}
	return from, wordEnd(text, from, ends)
}

// markedEnd returns where a value ends that begins with a mark in brackets at i; 0 if it does with none.
func markedEnd(text string, i int, ends string) int {
	const longest = 16
	if i >= len(text) || text[i] != '[' {
		return 0
	}
	to := i + strings.IndexByte(text[i:min(len(text), i+longest)], ']') + 1
	switch {
	case to == i || text[i:to] != Marker && !isGeneral(text[i:to]):
		return 0
	case to < len(text) && isWord(text[to]):
		return wordEnd(text, to, ends)
	}
	return to
}

// wordEnd returns where a value ends that is not in quotes. A quote ends it, but not one in the midst of a word.
func wordEnd(text string, i int, ends string) int {
	for ; i < len(text); i++ {
		switch b := text[i]; {
		case isQuote(b):
			if i+1 == len(text) || !isWord(text[i+1]) {
				return i
			}
		case isSpace(b), b == 0:
			return i
		case ends == listEnds && isOneOf(b, ends):
			return i
		case len(ends) == 1 && (b == ends[0] && wordEnds(text, i+1) || b == ',' && i+1 < len(text) && text[i+1] == ' '):
			return i
		}
	}
	return i
}

func isOneOf(b byte, chars string) bool { return strings.IndexByte(chars, b) >= 0 }

// listed returns where the elements lie of a list or an object whose bracket is at i: in quotes, the text of the first to
// that of the last. If the bracket is never closed, all that follows belongs to it. It returns false for a word that
// only begins in brackets.
func listed(text string, i int) (from, to int, ok bool) {
	first := run(text, i+1, isSpace)
	if quote := quoteAt(text, first); quote != "" && text[i] == '[' {
		from, to = quoted(text, first)
		for {
			next := run(text, min(to+len(quote), len(text)), isSpace)
			if next >= len(text) || text[next] == ']' {
				return from, to, true
			}
			if text[next] == ',' {
				next = run(text, next+1, isSpace)
			}
			if quoteAt(text, next) != quote {
				break
			}
			_, to = quoted(text, next)
		}
	}
	end := closing(text, i)
	if end < len(text)-1 && isWord(text[end+1]) {
		return 0, 0, false
	}
	return i + 1, end, true
}

// closing returns where the bracket lies that closes the one at i, or the length of the text.
func closing(text string, i int) int {
	open, depth := text[i], 0
	end := open + 2 // ] follows [ by two, and } follows {
	if open == '(' {
		end = ')'
	}
	for ; i < len(text); i++ {
		switch b := text[i]; b {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i
			}
		case '"', '\\':
			if quote := quoteAt(text, i); strings.HasSuffix(quote, `"`) {
				_, to := quoted(text, i)
				i = to + len(quote) - 1
			}
		}
	}
	return len(text)
}

// quoteAt returns the quote at i, with the backslashes before it; "" if no quote is there.
func quoteAt(text string, i int) string {
	end := run(text, i, func(b byte) bool { return b == '\\' })
	if end < len(text) && isQuote(text[end]) {
		return text[i : end+1]
	}
	return ""
}

// quotedValue returns where the value lies whose quote is at i, with what follows the other quote without a space: a shell
// takes a""b for one word, and in SQL and CSV two quotes are one.
func quotedValue(text string, i int, ends string) (from, to int) {
	from, to = quoted(text, i)
	quote := quoteAt(text, i)
	next := to + len(quote)
	for len(quote) == 1 && next < len(text) && text[next] == quote[0] {
		_, end := quoted(text, next)
		if end == len(text) {
			break
		}
		to, next = end, end+1
	}
	if next >= len(text) || !isWord(text[next]) {
		return from, to
	}
	if from == to {
		from = next
	}
	return from, wordEnd(text, next, ends)
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

// startsOption reports whether an option of a command line can begin at i, alone or in a list.
func startsOption(text string, i int) bool {
	return i == 0 || isSpace(text[i-1]) || isOneOf(text[i-1], "=[{(<>,;|&`\"'\x00") || i > 1 && text[i-2] == '\\' && isOneOf(text[i-1], "nrt")
}

// afterOption returns where the value of an option begins that lies between i and end: after a space, or as the next
// element of a list; 0 if it has no value.
func afterOption(text string, i, end int) (from int, inList bool) {
	from = end
	if isQuote(text[end]) {
		from++
	}
	if from < len(text) && text[from] == ',' {
		const longest = 4 << 10
		if inList = strings.IndexByte(text[max(0, i-longest):i], '[') >= 0 || from > end; !inList {
			return 0, false
		}
		from++
	}
	next := run(text, from, func(b byte) bool { return b == ' ' || b == '\t' || b == 0 })
	if next == from && !inList {
		return 0, false
	}
	return next, inList
}
