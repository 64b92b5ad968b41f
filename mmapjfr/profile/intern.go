package profile

// interner numbers distinct values in the order in which they come.
type interner[K comparable] struct {
	ids  map[K]uint32
	list []K
}

// find returns the number of a value, if it has one.
func (in *interner[K]) find(k K) (n uint32, ok bool) {
	in.index()
	n, ok = in.ids[k]
	return n, ok
}

// id returns the number of a value.
func (in *interner[K]) id(k K) uint32 {
	in.index()
	if n, ok := in.ids[k]; ok {
		return n
	}
	n := uint32(len(in.list))
	in.ids[k] = n
	in.list = append(in.list, k)
	return n
}

// index makes the numbers of values.
func (in *interner[K]) index() {
	if in.ids == nil { // as of a sorted profile
		in.ids = make(map[K]uint32, len(in.list))
		for i, k := range in.list {
			in.ids[k] = uint32(i)
		}
	}
}

// stackTree holds stacks: a tree of frames, each of which was called by its parent. A stack is
// the node of its innermost frame.
type stackTree struct {
	nodes    []node // node 0 is the empty stack
	children map[node]StackID
}

// node is a frame that a stack has called.
type node struct {
	parent StackID
	frame  FrameID
}

func newStackTree() stackTree { return stackTree{nodes: make([]node, 1)} }

// push returns the stack that a stack becomes by a call of a frame.
func (t *stackTree) push(parent StackID, frame FrameID) StackID {
	if t.children == nil {
		t.children = make(map[node]StackID, len(t.nodes))
		for i, n := range t.nodes[1:] {
			t.children[n] = StackID(i + 1)
		}
	}
	n := node{parent, frame}
	if id, ok := t.children[n]; ok {
		return id
	}
	id := StackID(len(t.nodes))
	t.nodes = append(t.nodes, n)
	t.children[n] = id
	return id
}
