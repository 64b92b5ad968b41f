package metadata

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Catalog is the types that chunks of one or more recordings describe. The zero Catalog is empty.
type Catalog struct {
	chunks [][]Type
	read   map[mmapjfr.Type]bool // the first type of each description
}

// Options say what is shown of a catalog.
type Options struct {
	// Filters leave only event types, and of these only those of which all filters can
	// select events.
	Filters []mmapjfr.Filter
	// IDs adds the numbers of types to source text, and tells types with different numbers apart.
	IDs bool
}

// Add adds the types that the chunks of a recording describe. The error joins those of
// chunks whose metadata cannot be read; the types of the others are added all the same.
func (c *Catalog) Add(rec *mmapjfr.Recording) error {
	var errs []error
	for _, chunk := range rec.Chunks() {
		types, err := chunk.Types()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		// Chunks with the same metadata share their types.
		if len(types) == 0 || c.read[types[0]] {
			continue
		}
		if c.read == nil {
			c.read = make(map[mmapjfr.Type]bool)
		}
		c.read[types[0]] = true
		list := make([]Type, len(types))
		for i, t := range types {
			list[i] = newType(t)
		}
		c.chunks = append(c.chunks, list)
	}
	return errors.Join(errs...)
}

// Types returns the types, in the order in which the JDK lists them: types of fields,
// annotations, settings, and events, each by package and name.
func (c *Catalog) Types(o Options) []Type {
	return c.join(o, func(t *Type) string { return t.form(o.IDs) })
}

// join returns the types of all chunks. Of types with the same key it has as many as the
// chunk with the most of them.
func (c *Catalog) join(o Options, key func(*Type) string) []Type {
	var list []Type
	have := make(map[string]int)
	for _, types := range c.chunks {
		here := make(map[string]int)
		for i := range types {
			t := &types[i]
			if !o.selects(t) {
				continue
			}
			k := key(t)
			if here[k]++; here[k] > have[k] {
				have[k]++
				list = append(list, *t)
			}
		}
	}
	slices.SortStableFunc(list, compareAsJDK)
	return list
}

func (o *Options) selects(t *Type) bool {
	if len(o.Filters) > 0 && t.Super != jdktypes.Event {
		return false
	}
	for _, f := range o.Filters {
		if !engine.MatchesType(f, t.from) {
			return false
		}
	}
	return true
}

// form returns a text that is the same for types that are described alike.
func (t *Type) form(ids bool) string {
	c := *t
	if !ids {
		c.ID = 0
		c.Fields, c.Settings = slices.Clone(t.Fields), slices.Clone(t.Settings)
		for i := range c.Fields {
			c.Fields[i].TypeID = 0
		}
		for i := range c.Settings {
			c.Settings[i].TypeID = 0
		}
	}
	text, err := json.Marshal(&c)
	if err != nil {
		panic(err) // a Type holds nothing that cannot be written
	}
	return string(text)
}

// compareAsJDK orders types as the JDK lists them: by what they are for, then by
// package, then by name.
func compareAsJDK(a, b Type) int {
	return cmp.Or(
		cmp.Compare(a.group(), b.group()),
		javatext.Compare(packageOf(a.Name), packageOf(b.Name)),
		javatext.Compare(a.Name, b.Name))
}

// group returns where in the list types of this purpose are.
func (t *Type) group() int {
	switch t.Super {
	case "":
		return 0
	case jdktypes.Annotation:
		return 2
	case jdktypes.Setting:
		return 3
	case jdktypes.Event:
		return 4
	}
	return 1
}

// packageOf returns the name up to the last dot, with it.
func packageOf(name string) string { return name[:strings.LastIndexByte(name, '.')+1] }

// simpleName returns the name without its package.
func simpleName(name string) string { return name[len(packageOf(name)):] }

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
