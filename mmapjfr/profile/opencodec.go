package profile

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// leastOpen is how many bytes a range takes at least of which not all is decided.
const leastOpen = 7

func (w *profileWriter) int(n int64)       { w.b = binary.AppendVarint(w.b, n) }
func (w *profileWriter) number(n uint64)   { w.b = binary.AppendUvarint(w.b, n) }
func (w *profileWriter) amounts(a amounts) { w.int(a.samples); w.int(a.amount) }

// open appends a range of which not all is decided.
func (w *profileWriter) open(r *openRange) {
	w.string(r.object)
	w.number(r.from)
	w.number(r.to)
	w.facts(&r.rangeFacts)
	w.uint(r.disputes())
	r.each(w.dispute)
	w.uint(len(r.singles))
	for _, key := range slices.SortedFunc(maps.Keys(r.singles), singleKey.compare) {
		s := r.singles[key]
		w.kind(s.kind)
		w.string(key.event)
		w.number(key.chunk)
		w.rows(&s.rowTable, maxValues)
	}
}

func (w *profileWriter) facts(f *rangeFacts) {
	w.settings(f.last)
	w.natives(&f.natives)
}

func (k singleKey) compare(o singleKey) int {
	return cmp.Or(strings.Compare(k.kind, o.kind), strings.Compare(k.event, o.event), cmp.Compare(k.chunk, o.chunk))
}

func (w *profileWriter) settings(s settings) {
	w.uint(len(s))
	for _, key := range s.keys() {
		w.int(key.id)
		w.string(key.name)
		w.string(s[key])
	}
}

func (w *profileWriter) natives(n *natives) {
	w.uint(len(n.last))
	if len(n.last) == 0 {
		return
	}
	w.int(n.from)
	w.int(n.to)
	before := allocation{at: n.from}
	for _, a := range slices.SortedFunc(maps.Values(n.last), allocation.compare) {
		w.int(a.address - before.address)
		w.int(a.at - before.at)
		offset := (a.offset - before.offset) << 1
		if a.free {
			offset |= 1
		}
		w.number(offset)
		before = a
	}
}

// compare orders allocations as they lie in the recording: there they are nearly in the order of time, so that differences are short.
func (a allocation) compare(o allocation) int {
	return cmp.Or(cmp.Compare(a.offset, o.offset), cmp.Compare(a.address, o.address))
}

func (w *profileWriter) dispute(d *dispute) {
	w.kind(d.kind)
	w.number(d.chunk)
	w.settings(d.settings)
	w.uint(len(d.list))
	for i, v := range d.list {
		w.string(v.event)
		w.uint(v.rank)
		w.uint(int(v.mode))
		for _, period := range v.periods {
			w.bool(period)
		}
		w.bool(v.hasSingles)
		w.int(v.typ)
		w.number(v.moments)
		w.int(v.lost)
		w.int(v.failed)
		for _, a := range v.states {
			w.amounts(a)
		}
		w.rows(&d.rows[i], len(d.kind.Values))
	}
	w.uint(len(d.spreads))
	for _, key := range slices.SortedFunc(maps.Keys(d.spreads), spreadKey.compare) {
		w.uint(key.source)
		w.int(int64(key.duration))
		w.rows(d.spreads[key], maxValues)
	}
}

func (k spreadKey) compare(o spreadKey) int {
	return cmp.Or(cmp.Compare(k.source, o.source), cmp.Compare(k.duration, o.duration))
}

// rows appends rows of one kind.
func (w *profileWriter) rows(t *rowTable, values int) {
	w.uint(len(t.rows.list))
	before := rowKey{}
	for i, key := range t.rows.list {
		w.uint(int(key.stack - before.stack)) // they are in order
		w.uint(int(key.labels))
		w.int(key.at - before.at)
		before = key
		for _, v := range t.values[i][:values] {
			w.int(v)
		}
	}
}

// open reads a range of which not all is decided.
func (r *profileReader) open(p *Profile) *openRange {
	o := newOpenRange(r.string(), mmapjfr.ChunkRange{From: r.uint(), To: r.uint()})
	r.check(o.to == 0 || o.from < o.to)
	r.facts(&o.rangeFacts)
	o.leaves(o.last)
	ids := make(map[disputeID]bool)
	for range r.count(len(stateClasses)) {
		d := r.dispute(p)
		if r.failed {
			return o
		}
		id := d.id()
		r.check(!ids[id] && o.add(d) && o.hasChunk(d.chunk))
		ids[id] = true
	}
	for range r.count(4) {
		s := &singles{kind: r.kind()}
		key := singleKey{s.kind.Name, r.string(), r.uint()}
		s.rowTable = r.rows(p, maxValues)
		r.check(o.singles[key] == nil && o.hasChunk(key.chunk))
		o.singles[key] = s
	}
	return o
}

// isApart reports whether bytes lie between a range and the one before it, or it is of another object.
func (r *openRange) isApart(before *openRange) bool {
	return before.object < r.object || before.object == r.object && before.to != 0 && before.to < r.from
}

// hasChunk reports whether a chunk, as that of a dispute, lies in the range.
func (r *openRange) hasChunk(chunk uint64) bool {
	return chunk == 0 || chunk-1 >= r.from && (r.to == 0 || chunk-1 < r.to)
}

func (r *profileReader) facts(f *rangeFacts) {
	f.last = r.settings()
	r.natives(&f.natives)
}

func (r *profileReader) settings() settings {
	s := settings{}
	n := r.count(3)
	r.check(n <= mostSettings)
	for range n {
		key, value := settingKey{r.int(), r.string()}, r.string()
		if !r.check(usedSettings[key.name] && len(value) <= mostOfSetting) {
			break
		}
		s[key] = value
	}
	r.check(len(s) == n)
	if maps.Equal(s, r.settingsBefore) { // as mostly
		return r.settingsBefore
	}
	r.settingsBefore = s
	return s
}

func (r *profileReader) natives(n *natives) {
	count := r.count(3)
	if count == 0 {
		return
	}
	n.from, n.to = r.int(), r.int()
	before := allocation{at: n.from}
	for range count {
		a := allocation{address: before.address + r.int(), at: before.at + r.int()}
		offset := r.uint()
		a.offset, a.free = before.offset+offset>>1, offset&1 == 1
		n.last[a.address] = a
		r.check(a.offset < 1<<62)
		before = a
	}
	r.check(len(n.last) == count && n.from <= n.to)
}

func (r *profileReader) dispute(p *Profile) *dispute {
	d := &dispute{rivals: rivals{kind: r.kind()}, chunk: r.uint(), settings: r.settings(), spreads: make(map[spreadKey]*rowTable)}
	n := r.count(len(stateClasses))
	r.check(n > 0)
	for range n {
		v := rival{event: r.string(), rank: r.below(math.MaxUint8), mode: sampleMode(r.below(int(lost) + 1))}
		for i := range v.periods {
			v.periods[i] = r.below(2) == 1
		}
		v.hasSingles = r.below(2) == 1
		v.typ, v.moments, v.lost, v.failed = r.int(), r.uint(), r.int(), r.int()
		for i := range v.states {
			v.states[i] = amounts{r.int(), r.int()}
		}
		rows := r.rows(p, len(d.kind.Values))
		if r.failed {
			break
		}
		d.list, d.rows = append(d.list, v), append(d.rows, rows)
	}
	r.check(d.isKnown())
	for range r.count(3) {
		key := spreadKey{r.below(len(d.list)), time.Duration(r.int())}
		t := r.rows(p, maxValues)
		r.check(d.spreads[key] == nil)
		d.spreads[key] = &t
	}
	return d
}

func (r *profileReader) rows(p *Profile, values int) (t rowTable) {
	before := rowKey{}
	for range r.count(3) {
		stack := int(before.stack)
		key := rowKey{0, StackID(stack + r.below(len(p.stacks.list)-stack)), LabelsID(r.below(len(p.labels.list))), before.at + r.int()}
		before = key
		var row [maxValues]int64
		for i := range min(values, maxValues) {
			row[i] = r.int()
		}
		if r.failed {
			return t
		}
		t.rows.list, t.values = append(t.rows.list, key), append(t.values, row)
	}
	r.check(isSet(t.rows.list))
	return t
}
