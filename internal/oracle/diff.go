package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Diff returns one line per type whose events are not the same in got, sorted by
// name, with m as what is wanted; empty if they are equal.
func (m Multiset) Diff(got Multiset) string {
	var b strings.Builder
	for _, name := range unionOfKeys(m, got) {
		w, g := m[name], got[name]
		switch {
		case w == g || w.N == 0 && g.N == 0:
		case g.N == 0:
			fmt.Fprintf(&b, "%s: want %d events, got none\n", name, w.N)
		case w.N == 0:
			fmt.Fprintf(&b, "%s: want no events, got %d\n", name, g.N)
		case w.N != g.N:
			fmt.Fprintf(&b, "%s: want %d events, got %d\n", name, w.N, g.N)
		default:
			fmt.Fprintf(&b, "%s: %d events as wanted, but some of them differ\n", name, w.N)
		}
	}
	return b.String()
}

// Diff returns one line per class whose blocks are not the same in got, sorted by
// name, with c as what is wanted; empty if they are equal.
func (c Classes) Diff(got Classes) string {
	var b strings.Builder
	for _, name := range unionOfKeys(c, got) {
		w, g := c[name], got[name]
		switch {
		case slices.Equal(w, g):
		case len(g) == 0:
			fmt.Fprintf(&b, "%s: missing\n", name)
		case len(w) == 0:
			fmt.Fprintf(&b, "%s: not wanted\n", name)
		default:
			fmt.Fprintf(&b, "%s: want blocks %016x, got %016x\n", name, w, g)
		}
	}
	return b.String()
}

// DiffTexts shows how two multisets of canonical texts differ: up to limit texts of
// each side in full, "-" before those only wanted and "+" before those only got,
// and where the two of a pair part. Empty if they are equal.
func DiffTexts(want, got map[string]int, limit int) string {
	missing, extra := surplus(want, got), surplus(got, want)
	if len(missing) == 0 && len(extra) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d only wanted, %d only got\n", len(missing), len(extra))
	for i := range min(limit, max(len(missing), len(extra))) {
		if i < len(missing) {
			fmt.Fprintf(&b, "- %s\n", missing[i])
		}
		if i < len(extra) {
			fmt.Fprintf(&b, "+ %s\n", extra[i])
		}
		if i < len(missing) && i < len(extra) {
			w, g := aroundFirstDifference(missing[i], extra[i])
			fmt.Fprintf(&b, "  want ...%s\n   got ...%s\n", w, g)
		}
	}
	return b.String()
}

// surplus returns the texts of a which b has less often, sorted. Events of a type begin with their
// start time, so sorting puts those that belong together at the same place of both lists.
func surplus(a, b map[string]int) []string {
	var out []string
	for text, n := range a {
		for range n - b[text] {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}

func aroundFirstDifference(a, b string) (string, string) {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(0, i-40)
	return a[from:min(len(a), i+40)], b[from:min(len(b), i+40)]
}

func unionOfKeys[K cmp.Ordered, A, B any](a map[K]A, b map[K]B) []K {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
