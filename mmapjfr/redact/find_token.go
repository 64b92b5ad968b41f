package redact

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"
)

func isUpperDigit(b byte) bool { return isUpper(b) || isDigit(b) }

func isTokenByte(b byte) bool { return isAlnum(b) || b == '_' || b == '-' }

func isDottedToken(b byte) bool { return isTokenByte(b) || b == '.' }

func isBearer(b byte) bool { return isAlnum(b) || strings.IndexByte("-._~+/=", b) >= 0 }

//go:embed tokens.table
var tokenTable string

// tokenForm is how tokens look: a text with which they are found, and what follows it, and precedes it.
type tokenForm struct {
	head         string
	kept         bool // the head is not hidden
	before       tokenRun
	rest         []tokenRun
	mixed, apart bool
}

// tokenRun is some bytes of a class, and the text after them.
type tokenRun struct {
	is          *[256]bool
	least, most int
	then        string
}

// tokenClasses are the bytes that runs of the table have, by letter.
var tokenClasses = map[byte]func(byte) bool{
	'd': isDigit, 'x': isHex, 'u': isUpperDigit,
	'l': func(b byte) bool { return isHex(b) && !isUpper(b) },
	't': func(b byte) bool { return isUpper(b) || '2' <= b && b <= '7' },
	'a': isAlnum, 'w': isTokenByte,
	'p': func(b byte) bool { return isTokenByte(b) || strings.IndexByte(".=~", b) >= 0 },
	'b': func(b byte) bool { return isTokenByte(b) || strings.IndexByte("+/=%", b) >= 0 },
	's': func(b byte) bool { return isTokenByte(b) || strings.IndexByte("/@=+", b) >= 0 },
	'c': func(b byte) bool { return isTokenByte(b) || strings.IndexByte("./$+=,", b) >= 0 },
}

// tokenForms are the forms of the table by their first two bytes, and which bytes follow a byte in those: also in schemes, in
// any case.
type tokenForms struct {
	pairs  [256][4]uint64
	byPair [256]*[256]*startForms
	list   []*startForms // all of them
}

// startForms are forms that begin with the same two bytes, and the bytes that follow these: all if a head is no longer.
type startForms struct {
	third [4]uint64
	forms []*tokenForm
}

// add adds two bytes with which something begins, and returns the forms that begin so.
func (all *tokenForms) add(a, b byte) *startForms {
	all.pairs[a][b/64] |= 1 << (b % 64)
	if all.byPair[a] == nil {
		all.byPair[a] = new([256]*startForms)
	}
	if all.byPair[a][b] == nil {
		all.byPair[a][b] = &startForms{}
		all.list = append(all.list, all.byPair[a][b])
	}
	return all.byPair[a][b]
}

// tokens are read once something is searched.
var tokens = sync.OnceValue(func() *tokenForms {
	all := &tokenForms{}
	classes := make(map[byte]*[256]bool)
	for letter, is := range tokenClasses {
		classes[letter] = new([256]bool)
		for b := range 256 {
			classes[letter][b] = is(byte(b))
		}
	}
	for line := range strings.Lines(tokenTable) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := tokenForm{apart: strings.HasSuffix(line, "^")}
		line = strings.TrimSuffix(line, "^")
		f.mixed = strings.HasSuffix(line, "!")
		line = strings.TrimSuffix(line, "!")
		heads, rest, _ := strings.Cut(line, "<")
		if heads == "" {
			f.before, rest = parseRun(rest, classes)
			heads, f.before.then = f.before.then, ""
		}
		for rest != "" {
			var r tokenRun
			r, rest = parseRun(rest, classes)
			f.rest = append(f.rest, r)
		}
		f.kept = heads[0] == '('
		for head := range strings.SplitSeq(strings.Trim(heads, "()"), "|") {
			own := f
			own.head = head
			some := all.add(head[0], head[1])
			some.forms = append(some.forms, &own)
			if len(head) > 2 {
				some.third[head[2]/64] |= 1 << (head[2] % 64)
			} else {
				some.third = [4]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64}
			}
		}
	}
	for _, s := range schemes[:credentialSchemes] {
		for _, b := range []string{s[:2], strings.ToUpper(s[:2]), strings.ToUpper(s[:1]) + s[1:2], s[:1] + strings.ToUpper(s[1:2])} {
			all.add(b[0], b[1])
		}
	}
	return all
})

// parseRun reads a run behind its <, and returns what follows the next one.
func parseRun(text string, classes map[byte]*[256]bool) (r tokenRun, rest string) {
	run, then, _ := strings.Cut(text, ">")
	r = tokenRun{is: classes[run[0]], most: math.MaxInt}
	least, most, ok := strings.Cut(run[1:], "-")
	r.least, _ = strconv.Atoi(least) // a test reads the table
	if ok {
		r.most, _ = strconv.Atoi(most)
	}
	r.then, rest, _ = strings.Cut(then, "<")
	return r, rest
}

// match returns where a token lies whose head is at i. If none does it returns where it has looked for one.
func (f *tokenForm) match(text string, i int) (from, to int, ok bool) {
	if f.apart && i > 0 && isAlnum(text[i-1]) {
		return i, i, false
	}
	from, to = i, i+len(f.head)
	if f.before.is != nil {
		for from > 0 && i-from < f.before.most && f.before.is[text[from-1]] {
			from--
		}
		if i-from < f.before.least {
			return i, i, false
		}
	}
	if f.kept {
		from = to
	}
	for _, r := range f.rest {
		start := to
		for to < len(text) && to-start < r.most && r.is[text[to]] {
			to++
		}
		if to-start < r.least || !strings.HasPrefix(text[to:], r.then) {
			return from, to, false
		}
		to += len(r.then)
	}
	if !f.mixed {
		return from, to, true
	}
	has, _ := featuresOf(text[from:to])
	return from, to, has.has(hasDigit | hasUpper | hasLower)
}

// findTokens finds keys and tokens of services by what they look like, and what follows Bearer and Basic.
func findTokens(e *environment, text string, found func(from, to int)) {
	all := tokens()
	end := 0
	var looked map[*tokenForm]int // where forms have looked, so that they do not again: what follows a head may have others in it
	for i := 0; i+1 < len(text); i++ {
		b, next := text[i], text[i+1]
		if all.pairs[b][next/64]>>(next%64)&1 == 0 {
			continue
		}
		if e.stopped(i) {
			return
		}
		if low := lower(b); (low == 'b' || low == 'a') && i >= end {
			if from, to := credentials(text, i); from < to && !e.isMark(text[from:to]) {
				found(from, to)
				end = to
			}
		}
		if i+2 == len(text) {
			break
		}
		third := text[i+2]
		some := all.byPair[b][next]
		if some.third[third/64]>>(third%64)&1 == 0 {
			continue
		}
		for _, f := range some.forms {
			if !strings.HasPrefix(text[i:], f.head) || i+len(f.head) <= looked[f] {
				continue
			}
			from, to, ok := f.match(text, i)
			if last := f.rest; len(last) > 0 && last[len(last)-1].most == math.MaxInt {
				if looked == nil {
					looked = make(map[*tokenForm]int)
				}
				looked[f] = to
			}
			if ok && from < to {
				found(from, to)
			}
		}
	}
}

// credentials returns where the word lies that follows Bearer, Basic or ApiKey at i.
func credentials(text string, i int) (from, to int) {
	for _, s := range schemes[:credentialSchemes] {
		from = i + len(s)
		if !hasFoldPrefix(text[i:], s[:len(s)-1]) || from > len(text) || text[from-1] != ' ' && text[from-1] != '+' { // the latter in URLs
			continue
		}
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
func findJWTs(e *environment, text string, found func(from, to int)) {
	for i := 0; !e.stopped(i); {
		at := strings.Index(text[i:], "eyJ")
		if at < 0 {
			return
		}
		from := i + at
		to := run(text, from, isDottedToken)
		if dot := strings.IndexByte(text[from:to], '.'); dot >= 8 && to-from-dot > 8 {
			found(from, to)
		}
		i = max(to, from+3)
	}
}

// findPrivateKeys finds private keys as texts, to their end or that of the text: between lines of dashes, and of PuTTY.
func findPrivateKeys(e *environment, text string, found func(from, to int)) {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	for i := 0; ; {
		at := strings.Index(text[i:], begin)
		if at < 0 {
			break
		}
		from := i + at
		i = from + len(begin)
		line := run(text, i, func(b byte) bool { return isUpperDigit(b) || b == ' ' })
		if !strings.HasSuffix(text[i:line], "PRIVATE KEY") && !strings.HasSuffix(text[i:line], "PRIVATE KEY BLOCK") {
			continue
		}
		to := len(text)
		if n := strings.Index(text[line:], end); n >= 0 {
			last := line + n + len(end)
			if d := strings.Index(text[last:], dashes); d >= 0 {
				to = last + d + len(dashes)
			}
		}
		found(from, to)
		i = to
	}
	const lines, mac = "Private-Lines: ", "Private-MAC: "
	if !strings.Contains(text, "PuTTY-User-Key-File-") {
		return
	}
	for i := 0; ; {
		at := strings.Index(text[i:], lines)
		if at < 0 {
			return
		}
		i = run(text, i+at+len(lines), isDigit)
		from := afterSpaces(text, i)
		if e.isMark(text[from:wordEnd(text, from, "")]) {
			continue
		}
		to := len(text)
		if at := strings.Index(text[from:], mac); at >= 0 {
			to = wordEnd(text, from+at+len(mac), "")
		}
		if from < to {
			found(from, to)
		}
		i = to
	}
}

// findUUIDs finds UUIDs.
func findUUIDs(e *environment, text string, found func(from, to int)) {
	const length = 36
	for i := 0; i+length <= len(text) && !e.stopped(i); i++ {
		if text[i+8] == '-' && wordStarts(text, i) && wordEnds(text, i+length) && isUUID(text[i:i+length]) {
			found(i, i+length)
			i += length - 1
		}
	}
}

func isUUID(text string) bool {
	for i := range len(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (text[i] == '-') || !dash && !isHex(text[i]) {
			return false
		}
	}
	return true
}

// maxCard is the greatest number of digits of a card.
const maxCard = 19

// findCards finds numbers of payment cards: digits, in groups or not, of a known issuer, whose checksum is right.
func findCards(e *environment, text string, found func(from, to int)) {
	for i := 0; i < len(text) && !e.stopped(i); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		from := i
		var digits [maxCard]byte
		n, to := 0, i
		for i < len(text) && (isDigit(text[i]) || (text[i] == ' ' || text[i] == '-') && i+1 < len(text) && isDigit(text[i+1])) {
			if isDigit(text[i]) {
				if n < maxCard {
					digits[n] = text[i] - '0'
				}
				n++
			}
			i++
			to = i
		}
		if n <= maxCard && (from == 0 || !isWord(text[from-1]) && text[from-1] != '.') && wordEnds(text, to) && isCard(digits[:n]) {
			found(from, to)
		}
	}
}

// isCard reports whether digits begin and end as those of a card.
func isCard(d []byte) bool {
	if len(d) < 13 {
		return false
	}
	n := len(d)
	two := int(d[0])*10 + int(d[1])
	four := two*100 + int(d[2])*10 + int(d[3])
	switch {
	case d[0] == 4:
		return (n == 13 || n == 16 || n == 19) && luhn(d)
	case two >= 51 && two <= 55 || four >= 2221 && four <= 2720:
		return n == 16 && luhn(d)
	case two == 34 || two == 37:
		return n == 15 && luhn(d)
	case two == 36 || two == 38 || four/10 >= 300 && four/10 <= 305:
		return n == 14 && luhn(d)
	case four == 6011 || two == 65 || four/10 >= 644 && four/10 <= 649 || two == 35 || two == 62 || two == 50 || two == 63 || two == 67:
		return n >= 16 && luhn(d)
	}
	return false
}

// luhn reports whether the last digit is the checksum of the others.
func luhn(d []byte) bool {
	sum := 0
	for i, c := range d {
		v := int(c)
		if (len(d)-i)%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// ibanLengths are how long accounts of the countries are.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28,
	"CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18,
	"GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32,
	"LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15,
	"PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25,
	"SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}

// findIBANs finds accounts, in groups of four or not, whose checksum is right.
func findIBANs(e *environment, text string, found func(from, to int)) {
	for i := 0; i+15 <= len(text) && !e.stopped(i); i++ {
		if !isUpper(text[i]) || !isUpper(text[i+1]) || !isDigit(text[i+2]) || !isDigit(text[i+3]) || !wordStarts(text, i) {
			continue
		}
		if to := iban(text, i, ibanLengths[text[i:i+2]]); to > 0 {
			found(i, to)
			i = to - 1
		}
	}
}

// iban returns where the account ends that begins at i and has a number of letters and digits; 0 if none does.
func iban(text string, i, length int) int {
	if length == 0 {
		return 0
	}
	from, n, rest := i, 0, 0
	head := [4]byte(([]byte)(text[i : i+4]))
	for ; i < len(text) && n < length; i++ {
		if text[i] == ' ' && n%4 == 0 && i > from {
			continue
		}
		if !isUpperDigit(text[i]) {
			return 0
		}
		if n >= len(head) {
			rest = mod97(rest, text[i])
		}
		n++
	}
	for _, b := range head {
		rest = mod97(rest, b)
	}
	if n < length || rest != 1 || !wordEnds(text, i) {
		return 0
	}
	return i
}

// mod97 appends a letter or a digit to a number of which the rest is known.
func mod97(rest int, b byte) int {
	if isDigit(b) {
		return (rest*10 + int(b-'0')) % 97
	}
	return (rest*100 + int(b-'A') + 10) % 97
}
