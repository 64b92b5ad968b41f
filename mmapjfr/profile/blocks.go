package profile

import (
	"cmp"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// chunkRows are the rows of a chunk, which several counters have counted.
type chunkRows struct {
	r        *reader
	c        mmapjfr.Chunk
	counters []counter
	targets  [][]*target // by kind and source; nil for rows that do not count
	blocks   []rowBlock
}

// target says which rows of a source count, and for what time each stands.
type target struct {
	period int64
	weigh.Samplers
}

// assign finds the targets of rows. It adds notes about sources that count, and those that do not.
func (x *chunkRows) assign(notes *Profile) {
	r, set := x.r, x.r.facts.Settings[x.c.Number()]
	x.targets = make([][]*target, len(r.kinds))
	for i := range x.counters {
		x.counters[i].tallyRows()
	}
	for kind, v := range r.rivals(x.counters) {
		x.targets[kind] = make([]*target, len(r.kinds[kind].Sources))
		for i, d := range v.judge(set, notes) {
			if rival := &v.list[i]; d.counts {
				x.targets[kind][r.kinds[kind].Position(rival.Event)] = &target{d.period, set.Samplers(rival.typ)}
			}
		}
	}
}

// rowBlock is some stacks of a chunk, with all their rows.
type rowBlock struct {
	keys []int64 // of the stacks
	rows []rowPlace
}

// rowPlace is a row of a counter, and its stack in the block.
type rowPlace struct {
	counter, row, stack uint32
}

// A block has at most mostOfBlock stacks, whose frames take some 20 MB. Workers that read a chunk together
// have one each of fewer stacks, but each block decodes names of its own.
const (
	mostOfBlock  = 64 << 10
	leastOfBlock = 4 << 10
)

// divide makes blocks. Stacks whose keys are near each other were mostly recorded one after the
// other, and have much in common.
func (x *chunkRows) divide() {
	type place struct {
		key             int64
		counter, number uint32
	}
	var places []place
	ranks := make([][]uint32, len(x.counters)) // by counter and number there
	for i := range x.counters {
		w := &x.counters[i]
		ranks[i] = make([]uint32, len(w.stacks.list))
		places = slices.Grow(places, len(w.stacks.list))
		for j, key := range w.stacks.list {
			places = append(places, place{key, uint32(i), uint32(j)})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.key, b.key) })
	rank, stacksOfBlock := 0, min(max(len(places)/len(x.counters)+1, leastOfBlock), mostOfBlock)
	for i, at := range places {
		if i > 0 && at.key != places[i-1].key {
			rank++
		}
		if block := rank / stacksOfBlock; block == len(x.blocks) {
			x.blocks = append(x.blocks, rowBlock{})
		}
		b := &x.blocks[rank/stacksOfBlock]
		if len(b.keys) == rank%stacksOfBlock {
			b.keys = append(b.keys, at.key)
		}
		ranks[at.counter][at.number] = uint32(rank)
	}
	for i := range x.counters {
		for j, key := range x.counters[i].rows.list {
			rank := int(ranks[i][key.stack])
			b := &x.blocks[rank/stacksOfBlock]
			b.rows = append(b.rows, rowPlace{uint32(i), uint32(j), uint32(rank % stacksOfBlock)})
		}
	}
}

// traces returns the stack traces of a block; those of key 0 are none.
func (x *chunkRows) traces(b *rowBlock) []calledStack {
	var typ mmapjfr.Type
	for i := range x.counters {
		typ = cmp.Or(typ, x.counters[i].stackType)
	}
	traces := make([]calledStack, len(b.keys))
	for i, key := range b.keys {
		for j := range x.counters {
			if s, ok := x.counters[j].others[key]; ok {
				traces[i] = s
			}
		}
		if key != 0 && traces[i] == (calledStack{}) {
			traces[i].trace = engine.ChunkConstant(x.c, typ, key).StackTrace()
		}
	}
	return traces
}

// add adds a block to the runs. The frames of its stacks are in their table.
func (x *chunkRows) add(d *stacks, block int) {
	b := &x.blocks[block]
	p, texts := New(), New() // texts is for stacks that are texts: adding them here would make a table of all stacks
	stacks := d.addAll(p, x.traces(b))
	labels := make([][]uint32, len(x.counters)) // by counter and number there, plus 1
	for i := range labels {
		labels[i] = make([]uint32, len(x.counters[i].labels.list))
	}
	kinds := make([]uint32, len(x.targets)) // the number plus 1
	p.rows.list, p.values = make([]rowKey, 0, len(b.rows)), make([][maxValues]int64, 0, len(b.rows))
	for _, at := range b.rows {
		w := &x.counters[at.counter]
		key, values := w.rows.list[at.row], w.values[at.row]
		to := x.targets[key.src.kind][key.src.source]
		k := &x.r.kinds[key.src.kind]
		s := &k.Sources[key.src.source]
		l := w.labels.list[key.labels]
		if to == nil || !to.Counts(s.Mode, l.State) {
			continue
		}
		for j := range k.Values {
			if s.Values[j].Period {
				values[j] = saturate.Mul(values[j], to.period)
			}
		}
		if s.AsFrames {
			texts.AddKind(kindOf(k))
			stack := texts.Push(texts.Push(0, d.table.text(l.State)), d.table.text(l.Class))
			texts.add(rowKey{texts.kinds.id(k.Name), stack, texts.AddLabels(Labels{}), key.at}, values[:len(k.Values)])
			continue
		}
		clear(values[len(k.Values):])
		next := &labels[at.counter][key.labels]
		if *next == 0 {
			*next = uint32(p.AddLabels(l)) + 1
		}
		kind := &kinds[key.src.kind]
		if *kind == 0 {
			p.AddKind(kindOf(k))
			*kind = p.kinds.id(k.Name) + 1
		}
		p.rows.list = append(p.rows.list, rowKey{*kind - 1, stacks[at.stack], LabelsID(*next - 1), key.at})
		p.values = append(p.values, values)
	}
	p.sortRows()
	p.joinRows()
	x.r.to.add(p)
	if len(texts.rows.list) > 0 {
		texts.sortStacks(nil)
		x.r.to.add(texts)
	}
}
