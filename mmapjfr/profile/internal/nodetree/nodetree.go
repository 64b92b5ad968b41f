// Package nodetree holds trees of named nodes, such as the frames of a flame graph, which may be many
// millions.
package nodetree

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/mmapjfr/jfr/internal/saturate"
)

// The ways to execute a method, as profile.FrameKind has them.
const (
	interpreted = 1 + iota
	compiled
	inlined
	c1
)

// Code returns one kind for all ways to execute a method, and else the kind itself.
func Code(kind uint8) uint8 {
	if interpreted <= kind && kind <= c1 {
		return compiled
	}
	return kind
}

// executions are what the samples of a node weigh by how it was executed.
type executions struct{ all, inlined, c1, interpreted int64 }

// kind returns how most samples were executed whose kind is k by [Code]. A third is enough for inlined
// frames, and a half for those of C1 and for interpreted ones.
func (e *executions) kind(k uint8) uint8 {
	switch {
	case k != compiled || e.all == 0:
		return k
	case e.inlined >= e.all-e.inlined-e.inlined:
		return inlined
	case e.c1 >= e.all-e.c1:
		return c1
	case e.interpreted >= e.all-e.interpreted:
		return interpreted
	}
	return k
}

// Node is a node by its parent, the number of its name, and its kind by [Code]: in a sorted tree how most
// of its samples were executed. No two nodes are the same.
type Node struct {
	Parent int32
	Name   uint32
	Kind   uint8
}

// Tree is a tree of nodes. Node 0 is the root, and a parent has a smaller number than its children. One
// goroutine alone may use it.
type Tree struct {
	Nodes []Node
	// last is the child of each node that was asked for last; 0 before the first. Stacks that lie near each
	// other mostly have their outer frames in common.
	last []int32
	// slots is a hash table of the numbers of nodes, 0 where it is free, and shift leaves as many bits of
	// a hash as it needs.
	slots []int32
	shift int
	modes []executions // by node
}

// New returns a tree that has a root alone, and room for some nodes.
func New(nodes int) *Tree {
	room := max(bits.Len(uint(nodes)*4/3), firstBits)
	return &Tree{
		Nodes: append(make([]Node, 0, nodes+1), Node{Parent: -1}), last: make([]int32, 1, nodes+1),
		slots: make([]int32, 1<<room), shift: 64 - room, modes: make([]executions, 1, nodes+1),
	}
}

const firstBits = 4

// multiplier spreads nodes over the table. It differs from process to process, so that nobody can write a
// recording whose nodes all belong in one place.
var multiplier = rand.Uint64() | 1

func (t *Tree) slot(n Node) uint64 {
	hash := (uint64(uint32(n.Parent))<<32 | uint64(n.Name)) * multiplier
	hash ^= hash>>32 ^ uint64(n.Kind)
	return hash * multiplier >> t.shift
}

// Child returns the number of a node, which it adds if it is new.
func (t *Tree) Child(n Node) int32 {
	n.Kind = Code(n.Kind)
	if last := t.last[n.Parent]; last != 0 && t.Nodes[last] == n {
		return last
	}
	mask := uint64(len(t.slots) - 1)
	i := t.slot(n)
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if id := t.slots[i]; t.Nodes[id] == n {
			t.last[n.Parent] = id
			return id
		}
	}
	id := int32(len(t.Nodes))
	t.Nodes, t.last, t.modes = append(t.Nodes, n), append(t.last, 0), append(t.modes, executions{})
	t.slots[i], t.last[n.Parent] = id, id
	if 4*len(t.Nodes) > 3*len(t.slots) {
		t.grow()
	}
	return id
}

// Weigh adds what samples of a node weigh that were executed in a way.
func (t *Tree) Weigh(id int32, kind uint8, weight int64) {
	e := &t.modes[id]
	e.all = saturate.Add(e.all, weight)
	switch kind {
	case inlined:
		e.inlined = saturate.Add(e.inlined, weight)
	case c1:
		e.c1 = saturate.Add(e.c1, weight)
	case interpreted:
		e.interpreted = saturate.Add(e.interpreted, weight)
	}
}

// grow doubles the table.
func (t *Tree) grow() {
	t.slots, t.shift = make([]int32, 2*len(t.slots)), t.shift-1
	mask := uint64(len(t.slots) - 1)
	for id, n := range t.Nodes[1:] {
		i := t.slot(n)
		for ; t.slots[i] != 0; i = (i + 1) & mask {
		}
		t.slots[i] = int32(id + 1)
	}
}

// Sort puts the nodes in the order of a walk from the root, where children are in the order of their
// names, whose new numbers it gets by the old ones, and of their kinds. It returns the new numbers of
// nodes by the old ones, and must be the last call.
func (t *Tree) Sort(names []uint32) (numbers []int32) {
	t.last, t.slots = nil, nil
	starts := make([]int32, len(t.Nodes)+1) // of the children of a node
	for i := range t.Nodes[1:] {
		n := &t.Nodes[i+1]
		n.Name = names[n.Name]
		starts[n.Parent+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	children, next := make([]int32, len(t.Nodes)-1), slices.Clone(starts)
	for i, n := range t.Nodes[1:] {
		children[next[n.Parent]] = int32(i + 1)
		next[n.Parent]++
	}
	nodes := make([]Node, 0, len(t.Nodes))
	numbers = make([]int32, len(t.Nodes))
	for todo := []int32{0}; len(todo) > 0; {
		old := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := t.Nodes[old]
		if old > 0 {
			n.Parent = numbers[n.Parent]
		}
		numbers[old] = int32(len(nodes))
		n.Kind = t.modes[old].kind(n.Kind)
		nodes = append(nodes, n)
		list := children[starts[old]:starts[old+1]]
		slices.SortFunc(list, func(a, b int32) int { // the last one is visited first
			return cmp.Or(cmp.Compare(t.Nodes[b].Name, t.Nodes[a].Name), cmp.Compare(t.Nodes[b].Kind, t.Nodes[a].Kind))
		})
		todo = append(todo, list...)
	}
	t.Nodes, t.modes = nodes, nil
	return numbers
}
