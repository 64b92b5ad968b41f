package mmapjfr

import (
	"bytes"
	"math"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/wire"
)

// BatchLen is the greatest number of events of a [Batch].
const BatchLen = 256

// Batch is some events of one type of a chunk, in the order of the file, whose
// fields have been decoded into columns. Those who read many fields of many
// events get them several times faster than one by one.
//
// Columns are of fields that are numbers, constants or strings in the event
// itself or in a struct inside it; what is in constants and arrays is reached by
// [Batch.Value]. They are valid, as is the batch, until the function that got it
// returns, and may be changed.
type Batch struct {
	c       *chunk
	class   *index.Class
	records []index.Record

	pos     []int
	columns [][]int64 // by slot
	cut     []uint64  // bits of the slots whose numbers have been cut to their width

	floats []float64
	places []int64
	texts  []string
	// converted are strings that have been converted lately.
	converted [16]convertedText
}

// convertedText is what bytes of the file become as a string.
type convertedText struct {
	bytes    []byte
	encoding wire.Encoding
	form     wire.Form
	s        string
}

// decode fills in the columns. It is false if there is an event whose fields do
// not lie inside it.
func (b *Batch) decode() (ok bool) {
	plan, err := b.class.Plan()
	if err != nil {
		return false
	}
	n := len(b.records)
	if cap(b.pos) == 0 {
		b.pos = make([]int, BatchLen)
	}
	b.pos = b.pos[:n]
	for len(b.columns) < plan.Slots() {
		b.columns = append(b.columns, make([]int64, BatchLen))
	}
	for i := range b.records {
		b.pos[i] = int(b.records[i].Body())
	}
	plan.Columns(b.c.data, b.pos, b.columns)
	for i := range b.records {
		if b.pos[i] > int(b.records[i].End()) {
			return false
		}
	}
	words := (plan.Slots() + 63) / 64
	if len(b.cut) < words {
		b.cut = make([]uint64, words)
	}
	clear(b.cut)
	return true
}

// Len returns how many events there are, at least one.
func (b *Batch) Len() int { return len(b.records) }

// Type returns the type of the events.
func (b *Batch) Type() Type { return Type{b.class} }

// Chunk returns the chunk that holds the events.
func (b *Batch) Chunk() Chunk { return Chunk{b.c} }

// Event returns the i-th event. It may be kept; see [Event.Detach].
func (b *Batch) Event(i int) Event {
	return Event{c: b.c, class: b.class, pos: int(b.records[i].Offset)}
}

// column returns the column that the path leads to, with its slot and field; nil
// if it leads to none. Structs that wrap their one field stand for it.
func (b *Batch) column(p *FieldPath) (column []int64, slot int, f *index.Field) {
	r := b.c.route(b.class, p)
	if r.field == nil || len(r.hops) != 1 || r.elem {
		return nil, 0, nil
	}
	slot, f = r.hops[0].n, r.field
	for i := 0; !f.Constant && !f.Array && f.Class != nil && f.Class.Wraps() && i < maxHops; i++ {
		f = &f.Class.Fields[0]
	}
	if slot >= len(b.columns) || f.Class == nil {
		return nil, 0, nil // a struct of no fields
	}
	return b.columns[slot][:len(b.records)], slot, f
}

// Ints returns a column of integers, as [Event.Int] gives them; nil if the path
// leads to none. Of constants it has the keys that stand in the events.
func (b *Batch) Ints(p *FieldPath) []int64 {
	column, slot, f := b.column(p)
	switch {
	case column == nil || f.Array:
		return nil
	case f.Constant:
		return column
	}
	switch kind := kinds[f.Class.Kind]; kind {
	case KindBool, KindByte, KindChar, KindShort, KindInt:
		if mask := uint64(1) << (slot % 64); b.cut[slot/64]&mask == 0 {
			b.cut[slot/64] |= mask
			cutTo(kind, f.Unsigned, column)
		}
		return column
	case KindLong:
		return column
	}
	return nil
}

// cutTo cuts numbers to the width of their kind.
func cutTo(kind Kind, unsigned bool, column []int64) {
	switch {
	case kind == KindBool:
		for i, n := range column {
			column[i] = min(n, 1)
		}
	case kind == KindByte && unsigned:
		for i, n := range column {
			column[i] = int64(uint8(n))
		}
	case kind == KindByte:
		for i, n := range column {
			column[i] = int64(int8(n))
		}
	case kind == KindShort && !unsigned:
		for i, n := range column {
			column[i] = int64(int16(n))
		}
	case kind == KindShort || kind == KindChar:
		for i, n := range column {
			column[i] = int64(uint16(n))
		}
	case unsigned:
		for i, n := range column {
			column[i] = int64(uint32(n))
		}
	default:
		for i, n := range column {
			column[i] = int64(int32(n))
		}
	}
}

// Floats returns a column of floats or doubles; nil if the path leads to none.
func (b *Batch) Floats(p *FieldPath) []float64 {
	column, _, f := b.column(p)
	if column == nil || f.Array || f.Constant || f.Class.Kind != index.Float && f.Class.Kind != index.Double {
		return nil
	}
	b.floats = b.floats[:0]
	for _, bits := range column {
		n := math.Float64frombits(uint64(bits))
		if f.Class.Kind == index.Float {
			n = float64(math.Float32frombits(uint32(bits)))
		}
		b.floats = append(b.floats, n)
	}
	return b.floats
}

// Constants finds the constants that a column of keys stands for. It returns
// where each lies, in bytes from the start of its chunk: the same number is the
// same constant. It is 0 for one that is null or was not recorded; the column is
// nil if the path leads to no constants. The next call uses the memory again.
func (b *Batch) Constants(p *FieldPath) []int64 {
	keys, _, f := b.column(p)
	if keys == nil || f.Array || !f.Constant {
		return nil
	}
	b.places = b.places[:0]
	last, place := int64(0), int64(0)
	for i, key := range keys {
		if key != last || i == 0 {
			at, ok := b.c.constant(f.Class, key)
			if !ok {
				at = 0
			}
			last, place = key, int64(at)
		}
		b.places = append(b.places, place)
	}
	return b.places
}

// Strs returns a column of strings, as [Event.Str] gives them; nil if the path
// leads to none. The next call uses the memory of the column again; for how long
// the strings are valid see [Value.Str].
func (b *Batch) Strs(p *FieldPath) []string {
	column, _, f := b.column(p)
	if column == nil || f.Array || f.Shown().Kind != index.String {
		return nil
	}
	b.texts = b.texts[:0]
	plain := !f.Constant && f.Class.Kind == index.String && b.c.form == wire.Compressed
	for i, at := range column {
		if plain {
			if s, ok := wire.ShortText(b.c.data, int(at)); ok {
				b.texts = append(b.texts, s)
				continue
			}
		}
		if f.Constant && i > 0 && at == column[i-1] {
			b.texts = append(b.texts, b.texts[i-1])
			continue
		}
		b.texts = append(b.texts, b.str(b.Value(p, i)))
	}
	return b.texts
}

// str is [Value.Str], which remembers what it has converted for the next event.
func (b *Batch) str(v Value) string {
	t, ok := v.text()
	if !ok || len(t.Bytes) == 0 {
		return ""
	}
	if s, ok := t.View(); ok {
		return s
	}
	known := &b.converted[(len(t.Bytes)+int(t.Bytes[0])+int(t.Bytes[len(t.Bytes)-1]))%len(b.converted)]
	if known.encoding != t.Encoding || known.form != t.Form || !bytes.Equal(known.bytes, t.Bytes) {
		*known = convertedText{t.Bytes, t.Encoding, t.Form, v.c.rec.intern.text(t)}
	}
	return known.s
}

// Value returns what the path leads to from the i-th event, as [Event.Get] does.
func (b *Batch) Value(p *FieldPath, i int) Value {
	column, _, f := b.column(p)
	switch {
	case column == nil || f != b.c.route(b.class, p).field:
	case f.Constant && !f.Array:
		at, ok := b.c.constant(f.Class, column[i])
		if !ok {
			return b.c.valueAt(f, missing(column[i]), 0, column[i])
		}
		return b.c.payload(f, f.Class, at, column[i], 0)
	case f.Array || f.Class.Kind == index.String:
		return b.c.valueOf(f, b.c.data, int(column[i]), false, 0)
	}
	return b.Event(i).Get(p)
}
