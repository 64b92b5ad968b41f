package mmapjfr

import (
	"context"
	"math"
	"runtime/debug"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// BatchLen is the greatest number of events of a [Batch]. A column of 256 numbers takes 2 KiB:
// the columns of some ten fields stay in the fastest cache of a processor, and 256 events share
// the cost of a batch.
const BatchLen = 256

// Batch is events of one type of a chunk, in the order of the file, whose fields have been
// decoded into columns. Reading many fields of many events from columns is several times
// faster than reading events one by one.
//
// A field has a column if it is a number, a constant or a string in the event itself or in a
// struct inside it. Read fields of constants and arrays with valueOf. The batch and its
// columns are valid until the function that got the batch returns; columns may be changed.
// The zero Batch has no events.
type Batch struct {
	expiry
	c       *chunk
	typ     *schema.Type
	headers []index.EventHeader
	worker  int

	pos      []int
	columns  [][]int64 // by slot
	narrowed []uint64  // bits of the slots whose numbers have been narrowed to their width

	floats    [][]float64 // by slot
	referred  [][]int64   // by slot, the numbers of constants
	constants []int64
	strings   []string
	present   []bool
}

// decode fills in the columns. It is false if the fields of an event do not lie inside it.
func (b *Batch) decode() (ok bool) {
	plan, err := b.typ.Plan()
	if err != nil {
		return false
	}
	n := len(b.headers)
	if cap(b.pos) == 0 {
		b.pos = make([]int, BatchLen)
	}
	b.pos = b.pos[:n]
	data := b.c.data
	bytes := 0
	for i := range b.headers {
		wire.Step()
		b.pos[i] = int(b.headers[i].Body())
		bytes += int(b.headers[i].Size)
	}
	if plan.NumSlots()*n > bytes {
		return false // each slot takes at least a byte
	}
	b.grow(plan.NumSlots(), n)
	plan.DecodeColumns(data, b.pos, b.columns)
	for i := range b.headers {
		end := int(b.headers[i].End())
		if b.pos[i] > end {
			return false
		}
		if plan.HasZeroSizeElements() {
			if _, ok := plan.Skip(data[:end], int(b.headers[i].Body())); !ok {
				return false
			}
		}
	}
	words := (plan.NumSlots() + 63) / 64
	if len(b.narrowed) < words {
		b.narrowed = make([]uint64, words)
	}
	clear(b.narrowed)
	return true
}

// fullColumns is how many columns get room for a whole batch at once. Types with more slots are
// rare; the rest of their columns get only the room that they need.
const fullColumns = 1 << 10

// grow makes the columns of the slots long enough for n events.
func (b *Batch) grow(slots, n int) {
	for len(b.columns) < min(slots, fullColumns) {
		b.columns = append(b.columns, make([]int64, BatchLen))
	}
	if len(b.columns) < slots {
		b.columns = append(b.columns, make([][]int64, slots-len(b.columns))...)
	}
	for i := fullColumns; i < slots; i++ {
		if len(b.columns[i]) < n {
			b.columns[i] = make([]int64, n)
		}
	}
}

// len returns the number of events, at least one.
func (b *Batch) len() int {
	b.checkExpired()
	return len(b.headers)
}

// typeOf returns the type of the events.
func (b *Batch) typeOf() Type {
	b.checkExpired()
	return Type{b.typ}
}

// chunkOf returns the chunk that holds the events.
func (b *Batch) chunkOf() Chunk {
	b.checkExpired()
	return Chunk{b.c}
}

// workerNumber returns the number of the worker that reads the batch, see [Selection.Parallel]: what it needs from one batch
// to the next can be kept by that.
func (b *Batch) workerNumber() int {
	b.checkExpired()
	return b.worker
}

// eventOf returns the i-th event. It may be kept; see [Event.Detached].
func (b *Batch) eventOf(i int) Event {
	b.checkExpired()
	return Event{c: b.c, typ: b.typ, pos: int(b.headers[i].Offset)}
}

// column returns the column that the path leads to, with its slot and field; nil if it leads
// to none. It looks through wrappers.
func (b *Batch) column(p *FieldPath) (column []int64, slot int, f *schema.Field) {
	b.checkExpired()
	if b.c == nil {
		p.check()
		return nil, 0, nil
	}
	r := b.c.resolve(b.typ, p)
	if r.field == nil || len(r.hops) != 1 || r.elem || r.computed != recorded {
		return nil, 0, nil
	}
	slot, f = r.hops[0].n, r.field
	for inner := range f.Type.Wrapped() {
		if f.Constant || f.Array {
			break
		}
		f = inner
	}
	if slot >= len(b.columns) || f.Type == nil {
		return nil, 0, nil // a struct of no fields
	}
	return b.columns[slot][:len(b.headers)], slot, f
}

// ints returns a column of integers, as [Event.Int] returns them; nil if the path leads to
// none. A column of constants that are no numbers holds their keys.
func (b *Batch) ints(p *FieldPath) []int64 {
	column, slot, f := b.column(p)
	switch {
	case column == nil || f.Array:
		return nil
	case f.Constant:
		switch kind := kindOf(f); {
		case kind >= KindBool && kind <= KindLong:
			return b.referredNumbers(p, column, slot)
		case kind == KindFloat || kind == KindDouble:
			return nil
		}
		return column
	}
	switch kind := kinds[f.Type.Kind]; kind {
	case KindBool, KindByte, KindChar, KindShort, KindInt:
		if mask := uint64(1) << (slot % 64); b.narrowed[slot/64]&mask == 0 {
			b.narrowed[slot/64] |= mask
			// What the field says of its numbers holds where they are wrapped, too.
			narrowColumn(kind, b.c.resolve(b.typ, p).field.Unsigned, column)
		}
		return column
	case KindLong:
		return column
	}
	return nil
}

// kindOf returns the kind of what a field holds or refers to, after all wrappers.
func kindOf(f *schema.Field) Kind {
	for inner := range f.Type.Wrapped() {
		f = inner
	}
	switch {
	case f.Array:
		return KindArray
	case f.Type == nil:
		return KindNone
	}
	return kinds[f.Type.Kind]
}

// referredNumbers returns the integers of a column of constants that are numbers, which few
// writers have.
func (b *Batch) referredNumbers(p *FieldPath, keys []int64, slot int) []int64 {
	if b.c.mayFault() {
		defer b.c.recoverFault(debug.SetPanicOnFault(true))
	}
	for len(b.referred) <= slot {
		b.referred = append(b.referred, nil)
	}
	list := b.referred[slot]
	if mask := uint64(1) << (slot % 64); b.narrowed[slot/64]&mask == 0 {
		b.narrowed[slot/64] |= mask
		list = list[:0]
		for i := range keys {
			list = append(list, b.value(p, i).integer())
		}
		b.referred[slot] = list
	}
	return list
}

// narrowColumn cuts numbers to the width of their kind.
func narrowColumn(kind Kind, unsigned bool, column []int64) {
	shift := (64 - widths[kind]) & 63
	switch {
	case kind == KindBool:
		for i, n := range column {
			column[i] = min(n, 1)
		}
	case unsigned || kind == KindChar:
		for i, n := range column {
			column[i] = int64(uint64(n) << shift >> shift)
		}
	default:
		for i, n := range column {
			column[i] = n << shift >> shift
		}
	}
}

// floatsOf returns a column of floats or doubles; nil if the path leads to none.
func (b *Batch) floatsOf(p *FieldPath) []float64 {
	column, slot, f := b.column(p)
	if column == nil || f.Array {
		return nil
	}
	if kind := kindOf(f); kind != KindFloat && kind != KindDouble {
		return nil
	}
	for len(b.floats) <= slot {
		b.floats = append(b.floats, nil)
	}
	floats := b.floats[slot][:0]
	for i, bits := range column {
		if f.Constant {
			floats = append(floats, b.valueOf(p, i).Float())
			continue
		}
		n := math.Float64frombits(uint64(bits))
		if f.Type.Kind == schema.Float {
			n = float64(math.Float32frombits(uint32(bits)))
		}
		floats = append(floats, n)
	}
	b.floats[slot] = floats
	return floats
}

// constantsOf returns where the constants of a column lie, in bytes from the start of the
// chunk: the same number is the same constant, and 0 is a constant that is null or was not
// recorded. The column is nil if the path leads to no constants. The next call overwrites it.
func (b *Batch) constantsOf(p *FieldPath) []int64 {
	keys, _, f := b.column(p)
	if keys == nil || f.Array || !f.Constant {
		return nil
	}
	b.constants = reuse(b.constants)
	b.findConstants(keys, f.Type)
	b.constants = pad(b.constants, len(keys))
	return b.constants
}

func (b *Batch) findConstants(keys []int64, typ *schema.Type) {
	if b.c.mayFault() {
		defer b.c.recoverFault(debug.SetPanicOnFault(true))
	}
	last, place := int64(0), int64(0)
	for i, key := range keys {
		if key != last || i == 0 {
			at, ok := b.c.constant(typ, key)
			if !ok {
				at = 0
			}
			last, place = key, int64(at)
		}
		b.constants = append(b.constants, place)
	}
}

// pad makes a column as long as the others with zero values, for what is missing in the file.
func pad[T any](column []T, n int) []T {
	var zero T
	for len(column) < n {
		column = append(column, zero)
	}
	return column
}

// stringsOf returns a column of strings, as [Event.Str] returns them; nil if the path leads to
// none. The next call overwrites the column. The strings in it stay valid, see [Value.Str].
func (b *Batch) stringsOf(p *FieldPath) []string { return b.stringColumn(p, false) }

// stringViews returns a column of views of strings, which may alias the recording and are
// valid until [Recording.Close]; see [Value.StrView].
func (b *Batch) stringViews(p *FieldPath) []string { return b.stringColumn(p, true) }

// hasStrings returns for a column of strings which events have one, and not null or a string that is missing in the
// recording; nil if the path leads to none. The next call overwrites the column.
func (b *Batch) hasStrings(p *FieldPath) []bool {
	column, _, f := b.column(p)
	if column == nil || f.Array || f.Unwrapped().Kind != schema.String {
		return nil
	}
	b.present = b.present[:0]
	b.findStrings(p, column, f)
	b.present = pad(b.present, len(column))
	return b.present
}

func (b *Batch) findStrings(p *FieldPath, column []int64, f *schema.Field) {
	if b.c.mayFault() {
		defer b.c.recoverFault(debug.SetPanicOnFault(true))
	}
	for i, at := range column {
		has := false
		switch {
		case f.Constant || f.Type.Kind != schema.String || wire.Encoding(b.c.data[at]) == wire.Constant:
			has = b.value(p, i).Kind() == KindString
		default:
			has = wire.Encoding(b.c.data[at]) != wire.Null
		}
		b.present = append(b.present, has)
	}
}

func (b *Batch) stringColumn(p *FieldPath, views bool) []string {
	column, _, f := b.column(p)
	if column == nil || f.Array || f.Unwrapped().Kind != schema.String {
		return nil
	}
	b.strings = reuse(b.strings)
	b.readStrings(p, column, f, views)
	b.strings = pad(b.strings, len(column))
	return b.strings
}

func (b *Batch) readStrings(p *FieldPath, column []int64, f *schema.Field, views bool) {
	if b.c.mayFault() {
		defer b.c.recoverFault(debug.SetPanicOnFault(true))
	}
	short := !f.Constant && f.Type.Kind == schema.String && b.c.form == wire.Compressed
	last := ""
	for i, at := range column {
		if f.Constant && i > 0 && at == column[i-1] {
			b.strings = append(b.strings, last)
			continue
		}
		text, ok := []byte(nil), false
		if short {
			text, ok = wire.ShortText(b.c.data, int(at))
		}
		switch {
		case ok && views:
			last = wire.View(text)
		case ok:
			if string(text) != last { // as many values are those of the event before
				last = b.c.rec.strings.Plain(text)
			}
		case views:
			last = b.value(p, i).strView()
		default:
			last = b.value(p, i).str()
		}
		b.strings = append(b.strings, last)
	}
}

// valueOf returns what the path leads to from the i-th event, as [Event.Get] does.
func (b *Batch) valueOf(p *FieldPath, i int) (v Value) {
	if b.c.mayFault() {
		defer b.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return b.value(p, i)
}

func (b *Batch) value(p *FieldPath, i int) Value {
	column, _, f := b.column(p)
	switch {
	case column == nil || f != b.c.resolve(b.typ, p).field:
	case f.Constant && !f.Array:
		at, ok := b.c.constant(f.Type, column[i])
		if !ok {
			return b.c.valueAt(f, missing(column[i]), 0, column[i])
		}
		return b.c.payload(f, f.Type, at, column[i], 0)
	case f.Array || f.Type.Kind == schema.String:
		return b.c.valueOf(f, b.c.data, int(column[i]), false, 0)
	}
	return b.eventOf(i).get(p)
}

// batches calls do with all events of the selection in batches, from several
// goroutines at once: see [Selection.Parallel] for how it ends, and for errors.
// The events of 256 KiB of a chunk come one type after the other, [BatchLen] at a time, those
// of a type in the order of the file. Each worker allocates columns for the types of the
// recording; nothing is allocated per event.
func (s *Selection) batches(ctx context.Context, do func(worker int, b *Batch) error) error {
	return s.scan(ctx, &scan{read: func(w *worker) error { return w.batches(do) }, noOrdinals: true})
}

// batcher gathers the events of a part by their types.
type batcher struct {
	batch  Batch
	groups [][]index.EventHeader // by ordinal of the class
	filled []int                 // the ordinals of those that hold events
	do     func(worker int, b *Batch) error
}

// longRun is how many successive events of one type are decoded at once. Fewer are collected
// with others of the type.
const longRun = 32

// batches calls do with the events of the part that has been taken.
func (w *worker) batches(do func(worker int, b *Batch) error) error {
	g, headers := &w.batcher, w.part.headers
	for _, ordinal := range g.filled {
		g.groups[ordinal] = g.groups[ordinal][:0] // left by a part that failed
	}
	g.filled, g.do = g.filled[:0], do
	for len(headers) > 0 && w.err == nil {
		if w.shouldStop() {
			return nil
		}
		if headers = w.skipUnwanted(headers); len(headers) == 0 {
			break
		}
		n := runOf(headers)
		if err := w.gather(headers[:n]); err != nil {
			return err
		}
		headers = headers[n:]
	}
	for _, ordinal := range g.filled {
		if err := w.flush(ordinal); err != nil || w.err != nil {
			return err
		}
	}
	return nil
}

// runOf returns how many headers at the beginning have the same type, at most as many as a
// batch has.
func runOf(headers []index.EventHeader) (n int) {
	headers = headers[:min(len(headers), BatchLen)]
	for n = 1; n < len(headers) && headers[n].Type == headers[0].Type; n++ {
	}
	return n
}

// skipUnwanted returns the headers from the first one on whose type may be selected.
func (w *worker) skipUnwanted(headers []index.EventHeader) []index.EventHeader {
	for i := range headers {
		if !w.isUnwanted(&headers[i]) {
			return headers[i:]
		}
	}
	return nil
}

// gather takes successive events of one type.
func (w *worker) gather(headers []index.EventHeader) error {
	typ := w.directType(&headers[0]).typ
	if typ == nil {
		typ = w.types.EventType(headers[0].Type)
	}
	switch {
	case !headers[0].IsEvent():
		return nil
	case typ == nil || w.filter.readsEvents():
		for i := range headers {
			if w.decodeEvent(&headers[i], noOrdinal) {
				if err := w.collect(w.event.typ, headers[i:i+1]); err != nil {
					return err
				}
			} else if w.err != nil && !w.report(&headers[i]) {
				return nil
			}
		}
		return nil
	case w.filter.wanted != nil && !w.filter.wanted[typ.Ordinal()]:
		return nil
	}
	return w.collect(typ, headers)
}

// collect adds events to others of their type, and calls do when there are enough.
func (w *worker) collect(typ *schema.Type, headers []index.EventHeader) error {
	g, ordinal := &w.batcher, typ.Ordinal()
	if ordinal >= len(g.groups) {
		g.groups = append(g.groups, make([][]index.EventHeader, len(w.types.Types)-len(g.groups))...)
	}
	if len(g.groups[ordinal])+len(headers) > BatchLen || len(headers) >= longRun {
		if err := w.flush(ordinal); err != nil || w.err != nil {
			return err
		}
	}
	if len(headers) >= longRun {
		return w.decodeBatch(typ, headers)
	}
	group := g.groups[ordinal]
	if len(group) == 0 {
		g.filled = append(g.filled, ordinal)
		if group == nil {
			group = make([]index.EventHeader, 0, BatchLen)
		}
	}
	g.groups[ordinal] = append(group, headers...)
	return nil
}

// flush calls do with the events that have been collected of a type.
func (w *worker) flush(ordinal int) error {
	g := &w.batcher
	if ordinal >= len(g.groups) || len(g.groups[ordinal]) == 0 {
		return nil
	}
	headers := g.groups[ordinal]
	g.groups[ordinal] = headers[:0]
	return w.decodeBatch(w.types.Types[ordinal], headers)
}

// decodeBatch calls do with events of a type, except those whose fields overrun the event.
func (w *worker) decodeBatch(typ *schema.Type, headers []index.EventHeader) error {
	b := &w.batcher.batch
	b.c, b.typ, b.headers, b.worker = w.c, typ, headers, w.number
	if !b.decode() {
		b.headers = w.decodable(headers)
		if len(b.headers) == 0 || w.err != nil || !b.decode() {
			return nil
		}
	}
	return w.lendBatch(b)
}

// decodable returns the events whose fields lie inside them, and reports the others.
func (w *worker) decodable(headers []index.EventHeader) []index.EventHeader {
	fit := headers[:0]
	for _, h := range headers {
		if w.decodeEvent(&h, noOrdinal) {
			fit = append(fit, h)
		} else if w.err != nil && !w.report(&h) {
			return fit
		}
	}
	return fit
}
