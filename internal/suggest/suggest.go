// Package suggest finds the names that a user may have meant by an unknown one.
package suggest

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrAmbiguous says that a name means several things.
var ErrAmbiguous = errors.New("ambiguous")

// most is how many names are suggested at most.
const most = 3

// To returns the names that are similar to the word, at most three, the most similar one first.
// Case does not matter. A name with dots is also compared without what precedes the last dot.
func To(word string, names []string) []string {
	type similar struct {
		name     string
		distance int
	}
	var found []similar
	word = strings.ToLower(word)
	limit := 1 + (utf8.RuneCountInString(word)-1)/4
	if utf8.RuneCountInString(word) == 1 {
		limit = 0 // else any other letter would be similar
	}
	for _, name := range names {
		low := strings.ToLower(name)
		d := distance(word, low, limit)
		if last := low[strings.LastIndexByte(low, '.')+1:]; last != low {
			d = min(d, distance(word, last, limit))
		}
		if len(word) >= 3 && strings.Contains(low, word) {
			d = min(d, limit)
		}
		if d <= limit {
			found = append(found, similar{name, d})
		}
	}
	slices.SortFunc(found, func(a, b similar) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	found = slices.Compact(found)
	var out []string
	for _, f := range found[:min(len(found), most)] {
		out = append(out, f.name)
	}
	return out
}

// Hint is the names that may be meant by a word. It is an error, so that it can be found in an error
// that it is a part of.
type Hint struct {
	Word string
	Near []string
}

// NewHint returns the hint with the names that [To] returns.
func NewHint(word string, names []string) Hint { return Hint{word, To(word, names)} }

// Question returns the text of the hint.
func Question(word string, names []string) string { return NewHint(word, names).String() }

func (h Hint) Error() string { return h.String() }

// String returns "; did you mean x or y?", or "" without any names.
func (h Hint) String() string {
	if len(h.Near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(h.Near, " or ") + "?"
}

// distance returns how many letters of a must be changed, added, removed, or exchanged with
// their neighbour, to get b; more than the limit if their lengths say so.
func distance(a, b string, limit int) int {
	if n := utf8.RuneCountInString(a) - utf8.RuneCountInString(b); n > limit || -n > limit {
		return limit + 1
	}
	x, y := []rune(a), []rune(b)
	var (
		before = make([]int, len(y)+1)
		row    = make([]int, len(y)+1)
		next   = make([]int, len(y)+1)
	)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		next[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(y)]
}
