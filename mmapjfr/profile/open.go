package profile

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// openRange is a range of a recording, or several that follow each other, with all that other ranges of the same recording
// decide: which settings the range before leaves, and which native memory is never freed.
type openRange struct {
	object   string
	from, to uint64 // to is 0 at the end of the recording
	rangeFacts
	// known are disputes whose settings are known, so that they wait for singles alone. The others are in pieces: in the order of the
	// recording, so that joining ranges costs the same however much waits in them.
	known      []*dispute
	first, end *piece
	byChunk    map[chunkKind]*dispute // those of one chunk
	singles    map[singleKey]*singles
	waiting    int // how many samples are in singles, or were before equal ones were joined
	// settled is how many samples were in singles when those that need not wait were last taken out.
	settled int
}

// rangeFacts are what a range of a recording, or several that follow each other, have of facts: other ranges need them.
type rangeFacts struct {
	last    settings // that the range leaves to the next one
	natives natives
}

func newRangeFacts() rangeFacts {
	return rangeFacts{last: settings{}, natives: newNatives()}
}

// join adds those of the next range.
func (f *rangeFacts) join(next *rangeFacts) {
	f.last = f.last.then(next.last)
	f.natives.merge(next.natives)
}

// dispute is a kind of some chunks, of which the settings may not be known, or not all samples.
type dispute struct {
	rivals
	settings settings   // of the chunks, as far as the range knows
	chunk    uint64     // the offset of the only chunk, plus 1; 0 for any number of chunks in which all sources are of one rank
	rows     []rowTable // by source, without periods
	// spreads are events that stand for several samples, at times that settings say. The time of a row is the offset of the event.
	spreads map[spreadKey]*rowTable
}

// chunkKind is a kind of a chunk, as that of a dispute.
type chunkKind struct {
	kind  string
	chunk uint64
}

// spreadKey is the position of a source, and how long the chunk lasts.
type spreadKey struct {
	source   int
	duration time.Duration
}

// singles are samples of which each waits by itself. The time of a row is the offset of the event.
type singles struct {
	kind Kind
	rowTable
}

// singleKey says where samples go that are decided: to their kind, or to the dispute of a chunk.
type singleKey struct {
	kind, event string
	chunk       uint64 // as that of a dispute; 0 for none
}

func newOpenRange(object string, r mmapjfr.ChunkRange) *openRange {
	p := &piece{}
	return &openRange{
		object: object, from: r.From, to: r.To, rangeFacts: newRangeFacts(),
		first: p, end: p, byChunk: make(map[chunkKind]*dispute), singles: make(map[singleKey]*singles),
	}
}

// leaves says which settings a range of one piece leaves to the next one.
func (r *openRange) leaves(s settings) { r.last, r.end.last = s, s }

// add adds a dispute to a range of one piece. It reports whether that is the first one of its kind and chunk.
func (r *openRange) add(d *dispute) bool {
	r.end.disputes = append(r.end.disputes, d)
	key := chunkKind{d.kind.Name, d.chunk}
	if d.chunk == 0 {
		return true
	}
	other := r.byChunk[key]
	r.byChunk[key] = d
	return other == nil
}

// kindMark begins the names of kinds that stand for rows that wait.
const kindMark = "\x00"

// slot returns a kind that stands for rows that wait in a table.
func (r *runs) slot(t *rowTable, k Kind) Kind {
	k.Name = fmt.Sprintf(kindMark+"%p", t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slots[k.Name] = t
	return k
}

// waiting returns the dispute of sources in a chunk.
func (r *runs) waiting(v rivals, set settings, chunk uint64) *dispute {
	d := &dispute{rivals: v, settings: set, rows: make([]rowTable, len(v.list)), spreads: make(map[spreadKey]*rowTable)}
	if !v.isOne() {
		d.chunk = chunk + 1
	}
	id := d.id()
	r.mu.Lock()
	defer r.mu.Unlock()
	if before := r.disputes[id]; before != nil {
		before.addTallies(d)
		return before
	}
	r.disputes[id] = d
	r.open.add(d)
	return d
}

// spread returns a kind for events that stand for several samples.
func (r *runs) spread(d *dispute, key spreadKey) Kind {
	r.mu.Lock()
	t := d.spreads[key]
	if t == nil {
		t = &rowTable{}
		d.spreads[key] = t
	}
	r.mu.Unlock()
	return r.slot(t, d.kind)
}

// single returns a kind for samples of a source that wait in a chunk, each by itself.
func (r *runs) single(k Kind, v rival, inDispute bool, chunk uint64) Kind {
	key := singleKey{kind: k.Name, event: v.event}
	if inDispute {
		key.chunk = chunk + 1
	}
	r.mu.Lock()
	s := r.open.singles[key]
	if s == nil {
		s = &singles{kind: k}
		r.open.singles[key] = s
	}
	r.mu.Unlock()
	return r.slot(&s.rowTable, k)
}

// takeOut takes the rows that wait out of the others.
func (p *Profile) takeOut(slots map[string]*rowTable) {
	rows, kinds := p.rowTable, p.kindOf
	p.kinds, p.kindOf, p.rowTable = interner[string]{}, nil, rowTable{}
	tables, ids := make([]*rowTable, len(kinds)), make([]uint32, len(kinds))
	for i, k := range kinds {
		if tables[i] = slots[k.Name]; tables[i] == nil {
			p.AddKind(k)
			ids[i] = p.kinds.id(k.Name)
		}
	}
	for i, key := range rows.rows.list {
		n := key.kind
		if key.kind = ids[n]; tables[n] != nil {
			tables[n].add(key, rows.values[i][:])
			continue
		}
		p.rows.list, p.values = append(p.rows.list, key), append(p.values, rows.values[i])
	}
}

// tables calls do with the rows of the profile, and with those that wait.
func (p *Profile) tables(do func(t *rowTable)) {
	do(&p.rowTable)
	for _, r := range p.open {
		r.each(func(d *dispute) {
			for i := range d.rows {
				do(&d.rows[i])
			}
			for _, t := range d.spreads {
				do(t)
			}
		})
		for _, s := range r.singles {
			do(&s.rowTable)
		}
	}
}

// renumbered returns a copy with other numbers of stacks and labels.
func (r *openRange) renumbered(row func(k rowKey) rowKey) *openRange {
	q := *r
	q.natives.last = maps.Clone(r.natives.last)
	q.known, q.first, q.end = nil, nil, nil
	q.byChunk, q.singles = make(map[chunkKind]*dispute, len(r.byChunk)), make(map[singleKey]*singles, len(r.singles))
	copied := func(t *rowTable) (c rowTable) {
		c.values = slices.Clone(t.values)
		c.rows.list = make([]rowKey, len(t.rows.list))
		for i, key := range t.rows.list {
			c.rows.list[i] = row(key)
		}
		return c
	}
	disputes := func(list []*dispute) []*dispute {
		list = slices.Clone(list)
		for n, d := range list {
			e := *d
			e.list, e.rows = slices.Clone(d.list), make([]rowTable, len(d.rows))
			for i := range d.rows {
				e.rows[i] = copied(&d.rows[i])
			}
			e.spreads = make(map[spreadKey]*rowTable, len(d.spreads))
			for key, t := range d.spreads {
				e.spreads[key] = new(copied(t))
			}
			if list[n] = &e; e.chunk != 0 {
				q.byChunk[chunkKind{e.kind.Name, e.chunk}] = &e
			}
		}
		return list
	}
	q.known = disputes(r.known)
	for p := r.first; p != nil; p = p.next {
		one := &piece{disputes: disputes(p.disputes), last: p.last}
		q.addPieces(one, one)
	}
	for key, s := range r.singles {
		q.singles[key] = &singles{s.kind, copied(&s.rowTable)}
	}
	q.waiting = q.count()
	return &q
}

// Waiting iterates over the ranges of objects that wait for others, see [Options].Object.
func (p *Profile) Waiting() iter.Seq2[string, mmapjfr.ChunkRange] {
	return func(yield func(object string, r mmapjfr.ChunkRange) bool) {
		for _, r := range p.open {
			if !yield(r.object, mmapjfr.ChunkRange{From: r.from, To: r.to}) {
				return
			}
		}
	}
}

// setOpen gives a profile the ranges that it has.
func (p *Profile) setOpen(list []*openRange) {
	p.open = list
	for _, r := range list {
		r.waiting = r.count()
		if r.from == 0 {
			p.learn(r, nil)
		}
	}
}

// addOpen adds a range, and joins it with those beside it.
func (p *Profile) addOpen(r *openRange) {
	if r.from == 0 {
		p.learn(r, nil)
	}
	at, _ := slices.BinarySearchFunc(p.open, r, (*openRange).compare)
	p.open = slices.Insert(p.open, at, r)
	p.joinNext(at)
	if at > 0 {
		p.joinNext(at - 1)
	}
}

func (r *openRange) compare(o *openRange) int {
	return cmp.Or(strings.Compare(r.object, o.object), cmp.Compare(r.from, o.from), cmp.Compare(r.to, o.to))
}

// joinNext joins a range with the next one if nothing lies between them, and decides what is known then.
func (p *Profile) joinNext(at int) {
	if at+1 == len(p.open) {
		return
	}
	a, b := p.open[at], p.open[at+1]
	if a.object != b.object || a.to != b.from || a.to == 0 {
		return
	}
	if a.from == 0 {
		p.learn(b, a.last)
	}
	a.join(b)
	p.open = slices.Delete(p.open, at+1, at+2)
	switch {
	case a.from == 0 && a.to == 0:
		p.open = slices.Delete(p.open, at, at+1)
		p.settle(a)
	case a.waiting > 2*a.settled:
		p.settleSome(a)
	}
}

// leastSettled is how many samples may wait before the first ones are taken out that need not.
const leastSettled = 1000

// count returns how many samples wait, each by itself.
func (r *openRange) count() (n int) {
	for _, s := range r.singles {
		n += len(s.rows.list)
	}
	return n
}

// join adds the next range, at the cost of the smaller one.
func (r *openRange) join(next *openRange) {
	if len(next.known) > len(r.known) {
		r.known, next.known = next.known, r.known
	}
	r.known = append(r.known, next.known...)
	r.addPieces(next.first, next.end)
	if len(next.byChunk) > len(r.byChunk) {
		r.byChunk, next.byChunk = next.byChunk, r.byChunk
	}
	maps.Copy(r.byChunk, next.byChunk)
	if len(next.singles) > len(r.singles) {
		r.singles, next.singles = next.singles, r.singles
	}
	for key, s := range next.singles {
		if before := r.singles[key]; before != nil {
			before.merge(s.rowTable)
			continue
		}
		r.singles[key] = s
	}
	r.rangeFacts.join(&next.rangeFacts)
	r.to = next.to
	r.waiting += next.waiting
	r.settled = max(r.settled, next.settled, leastSettled)
}

// merge adds the rows of another table, which must not be used afterwards.
func (t *rowTable) merge(o rowTable) {
	if len(o.rows.list) > len(t.rows.list) {
		*t, o = o, *t
	}
	for i, key := range o.rows.list {
		t.add(key, o.values[i][:])
	}
}

// addTallies adds what other chunks have of the same sources.
func (d *dispute) addTallies(o *dispute) {
	for i := range d.list {
		d.list[i].tally.add(&o.list[i].tally)
		d.list[i].hasSingles = d.list[i].hasSingles || o.list[i].hasSingles
	}
}

// addRows adds the rows of other chunks, which must not be used afterwards.
func (d *dispute) addRows(o *dispute) {
	for i := range d.rows {
		d.rows[i].merge(o.rows[i])
	}
	for key, t := range o.spreads {
		if before := d.spreads[key]; before != nil {
			before.merge(*t)
		} else {
			d.spreads[key] = t
		}
	}
}

// Settle decides all that waits for other ranges of recordings, as if there were no others. See [Options].Object.
func (p *Profile) Settle() {
	for len(p.open) > 0 {
		first := p.open[0]
		p.learn(first, nil)
		n := 1
		for ; n < len(p.open) && p.open[n].object == first.object; n++ {
			p.learn(p.open[n], first.last)
			first.join(p.open[n])
		}
		p.open = slices.Delete(p.open, 0, n)
		p.settle(first)
	}
	p.prune()
}

// settle decides all of a range that has all of its recording.
func (p *Profile) settle(r *openRange) {
	leaks := r.natives.leaks()
	p.settleSingles(r, func(offset uint64) (waits, counts bool) { return false, leaks[offset] })
	for _, d := range r.known {
		p.settleDispute(d)
	}
}

// settleSome decides about samples that are not the last at an address, already in this range.
func (p *Profile) settleSome(r *openRange) {
	live := r.natives.live()
	p.settleSingles(r, func(offset uint64) (waits, counts bool) { return live[offset], false })
	r.waiting = r.count()
	r.settled = max(r.waiting, leastSettled)
}

// settleSingles takes samples out of a range that need not wait. Those that count go to their kind or their dispute.
func (p *Profile) settleSingles(r *openRange, decide func(offset uint64) (waits, counts bool)) {
	for key, s := range r.singles {
		left := rowTable{}
		for i, row := range s.rows.list {
			values := s.values[i]
			waits, counts := decide(uint64(row.at))
			switch row.kind = 0; {
			case waits:
				left.rows.list, left.values = append(left.rows.list, row), append(left.values, values)
			case counts:
				row.at, values[timeValue] = lengthOf(values[timeValue], p.times), 0
				p.place(r, key, s.kind, row, values)
			}
		}
		if s.rowTable = left; len(left.values) == 0 {
			delete(r.singles, key)
		}
	}
}

// place adds a sample that waits no more.
func (p *Profile) place(r *openRange, key singleKey, kind Kind, row rowKey, values [maxValues]int64) {
	if d := r.byChunk[chunkKind{key.kind, key.chunk}]; d != nil {
		for i := range d.list {
			if v := &d.list[i]; v.event == key.event {
				v.addRow(stateClass(p.labels.list[row.labels].State), values[0], values[kind.Main()])
				d.rows[i].add(row, values[:])
				return
			}
		}
	}
	p.AddKind(kind)
	row.kind = p.kinds.id(kind.Name)
	p.add(row, values[:len(kind.Values)])
}

// settleDispute decides a dispute of which all samples and the settings are known.
func (p *Profile) settleDispute(d *dispute) {
	for i := range d.list {
		d.list[i].hasSingles = false
	}
	verdicts := d.judge(d.settings, p)
	for key, t := range d.spreads {
		d.spread(key, t, p.times)
	}
	for i := range verdicts {
		p.addCounted(d, i, verdicts[i])
	}
}

// addCounted adds the rows of a source in a dispute that is settled.
func (p *Profile) addCounted(d *dispute, source int, verdict verdict) {
	v, t := &d.list[source], &d.rows[source]
	on := d.settings.samplers(v.typ)
	for n, row := range t.rows.list {
		if !verdict.counts || !on.counts(v.mode, p.labels.list[row.labels].State) {
			continue
		}
		values := t.values[n]
		for j := range d.kind.Values {
			if v.periods[j] {
				values[j] = saturate.Mul(values[j], verdict.period)
			}
		}
		p.AddKind(d.kind)
		row.kind = p.kinds.id(d.kind.Name)
		p.add(row, values[:len(d.kind.Values)])
	}
}

// spread adds the samples that events stand for to the rows of their source.
func (d *dispute) spread(key spreadKey, t *rowTable, times time.Duration) {
	v := &d.list[key.source]
	step, _ := d.settings.period(v.typ, v.event, "wall")
	for i, row := range t.rows.list {
		values := t.values[i]
		parts, by, at := partsIn(values[0], step, key.duration), step, values[timeValue]
		if parts == 1 {
			by = 0
		}
		values[timeValue] = 0
		for j := range values {
			values[j] /= parts
		}
		for n := range parts {
			row.at = lengthOf(at+n*by, times)
			d.rows[key.source].add(row, values[:])
		}
	}
}
