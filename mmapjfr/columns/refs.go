package columns

import (
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// textBytes is how much memory a text takes, more or less, besides its bytes and the reference to it.
const textBytes = 13

// fillTexts decodes texts that lie in the events themselves. Those that are alike mostly are one constant.
func (x *reader) fillTexts(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch) bool {
	if s.field.IsConstant() {
		return false
	}
	d := &rows.slots[s.table.Columns[s.at[0]].slot]
	views := engine.BatchStringViews(b, s.path)
	if views == nil || d.group >= 0 && d.group != s.group {
		return false
	}
	g, refs, done, empty := x.group(d, s), d.refs[base:], 0, false
	if g.texts == nil {
		g.texts = new(textCache)
	}
	err := engine.BatchChunk(b).Protect(func() error {
		for i, view := range views {
			refs[i] = -1
			rows.bytes += textBytes + int64(len(view))
			if n := len(view); n > 0 {
				refs[i] = g.textRef(view, n+7*int(view[n-1])+31*int(view[n/2])+61*int(view[0]))
			} else {
				empty = true
			}
			done = i + 1
		}
		return nil
	})
	if err != nil {
		fill(refs[done:], -1)
	}
	if empty && err == nil {
		for i, has := range engine.BatchHasStrings(b, s.path) {
			if has && refs[i] < 0 {
				refs[i] = g.textRef("", 0)
			}
		}
	}
	d.constants = g.list
	return true
}

// textRef returns where a text is in the list of a group. Texts that have different hashes do not drive each other out.
func (g *group) textRef(view string, hash int) int32 {
	if n := len(g.texts.of); n < mostTexts && 2*g.texts.n >= n {
		g.texts.of = make([]textRef, max(8, 2*n))
	}
	t := &g.texts.of[hash%len(g.texts.of)]
	if t.constant == nil || t.constant.cells[0].text != view {
		if g.texts.size += len(view); g.texts.size > mostTextBytes {
			clear(g.texts.of)
			g.texts.size = len(view)
		}
		t.constant, t.round = g.texts.add(view, g.many), 0
	}
	if t.round != g.round {
		t.round, t.ref = g.round, int32(len(g.list))
		g.list = append(g.list, t.constant)
	}
	return t.ref
}

// textCache is texts of a field that a worker has met, and memory for more of them.
type textCache struct {
	of    []textRef // by hash: twice as many as there were texts, up to mostTexts
	n     int       // of texts that were added
	size  int       // of them
	free  []textConstant
	bytes strings.Builder
}

// mostTexts and mostTextBytes are how many texts, and bytes of them, a textCache keeps, beside those of rows.
const (
	mostTexts     = 512
	mostTextBytes = 4 << 20
)

// textRef is a text, and where it is in the list of its group.
type textRef struct {
	constant *Constant
	round    int
	ref      int32
}

// textConstant is the constant of a text.
type textConstant struct {
	Constant
	cell [1]cell
}

// manyTexts and manyTextBytes are how many texts, and bytes of them, share memory at most: most types have few events.
const (
	manyTexts     = 64
	manyTextBytes = 4 << 10
)

// add returns the constant of a text that is new, which it copies. It has no number if it is one of many.
func (c *textCache) add(view string, many bool) *Constant {
	c.n++
	if len(c.free) == 0 {
		c.free = make([]textConstant, min(c.n, manyTexts))
	}
	t := &c.free[0]
	c.free = c.free[1:]
	if !many {
		t.number = constants.Add(1)
	}
	t.cells = t.cell[:]
	if len(view) > manyTextBytes/16 {
		t.cell[0] = cell{text: strings.Clone(view), ok: true}
		return &t.Constant
	}
	from := c.bytes.Len()
	if from+len(view) > c.bytes.Cap() {
		c.bytes, from = strings.Builder{}, 0 // texts keep the memory of that before
		c.bytes.Grow(max(len(view), min(64*c.n, manyTextBytes)))
	}
	c.bytes.WriteString(view)
	t.cell[0] = cell{text: c.bytes.String()[from:], ok: true}
	return &t.Constant
}

// group is the constants of a type, or texts of a field, that a worker has met in a chunk.
type group struct {
	keys  keyTable
	list  []*Constant // which rows have, too
	round int         // counts lists
	many  bool        // a list has become long
	texts *textCache
}

// longList is how many constants without keys, such as texts, a list has before rows get another one.
const longList = 1024

// group returns the group of a slot, which is that of a source if it has none yet.
func (x *reader) group(d *data, s *boundSource) *group {
	for len(x.groups) <= max(d.group, s.group) {
		x.groups = append(x.groups, group{round: 1})
	}
	if d.group < 0 {
		d.group, d.ofReader = s.group, true
		if g := &x.groups[d.group]; len(g.list) >= longList && g.keys.n == 0 {
			g.reset()
			g.many = true
		}
	}
	return &x.groups[d.group]
}

// reset forgets all constants.
func (g *group) reset() {
	g.list, g.round = nil, g.round+1
	g.keys.clear()
}

// keyTable finds positions by keys.
type keyTable struct {
	slots []place // by hash of the key
	n     int     // how many keys there may be
}

// place is where the constant of a key is.
type place struct {
	key int64
	at  int32 // plus one; 0 is an empty place
}

// find returns where the key is, or would be.
func (p *keyTable) find(key int64) *place {
	i := uint64(key) * 0x9E3779B97F4A7C15 >> 20
	for {
		s := &p.slots[i&uint64(len(p.slots)-1)]
		if s.at == 0 || s.key == key {
			return s
		}
		i++
	}
}

// grow makes room for a key more than n.
func (p *keyTable) grow(n int) {
	p.n = n + 1
	if 2*n < len(p.slots) {
		return
	}
	old := p.slots
	p.slots = make([]place, max(8, 2*len(old)))
	for _, s := range old {
		if s.at != 0 {
			*p.find(s.key) = s
		}
	}
}

// clear takes all keys away, and keeps the room of about as many.
func (p *keyTable) clear() {
	if p.n == 0 {
		return
	}
	if len(p.slots) > 1024 && len(p.slots) > 16*p.n {
		p.slots = nil
	}
	clear(p.slots)
	p.n = 0
}

// fillConstants decodes references to constants, each of which is read once.
func (x *reader) fillConstants(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch, p *part) bool {
	d := &rows.slots[s.table.Columns[s.at[0]].slot]
	keys := engine.BatchInts(b, s.path)
	if keys == nil || d.group >= 0 && d.group != s.group || !s.field.IsConstant() {
		return false
	}
	g, refs := x.group(d, s), d.refs[base:]
	last, ref, changes := int64(0), int32(-1), 0
	for i, key := range keys {
		if ref < 0 || key != last {
			last = key
			changes++
			if len(g.keys.slots) > 0 {
				ref = g.keys.find(key).at - 1
			}
			if ref < 0 {
				ref = x.constant(g, key, s, b, i, p)
			}
		}
		refs[i] = ref
		if x.o.InlineStacks {
			rows.wide += g.list[ref].bytes
		}
	}
	d.constants = g.list
	if s.typ == jdktypes.Thread {
		rows.bytes += threadBytes * int64(x.different(refs, changes))
	}
	return true
}

// threadBytes is about how much memory the constant of a thread takes. Rows of virtual threads hardly share any.
const threadBytes = 80

// different returns how many different references there are, among rows whose reference changes some times.
func (x *reader) different(refs []int32, changes int) (n int) {
	if changes <= 2 {
		return changes
	}
	if x.seen == nil {
		x.seen = make(map[int32]struct{}, len(refs))
	}
	clear(x.seen)
	for i, ref := range refs {
		if i == 0 || ref != refs[i-1] {
			x.seen[ref] = struct{}{}
		}
	}
	return len(x.seen)
}

// constant reads a constant that is new. It returns its position in the group.
func (x *reader) constant(g *group, key int64, s *boundSource, b *mmapjfr.Batch, row int, p *part) int32 {
	v := unwrapped(engine.BatchValue(b, s.path, row))
	note := x.note(v)
	if note != nil {
		p.notes = append(p.notes, note)
	}
	g.list = append(g.list, x.constantOf(v, note, s))
	g.keys.grow(len(g.list))
	*g.keys.find(key) = place{key, int32(len(g.list))}
	return int32(len(g.list)) - 1
}
