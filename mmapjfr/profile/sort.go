package profile

import (
	"cmp"
	"slices"
	"strings"
)

// sort gives everything the number that its content has among all, so that equal profiles have
// equal numbers: stacks have those of a walk from the outermost frames, the samples of [Profile.Samples]
// come in the order of their kinds, stacks, labels and times.
func (p *Profile) sort() {
	methods := p.methods.sort(compareMethods)
	for i := range p.frames.list {
		p.frames.list[i].Method = MethodID(methods[p.frames.list[i].Method])
	}
	frames := p.frames.sort(func(a, b Frame) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
	})
	stacks := p.stacks.sort(frames)
	labels := p.labels.sort(compareLabels)
	kinds := p.kinds.sort(func(a, b string) int { return compareKinds(Kind{Name: a}, Kind{Name: b}) })
	slices.SortFunc(p.kindOf, compareKinds)
	order := make([]int, len(p.rows.list))
	for i := range order {
		key := &p.rows.list[i]
		*key = rowKey{kinds[key.kind], stacks[key.stack], LabelsID(labels[key.labels]), key.at}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := p.rows.list[a], p.rows.list[b]
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.stack, y.stack), cmp.Compare(x.labels, y.labels), cmp.Compare(x.at, y.at))
	})
	p.rows = interner[rowKey]{list: permute(p.rows.list, order)}
	p.values = permute(p.values, order)
}

func permute[T any](list []T, order []int) []T {
	sorted := make([]T, len(list))
	for i, from := range order {
		sorted[i] = list[from]
	}
	return sorted
}

// sort sorts what is interned, and returns the new numbers by the old ones.
func (in *interner[K]) sort(compare func(a, b K) int) (ids []uint32) {
	order := make([]int, len(in.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compare(in.list[a], in.list[b]) })
	*in = interner[K]{list: permute(in.list, order)}
	ids = make([]uint32, len(order))
	for i, from := range order {
		ids[from] = uint32(i)
	}
	return ids
}

// sort sorts the stacks, whose frames get new numbers, and returns the new numbers of stacks by
// the old ones.
func (t *stackTree) sort(frames []uint32) []StackID {
	// first has where the callees of each stack begin in the list of all.
	first := make([]uint32, len(t.nodes)+1)
	for i := range t.nodes[1:] {
		n := &t.nodes[i+1]
		n.frame = FrameID(frames[n.frame])
		first[n.parent+1]++
	}
	for i := range t.nodes {
		first[i+1] += first[i]
	}
	callees := make([]StackID, len(t.nodes)-1)
	next := slices.Clone(first)
	for i, n := range t.nodes[1:] {
		callees[next[n.parent]] = StackID(i + 1)
		next[n.parent]++
	}
	ids := make([]StackID, len(t.nodes))
	sorted := make([]node, 1, len(t.nodes))
	todo := make([]StackID, 1)
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s != 0 {
			n := t.nodes[s]
			ids[s] = StackID(len(sorted))
			sorted = append(sorted, node{ids[n.parent], n.frame})
		}
		list := callees[first[s]:first[s+1]]
		slices.SortFunc(list, func(a, b StackID) int { return cmp.Compare(t.nodes[b].frame, t.nodes[a].frame) })
		todo = append(todo, list...) // the last one comes first
	}
	*t = stackTree{nodes: sorted}
	return ids
}

func compareMethods(a, b Method) int {
	return cmp.Or(strings.Compare(a.Class, b.Class), strings.Compare(a.Name, b.Name), strings.Compare(a.Descriptor, b.Descriptor))
}

func compareLabels(a, b Labels) int {
	return cmp.Or(strings.Compare(a.Thread, b.Thread), cmp.Compare(a.ThreadID, b.ThreadID), strings.Compare(a.State, b.State), strings.Compare(a.Class, b.Class),
		cmp.Compare(a.SpanID, b.SpanID), cmp.Compare(a.TraceHigh, b.TraceHigh), cmp.Compare(a.TraceLow, b.TraceLow))
}
