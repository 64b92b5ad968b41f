package redact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Report says how often each rule has changed something, and where. It holds no values.
type Report struct {
	Rules []RuleCount `json:"rules"`
}

// RuleCount is what a rule has done.
type RuleCount struct {
	// Rule is the rule as it was written.
	Rule string `json:"rule"`
	// Count is how many texts, numbers and events it has changed: pieces of texts each, and a pooled constant once.
	Count int64 `json:"count"`
	// Places are where, sorted by name.
	Places []PlaceCount `json:"places"`
}

// PlaceCount is what a rule has done in a place.
type PlaceCount struct {
	// Place is a type and a field, as in jdk.FileRead:path; an event type alone if its events are removed.
	Place string `json:"place"`
	Count int64  `json:"count"`
}

// Report returns what was changed until now, rules in their order. Rules that have changed nothing are left out. It
// is the same for any number of workers.
func (r *Redactor) Report() *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	report := &Report{Rules: []RuleCount{}}
	for i := range r.rules.list {
		c := RuleCount{Rule: r.rules.list[i].text, Places: []PlaceCount{}}
		for of, f := range r.fields {
			if n := f.counts[i].Load(); n > 0 {
				name := of.Type
				if of.Field != "" {
					name += ":" + of.Field
				}
				c.Count += n
				c.Places = append(c.Places, PlaceCount{name, n})
			}
		}
		slices.SortFunc(c.Places, func(a, b PlaceCount) int { return cmp.Compare(a.Place, b.Place) })
		if c.Count > 0 {
			report.Rules = append(report.Rules, c)
		}
	}
	return report
}

// Unfit returns the rules, but for the default ones, that name places which no recording until now has, each with its file
// and line: the name of a type or a field may be misspelt.
func (r *Redactor) Unfit() (rules []string) {
	for i := range r.rules.list {
		if l := &r.rules.list[i]; l.from != "" && l.in != nil && !r.fits[i].Load() {
			rules = append(rules, l.from+": "+l.text)
		}
	}
	return rules
}

// Count returns how much all rules have changed.
func (r *Report) Count() (n int64) {
	for _, rule := range r.Rules {
		n += rule.Count
	}
	return n
}

// String returns a line for each rule and each place.
func (r *Report) String() string {
	if len(r.Rules) == 0 {
		return "nothing was found\n"
	}
	var out strings.Builder
	for _, rule := range r.Rules {
		fmt.Fprintf(&out, "%8d  %s\n", rule.Count, rule.Rule)
		for _, p := range rule.Places {
			fmt.Fprintf(&out, "%8s  %8d  %s\n", "", p.Count, p.Place)
		}
	}
	return out.String()
}
