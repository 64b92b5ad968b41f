package profile

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/saturate"
)

// Tree is the stacks of a profile by the names of their frames: what a flame graph draws. Node 0
// is the root, whose children are the outermost frames.
type Tree struct {
	Nodes []TreeNode
	// Columns are the numbers of the tree, by kind and value.
	Columns []Column
	byName  map[treeKey]int32
}

// Column is a value of a kind.
type Column struct {
	Kind  *Kind
	Value int // the index of the value in the kind
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

	// inlined, c1 and interpreted are the totals of such frames in the first column.
	inlined, c1, interpreted int64
}

type treeKey struct {
	parent int32
	name   string
	kind   FrameKind
}

// TreeOptions say what a tree is made of.
type TreeOptions struct {
	// Names say how frames are written.
	Names Names
	// Columns are the numbers that count; nil for all.
	Columns []Column
	// Reversed makes the innermost frames the children of the root.
	Reversed bool
	// Threads makes the thread the outermost frame of each stack.
	Threads bool
	// Classes adds the class of an object, a lock or an exception as the innermost frame.
	Classes bool
}

// ColumnsOf returns the columns of kinds: all values of each.
func ColumnsOf(kinds []Kind) (list []Column) {
	for i := range kinds {
		for j := range kinds[i].Values {
			list = append(list, Column{&kinds[i], j})
		}
	}
	return list
}

const noThread = "[no thread]"

// ThreadName returns the name of the thread of samples, with its number.
func (l Labels) ThreadName() string {
	switch {
	case l.ThreadID != 0:
	case l.Thread == "":
		return noThread
	default:
		return "[" + l.Thread + "]"
	}
	return "[" + l.Thread + " tid=" + strconv.FormatInt(l.ThreadID, 10) + "]"
}

// Tree returns the stacks by the names of their frames. Its nodes are in an order that depends
// on names alone.
func (p *Profile) Tree(o TreeOptions) *Tree {
	if o.Columns == nil {
		o.Columns = ColumnsOf(p.Kinds())
	}
	b := treeBuilder{p: p, o: &o, names: make([]string, p.Frames()), t: &Tree{Columns: o.Columns, byName: make(map[treeKey]int32)}}
	for i := range b.names {
		b.names[i] = o.Names.Frame(p, p.Frame(FrameID(i)))
	}
	b.t.Nodes = []TreeNode{{Parent: -1, Self: make([]int64, len(o.Columns)), Total: make([]int64, len(o.Columns))}}
	for s := range p.Samples() {
		b.add(s)
	}
	b.count()
	b.t.sort()
	b.t.sum()
	return b.t
}

// treeBuilder makes a tree.
type treeBuilder struct {
	p      *Profile
	o      *TreeOptions
	t      *Tree
	names  []string // by frame
	rooted interner[rootedStack]
	path   []rootedStack // being added, the innermost first
	nodes  []int32       // by rooted stack
	totals []int64       // of the first column, by rooted stack
}

// rootedStack is a stack under the root of the tree, or under the node of a thread.
type rootedStack struct {
	root  int32
	stack StackID
}

// add adds a sample.
func (b *treeBuilder) add(s Sample) {
	counts, weight := false, int64(0)
	for i, c := range b.o.Columns {
		if c.Kind.Name == s.Kind.Name {
			counts = counts || s.Values[c.Value] != 0
			if i == 0 {
				weight = s.Values[c.Value]
			}
		}
	}
	if !counts {
		return
	}
	node := b.node(s, b.p.Labels(s.Labels), weight)
	for i, c := range b.o.Columns {
		if c.Kind.Name == s.Kind.Name {
			self := &b.t.Nodes[node].Self[i]
			*self = saturate.Add(*self, s.Values[c.Value])
		}
	}
}

// node returns the node of a sample.
func (b *treeBuilder) node(s Sample, l Labels, weight int64) (node int32) {
	class := b.o.Classes && l.Class != ""
	if b.o.Reversed {
		if class {
			node = b.step(node, b.o.Names.Object(l.Class), l.classKind(), weight)
		}
		for f := range b.p.Stack(s.Stack) {
			node = b.step(node, b.names[f], b.p.Frame(f).Kind, weight)
		}
		if b.o.Threads {
			node = b.step(node, l.ThreadName(), Text, weight)
		}
		return node
	}
	if b.o.Threads {
		node = b.t.child(0, l.ThreadName(), Text)
	}
	at := b.rootedStack(rootedStack{node, s.Stack})
	b.totals[at] = saturate.Add(b.totals[at], weight)
	node = b.nodes[at]
	if class {
		node = b.step(node, b.o.Names.Object(l.Class), l.classKind(), weight)
	}
	return node
}

// classKind is how async-profiler colors classes: those of objects outside of the thread's
// allocation buffer like the kernel.
func (l Labels) classKind() FrameKind {
	if l.State == OutsideTLAB {
		return Kernel
	}
	return Inlined
}

// rootedStack returns the number of a rooted stack. That of a caller is less.
func (b *treeBuilder) rootedStack(at rootedStack) uint32 {
	b.path = b.path[:0]
	for {
		if _, ok := b.rooted.find(at); ok {
			break
		}
		b.path = append(b.path, at)
		if at.stack == 0 {
			break
		}
		_, at.stack = b.p.Innermost(at.stack)
	}
	for _, at := range slices.Backward(b.path) {
		node := at.root
		if at.stack != 0 {
			frame, caller := b.p.Innermost(at.stack)
			above, _ := b.rooted.find(rootedStack{at.root, caller})
			node = b.t.child(b.nodes[above], b.names[frame], b.p.Frame(frame).Kind)
		}
		b.nodes, b.totals = append(b.nodes, node), append(b.totals, 0)
		b.rooted.id(at)
	}
	if len(b.path) > 0 {
		at = b.path[0]
	}
	n, _ := b.rooted.find(at)
	return n
}

// step returns the child of a node, and counts how it was executed.
func (b *treeBuilder) step(node int32, name string, kind FrameKind, weight int64) int32 {
	node = b.t.child(node, name, kind)
	b.t.Nodes[node].count(kind, weight)
	return node
}

// count counts how most samples of each rooted stack were executed.
func (b *treeBuilder) count() {
	for i := len(b.nodes) - 1; i >= 0; i-- {
		at := b.rooted.list[i]
		if at.stack == 0 {
			continue
		}
		frame, caller := b.p.Innermost(at.stack)
		b.t.Nodes[b.nodes[i]].count(b.p.Frame(frame).Kind, b.totals[i])
		above, _ := b.rooted.find(rootedStack{at.root, caller})
		b.totals[above] = saturate.Add(b.totals[above], b.totals[i])
	}
}

// count adds to the samples that were executed in a way.
func (n *TreeNode) count(kind FrameKind, weight int64) {
	switch kind {
	case Inlined:
		n.inlined = saturate.Add(n.inlined, weight)
	case C1Compiled:
		n.c1 = saturate.Add(n.c1, weight)
	case Interpreted:
		n.interpreted = saturate.Add(n.interpreted, weight)
	}
}

// child returns the child of a node for a frame. Interpreted and compiled frames of a method
// are one node.
func (t *Tree) child(parent int32, name string, kind FrameKind) int32 {
	switch kind {
	case Interpreted, Inlined, C1Compiled:
		kind = JITCompiled
	}
	key := treeKey{parent, name, kind}
	if id, ok := t.byName[key]; ok {
		return id
	}
	id := int32(len(t.Nodes))
	t.Nodes = append(t.Nodes, TreeNode{Name: name, Kind: kind, Parent: parent, Self: make([]int64, len(t.Columns))})
	t.byName[key] = id
	return id
}

// sort puts the nodes in the order of a walk from the root, children by name.
func (t *Tree) sort() {
	children := make([][]int32, len(t.Nodes))
	for i := 1; i < len(t.Nodes); i++ {
		p := t.Nodes[i].Parent
		children[p] = append(children[p], int32(i))
	}
	sorted := make([]TreeNode, 0, len(t.Nodes))
	type visit struct{ old, parent int32 }
	for todo := []visit{{0, -1}}; len(todo) > 0; {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := t.Nodes[v.old]
		n.Parent = v.parent
		id := int32(len(sorted))
		sorted = append(sorted, n)
		list := children[v.old]
		slices.SortFunc(list, func(a, b int32) int { // the last one is visited first
			return cmp.Or(cmp.Compare(t.Nodes[b].Name, t.Nodes[a].Name), cmp.Compare(t.Nodes[b].Kind, t.Nodes[a].Kind))
		})
		for _, c := range list {
			todo = append(todo, visit{c, id})
		}
	}
	t.Nodes, t.byName = sorted, nil
}

// sum computes the totals, and how most samples of a node were executed.
func (t *Tree) sum() {
	totals := make([]int64, len(t.Nodes)*len(t.Columns))
	for i := range t.Nodes {
		t.Nodes[i].Total = totals[i*len(t.Columns) : (i+1)*len(t.Columns)]
		copy(t.Nodes[i].Total, t.Nodes[i].Self)
	}
	for i := len(t.Nodes) - 1; i > 0; i-- {
		above := t.Nodes[t.Nodes[i].Parent].Total
		for j, v := range t.Nodes[i].Total {
			above[j] = saturate.Add(above[j], v)
		}
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		total := n.Total[0]
		switch {
		case n.Kind != JITCompiled || total == 0:
		case n.inlined >= total-n.inlined-n.inlined:
			n.Kind = Inlined
		case n.c1 >= total-n.c1:
			n.Kind = C1Compiled
		case n.interpreted >= total-n.interpreted:
			n.Kind = Interpreted
		}
	}
}
