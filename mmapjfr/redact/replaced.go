package redact

import (
	"strings"
	"sync"
)

const (
	// shortestReplaced is the least length of a replaced text that is looked for: shorter ones stand everywhere.
	shortestReplaced = 8
	// surelyReplaced is from what length on it is looked for inside of words, too.
	surelyReplaced = 12
	// mostReplaced is how many texts are remembered.
	mostReplaced = 1 << 20
)

// replacedTexts are texts that have been replaced, each with the rule that did it first.
type replacedTexts struct {
	mu     sync.Mutex
	rules  map[string]int
	byHead map[[4]byte][]string // by their first bytes
}

// Remember makes the Redactor remember what it replaces, so that [Redactor.Check] looks for it. It comes before any
// edit. Names of classes are not remembered, and of very many texts the first million.
func (r *Redactor) Remember() {
	r.replaced = &replacedTexts{rules: make(map[string]int), byHead: make(map[[4]byte][]string)}
}

// add remembers a text.
func (t *replacedTexts) add(rule int, text string) {
	if t == nil || len(text) < shortestReplaced || len(text) > maxRemembered {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.rules[text]; ok || len(t.rules) == mostReplaced {
		return
	}
	text = strings.Clone(text)
	t.rules[text] = rule
	head := [4]byte([]byte(text[:4]))
	t.byHead[head] = append(t.byHead[head], text)
}

// find calls found with the places where a replaced text stands, the longest at each.
func (t *replacedTexts) find(text string, found func(from, to, rule int)) {
	if t == nil {
		return
	}
	for i := 0; i+shortestReplaced <= len(text); i++ {
		longest := ""
		for _, known := range t.byHead[[4]byte([]byte(text[i:i+4]))] {
			to := i + len(known)
			if len(known) > len(longest) && strings.HasPrefix(text[i:], known) &&
				(len(known) >= surelyReplaced || (!isWord(known[0]) || wordStarts(text, i)) && (!isWord(text[to-1]) || wordEnds(text, to))) {
				longest = known
			}
		}
		if longest != "" {
			found(i, i+len(longest), t.rules[longest])
			i += len(longest) - 1
		}
	}
}
