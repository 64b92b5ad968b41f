package redact

import "strings"

// cookiesEnd returns where the last cookie of a header ends, of which the first lies between from and to. The key of the header
// begins at start, and its sign is at sign.
func cookiesEnd(text string, start, sign, from, to int, ends string) int {
	if end := quotedHeaderEnd(text, start, sign); end > from {
		return end
	}
	for to > from && to < len(text) {
		next := to
		switch {
		case text[to-1] == ',' && text[sign] == ':':
		case text[to] == ';':
			next++
		case text[to] == ' ' && text[sign] == ':' && to+1 < len(text) && isAlnum(text[to+1]):
		default:
			return to
		}
		next = run(text, next, func(b byte) bool { return b == ' ' })
		name := run(text, next, isKeyByte)
		if (ends == listEnds || text[next-1] == ' ' && text[to] != ';' || text[to-1] == ',') && (name == next || name == len(text) || text[name] != '=') || name < len(text) && text[name] == ':' {
			return to // no cookie, or another header
		}
		end := cookieEnd(text, next, ends)
		if end <= to || end == next {
			return to
		}
		to = end
	}
	return to
}

// quotedHeaderEnd returns where the quote is that closes the one before a key, which begins at start and whose sign is at sign; 0 if
// the key is in no quotes with its value.
func quotedHeaderEnd(text string, start, sign int) int {
	open := runBack(text, max(0, start-1), func(b byte) bool { return b == '\\' })
	quote := quoteAt(text, open)
	if start == 0 || open+len(quote) != start || isQuote(text[sign-1]) {
		return 0
	}
	if _, to := quoted(text[:min(len(text), start+longestQuoted)], open); strings.HasPrefix(text[to:], quote) {
		return to
	}
	return 0
}

// longestQuoted is how far the end of a quote or a bracket in a value is looked for.
const longestQuoted = 4 << 10

// cookieEnd returns where the cookie ends that begins at i: name=value, whose value may be in quotes or brackets.
func cookieEnd(text string, i int, ends string) int {
	if name := run(text, i, isKeyByte); name > i && name+1 < len(text) && text[name] == '=' {
		at, near := name+1, text[:min(len(text), i+longestQuoted)]
		switch quote := quoteAt(near, min(at, len(near))); {
		case quote != "":
			if _, to := quoted(near, at); strings.HasPrefix(near[to:], quote) {
				i = to + len(quote)
			}
		case isOneOf(text[at], "{[("):
			if to := closing(near, at); to < len(near) {
				i = to + 1
			}
		case hasFoldPrefix(text[i:name], "expires"): // as in Wed, 21 Oct 2015 07:28:00 GMT
			if to := run(near, at, func(b byte) bool { return isAlnum(b) || isOneOf(b, ",: -") }); to < len(near) && near[to] == ';' {
				i = to
			}
		}
	}
	if to := markedEnd(text, i, ends); to > 0 {
		return to
	}
	end := len(text)
	if n := strings.IndexByte(text[i:min(len(text), i+longestQuoted)], ';'); n >= 0 {
		end = i + n
	}
	to := wordEnd(text[:end], i, ends)
	if to+1 == end && end < len(text) && strings.IndexByte(text[i:to], text[to]) >= 0 { // a quote that closes another one
		return end
	}
	return to
}
