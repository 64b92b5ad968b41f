package page

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/internal/nodetree"
)

// The kinds of frames that the page knows besides those of package profile: classes of objects,
// locks and exceptions, and of objects outside of the thread's allocation buffer.
const (
	classFrame profile.FrameKind = profile.Text + 1 + iota
	outsideFrame
)

// thread is a thread of the page.
type thread struct {
	name string
	id   int64
}

// treeRow is what the samples of a kind and a thread weigh whose innermost frame is a node: in a heat
// map those of one cell.
type treeRow struct {
	set    uint8 // 0 for the profile, 1 for the one to compare with
	kind   uint16
	thread uint32
	cell   uint32
	node   int32
	values [3]int64
}

// tree is the stacks of one or two profiles. [profile.Tree] has the same nodes; this one has the
// threads of samples, too, and needs little memory for each node.
type tree struct {
	names   []string
	nameIDs map[string]uint32
	threads map[thread]uint32
	kinds   []profile.Kind
	nodes   *nodetree.Tree
	rows    []treeRow
	cells   *cells // nil if there are none
}

// newTree returns the tree of profiles. The base and the cells may be nil.
func newTree(names profile.Names, p, base *profile.Profile, c *cells) *tree {
	t := &tree{cells: c, nameIDs: make(map[string]uint32), threads: make(map[thread]uint32), nodes: nodetree.New(profiles.Stacks(p) / 2)}
	all, in := profile.New(), make(map[string]int) // puts the kinds of both in order; how many have a kind
	for _, p := range []*profile.Profile{p, base} {
		if p != nil {
			own := profile.New()
			for s := range p.Samples() {
				if !isZero(s.Values) {
					own.AddKind(*s.Kind)
				}
			}
			for _, k := range own.Kinds() {
				all.AddKind(k)
				in[k.Name]++
			}
		}
	}
	t.kinds = all.Kinds()
	// A page begins with the first kind, and what only one of two has cannot be compared.
	slices.SortStableFunc(t.kinds, func(a, b profile.Kind) int { return in[b.Name] - in[a.Name] })
	t.add(0, names, p)
	if base != nil {
		t.add(1, names, base)
	}
	t.sortThreads()
	t.sortNodes()
	t.sortRows()
	return t
}

// add adds the samples of a profile.
func (t *tree) add(set uint8, names profile.Names, p *profile.Profile) {
	nodes := t.addStacks(names, p)
	n := 0
	for range p.Samples() {
		n++
	}
	t.rows = slices.Grow(t.rows, n) // there may be millions
	kinds, threads := make(map[*profile.Kind]uint16), make(map[profile.LabelsID]uint32)
	for s := range p.Samples() {
		if isZero(s.Values) {
			continue
		}
		kind, ok := kinds[s.Kind]
		if !ok {
			kind = uint16(slices.IndexFunc(t.kinds, func(k profile.Kind) bool { return k.Name == s.Kind.Name }))
			kinds[s.Kind] = kind
		}
		l := p.Labels(s.Labels)
		at, ok := threads[s.Labels]
		if !ok {
			at = t.thread(l)
			threads[s.Labels] = at
		}
		row := treeRow{set: set, kind: kind, thread: at, cell: t.cells.of(s.Time), node: nodes[s.Stack]}
		copy(row.values[:], s.Values)
		if l.Class != "" {
			row.node = t.child(row.node, t.name(l.Class), classKind(l))
		}
		t.rows = append(t.rows, row)
	}
}

// thread returns the number of the thread of samples.
func (t *tree) thread(l profile.Labels) uint32 {
	id := thread{visible(l.Thread), l.ThreadID}
	if _, ok := t.threads[id]; !ok {
		t.threads[id] = uint32(len(t.threads))
	}
	return t.threads[id]
}

func isZero(values []int64) bool {
	return !slices.ContainsFunc(values, func(n int64) bool { return n != 0 })
}

func classKind(l profile.Labels) profile.FrameKind {
	if l.State == profile.OutsideTLAB {
		return outsideFrame
	}
	return classFrame
}

// addStacks adds the stacks of a profile that samples have, and returns their nodes.
func (t *tree) addStacks(names profile.Names, p *profile.Profile) []int32 {
	weights, used := make([]int64, profiles.Stacks(p)), make([]bool, profiles.Stacks(p))
	for s := range p.Samples() {
		if !isZero(s.Values) {
			weights[s.Stack] = saturate.Add(weights[s.Stack], s.Values[0])
			used[s.Stack] = true
		}
	}
	for i := profiles.Stacks(p) - 1; i > 0; i-- { // callees have greater numbers
		_, caller := profiles.Innermost(p, profile.StackID(i))
		weights[caller] = saturate.Add(weights[caller], weights[i])
		used[caller] = used[caller] || used[i]
	}
	frames, kinds := make([]uint32, p.Frames()), make([]profile.FrameKind, p.Frames())
	for i := range frames {
		f := p.Frame(profile.FrameID(i))
		frames[i], kinds[i] = t.name(names.Frame(f)), f.Kind
	}
	nodes := make([]int32, profiles.Stacks(p))
	for i := 1; i < len(nodes); i++ {
		if !used[i] {
			continue
		}
		f, caller := profiles.Innermost(p, profile.StackID(i))
		nodes[i] = t.child(nodes[caller], frames[f], kinds[f])
		t.nodes.Weigh(nodes[i], uint8(kinds[f]), weights[i])
	}
	return nodes
}

// name returns the number of a name.
func (t *tree) name(name string) uint32 {
	id, ok := t.nameIDs[name]
	if !ok {
		id = uint32(len(t.names))
		t.nameIDs[name] = id
		t.names = append(t.names, visible(name))
	}
	return id
}

// child returns the number of a node.
func (t *tree) child(parent int32, name uint32, kind profile.FrameKind) int32 {
	return t.nodes.Child(nodetree.Node{Parent: parent, Name: name, Kind: uint8(kind)})
}

// sortThreads numbers the threads in the order of their names.
func (t *tree) sortThreads() {
	numbers := make([]uint32, len(t.threads))
	for i, id := range t.sortedThreads() {
		numbers[t.threads[id]] = uint32(i)
		t.threads[id] = uint32(i)
	}
	for i := range t.rows {
		t.rows[i].thread = numbers[t.rows[i].thread]
	}
}

func (t *tree) sortedThreads() []thread {
	return slices.SortedFunc(maps.Keys(t.threads), func(a, b thread) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
}

// sortNodes puts names in their order, without those of no node, and nodes in the order of a walk from the
// root, children by name.
func (t *tree) sortNodes() {
	used := make([]bool, len(t.names))
	for _, n := range t.nodes.Nodes[1:] {
		used[n.Name] = true
	}
	sorted := make([]string, 0, len(t.names))
	for i, ok := range used {
		if ok {
			sorted = append(sorted, t.names[i])
		}
	}
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	ranks := make([]uint32, len(t.names))
	for i, name := range t.names {
		at, _ := slices.BinarySearch(sorted, name)
		ranks[i] = uint32(at)
	}
	t.names, t.nameIDs = sorted, nil
	numbers := t.nodes.Sort(ranks)
	for i := range t.rows {
		t.rows[i].node = numbers[t.rows[i].node]
	}
}

// sortRows puts rows in the order of the data, and makes one of those that differ in nothing that
// the page shows.
func (t *tree) sortRows() {
	slices.SortFunc(t.rows, func(a, b treeRow) int { return a.compare(&b) })
	rows := t.rows[:0]
	for _, r := range t.rows {
		if last := len(rows) - 1; last >= 0 && rows[last].compare(&r) == 0 {
			for i, n := range r.values {
				rows[last].values[i] = saturate.Add(rows[last].values[i], n)
			}
			continue
		}
		rows = append(rows, r)
	}
	t.rows = rows
}

func (r *treeRow) compare(o *treeRow) int {
	return cmp.Or(cmp.Compare(r.set, o.set), cmp.Compare(r.kind, o.kind), cmp.Compare(r.thread, o.thread), cmp.Compare(r.cell, o.cell), cmp.Compare(r.node, o.node))
}
