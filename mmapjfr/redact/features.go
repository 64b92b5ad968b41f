package redact

import "strings"

// features says which characters a text has. Finders name those without which they find nothing.
type features uint32

const (
	hasDigit features = 1 << iota
	hasUpper
	hasLower
	hasAt
	hasDot
	hasColon
	hasSlash // or a backslash
	hasEqual
	hasDash
	hasQuote
	hasSpace
	hasHigh // a byte that is not ASCII

	hasAlways features = 0
)

// classOf are the features of each byte.
var classOf = func() (table [256]features) {
	for b := range table {
		switch {
		case '0' <= b && b <= '9':
			table[b] = hasDigit
		case 'A' <= b && b <= 'Z':
			table[b] = hasUpper
		case 'a' <= b && b <= 'z':
			table[b] = hasLower
		case b >= 0x80:
			table[b] = hasHigh
		}
	}
	for b, f := range map[byte]features{
		'@': hasAt, '.': hasDot, ':': hasColon, '/': hasSlash, '\\': hasSlash, '=': hasEqual, '-': hasDash,
		'\'': hasQuote, '"': hasQuote, ' ': hasSpace, '\t': hasSpace, '\n': hasSpace, '\r': hasSpace,
	} {
		table[b] = f
	}
	return table
}()

// featuresOf returns the features of a text and how many digits it has.
func featuresOf(text string) (f features, digits int) {
	for i := range len(text) {
		c := classOf[text[i]]
		f |= c
		digits += int(c & hasDigit)
	}
	return f, digits
}

// has reports whether all of some features are there.
func (f features) has(all features) bool { return f&all == all }

// isWord reports whether a byte belongs to a word: a letter, a digit, or a part of a character that is not ASCII.
func isWord(b byte) bool { return classOf[b]&(hasDigit|hasUpper|hasLower|hasHigh) != 0 || b == '_' }

// isAlnum reports whether a byte is an ASCII letter or digit.
func isAlnum(b byte) bool { return classOf[b]&(hasDigit|hasUpper|hasLower) != 0 }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }

func isLetter(b byte) bool { return classOf[b]&(hasUpper|hasLower) != 0 }

// lower returns a byte in lower case.
func lower(b byte) byte {
	if isUpper(b) {
		return b + 'a' - 'A'
	}
	return b
}

// wordStarts reports whether a word can start at i: nothing, or no part of a word, is before it.
func wordStarts(text string, i int) bool { return i == 0 || !isWord(text[i-1]) }

// wordEnds reports whether a word can end before i.
func wordEnds(text string, i int) bool { return i >= len(text) || !isWord(text[i]) }

// run returns the end of the bytes from i that all satisfy a condition.
func run(text string, i int, is func(byte) bool) int {
	for i < len(text) && is(text[i]) {
		i++
	}
	return i
}

// runBack returns the start of the bytes before i that all satisfy a condition.
func runBack(text string, i int, is func(byte) bool) int {
	for i > 0 && is(text[i-1]) {
		i--
	}
	return i
}

// hasFoldPrefix reports whether a text starts with a prefix, which is in lower case, in any case.
func hasFoldPrefix(text, prefix string) bool {
	if len(text) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(text[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// indexFold returns where a text in lower case stands in another one, in any case, from i; -1 if nowhere.
func indexFold(text, low string, i int) int {
	for ; i+len(low) <= len(text); i++ {
		if hasFoldPrefix(text[i:], low) {
			return i
		}
	}
	return -1
}

// indexAny returns where the first of some characters stands in a text; its length if none does.
func indexAny(text, chars string) int {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return i
	}
	return len(text)
}
