package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/saturate"
)

// sort gives everything the number that its content has among all, so that equal profiles have
// equal numbers, and are written as the same bytes: stacks have those of a walk from the outermost frames, the samples of
// [Profile.Samples] come in the order of their kinds, stacks, labels and times. What [Read] returns is sorted; what
// [Profile.Merge] has added to is not.
func (p *Profile) sort() { p.sortStacks(p.sortFrames()) }

// sortStacks is sort but for frames, which get new numbers unless these are nil.
func (p *Profile) sortStacks(frames []uint32) {
	stacks := p.stacks.sort(frames)
	for i := range p.rows.list {
		key := &p.rows.list[i]
		key.stack = stacks[key.stack]
	}
	p.sortRows()
}

// sortFrames sorts methods and frames, and returns the new numbers of frames by the old ones.
func (p *Profile) sortFrames() []uint32 {
	methods := p.methods.sort(compareMethods)
	for i := range p.frames.list {
		p.frames.list[i].method = methodID(methods[p.frames.list[i].method])
	}
	return p.frames.sort(compareFrames)
}

func compareFrames(a, b frame) int {
	switch {
	case a.method != b.method:
		return cmp.Compare(a.method, b.method)
	case a.line != b.line:
		return cmp.Compare(a.line, b.line)
	}
	return cmp.Compare(a.kind, b.kind)
}

// sortRows sorts labels, kinds and rows.
func (p *Profile) sortRows() {
	labels := p.labels.sort(compareLabels)
	kinds := p.kinds.sort(compareKindNames)
	slices.SortFunc(p.kindOf, compareKinds)
	for i := range p.rows.list {
		key := &p.rows.list[i]
		key.kind, key.labels = kinds[key.kind], LabelsID(labels[key.labels])
	}
	type place struct {
		rowKey
		from int
	}
	order := make([]place, len(p.rows.list))
	for i, key := range p.rows.list {
		order[i] = place{key, i}
	}
	slices.SortFunc(order, func(a, b place) int { return compareRows(a.rowKey, b.rowKey) })
	p.rows = interner[rowKey]{list: p.rows.list}
	values := make([][maxValues]int64, len(order))
	for i, at := range order {
		p.rows.list[i], values[i] = at.rowKey, p.values[at.from]
	}
	p.values = values
}

func compareRows(a, b rowKey) int {
	switch {
	case a.kind != b.kind:
		return cmp.Compare(a.kind, b.kind)
	case a.stack != b.stack:
		return cmp.Compare(a.stack, b.stack)
	case a.labels != b.labels:
		return cmp.Compare(a.labels, b.labels)
	}
	return cmp.Compare(a.at, b.at)
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

// sort sorts the stacks, whose frames get new numbers unless these are nil, and returns the new numbers
// of stacks by the old ones.
func (t *stackTree) sort(frames []uint32) []StackID {
	// first has where the callees of each stack begin in the list of all.
	first := make([]uint32, len(t.list)+1)
	for i := range t.list[1:] {
		n := &t.list[i+1]
		if frames != nil {
			n.frame = FrameID(frames[n.frame])
		}
		first[n.parent+1]++
	}
	for i := range t.list {
		first[i+1] += first[i]
	}
	callees := make([]StackID, len(t.list)-1)
	next := slices.Clone(first)
	for i, n := range t.list[1:] {
		callees[next[n.parent]] = StackID(i + 1)
		next[n.parent]++
	}
	ids := make([]StackID, len(t.list))
	sorted := append(make([]node, 0, len(t.list)), noNode)
	todo := make([]StackID, 1)
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s != 0 {
			n := t.list[s]
			ids[s] = StackID(len(sorted))
			sorted = append(sorted, node{ids[n.parent], n.frame})
		}
		list := callees[first[s]:first[s+1]]
		if len(list) > 1 {
			slices.SortFunc(list, func(a, b StackID) int { return cmp.Compare(t.list[b].frame, t.list[a].frame) })
		}
		todo = append(todo, list...) // the last one comes first
	}
	*t = stackTree{interner[node]{list: sorted}}
	return ids
}

func compareMethods(a, b Method) int {
	switch {
	case a.Class != b.Class:
		return strings.Compare(a.Class, b.Class)
	case a.Name != b.Name:
		return strings.Compare(a.Name, b.Name)
	}
	return strings.Compare(a.Descriptor, b.Descriptor)
}

func compareLabels(a, b Labels) int {
	switch {
	case a.Thread != b.Thread:
		return strings.Compare(a.Thread, b.Thread)
	case a.ThreadID != b.ThreadID:
		return cmp.Compare(a.ThreadID, b.ThreadID)
	}
	return cmp.Or(strings.Compare(a.State, b.State), strings.Compare(a.Class, b.Class),
		cmp.Compare(a.SpanID, b.SpanID), cmp.Compare(a.TraceHigh, b.TraceHigh), cmp.Compare(a.TraceLow, b.TraceLow))
}

// joinRows adds up sorted rows that are the same.
func (p *Profile) joinRows() {
	n := 0
	for i, key := range p.rows.list {
		if n > 0 && p.rows.list[n-1] == key {
			for j, v := range p.values[i] {
				p.values[n-1][j] = saturate.Add(p.values[n-1][j], v)
			}
			continue
		}
		p.rows.list[n], p.values[n] = key, p.values[i]
		n++
	}
	p.rows.list, p.values = p.rows.list[:n], p.values[:n]
}
