package metadata

import (
	"slices"
	"strings"
)

// Match is a type that a search has found.
type Match struct {
	Name        string   `json:"name"`
	Label       string   `json:"label,omitempty"`
	Description string   `json:"description,omitempty"`
	Category    []string `json:"category,omitempty"`
	// Itself is set if the text is in one of the above, and not only in fields.
	Itself bool `json:"itself"`
	// Fields are the fields that have the text.
	Fields []MatchedField `json:"fields,omitempty"`
}

// MatchedField is a field that a search has found.
type MatchedField struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Array       bool   `json:"array,omitempty"`
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
}

// Search returns the types that have the text in their name, label, description or
// categories, or in the name, label or description of a field. Case does not matter. A type
// with several forms is returned in each form that has the text.
func Search(types []Type, text string) []Match {
	var list []Match
	for i := range types {
		t := &types[i]
		m := Match{Name: t.Name, Label: t.Label, Description: t.Description, Category: t.Category}
		m.Itself = has(text, t.Category...) || has(text, t.Name, t.Label, t.Description)
		for j := range t.Fields {
			f := &t.Fields[j]
			if has(text, f.Name, f.Label, f.Description) {
				m.Fields = append(m.Fields, MatchedField{f.Name, f.Type, f.Array, f.Label, f.Description})
			}
		}
		if m.Itself || len(m.Fields) > 0 {
			list = append(list, m)
		}
	}
	return list
}

// has reports whether one of the texts contains part. Case does not matter.
func has(part string, in ...string) bool {
	part = strings.ToLower(part)
	return slices.ContainsFunc(in, func(s string) bool { return strings.Contains(strings.ToLower(s), part) })
}
