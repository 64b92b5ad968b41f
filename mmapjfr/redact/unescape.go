package redact

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// deepest is how often a text is unescaped that is escaped more than once.
const deepest = 3

// unescaped is a text without escapes: those of URLs, JSON, scripts and HTML.
type unescaped struct {
	text []byte
	at   []int // where each byte is in the text with escapes, and where that ends
}

// unescape reads the escapes of a text. It returns false if it has none.
func (u *unescaped) unescape(text string) bool {
	first := nextEscape(text, 0)
	if first < 0 {
		return false
	}
	u.text, u.at = u.text[:0], u.at[:0]
	for i := 0; i < len(text); {
		n := 1
		from := len(u.text)
		if i == first {
			var c rune
			c, n = escapeAt(text[i:])
			if c < utf8.RuneSelf || text[i] != '%' {
				u.text = utf8.AppendRune(u.text, c)
			} else {
				u.text = append(u.text, byte(c)) // of a character
			}
			first = nextEscape(text, i+n)
		} else if text[i] == '&' {
			u.text = append(u.text, '\n') // ends what an outer URL says here
		} else {
			u.text = append(u.text, text[i])
		}
		for range len(u.text) - from {
			u.at = append(u.at, i)
		}
		i += n
	}
	u.at = append(u.at, len(text))
	return true
}

// nextEscape returns where the first escape is from i; -1 if none is.
func nextEscape(text string, i int) int {
	for ; i < len(text); i++ {
		if b := text[i]; b == '%' || b == '\\' || b == '&' {
			if _, n := escapeAt(text[i:]); n > 0 {
				return i
			}
		}
	}
	return -1
}

// entities are the names of characters that HTML and XML write so.
var entities = map[string]rune{
	"quot": '"', "apos": '\'', "amp": '&', "lt": '<', "gt": '>', "equals": '=', "colon": ':', "commat": '@', "sol": '/', "period": '.', "nbsp": ' ',
}

// escapeAt returns the character whose escape a text begins with, and the length of that; 0 if it begins with none. Escapes of
// spaces and quotes in JSON are none here: values end with them.
func escapeAt(text string) (c rune, length int) {
	hex := func(from, digits int) (rune, int) {
		if len(text) < from+digits {
			return 0, 0
		}
		n, err := strconv.ParseUint(text[from:from+digits], 16, 16)
		if err != nil {
			return 0, 0
		}
		return rune(n), from + digits
	}
	switch {
	case len(text) < 2:
	case text[0] == '%':
		return hex(1, 2)
	case text[0] == '\\' && text[1] == 'u':
		return hex(2, 4)
	case text[0] == '\\' && text[1] == 'x':
		return hex(2, 2)
	case text[0] == '\\' && text[1] == '/':
		return '/', 2
	case text[0] == '&':
		const longest = len("&period;")
		end := strings.IndexByte(text[:min(len(text), longest)], ';')
		if end < 0 {
			return 0, 0
		}
		name := text[1:end]
		if c, ok := entities[name]; ok {
			return c, end + 1
		}
		base := 10
		if digits, ok := strings.CutPrefix(name, "#x"); ok {
			name, base = "#"+digits, 16
		}
		if digits, ok := strings.CutPrefix(name, "#"); ok {
			if n, err := strconv.ParseUint(digits, base, 16); err == nil {
				return rune(n), end + 1
			}
		}
	}
	return 0, 0
}
