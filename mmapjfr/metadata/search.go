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
	// Itself tells that what was looked for is in the above, and not only in fields.
	Itself bool `json:"itself"`
	// Fields are those fields that have it.
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

// Search returns those of the types that have the text, in capitals or not, in their
// name, label, description or categories, or in the name, label or description of a
// field. A type with several forms is found in each form that has it.
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

// has tells whether one of the texts contains part, in capitals or not.
func has(part string, in ...string) bool {
	part = strings.ToLower(part)
	return slices.ContainsFunc(in, func(s string) bool { return strings.Contains(strings.ToLower(s), part) })
}
