package redact

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// piece is a part of a text that a rule has found.
type piece struct {
	from, to int
	rule     int // its number among those of the program
	kind     kind
	text     string // without escapes, if it has some
}

// finder finds pieces of texts. It calls found with each, in their order.
type finder struct {
	kind kind
	// needs are features without which nothing is found, and any of those in oneOf.
	needs, oneOf features
	// length and digits are the least that a text must have.
	length, digits int
	find           func(e *environment, text string, found func(from, to int))
}

// environment is what finders know beside the text.
type environment struct {
	keys     *keywords // of what is looked for: secrets
	userKeys *keywords
	users    *nameSet
	hosts    *nameSet
	marks    []string // texts that take the place of others
	key      string   // that was found last, of the value that is looked for
	// names is whether values of keys are names of users; unescaped whether a text had escapes.
	names, unescaped bool

	ctx  context.Context // of the copy; finders stop once it is done
	next int             // where a finder asks it again
}

const (
	// workAtOnce is how many bytes of a text are searched before the context of the copy is asked.
	workAtOnce = 64 << 10
	// workOfPiece is how many bytes are searched in the time in which the pseudonym of a piece is made.
	workOfPiece = 64
)

// stopped reports whether a finder that has come to i is to stop.
func (e *environment) stopped(i int) bool {
	if i < e.next {
		return false
	}
	e.next = i + workAtOnce
	return e.ctx != nil && e.ctx.Err() != nil
}

// finders are the finders of all kinds; those of patterns are made for each rule.
var finders = [kinds]*finder{
	kindSecret:     {oneOf: hasEqual | hasColon | hasDash | hasQuote | hasMore | hasSpace | hasHigh, length: 4, find: findSecrets},
	kindURL:        {oneOf: hasSlash | hasMore, length: 8, find: findURLs},
	kindEmail:      {needs: hasAt | hasDot, length: 6, find: findEmails},
	kindIP:         {oneOf: hasDot | hasColon, length: 4, find: findAddresses},
	kindHost:       {needs: hasAlways, length: 3, find: findHosts},
	kindUser:       {needs: hasAlways, length: 3, find: findUsers},
	kindPath:       {needs: hasSlash, length: 7, find: findPaths},
	kindJWT:        {needs: hasDot | hasLower, length: 20, find: findJWTs},
	kindToken:      {oneOf: hasDigit | hasSpace | hasDash | hasLine | hasEqual | hasColon | hasQuote | hasMore | hasHigh | hasCapitals, length: 12, find: findTokens},
	kindPrivateKey: {needs: hasDash | hasSpace | hasUpper, length: 27, find: findPrivateKeys},
	kindUUID:       {needs: hasDash | hasDigit, length: 36, find: findUUIDs},
	kindCard:       {needs: hasDigit, length: 13, digits: 13, find: findCards},
	kindIBAN:       {needs: hasDigit | hasUpper, length: 15, digits: 8, find: findIBANs},
	kindSQL:        {needs: hasSpace, length: 8, find: findLiterals},
}

// patternFinder returns the finder of a rule with a pattern.
func patternFinder(r *rule) *finder {
	return &finder{kind: kindPattern, find: func(_ *environment, text string, found func(from, to int)) {
		for _, at := range r.pattern.FindAllStringIndex(text, -1) {
			if at[0] < at[1] {
				found(at[0], at[1])
			}
		}
	}}
}

// wants reports whether a finder can find anything in a text.
func (f *finder) wants(text string, has features, digits int) bool {
	return len(text) >= f.length && digits >= f.digits && has.has(f.needs) && (f.oneOf == 0 || has&f.oneOf != 0)
}

// ordered puts pieces in order and cuts those that overlap: of two that begin together the longer one stays, and of
// one that ends after the one before it the rest.
func ordered(pieces []piece) []piece {
	slices.SortFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to), cmp.Compare(a.rule, b.rule))
	})
	out, end := pieces[:0], 0
	for _, p := range pieces {
		if p.from < end {
			p.from, p.text = end, ""
		}
		if p.from < p.to {
			out, end = append(out, p), p.to
		}
	}
	return out
}

// isMark reports whether a text has already taken the place of another one.
func (e *environment) isMark(text string) bool {
	if text == "" || text == "*" {
		return true
	}
	for _, m := range e.marks {
		if rest, ok := strings.CutPrefix(text, m); ok && (rest == "" || m == Marker && !isWord(rest[0]) || len(rest) < 4 && run(rest, 0, func(b byte) bool { return !isWord(b) }) == len(rest)) {
			return true
		}
	}
	return isPseudonym(text) || isHash(text) || isGeneral(text)
}

// isHash reports whether a text is made by the action hash.
func isHash(text string) bool {
	if len(text) != 1+hashDigits || text[0] != '#' {
		return false
	}
	return run(text, 1, func(b byte) bool { return isDigit(b) || 'a' <= b && b <= 'f' }) == len(text)
}

// isGeneral reports whether a text is made by the action generalise, of what has no more general form.
func isGeneral(text string) bool {
	return len(text) > 2 && text[0] == '[' && slices.Contains(kindNames[:], text[1:len(text)-1])
}

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
	hasMore // <, %, | or ~, or a backslash
	hasDollar
	hasLine     // _
	hasCapitals // in a row, as many as tokens have that may be letters alone
	hasEscape   // what escapes begin with: %, & or a backslash

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
		'@': hasAt, '.': hasDot, ':': hasColon, '/': hasSlash, '\\': hasSlash | hasMore | hasEscape, '&': hasEscape, '=': hasEqual, '-': hasDash, '<': hasMore, '%': hasMore | hasEscape, '|': hasMore, '~': hasMore, '$': hasDollar, '_': hasLine,
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
	if f&hasUpper != 0 && capitals(text) {
		f |= hasCapitals
	}
	return f, digits
}

// capitals reports whether a text has sixteen capital letters in a row.
func capitals(text string) bool {
	const fewest = 16
	for i := fewest - 1; i < len(text); i += fewest {
		if isUpper(text[i]) && run(text, i, isUpper)-runBack(text, i, isUpper) >= fewest {
			return true
		}
	}
	return false
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
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// hasFoldSuffix is hasFoldPrefix for the end of a text.
func hasFoldSuffix(text, suffix string) bool {
	return len(text) >= len(suffix) && hasFoldPrefix(text[len(text)-len(suffix):], suffix)
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
