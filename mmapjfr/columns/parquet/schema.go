package parquet

import (
	"github.com/parquet-go/parquet-go"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// orderedGroup is a group whose fields keep their order; a [parquet.Group] sorts them.
type orderedGroup struct {
	parquet.Group
	names []string
}

type namedField struct {
	parquet.Field
}

// add adds a field; a group and a column that have the same name get different ones.
func (g *orderedGroup) add(name string, node parquet.Node) {
	if g.Group == nil {
		g.Group = make(parquet.Group)
	}
	for g.Group[name] != nil {
		name += "_"
	}
	g.Group[name] = node
	g.names = append(g.names, name)
}

// Fields returns the fields in the order in which they were added.
func (g *orderedGroup) Fields() []parquet.Field {
	byName := make(map[string]parquet.Field)
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(g.names))
	for i, name := range g.names {
		fields[i] = namedField{byName[name]}
	}
	return fields
}

// leafOf returns the node of a value.
func leafOf(k columns.Kind) parquet.Node {
	switch k {
	case columns.Bool:
		return parquet.Leaf(parquet.BooleanType)
	case columns.Int:
		return parquet.Int(64)
	case columns.Uint:
		return parquet.Uint(64)
	case columns.Double:
		return parquet.Leaf(parquet.DoubleType)
	case columns.Time:
		return parquet.Encoded(parquet.Timestamp(parquet.Microsecond), &parquet.DeltaBinaryPacked)
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

// frameFields are the columns of frames.
var frameFields = []columns.Column{{Name: "class", Kind: columns.Text}, {Name: "method", Kind: columns.Text}, {Name: "descriptor", Kind: columns.Text},
	{Name: "line", Kind: columns.Int}, {Name: "bci", Kind: columns.Int}, {Name: "type", Kind: columns.Text}}

// nodeOf returns the node of a column.
func nodeOf(c *columns.Column) parquet.Node {
	switch c.Kind {
	case columns.List:
		return parquet.Optional(parquet.List(parquet.Optional(leafOf(c.Element))))
	case columns.Frames:
		frame := new(orderedGroup)
		for _, f := range frameFields {
			frame.add(f.Name, parquet.Optional(leafOf(f.Kind)))
		}
		return parquet.Optional(parquet.List(frame))
	}
	n := leafOf(c.Kind)
	if c.Name == "start_ns" {
		n = parquet.Encoded(n, &parquet.DeltaBinaryPacked)
	}
	if c.Required {
		return n
	}
	return parquet.Optional(n)
}

// schemaOf returns the schema of a table, and the column of the table for each column of the file, in its order.
// Structs become groups if they are kept.
func schemaOf(t *columns.Table, nested bool) (schema *parquet.Schema, order []int) {
	root := new(orderedGroup)
	groups := map[string]*orderedGroup{"": root}
	within := make(map[*orderedGroup][]any) // columns and groups, in their order
	for i := range t.Columns {
		c, parent, path := &t.Columns[i], root, ""
		name := c.Name
		if nested && len(c.Path) > 0 && len(c.Steps()) > 1 {
			steps := c.Steps()
			for _, step := range steps[:len(steps)-1] {
				path += "\x00" + step
				g := groups[path]
				if g == nil {
					g = new(orderedGroup)
					groups[path] = g
					parent.add(step, g)
					within[parent] = append(within[parent], g)
				}
				parent = g
			}
			name = steps[len(steps)-1]
		}
		parent.add(name, nodeOf(c))
		within[parent] = append(within[parent], i)
	}
	var walk func(g *orderedGroup)
	walk = func(g *orderedGroup) {
		for _, w := range within[g] {
			switch w := w.(type) {
			case int:
				order = append(order, w)
			case *orderedGroup:
				walk(w)
			}
		}
	}
	walk(root)
	return parquet.NewSchema(t.Name, root), order
}
