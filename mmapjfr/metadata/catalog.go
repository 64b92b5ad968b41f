package metadata

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Catalog is what the chunks of one or more recordings describe. The zero Catalog
// is empty.
type Catalog struct {
	chunks [][]Type
	read   map[mmapjfr.Type]bool // the first type of each description
}

// Options say what is shown of a catalog.
type Options struct {
	// Filters leave only event types, and of these only such as all of the filters
	// may want events of.
	Filters []mmapjfr.Filter
	// IDs are shown in source text, and make types differ that have another number.
	IDs bool
}

// Add reads what the chunks of a recording describe. The error tells of chunks whose
// metadata could not be read; what the others describe is added all the same.
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

// join puts together what the chunks describe: of types that look the same by key,
// as many as the chunk has that has most of them.
func (c *Catalog) join(o Options, key func(*Type) string) []Type {
	var list []Type
	have := make(map[string]int)
	for _, types := range c.chunks {
		here := make(map[string]int)
		for i := range types {
			t := &types[i]
			if !o.wants(t) {
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

func (o *Options) wants(t *Type) bool {
	if len(o.Filters) > 0 && t.Super != jdktypes.Event {
		return false
	}
	for _, f := range o.Filters {
		if !mmapjfr.MatchesType(f, t.from) {
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
