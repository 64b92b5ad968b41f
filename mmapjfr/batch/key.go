package batch

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// KeyText returns a key as text: "service=shop date=2026-11-20"; "" without labels. Different keys have different texts:
// names and values that could be taken for several words are quoted as in Go.
func KeyText(key []Label) string {
	var words []string
	for _, l := range key {
		words = append(words, word(l.Name)+"="+word(l.Value))
	}
	return strings.Join(words, " ")
}

// word returns a text, quoted if it has characters that separate words.
func word(text string) string {
	if strings.ContainsAny(text, ` ="`) {
		return strconv.Quote(text)
	}
	return text
}

// CompareKeys orders keys with the same labels as people read them, by [CompareValues].
func CompareKeys(a, b []Label) int {
	return slices.CompareFunc(a, b, func(x, y Label) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), CompareValues(x.Value, y.Value))
	})
}

// CompareValues orders values of a label as people read them: numbers in them by what they are, so that version 1.9 is
// before 1.10, and 1.10-rc1 before 1.10, of which it is a draft. Only equal values are in the same place.
func CompareValues(a, b string) int {
	x, y := a, b
	for last := byte(0); ; {
		if c := cmp.Compare(rank(last, x), rank(last, y)); c != 0 {
			return c
		}
		if x == "" || y == "" {
			return strings.Compare(a, b) // they differ in zeros before numbers
		}
		n, m := digits(x), digits(y)
		c := 0
		switch {
		case n > 0 && m > 0:
			one, other := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			c = cmp.Or(cmp.Compare(len(one), len(other)), strings.Compare(one, other))
		default:
			n, m = 1, 1
			c = cmp.Compare(x[0], y[0])
		}
		if c != 0 {
			return c
		}
		last = x[n-1]
		x, y = x[n:], y[m:]
	}
}

// rank returns where the rest of a value is to stand: one that says that what is before it is a draft, as in 1.10-rc1, first; then an
// empty one.
func rank(last byte, rest string) int {
	switch {
	case rest == "":
		return 1
	case isDigit(last) && len(rest) > 1 && rest[0] == '-' && (rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z'):
		return 0
	}
	return 2
}

// digits returns how many digits a text begins with.
func digits(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
