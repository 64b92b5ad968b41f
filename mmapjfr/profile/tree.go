package profile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile/internal/nodetree"
)

// Tree is the stacks of a profile by the names of their frames: what a flame graph draws. Node 0
// is the root, whose children are the outermost frames.
type Tree struct {
	Nodes []TreeNode
	// Columns are the numbers of the tree, by kind and value.
	Columns []Column
}

// Column is a value of a kind. The zero Column stands for what people look at first in a
// profile: [Profile.Main] of its first kind.
type Column struct {
	Kind  *Kind
	Value int // the index of the value in the kind
}

// Column returns a column, or that for which it stands if it is zero. Of a profile without samples
// that is one of no name and no unit.
func (p *Profile) Column(c Column) Column {
	if c.Kind != nil {
		return c
	}
	if kinds := p.Kinds(); len(kinds) > 0 {
		return Column{&kinds[0], p.Main(&kinds[0])}
	}
	return Column{Kind: &Kind{Values: make([]ValueType, 1)}}
}

// TreeNode is a frame with all that it called.
type TreeNode struct {
	Name   string
	Kind   FrameKind // as most of its samples have it
	Parent int32
	// Self are what samples weigh whose innermost frame it is, by column.
	Self []int64
	// Total are Self and those of all that it called.
	Total []int64
}

// TreeOptions say what a tree is made of.
type TreeOptions struct {
	// Names say how frames are written.
	Names Names
	// Columns are the numbers that count; nil for all.
	Columns []Column
	// Classes adds the class of an object, a lock or an exception as the innermost frame.
	Classes bool
}

// Columns returns all values of all kinds of the profile.
func (p *Profile) Columns() (list []Column) {
	kinds := p.Kinds()
	for i := range kinds {
		for j := range kinds[i].Values {
			list = append(list, Column{&kinds[i], j})
		}
	}
	return list
}

// ThreadName returns the name of the thread of samples, with its number. A thread without a name is
// [tid=7], as async-profiler and JVMs name it.
func (l Labels) ThreadName() string {
	name := l.Thread
	switch {
	case strings.HasPrefix(name, unnamedThread) && strings.HasSuffix(name, "]"):
		return name
	case l.ThreadID == 0 && name == "":
		return "[no thread]"
	case l.ThreadID == 0:
		return "[" + name + "]"
	case name != "":
		name += " "
	}
	return "[" + name + "tid=" + strconv.FormatInt(l.ThreadID, 10) + "]"
}

const unnamedThread = "[tid="

// Tree returns the stacks by the names of their frames. Its nodes are in an order that depends
// on names alone.
func (p *Profile) Tree(o TreeOptions) *Tree {
	if o.Columns == nil {
		o.Columns = p.Columns()
	}
	b := newTreeBuilder(p, &o)
	for i := range p.rows.list {
		b.add(i)
	}
	b.count()
	return b.tree()
}

// treeBuilder makes a tree.
type treeBuilder struct {
	p     *Profile
	o     *TreeOptions
	nodes *nodetree.Tree
	names interner[string]
	// frames are the numbers of names by frame, and columns the numbers that count, by kind.
	frames  []uint32
	columns [][]treeColumn
	self    []int64 // by node and column
	// nodeOf are the nodes of stacks, or 0, and totals what they weigh in the first column. Visited
	// are those that have a node, callers first.
	nodeOf  []int32
	totals  []int64
	visited []StackID
	path    []StackID // being added, the innermost first
}

// treeColumn is the value of a kind that a column has.
type treeColumn struct{ column, value int }

func newTreeBuilder(p *Profile, o *TreeOptions) *treeBuilder {
	room := len(p.stacks.list) / 2 // stacks that differ in their lines alone are one node
	b := &treeBuilder{
		p: p, o: o, nodes: nodetree.New(room), frames: make([]uint32, p.Frames()), columns: make([][]treeColumn, len(p.kindOf)),
		self:   make([]int64, len(o.Columns), (room+1)*len(o.Columns)),
		nodeOf: make([]int32, len(p.stacks.list)), totals: make([]int64, len(p.stacks.list)),
	}
	for i := range b.frames {
		b.frames[i] = b.names.id(o.Names.Frame(p.Frame(FrameID(i))))
	}
	for i, c := range o.Columns {
		if n, ok := p.kinds.find(c.Kind.Name); ok {
			b.columns[n] = append(b.columns[n], treeColumn{i, c.Value})
		}
	}
	return b
}

// add adds a row of the profile, unless it weighs nothing.
func (b *treeBuilder) add(row int) {
	key, values := b.p.rows.list[row], &b.p.values[row]
	columns, weight := b.columns[key.kind], int64(0)
	if !slices.ContainsFunc(columns, func(c treeColumn) bool { return values[c.value] != 0 }) {
		return
	}
	if columns[0].column == 0 {
		weight = values[columns[0].value]
	}
	node := b.stack(key.stack, weight)
	if l := &b.p.labels.list[key.labels]; b.o.Classes && l.Class != "" {
		node = b.child(node, b.names.id(b.o.Names.object(l.Class)), l.classKind())
		b.nodes.Weigh(node, uint8(l.classKind()), weight)
	}
	for _, c := range columns {
		self := &b.self[int(node)*len(b.o.Columns)+c.column]
		*self = saturate.Add(*self, values[c.value])
	}
}

// classKind is how async-profiler colors classes: those of objects outside of the thread's
// allocation buffer like the kernel.
func (l *Labels) classKind() FrameKind {
	if l.State == OutsideTLAB {
		return Kernel
	}
	return Inlined
}

// stack returns the node of a stack, and adds to what its samples weigh.
func (b *treeBuilder) stack(s StackID, weight int64) int32 {
	innermost := s
	b.path = b.path[:0]
	for ; s != 0 && b.nodeOf[s] == 0; s = b.p.stacks.list[s].parent {
		b.path = append(b.path, s)
	}
	node := b.nodeOf[s] // 0 of the empty stack
	for _, s := range slices.Backward(b.path) {
		frame := b.p.stacks.list[s].frame
		node = b.child(node, b.frames[frame], b.p.frames.list[frame].kind)
		b.nodeOf[s] = node
		b.visited = append(b.visited, s)
	}
	b.totals[innermost] = saturate.Add(b.totals[innermost], weight)
	return node
}

// child returns the child of a node for a frame. Interpreted and compiled frames of a method
// are one node.
func (b *treeBuilder) child(parent int32, name uint32, kind FrameKind) int32 {
	id := b.nodes.Child(nodetree.Node{Parent: parent, Name: name, Kind: uint8(kind)})
	for len(b.self) < len(b.nodes.Nodes)*len(b.o.Columns) {
		b.self = append(b.self, 0)
	}
	return id
}

// count counts how most samples of each stack were executed.
func (b *treeBuilder) count() {
	for _, s := range slices.Backward(b.visited) {
		n := b.p.stacks.list[s]
		b.nodes.Weigh(b.nodeOf[s], uint8(b.p.frames.list[n.frame].kind), b.totals[s])
		b.totals[n.parent] = saturate.Add(b.totals[n.parent], b.totals[s])
	}
}

// tree returns the tree, in its order.
func (b *treeBuilder) tree() *Tree {
	numbers := b.nodes.Sort(b.names.sort(strings.Compare))
	columns := len(b.o.Columns)
	t := &Tree{Nodes: make([]TreeNode, len(numbers)), Columns: b.o.Columns}
	self, totals := make([]int64, len(b.self)), make([]int64, len(b.self))
	for old, id := range numbers {
		from, to := int(id)*columns, int(id+1)*columns
		copy(self[from:to], b.self[old*columns:])
		n := &b.nodes.Nodes[id]
		name := ""
		if id > 0 {
			name = b.names.list[n.Name]
		}
		t.Nodes[id] = TreeNode{name, FrameKind(n.Kind), n.Parent, self[from:to:to], totals[from:to:to]}
	}
	copy(totals, self)
	for i := len(t.Nodes) - 1; i > 0; i-- {
		above := t.Nodes[t.Nodes[i].Parent].Total
		for j, v := range t.Nodes[i].Total {
			above[j] = saturate.Add(above[j], v)
		}
	}
	return t
}
