package columns

import (
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// parquetLeaf is a column of a file.
type parquetLeaf struct {
	column int // of the table
	field  int // of frames, in frameFields; -1 for other columns
	kind   Kind
	path   []string
	// The greatest levels: of the values, and of lists.
	definition, repetition uint8
	sorted                 bool // values mostly grow from row to row
	bloom                  bool
	unpacked               int // how many pages are yet to be written without trying to pack them
}

// The definition levels of lists: a list that is null, one without elements, a null in it, and a value in it.
const (
	levelNull, levelEmpty, levelNullElement, levelElement = 0, 1, 2, 3
)

// node is a group or a column of the schema.
type node struct {
	element  format.SchemaElement
	children []*node
	leaf     *parquetLeaf // nil for groups
}

// add adds a child; a group and a column that have the same name get different ones.
func (n *node) add(child *node) *node {
	for taken := true; taken; {
		taken = false
		for _, c := range n.children {
			if c.element.Name == child.element.Name {
				child.element.Name += "_"
				taken = true
			}
		}
	}
	n.children = append(n.children, child)
	return child
}

func groupNode(name string, repetition format.FieldRepetitionType) *node {
	return &node{element: format.SchemaElement{Name: name, RepetitionType: thrift.New(repetition)}}
}

// valueOf returns the node of single values.
func valueOf(name string, k Kind, repetition format.FieldRepetitionType, l parquetLeaf) *node {
	n := groupNode(name, repetition)
	l.kind, n.leaf = k, &l
	e := &n.element
	e.Type = thrift.New(physical(k))
	switch k {
	case Int:
		e.LogicalType.Value = &format.IntType{BitWidth: 64, IsSigned: true}
		e.ConvertedType = thrift.New(deprecated.Int64)
	case Uint:
		e.LogicalType.Value = &format.IntType{BitWidth: 64}
		e.ConvertedType = thrift.New(deprecated.Uint64)
	case Time:
		e.LogicalType.Value = &format.TimestampType{IsAdjustedToUTC: true, Unit: format.TimeUnit{Value: &format.MicroSeconds{}}}
		e.ConvertedType = thrift.New(deprecated.TimestampMicros)
	case Text:
		e.LogicalType.Value = &format.StringType{}
		e.ConvertedType = thrift.New(deprecated.UTF8)
	}
	return n
}

// physical returns the type that holds values of a kind.
func physical(k Kind) format.Type {
	switch k {
	case Bool:
		return format.Boolean
	case Double:
		return format.Double
	case Text:
		return format.ByteArray
	}
	return format.Int64
}

// listOf returns the node of lists with these elements.
func listOf(name string, element *node) *node {
	n := groupNode(name, format.Optional)
	n.element.LogicalType.Value = &format.ListType{}
	n.element.ConvertedType = thrift.New(deprecated.List)
	n.add(groupNode("list", format.Repeated)).add(element)
	return n
}

// nodeOf returns the node of a column of a table.
func nodeOf(c *Column, number int, events bool) *node {
	l := parquetLeaf{column: number, field: -1, bloom: c.Name == "stack_id" || c.Name == "thread" && c.Kind == Text}
	switch c.Kind {
	case List:
		l.definition, l.repetition = levelElement, 1
		return listOf(c.Name, valueOf("element", c.Element, format.Optional, l))
	case Frames:
		l.definition, l.repetition = levelElement, 1
		frame := groupNode("element", format.Required)
		for i, f := range frameFields {
			l.field = i
			frame.add(valueOf(f.Name, f.Kind, format.Optional, l))
		}
		return listOf(c.Name, frame)
	}
	l.sorted = events && (c.Kind == Time || c.Name == "start_ns")
	if c.Required {
		return valueOf(c.Name, c.Kind, format.Required, l)
	}
	l.definition = 1
	return valueOf(c.Name, c.Kind, format.Optional, l)
}

// schemaOf returns the schema of a table.
func schemaOf(t *Table) *node {
	root := &node{element: format.SchemaElement{Name: t.Name}}
	for i := range t.Columns {
		root.add(nodeOf(&t.Columns[i], i, !strings.HasPrefix(t.Name, "_")))
	}
	return root
}

// flatten appends the elements of a schema, and its columns, in the order of files.
func (n *node) flatten(elements []format.SchemaElement, leaves []*parquetLeaf, path []string) ([]format.SchemaElement, []*parquetLeaf) {
	e := n.element
	if n.leaf != nil {
		n.leaf.path = path
		return append(elements, e), append(leaves, n.leaf)
	}
	e.NumChildren = thrift.New(int32(len(n.children)))
	elements = append(elements, e)
	for _, c := range n.children {
		elements, leaves = c.flatten(elements, leaves, append(path[:len(path):len(path)], c.element.Name))
	}
	return elements, leaves
}
