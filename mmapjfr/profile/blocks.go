package profile

import (
	"cmp"
	"slices"

	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// chunkRows are the rows of a chunk, which several counters have counted.
type chunkRows struct {
	r        *reader
	counters []counter
	samplers samplers
	counted  map[sourceID]int64
	blocks   []rowBlock
}

// rowBlock is some stacks of a chunk, with all their rows.
type rowBlock struct {
	traces []mmapjfr.StackTrace
	rows   []rowPlace
}

// rowPlace is a row of a counter, and its stack in the block.
type rowPlace struct {
	counter, row, stack uint32
}

// stacksOfBlock is how many stacks a block has: their frames take some 20 MB.
const stacksOfBlock = 64 << 10

// divide makes blocks. Stacks whose numbers are near each other were mostly recorded one after the
// other, and have much in common.
func (x *chunkRows) divide() {
	var keys interner[int64]
	var traces []mmapjfr.StackTrace
	numbers := make([][]uint32, len(x.counters)) // in keys, by counter and number there
	for i := range x.counters {
		w := &x.counters[i]
		for j, key := range w.stacks.list {
			n := keys.id(key)
			if int(n) == len(traces) {
				traces = append(traces, w.traces[j])
			}
			numbers[i] = append(numbers[i], n)
		}
	}
	order := make([]uint32, len(traces))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(keys.list[a], keys.list[b]) })
	x.blocks = make([]rowBlock, (len(order)+stacksOfBlock-1)/stacksOfBlock)
	ranks := make([]uint32, len(order))
	for rank, n := range order {
		ranks[n] = uint32(rank)
		b := &x.blocks[rank/stacksOfBlock]
		if b.traces == nil {
			b.traces = make([]mmapjfr.StackTrace, 0, min(stacksOfBlock, len(order)-rank))
		}
		b.traces = append(b.traces, traces[n])
	}
	for i := range x.counters {
		for j, key := range x.counters[i].rows.list {
			rank := ranks[numbers[i][key.stack]]
			b := &x.blocks[rank/stacksOfBlock]
			b.rows = append(b.rows, rowPlace{uint32(i), uint32(j), rank % stacksOfBlock})
		}
	}
}

// add adds a block to the runs.
func (x *chunkRows) add(d *Stacks, block int) {
	b := &x.blocks[block]
	p, texts := New(), New() // texts is for stacks that are texts: adding them here would make a table of all stacks
	d.begin(p)
	stacks := d.addAll(b.traces)
	labels := make([][]uint32, len(x.counters)) // by counter and number there, plus 1
	for i := range labels {
		labels[i] = make([]uint32, len(x.counters[i].labels.list))
	}
	kinds := make([]uint32, len(x.r.kinds)) // their numbers plus 1
	p.rows.list, p.values = make([]rowKey, 0, len(b.rows)), make([][maxValues]int64, 0, len(b.rows))
	for _, at := range b.rows {
		w := &x.counters[at.counter]
		key, values := w.rows.list[at.row], w.values[at.row]
		period, counts := x.counted[key.src]
		k := &x.r.kinds[key.src.kind]
		s := &k.sources[key.src.source]
		l := w.labels.list[key.labels]
		if !counts || !x.samplers.counts(s.mode, l.State) {
			continue
		}
		for j := range k.Values {
			if s.values[j].period {
				values[j] = saturate.Mul(values[j], period)
			}
		}
		if s.asFrames {
			texts.AddKind(k.Kind)
			stack := texts.Push(texts.Push(0, texts.AddText(l.State)), texts.AddText(l.Class))
			texts.add(rowKey{texts.kinds.id(k.Name), stack, texts.AddLabels(Labels{}), key.at}, values[:len(k.Values)])
			continue
		}
		clear(values[len(k.Values):])
		next := &labels[at.counter][key.labels]
		if *next == 0 {
			*next = uint32(p.AddLabels(l)) + 1
		}
		if kinds[key.src.kind] == 0 {
			p.AddKind(k.Kind)
			kinds[key.src.kind] = p.kinds.id(k.Name) + 1
		}
		p.rows.list = append(p.rows.list, rowKey{kinds[key.src.kind] - 1, stacks[at.stack], LabelsID(*next - 1), key.at})
		p.values = append(p.values, values)
	}
	p.sortRows()
	p.joinRows()
	x.r.to.add(p)
	if len(texts.rows.list) > 0 {
		texts.sort()
		x.r.to.add(texts)
	}
}
