package javatext

// HashOrder returns the order in which a HashMap of Java yields keys that computeIfAbsent has put
// into it one after the other, by their hashes: the JDK's views show equal rows so. No two keys are
// equal. A key comes first in its bucket; eight in one make the table larger, up to 64 buckets, and
// then become a red-black tree, whose root comes first. Keys in a tree with the same hash, which
// Java puts in order by their addresses, come in one of their orders. A key that is put again after
// the last one makes the table larger, too, if it is full.
func HashOrder(hashes []int32, again bool) []int {
	m := hashMap{nodes: make([]hashNode, len(hashes)), table: make([]int32, 16)}
	for i := range m.table {
		m.table[i] = none
	}
	for i, h := range hashes {
		m.nodes[i] = hashNode{hash: h ^ int32(uint32(h)>>16), next: none, prev: none, parent: none, kids: [2]int32{none, none}}
		if i > len(m.table)*3/4 {
			m.resize()
		}
		m.put(int32(i))
	}
	if again && len(hashes) > len(m.table)*3/4 {
		m.resize()
	}
	order := make([]int, 0, len(hashes))
	for _, n := range m.table {
		for ; n != none; n = m.nodes[n].next {
			order = append(order, int(n))
		}
	}
	return order
}

const (
	none          = -1
	treeAt        = 8  // keys in a bucket
	treesFrom     = 64 // buckets
	noTreeUpTo    = 6  // keys in a bucket whose tree is divided
	left, right   = 0, 1
	mostOfBuckets = 1 << 30
)

type hashMap struct {
	nodes []hashNode
	table []int32 // the first node of each bucket
}

// hashNode is a key. Those of a tree are in a list, too.
type hashNode struct {
	hash       int32
	next, prev int32
	parent     int32
	kids       [2]int32 // with lesser and with greater hashes
	red, tree  bool
}

func (m *hashMap) bucket(n int32) *int32 {
	return &m.table[uint32(m.nodes[n].hash)&uint32(len(m.table)-1)]
}

func (m *hashMap) put(x int32) {
	first := m.bucket(x)
	if *first != none && m.nodes[*first].tree {
		m.nodes[x].tree = true
		parent := m.descend(m.root(*first), x)
		m.insertAfter(parent, x)
		m.moveToFront(m.balance(m.root(*first), x))
		return
	}
	n := 1
	for e := *first; e != none; e = m.nodes[e].next {
		n++
	}
	m.nodes[x].next = *first
	*first = x
	switch {
	case n < treeAt:
	case len(m.table) < treesFrom:
		m.resize()
	default:
		m.grow(x)
	}
}

// insertAfter puts a node into the list of a tree.
func (m *hashMap) insertAfter(at, x int32) {
	next := m.nodes[at].next
	m.nodes[x].next, m.nodes[x].prev, m.nodes[at].next = next, at, x
	if next != none {
		m.nodes[next].prev = x
	}
}

func (m *hashMap) root(n int32) int32 {
	for m.nodes[n].parent != none {
		n = m.nodes[n].parent
	}
	return n
}

// descend makes a node a leaf of a tree, and returns its parent.
func (m *hashMap) descend(root, x int32) int32 {
	for at := root; ; {
		side := left
		if m.nodes[x].hash > m.nodes[at].hash {
			side = right
		}
		if kid := m.nodes[at].kids[side]; kid != none {
			at = kid
			continue
		}
		m.nodes[at].kids[side], m.nodes[x].parent = x, at
		return at
	}
}

// grow makes a tree of a list.
func (m *hashMap) grow(first int32) {
	root, prev := int32(none), int32(none)
	for x := first; x != none; x = m.nodes[x].next {
		n := &m.nodes[x]
		n.prev, n.parent, n.kids, n.red, n.tree = prev, none, [2]int32{none, none}, false, true
		if prev = x; root == none {
			root = x
			continue
		}
		m.descend(root, x)
		root = m.balance(root, x)
	}
	m.moveToFront(root)
}

// moveToFront makes the root of a tree the first of its bucket.
func (m *hashMap) moveToFront(root int32) {
	first := m.bucket(root)
	if *first == root {
		return
	}
	n := &m.nodes[root]
	if n.next != none {
		m.nodes[n.next].prev = n.prev
	}
	if n.prev != none {
		m.nodes[n.prev].next = n.next
	}
	m.nodes[*first].prev = root
	n.next, n.prev = *first, none
	*first = root
}

// balance restores a red-black tree after a leaf has been added, and returns its root.
func (m *hashMap) balance(root, x int32) int32 {
	n := m.nodes
	n[x].red = true
	for {
		p := n[x].parent
		if p == none {
			n[x].red = false
			return x
		}
		if !n[p].red || n[p].parent == none {
			return root
		}
		pp := n[p].parent
		side := left
		if n[pp].kids[right] == p {
			side = right
		}
		if uncle := n[pp].kids[1-side]; uncle != none && n[uncle].red {
			n[uncle].red, n[p].red, n[pp].red = false, false, true
			x = pp
			continue
		}
		if n[p].kids[1-side] == x {
			x = p
			root = m.rotate(root, x, side)
			p = n[x].parent
			pp = n[p].parent
		}
		n[p].red = false
		if pp != none {
			n[pp].red = true
			root = m.rotate(root, pp, 1-side)
		}
	}
}

// rotate turns a node to a side: its child on the other side takes its place.
func (m *hashMap) rotate(root, p int32, side int) int32 {
	n := m.nodes
	up := n[p].kids[1-side]
	inner := n[up].kids[side]
	if n[p].kids[1-side] = inner; inner != none {
		n[inner].parent = p
	}
	pp := n[p].parent
	n[up].parent = pp
	switch {
	case pp == none:
		root, n[up].red = up, false
	case n[pp].kids[left] == p:
		n[pp].kids[left] = up
	default:
		n[pp].kids[right] = up
	}
	n[up].kids[side], n[p].parent = p, up
	return root
}

// resize makes twice as many buckets. Their lists keep their order.
func (m *hashMap) resize() {
	if len(m.table) >= mostOfBuckets {
		return
	}
	old := m.table
	m.table = make([]int32, 2*len(old))
	for i, first := range old {
		var heads, tails, counts [2]int32
		heads, tails = [2]int32{none, none}, [2]int32{none, none}
		isTree := first != none && m.nodes[first].tree
		for x := first; x != none; {
			next, half := m.nodes[x].next, 0
			if uint32(m.nodes[x].hash)&uint32(len(old)) != 0 {
				half = 1
			}
			m.nodes[x].next, m.nodes[x].prev = none, tails[half]
			if tails[half] == none {
				heads[half] = x
			} else {
				m.nodes[tails[half]].next = x
			}
			tails[half] = x
			counts[half]++
			x = next
		}
		m.table[i], m.table[i+len(old)] = heads[0], heads[1]
		for half := range heads {
			switch {
			case !isTree || heads[half] == none:
			case counts[half] <= noTreeUpTo:
				for x := heads[half]; x != none; x = m.nodes[x].next {
					m.nodes[x].tree = false
				}
			case heads[1-half] != none:
				m.grow(heads[half])
			}
		}
	}
}
