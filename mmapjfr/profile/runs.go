package profile

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/internal/saturate"
)

// runs are profiles that wait to be merged into one. Their frames are in one table, and have the numbers
// there; all else is sorted. Two are merged when they are about as large: so each sample is merged only
// a few times, in the order of the memory.
type runs struct {
	table  frameTable
	mu     sync.Mutex
	bySize map[int]*Profile // by the logarithm of their size
}

func newRuns() *runs { return &runs{table: frameTable{p: New()}, bySize: make(map[int]*Profile)} }

// add adds a profile, which must not be used any more.
func (r *runs) add(p *Profile) {
	for {
		size := bits.Len(uint(len(p.stacks.list) + len(p.rows.list)))
		r.mu.Lock()
		other := r.bySize[size]
		if other == nil {
			r.bySize[size] = p
			r.mu.Unlock()
			return
		}
		delete(r.bySize, size)
		r.mu.Unlock()
		p = mergeSorted(p, other)
	}
}

// merged returns all as one, which is sorted.
func (r *runs) merged() *Profile {
	total := New()
	for size := range bits.UintSize + 1 { // the small ones first
		if p := r.bySize[size]; p != nil {
			total = mergeSorted(total, p)
		}
	}
	total.methods, total.frames = r.table.p.methods, r.table.p.frames
	total.prune()
	total.sort()
	return total
}

// mergeSorted returns what two profiles of runs are together. It reads both from their beginning to
// their end, and looks nothing up.
func mergeSorted(a, b *Profile) *Profile {
	p := New()
	for _, from := range []*Profile{a, b} {
		p.mergeFacts(from)
		for _, k := range from.kindOf {
			p.AddKind(k)
		}
	}
	p.kinds.sort(compareKindNames)
	slices.SortFunc(p.kindOf, compareKinds)
	var ofA, ofB newNumbers
	for _, side := range []struct {
		from *Profile
		ids  *[]uint32
	}{{a, &ofA.kinds}, {b, &ofB.kinds}} {
		for _, name := range side.from.kinds.list {
			*side.ids = append(*side.ids, p.kinds.id(name))
		}
	}
	p.labels.list, ofA.labels, ofB.labels = mergeLists(a.labels.list, b.labels.list, compareLabels)
	p.stacks = mergeStacks(a.stacks.list, b.stacks.list, &ofA, &ofB)
	p.mergeRows(a, b, &ofA, &ofB)
	return p
}

// newNumbers are the new numbers of what a profile has, by the old ones.
type newNumbers struct{ kinds, labels, stacks []uint32 }

// row returns a row with new numbers.
func (n *newNumbers) row(k rowKey) rowKey {
	return rowKey{n.kinds[k.kind], StackID(n.stacks[k.stack]), LabelsID(n.labels[k.labels]), k.at}
}

// mergeLists merges two sorted lists, and returns the new numbers of the elements of both.
func mergeLists[T any](a, b []T, compare func(a, b T) int) (list []T, ofA, ofB []uint32) {
	list = make([]T, 0, len(a)+len(b))
	ofA, ofB = make([]uint32, 0, len(a)), make([]uint32, 0, len(b))
	for len(a) > 0 || len(b) > 0 {
		order := cmp.Compare(len(b), 0) - cmp.Compare(len(a), 0) // if one is at its end
		if order == 0 {
			order = compare(a[0], b[0])
		}
		id := uint32(len(list))
		if order <= 0 {
			list, ofA, a = append(list, a[0]), append(ofA, id), a[1:]
		}
		if order >= 0 {
			if order > 0 {
				list = append(list, b[0])
			}
			ofB, b = append(ofB, id), b[1:]
		}
	}
	return list, ofA, ofB
}

// mergeStacks merges two sorted trees. Of the next nodes of both, the one whose caller was merged last
// comes first: the other one belongs to a caller that has more callees.
func mergeStacks(a, b []node, ofA, ofB *newNumbers) stackTree {
	t := newStackTree()
	t.list = slices.Grow(t.list, len(a)+len(b))
	ofA.stacks, ofB.stacks = make([]uint32, len(a)), make([]uint32, len(b))
	for i, j := 1, 1; i < len(a) || j < len(b); {
		var x, y node
		order := cmp.Compare(len(b), j) - cmp.Compare(len(a), i)
		if i < len(a) {
			x = node{StackID(ofA.stacks[a[i].parent]), a[i].frame}
		}
		if j < len(b) {
			y = node{StackID(ofB.stacks[b[j].parent]), b[j].frame}
		}
		if order == 0 {
			order = cmp.Or(cmp.Compare(y.parent, x.parent), cmp.Compare(x.frame, y.frame))
		}
		id := uint32(len(t.list))
		if order <= 0 {
			t.list = append(t.list, x)
			ofA.stacks[i] = id
			i++
		}
		if order >= 0 {
			if order > 0 {
				t.list = append(t.list, y)
			}
			ofB.stacks[j] = id
			j++
		}
	}
	return t
}

// mergeRows merges the rows of two sorted profiles.
func (p *Profile) mergeRows(a, b *Profile, ofA, ofB *newNumbers) {
	n := len(a.rows.list) + len(b.rows.list)
	p.rows.list, p.values = make([]rowKey, 0, n), make([][maxValues]int64, 0, n)
	for i, j := 0, 0; i < len(a.rows.list) || j < len(b.rows.list); {
		var x, y rowKey
		order := cmp.Compare(len(b.rows.list), j) - cmp.Compare(len(a.rows.list), i)
		if i < len(a.rows.list) {
			x = ofA.row(a.rows.list[i])
		}
		if j < len(b.rows.list) {
			y = ofB.row(b.rows.list[j])
		}
		if order == 0 {
			order = compareRows(x, y)
		}
		var values [maxValues]int64
		key := x
		if order <= 0 {
			values = a.values[i]
			i++
		}
		if order >= 0 {
			key = y
			for k, v := range b.values[j] {
				values[k] = saturate.Add(values[k], v)
			}
			j++
		}
		p.rows.list, p.values = append(p.rows.list, key), append(p.values, values)
	}
}
