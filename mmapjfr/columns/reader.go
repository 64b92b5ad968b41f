package columns

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// chunkReader decodes the events of a chunk. Several workers share it, each with a reader at a time.
type chunkReader struct {
	o     *Options
	e     *export
	c     mmapjfr.Chunk
	types map[mmapjfr.Type]*binding // filled before workers begin
	// recording is the key of the recording, the one constant of its group.
	recording      *Constant
	recordingGroup int

	mu     sync.Mutex
	free   []*reader           // that have begun to read the chunk
	stacks map[stackKey]*stack // those that a reader has read
}

// readerOf returns what reads the events of a chunk.
func (e *export) readerOf(c mmapjfr.Chunk, recording *Constant) (*chunkReader, error) {
	types, err := c.Types()
	r := &chunkReader{o: e.o, e: e, c: c, recording: recording}
	r.types, r.recordingGroup = e.bindings(types)
	return r, err
}

// stackOf returns the stack of a key, nil if no reader has read it.
func (c *chunkReader) stackOf(key stackKey) *stack {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stacks[key]
}

// know notes the stack of a key.
func (c *chunkReader) know(key stackKey, s *stack) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stacks == nil {
		c.stacks = make(map[stackKey]*stack)
	}
	c.stacks[key] = s
}

// binding says how events of one type of a chunk become rows of a table.
type binding struct {
	table    *tableState
	sources  []boundSource
	hasStart bool
	// fast are the slots of the table that sources fill whose columns fit: those need not be cleared before.
	fast []bool
}

type boundSource struct {
	*source
	table *Table
	// at are the columns of the table for each leaf, -1 for one that it lacks.
	at []int
	// fits is set if the table has the columns of the leaves, in the same kinds, in a slot of their own.
	fits  bool
	group int    // the cache of constants
	typ   string // the name of the type
	early bool   // rows are chosen by its columns
}

// reader is what a worker needs to decode events of a chunk: the constants that it has read.
type reader struct {
	o       *Options
	c       mmapjfr.Chunk
	chunk   *chunkReader
	round   int     // counts chunks
	groups  []group // of this chunk
	methods keyed[method]
	classes keyed[class]
	loaders keyed[string]
	kinds   keyed[kind] // of frames

	lastStack            *stack
	lastKey              stackKey
	keysOf               mmapjfr.Type // the type of stack traces that hasKeys is about
	hasKeys              bool         // frames refer to constants
	methodType, kindType mmapjfr.Type
	keys                 []int64 // of the frames of a stack
	frames               []frame

	bytes  []byte
	cells  []cell
	recent [512]string // texts that lie in events themselves
	wanted []bool
	views  []View
}

// shared is what chunks have from those before.
type shared struct {
	mu       sync.Mutex
	readers  []*reader
	bindings map[mmapjfr.Type]*binding // of the types of the latest chunk
	groups   int                       // how many groups of constants their fields have
	first    mmapjfr.Type              // of these
}

// bindings returns how the types of chunks become rows. Chunks with equal metadata share their types.
func (e *export) bindings(types []mmapjfr.Type) (all map[mmapjfr.Type]*binding, groups int) {
	if len(types) == 0 {
		return nil, 0
	}
	x := &e.shared
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.bindings == nil || x.first != types[0] {
		x.bindings, x.groups = e.bind(types)
		x.first = types[0]
	}
	return x.bindings, x.groups
}

// bind prepares types that have tables. It also returns how many groups of constants their fields have.
func (e *export) bind(types []mmapjfr.Type) (map[mmapjfr.Type]*binding, int) {
	x := &reader{o: e.o}
	all := make(map[mmapjfr.Type]*binding)
	groups := make(map[mmapjfr.Type]int)
	for _, t := range types {
		table := e.tables[t.CurrentName()]
		if table == nil {
			continue
		}
		b := &binding{table: table, fast: make([]bool, len(table.slots))}
		for _, s := range x.sources(t) {
			n, ok := groups[s.field.Type()]
			if !ok {
				n = len(groups)
				groups[s.field.Type()] = n
			}
			bound := bindSource(&table.Table, s, n)
			bound.early = e.keep != nil && slices.ContainsFunc(s.leaves, func(l leaf) bool { return slices.Contains(e.keep.columns, l.column.Name) })
			for _, at := range bound.at {
				if at >= 0 {
					b.fast[table.Columns[at].slot] = bound.fits
				}
			}
			b.sources, b.hasStart = append(b.sources, bound), b.hasStart || s.start
		}
		if table.recording > 0 {
			b.fast[table.recording-1] = true
		}
		all[t] = b
	}
	return all, len(groups)
}

// bindSource finds the columns of a field in a table.
func bindSource(t *Table, s *source, group int) boundSource {
	bound := boundSource{source: s, table: t, group: group, fits: true, typ: s.field.Type().Unwrapped().CurrentName()}
	for i := range s.leaves {
		at := t.column(s.leaves[i].column.Name)
		bound.at = append(bound.at, at)
		bound.fits = bound.fits && at >= 0 && sameKind(&t.Columns[at], &s.leaves[i].column) &&
			t.slots[t.Columns[at].slot].constant == s.constant && (!s.constant || t.Columns[at].leaf == i)
	}
	bound.fits = bound.fits && len(s.leaves) > 0 && (!s.constant || len(t.slots[t.Columns[bound.at[0]].slot].columns) == len(s.leaves))
	return bound
}

// take returns a reader for a worker, which gives it back by put.
func (c *chunkReader) take() *reader {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free); n > 0 {
		x := c.free[n-1]
		c.free = c.free[:n-1]
		return x
	}
	x := c.e.shared.reader()
	if x == nil {
		x = &reader{o: c.o}
	}
	x.enter(c)
	return x
}

// reader returns a reader of a chunk before, nil if none is free.
func (s *shared) reader() (x *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.readers); n > 0 {
		x, s.readers = s.readers[n-1], s.readers[:n-1]
	}
	return x
}

// enter begins to read another chunk.
func (x *reader) enter(c *chunkReader) {
	x.chunk, x.c, x.lastStack, x.round = c, c.c, nil, x.round+1
	for i := range x.groups {
		x.groups[i].reset()
	}
}

// end ends the reading of a chunk. Readers are of use for others.
func (c *chunkReader) end() {
	s := &c.e.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range c.free {
		x.chunk, x.c, x.lastStack = nil, mmapjfr.Chunk{}, nil
		s.readers = append(s.readers, x)
	}
	c.free = nil
}

func (c *chunkReader) put(x *reader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = append(c.free, x)
}

// add decodes a batch into the rows of a part.
func (c *chunkReader) add(p *part, b *mmapjfr.Batch) {
	bound := c.types[b.Type()]
	if bound == nil {
		return
	}
	if p.from == 0 {
		p.from = b.Event(0).Offset()
	}
	x := c.take()
	defer c.put(x)
	rows, keep := p.rowsOf(bound.table), c.e.keep
	base, n, bytes := rows.N, b.Len(), rows.bytes
	rows.grow(&bound.table.Table, n, bound.fast)
	if !bound.hasStart {
		clear(rows.start[base:])
	}
	all := x.choose(b, n, c.o.Where)
	x.fillAll(rows, base, bound, keep != nil, b, p)
	if keep != nil {
		if !x.narrow(keep, &bound.table.Table, rows, n, p) {
			rows.remove(base, x.wanted)
			rows.bytes = bytes
			return
		}
		x.fillAll(rows, base, bound, false, b, p)
		all = !slices.Contains(x.wanted, false)
	}
	c.fillRecording(rows, base, &bound.table.Table, p)
	if !all {
		rows.remove(base, x.wanted)
	}
}

// fillAll decodes the fields of a batch that rows are chosen by, or all others.
func (x *reader) fillAll(rows *Rows, base int, bound *binding, early bool, b *mmapjfr.Batch, p *part) {
	for i := range bound.sources {
		if bound.sources[i].early == early {
			x.fill(rows, base, &bound.sources[i], b, p)
		}
	}
}

// choose notes which events are wanted. It returns whether all are.
func (x *reader) choose(b *mmapjfr.Batch, n int, where func(mmapjfr.Event) bool) (all bool) {
	if where == nil && x.chunk.e.keep == nil {
		return true
	}
	x.wanted, all = x.wanted[:0], true
	for i := range n {
		yes := where == nil || where(b.Event(i))
		x.wanted, all = append(x.wanted, yes), all && yes
	}
	return all
}

// fill decodes a field of a batch into its columns.
func (x *reader) fill(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch, p *part) {
	switch {
	case s.fits && s.start && x.fillStart(rows, base, s, b):
	case s.fits && s.constant && x.fillConstants(rows, base, s, b, p):
	case s.fits && !s.constant && len(s.leaves) == 1 && (x.fillNumbers(rows, base, s, b) || x.fillTexts(rows, base, s, b)):
	default:
		x.fillSlowly(rows, base, s, b, p)
	}
}

// fillSlowly decodes any field, event by event.
func (x *reader) fillSlowly(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch, p *part) {
	for _, at := range s.at {
		if at >= 0 {
			rows.slots[s.table.Columns[at].slot].clear(base)
		}
	}
	for i := range b.Len() {
		v := unwrapped(b.Value(s.path, i))
		if n := x.note(v); n != nil {
			p.notes = append(p.notes, n)
		}
		for j := range s.leaves {
			if s.at[j] < 0 {
				continue
			}
			to := &s.table.Columns[s.at[j]]
			c := convert(s.leaves[j].read(x, v), &s.leaves[j].column, to)
			d := &rows.slots[to.slot]
			if s.table.slots[to.slot].start {
				continue
			}
			if !s.table.slots[to.slot].constant {
				rows.bytes += int64(d.set(base+i, c))
				continue
			}
			if d.group < 0 {
				d.group = s.group
			}
			if d.refs[base+i] < 0 { // a constant for this row alone
				list := p.constants(d.group)
				d.refs[base+i] = int32(len(*list))
				*list = append(*list, &Constant{cells: make([]cell, len(s.table.slots[to.slot].columns))})
			}
			(*p.constants(d.group))[d.refs[base+i]].cells[to.leaf] = c
			rows.bytes += int64(len(c.text)) + 48
		}
		if s.start {
			rows.start[base+i] = b.Event(i).StartNanos()
		}
	}
}

// fillStart decodes the start of events.
func (x *reader) fillStart(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch) bool {
	ticks := b.Ints(s.path)
	if ticks == nil {
		return false
	}
	inTicks := s.field.Unit() == mmapjfr.TimestampTicks
	start := rows.start[base:]
	for i, t := range ticks {
		switch {
		case t == math.MinInt64:
			start[i] = t // not known
		case inTicks:
			start[i] = x.c.TicksToNanos(t)
		default:
			start[i] = b.Event(i).StartNanos()
		}
	}
	for j := range s.leaves {
		at := s.table.Columns[s.at[j]].slot
		if s.table.slots[at].start {
			continue
		}
		copy(rows.slots[at].ints[base:], start)
		for i := range min(len(ticks), len(rows.slots[at].valid)-base) { // other versions have no start
			rows.slots[at].valid[base+i] = true
		}
	}
	return true
}

// fillNumbers decodes numbers in the events themselves.
func (x *reader) fillNumbers(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch) bool {
	kind, unit := s.leaves[0].column.Kind, s.field.Unit()
	if kind > Double || kind == Double && unit.IsTimespan() || s.field.IsArray() || unit.IsTimestamp() {
		return false
	}
	d := &rows.slots[s.table.Columns[s.at[0]].slot]
	ints, valid := d.ints[base:], d.valid
	if valid != nil {
		valid = valid[base:]
	}
	if kind == Double {
		floats := b.Floats(s.path)
		for i, f := range floats {
			ints[i], valid[i] = int64(math.Float64bits(f)), !math.IsNaN(f) && !math.IsInf(f, 0)
		}
		return floats != nil
	}
	column := b.Ints(s.path)
	if column == nil {
		return false
	}
	if !unit.IsTimespan() {
		copy(ints, column)
		for i := range min(len(column), len(valid)) {
			valid[i] = true
		}
		return true
	}
	if unit != mmapjfr.TimespanTicks && unit != mmapjfr.TimespanNanos {
		return false
	}
	for i, n := range column {
		if unit == mmapjfr.TimespanTicks && n != math.MinInt64 && n != math.MaxInt64 {
			n = int64(x.c.TicksToDuration(n))
		}
		c := x.timespan(n)
		ints[i], valid[i] = c.n, c.ok
	}
	return true
}

// fillTexts decodes texts that lie in the events themselves. As many as are alike share their memory.
func (x *reader) fillTexts(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch) bool {
	if s.leaves[0].column.Kind != Text || s.field.IsArray() {
		return false
	}
	views := b.StringViews(s.path)
	if views == nil {
		return false
	}
	d := &rows.slots[s.table.Columns[s.at[0]].slot]
	d.clear(base)
	err := b.Chunk().Protect(func() error {
		for i, view := range views {
			if view == "" {
				continue
			}
			n := len(view)
			slot := &x.recent[(n+7*int(view[n-1])+31*int(view[n/2])+61*int(view[0]))%len(x.recent)]
			if *slot != view {
				*slot = strings.Clone(view)
			}
			d.texts[base+i], d.valid[base+i] = *slot, true
			rows.bytes += int64(len(view))
		}
		return nil
	})
	for i, view := range views {
		if err == nil && view == "" {
			v := b.Value(s.path, i)
			d.valid[base+i] = v.Kind() == mmapjfr.KindString
		}
	}
	return true
}

// group is the constants of a type that a worker has met in a chunk.
type group struct {
	keys  keyTable
	known []known
}

// reset forgets all constants.
func (g *group) reset() {
	clear(g.known)
	g.known = g.known[:0]
	g.keys.clear()
}

// known is a constant that has been read.
type known struct {
	constant *Constant
	note     any    // what other tables say of it: a *stack, a thread or a *class
	noted    uint64 // the first place of the file whose part has the note; greatest if none has
	part     int32  // that has used it last
	ref      int32  // its position there
}

// keyTable finds positions by keys.
type keyTable struct {
	slots []place // by hash of the key
	n     int     // how many keys there were at the last look
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
	p.n = n
	if 2*n < len(p.slots) {
		return
	}
	old := p.slots
	p.slots = make([]place, max(64, 2*len(old)))
	for _, s := range old {
		if s.at != 0 {
			*p.find(s.key) = s
		}
	}
}

// clear takes all keys away, and keeps the room of about as many.
func (p *keyTable) clear() {
	if len(p.slots) > 1024 && len(p.slots) > 16*p.n {
		p.slots = nil
	}
	clear(p.slots)
	p.n = 0
}

// fillConstants decodes references to constants, each of which is read once.
func (x *reader) fillConstants(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch, p *part) bool {
	d := &rows.slots[s.table.Columns[s.at[0]].slot]
	keys := b.Ints(s.path)
	if keys == nil || d.group >= 0 && d.group != s.group {
		return false
	}
	for len(x.groups) <= s.group {
		x.groups = append(x.groups, group{})
	}
	d.group = s.group
	g, refs, list := &x.groups[s.group], d.refs[base:], p.constants(s.group)
	last, ref := int64(0), int32(-1)
	for i, key := range keys {
		if ref < 0 || key != last {
			last = key
			k := x.constant(g, key, s, b, i)
			if k.part != p.number {
				k.part, k.ref = p.number, int32(len(*list))
				*list = append(*list, k.constant)
				if k.note != nil && p.from < k.noted {
					k.noted = p.from
					p.notes = append(p.notes, k.note)
				}
			}
			ref = k.ref
		}
		refs[i] = ref
		if x.o.InlineStacks {
			rows.wide += (*list)[ref].bytes
		}
	}
	return true
}

// constant returns a constant, which it reads if it is new.
func (x *reader) constant(g *group, key int64, s *boundSource, b *mmapjfr.Batch, row int) *known {
	g.keys.grow(len(g.known))
	place := g.keys.find(key)
	if place.at != 0 {
		return &g.known[place.at-1]
	}
	v := unwrapped(b.Value(s.path, row))
	note := x.note(v)
	g.known = append(g.known, known{constant: x.constantOf(v, note, s), note: note, noted: math.MaxUint64})
	place.key, place.at = key, int32(len(g.known))
	return &g.known[len(g.known)-1]
}

// constantOf returns the values of a constant. Stacks and classes have them, if all columns are asked for.
func (x *reader) constantOf(v mmapjfr.Value, note any, s *boundSource) *Constant {
	switch n := note.(type) {
	case *stack:
		if n.constant != nil && x.o.only == nil && s.typ == jdktypes.StackTrace {
			return n.constant
		}
	case *class:
		if s.typ == jdktypes.Class {
			return n.constant
		}
	}
	x.cells = x.cells[:0]
	for j := range s.leaves {
		x.cells = append(x.cells, s.leaves[j].read(x, v))
	}
	return x.chunk.e.constants.of(x.cells)
}

// note returns what other tables say of a value.
func (x *reader) note(v mmapjfr.Value) any {
	if v.Kind() != mmapjfr.KindStruct {
		return nil
	}
	switch v.Type().CurrentName() {
	case jdktypes.StackTrace:
		if s := x.readStack(v); s != nil {
			return s
		}
	case jdktypes.Thread:
		return v.Thread()
	case jdktypes.Class:
		return x.class(v)
	}
	return nil
}
