package columns

import (
	"math"
	"sync"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// chunkReader decodes the events of a chunk. Several workers share it, each with a reader at a time.
type chunkReader struct {
	o         *Options
	e         *export
	c         mmapjfr.Chunk
	types     map[mmapjfr.Type]*binding // filled before workers begin
	recording []*Constant               // its key, alone

	mu      sync.Mutex
	readers []*reader           // by number of the worker
	stacks  map[stackKey]*stack // those that a reader has read
}

// readerOf returns what reads the events of a chunk.
func (e *export) readerOf(c mmapjfr.Chunk, recording *Constant) (*chunkReader, error) {
	types, err := c.Types()
	return &chunkReader{o: e.o, e: e, c: c, recording: []*Constant{recording}, types: e.bindings(types)}, err
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
}

// reader is what a worker needs to decode events of a chunk: the constants that it has read.
type reader struct {
	o       *Options
	c       mmapjfr.Chunk
	chunk   *chunkReader
	round   int     // counts chunks
	groups  []group // of constants, of this chunk
	methods keyed[Method]
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

	bytes, content []byte
	seen           map[int32]struct{} // references

	cells  []cell
	wanted []bool
}

// shared is what chunks have from those before.
type shared struct {
	mu       sync.Mutex
	readers  []*reader
	bindings map[mmapjfr.Type]*binding // of the types of the latest chunk
	first    mmapjfr.Type              // of these
}

// bindings returns how the types of chunks become rows. Chunks with equal metadata share their types.
func (e *export) bindings(types []mmapjfr.Type) map[mmapjfr.Type]*binding {
	if len(types) == 0 {
		return nil
	}
	x := &e.shared
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.bindings == nil || x.first != types[0] {
		x.bindings, x.first = e.bind(types), types[0]
	}
	return x.bindings
}

// bind prepares types that have tables.
func (e *export) bind(types []mmapjfr.Type) map[mmapjfr.Type]*binding {
	x := &reader{o: e.o}
	all := make(map[mmapjfr.Type]*binding)
	groups := make(map[any]int) // by the type of constants, and by field for texts
	for _, t := range types {
		table := e.tables[t.Name()]
		if table == nil {
			continue
		}
		b := &binding{table: table, fast: make([]bool, len(table.slots))}
		for _, s := range x.sources(t) {
			var of any = s.field.Type()
			if !s.field.IsConstant() {
				of = s
			}
			n, ok := groups[of]
			if !ok && s.constant {
				n = len(groups)
				groups[of] = n
			}
			bound := bindSource(&table.Table, s, n)
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
	return all
}

// bindSource finds the columns of a field in a table.
func bindSource(t *Table, s *source, group int) boundSource {
	bound := boundSource{source: s, table: t, group: group, fits: true, typ: engine.TypeUnwrapped(s.field.Type()).Name()}
	for i := range s.leaves {
		at := t.column(s.leaves[i].column.Name)
		bound.at = append(bound.at, at)
		bound.fits = bound.fits && at >= 0 && sameKind(&t.Columns[at], &s.leaves[i].column) &&
			t.slots[t.Columns[at].slot].constant == s.constant && (!s.constant || t.Columns[at].leaf == i)
	}
	bound.fits = bound.fits && len(s.leaves) > 0 && (!s.constant || len(t.slots[t.Columns[bound.at[0]].slot].columns) == len(s.leaves))
	return bound
}

// reader returns the reader of a worker.
func (c *chunkReader) reader(worker int) *reader {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.readers) <= worker {
		c.readers = append(c.readers, nil)
	}
	if c.readers[worker] == nil {
		x := c.e.shared.reader()
		if x == nil {
			x = &reader{o: c.o}
		}
		x.enter(c)
		c.readers[worker] = x
	}
	return c.readers[worker]
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
	for _, x := range c.readers {
		if x != nil {
			x.chunk, x.c, x.lastStack = nil, mmapjfr.Chunk{}, nil
			s.readers = append(s.readers, x)
		}
	}
	c.readers = nil
}

// add decodes a batch into the rows of a part.
func (c *chunkReader) add(p *part, b *mmapjfr.Batch) {
	bound := c.types[engine.BatchType(b)]
	if bound == nil {
		return
	}
	x, n := c.reader(engine.BatchWorker(b)), engine.BatchLen(b)
	rows := p.rowsOf(bound.table, n)
	base := rows.N
	rows.grow(&bound.table.Table, n, bound.fast)
	if !bound.hasStart {
		clear(rows.start[base:])
	}
	all := x.choose(b, n, c.o.Where)
	for i := range bound.sources {
		x.fill(rows, base, &bound.sources[i], b, p)
	}
	c.setRecording(rows, &bound.table.Table)
	if !all {
		rows.remove(base, x.wanted)
	}
}

// choose notes which events are wanted. It returns whether all are.
func (x *reader) choose(b *mmapjfr.Batch, n int, where func(mmapjfr.Event) bool) (all bool) {
	if where == nil {
		return true
	}
	x.wanted, all = x.wanted[:0], true
	for i := range n {
		yes := where(engine.BatchEvent(b, i))
		x.wanted, all = append(x.wanted, yes), all && yes
	}
	return all
}

// fill decodes a field of a batch into its columns.
func (x *reader) fill(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch, p *part) {
	switch {
	case s.fits && s.start && x.fillStart(rows, base, s, b):
	case s.fits && s.constant && x.fillConstants(rows, base, s, b, p):
	case s.fits && s.constant && x.fillTexts(rows, base, s, b):
	case s.fits && !s.constant && len(s.leaves) == 1 && x.fillNumbers(rows, base, s, b):
	default:
		x.fillSlowly(rows, base, s, b, p)
	}
}

// fillSlowly decodes any field, event by event.
func (x *reader) fillSlowly(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch, p *part) {
	for _, at := range s.at {
		if at >= 0 {
			rows.clear(s.table.Columns[at].slot, base)
		}
	}
	for i := range engine.BatchLen(b) {
		v := unwrapped(engine.BatchValue(b, s.path, i))
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
				rows.set(to.slot, base+i, c)
				continue
			}
			g := x.group(d, s)
			if d.refs[base+i] < 0 { // a constant for this row alone
				d.refs[base+i] = int32(len(g.list))
				g.list = append(g.list, newConstant(make([]cell, len(s.table.slots[to.slot].columns))))
			}
			g.list[d.refs[base+i]].cells[to.leaf] = c
			d.constants = g.list
			rows.bytes += int64(len(c.text)) + 48
		}
		if s.start {
			rows.start[base+i] = engine.BatchEvent(b, i).StartNanos()
		}
	}
}

// fillStart decodes the start of events.
func (x *reader) fillStart(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch) bool {
	ticks := engine.BatchInts(b, s.path)
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
			start[i] = engine.ChunkTicksToNanos(x.c, t)
		default:
			start[i] = engine.BatchEvent(b, i).StartNanos()
		}
	}
	for j := range s.leaves {
		at := s.table.Columns[s.at[j]].slot
		if s.table.slots[at].start {
			continue
		}
		copy(rows.slots[at].ints[base:], start) // other versions have no start
	}
	return true
}

// fillNumbers decodes numbers in the events themselves.
func (x *reader) fillNumbers(rows *Rows, base int, s *boundSource, b *mmapjfr.Batch) bool {
	kind, unit := s.leaves[0].column.Kind, s.field.Unit()
	if kind > Double || kind == Double && unit.IsTimespan() || s.field.IsArray() || unit.IsTimestamp() {
		return false
	}
	slot := s.table.Columns[s.at[0]].slot
	ints := rows.slots[slot].ints[base:]
	if kind == Double {
		floats := engine.BatchFloats(b, s.path)
		for i, f := range floats {
			ints[i] = int64(math.Float64bits(f))
			if math.IsNaN(f) || math.IsInf(f, 0) {
				rows.validOf(slot)[base+i] = false
			}
		}
		return floats != nil
	}
	column := engine.BatchInts(b, s.path)
	if column == nil {
		return false
	}
	if !unit.IsTimespan() {
		copy(ints, column)
		return true
	}
	if unit != mmapjfr.TimespanTicks && unit != mmapjfr.TimespanNanos {
		return false
	}
	for i, n := range column {
		if unit == mmapjfr.TimespanTicks && n != math.MinInt64 && n != math.MaxInt64 {
			n = int64(engine.ChunkTicksToDuration(x.c, n))
		}
		c := x.timespan(n)
		if ints[i] = c.n; !c.ok {
			rows.validOf(slot)[base+i] = false
		}
	}
	return true
}

// constantOf returns the values of a constant. Stacks and classes have them.
func (x *reader) constantOf(v mmapjfr.Value, note any, s *boundSource) *Constant {
	switch n := note.(type) {
	case *stack:
		if n.constant != nil && s.typ == jdktypes.StackTrace {
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
	switch v.Type().Name() {
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
