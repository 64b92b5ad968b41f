package rewrite

import (
	"encoding/binary"
	"sort"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/refs"
	"github.com/mmapjfr/jfr/internal/wire"
)

// change is what becomes of the values of a slot.
type change struct {
	text   TextEdit
	number NumberEdit
	array  ArrayEdit
	t      *schema.Type // whose slot it is
	slot   int
}

// change returns what becomes of a slot of a type; nil if it stays as it is.
func (s *source) change(t *schema.Type, slot int) *change {
	f, path, unit := fieldAt(t, slot)
	kind := t.Kind
	if f != nil {
		kind = f.Type.Kind
	}
	switch {
	case f != nil && f.Constant || kind == schema.Struct:
		return nil
	case kind == schema.String:
		return s.textChange(t, path)
	case f == nil:
		return nil
	case unit == schema.TimestampTicks || t.StartTime() != nil && t.StartTime().Slot() == slot:
		if s.clock != nil {
			return &change{number: s.clock.timestamp}
		}
		return nil
	case unit == schema.TimespanTicks:
		if s.clock != nil {
			return &change{number: s.clock.timespan}
		}
		return nil
	case t.CurrentName() == activeSetting && path == "id" && s.jvm.Renumbers():
		return &change{number: func(id int64) int64 {
			if s.types.ByID(schema.TypeID(id)) == nil {
				return id
			}
			return int64(s.jvm.ID(schema.TypeID(id)))
		}}
	case s.plan.Edits == nil || unit.IsTimestamp() || unit.IsTimespan():
		return nil
	}
	place := Place{Type: t.CurrentName(), Field: path, Event: t.IsEvent(), Units: f.Array && (kind == schema.Char || kind == schema.Byte)}
	place.Number, place.Bits = numberOf(kind)
	if edit := s.plan.Edits.Number(place); edit != nil {
		return &change{number: edit}
	}
	if f.Array && (place.Number == Integer || place.Number == Unsigned) {
		if edit := s.plan.Edits.Array(place); edit != nil {
			return &change{array: edit}
		}
	}
	return nil
}

// numberOf says what numbers of a kind are, and how many bits they have.
func numberOf(kind schema.Kind) (Number, int) {
	switch kind {
	case schema.Bool:
		return Boolean, 1
	case schema.Byte:
		return Integer, 8
	case schema.Char:
		return Unsigned, 16
	case schema.Short:
		return Integer, 16
	case schema.Int:
		return Integer, 32
	case schema.Float:
		return Real, 32
	case schema.Double:
		return Real, 64
	}
	return Integer, 64
}

// textChange returns what becomes of the texts of a field.
func (s *source) textChange(t *schema.Type, path string) *change {
	var edit TextEdit
	if s.plan.Edits != nil {
		edit = s.plan.Edits.Text(Place{Type: t.CurrentName(), Field: path, Event: t.IsEvent()})
	}
	if s.prefix != "" && t.CurrentName() == jdktypes.Thread && (path == "javaName" || path == "osName") {
		edit = prefixed(s.prefix, edit)
	}
	if edit == nil && s.mends != nil {
		edit = mendOf(t, path)
	}
	if edit == nil {
		return nil
	}
	return &change{text: edit}
}

// prefixed returns an edit that puts a prefix before what another edit makes.
func prefixed(prefix string, edit TextEdit) TextEdit {
	return func(text string, of Values) (string, bool) {
		if edit != nil {
			if edited, changed := edit(text, of); changed {
				text = edited
			}
		}
		return prefix + text, true
	}
}

// fieldAt returns the field that a slot of a type belongs to, the path to it, and its unit, which a field says of what it
// wraps, too; nil for the value of a primitive type, which damaged metadata can give fields.
func fieldAt(t *schema.Type, slot int) (f *schema.Field, path string, unit schema.Unit) {
	if t.Kind != schema.Struct {
		return nil, "", schema.NoUnit
	}
	after := sort.Search(len(t.Fields), func(i int) bool {
		wire.Step()
		return t.Fields[i].Slot() > slot
	})
	f = &t.Fields[after-1]
	if f.Constant || f.Array || f.Type.Kind != schema.Struct {
		return f, f.Name, f.Unit
	}
	inner, rest, unit := fieldAt(f.Type, slot-f.Slot())
	if f.Type.IsWrapper() && f.Unit != schema.NoUnit {
		unit = f.Unit
	}
	return inner, f.Name + "." + rest, unit
}

// piece appends a number, or a string that lies in place, of the value of a type between pos and end.
func (s *source) piece(a *wire.Appender, r *refs.Reference, ch *change, t *schema.Type, pos, end int) {
	b := s.data[r.From:r.To]
	kind := r.Slot.Type.Kind
	if kind == schema.String {
		s.text(a, b, ch, t, pos, end)
		return
	}
	was := s.number(kind, b)
	is := was
	if ch != nil && ch.number != nil {
		is = ch.number(was)
		s.edited = s.edited || is != was
	}
	appendNumber(a, kind, is)
}

// array appends the numbers of an array, of which that at i among what has been noted is the first. It returns where the
// last of them is noted.
func (s *source) array(a *wire.Appender, i int, ch *change) int {
	first := s.noted[i]
	kind := first.Slot.Type.Kind
	s.numbers = s.numbers[:0]
	last := i
	for ; last < len(s.noted); last++ {
		r := &s.noted[last]
		if r.Slot != first.Slot || r.Count || last > i && r.From != s.noted[last-1].To {
			break
		}
		s.numbers = append(s.numbers, s.number(kind, s.data[r.From:r.To]))
	}
	last--
	if ch.array(s.ctx, s.numbers) {
		s.edited = true
	} else if s.form == a.Encoding {
		a.Raw(s.data[first.From:s.noted[last].To])
		return last
	}
	for _, n := range s.numbers {
		appendNumber(a, kind, n)
	}
	return last
}

// number returns the number of a kind that takes these bytes; of a float or a double its bits.
func (s *source) number(kind schema.Kind, b []byte) (n int64) {
	switch kind {
	case schema.Bool:
		n = int64(b[0])
	case schema.Byte:
		n = int64(int8(b[0]))
	case schema.Float:
		n = int64(binary.BigEndian.Uint32(b))
	case schema.Double:
		n = int64(binary.BigEndian.Uint64(b))
	case schema.Char:
		v, _ := s.form.Short(b)
		n = int64(uint16(v))
	case schema.Short:
		v, _ := s.form.Short(b)
		n = int64(v)
	case schema.Int:
		v, _ := s.form.Int(b)
		n = int64(v)
	default:
		n, _ = s.form.Long(b)
	}
	return n
}

// appendNumber appends a number of a kind.
func appendNumber(a *wire.Appender, kind schema.Kind, n int64) {
	switch kind {
	case schema.Bool, schema.Byte:
		a.Byte(uint8(n))
	case schema.Float:
		a.Bytes = binary.BigEndian.AppendUint32(a.Bytes, uint32(n))
	case schema.Double:
		a.Bytes = binary.BigEndian.AppendUint64(a.Bytes, uint64(n))
	case schema.Char, schema.Short:
		a.Short(uint16(n))
	case schema.Int:
		a.Int(int32(n))
	default:
		a.Long(n)
	}
}

// text appends a string that lies in place.
func (s *source) text(a *wire.Appender, b []byte, ch *change, t *schema.Type, pos, end int) {
	text, _ := wire.ReadText(b, s.form)
	if ch != nil && ch.text != nil && text.Encoding != wire.Null {
		if edited, changed := s.edit(ch, text, t, pos, end); changed {
			a.Text(edited)
			s.edited = true
			return
		}
	}
	switch {
	case s.form == a.Encoding:
		a.Raw(b)
	case text.Encoding == wire.Null || text.Encoding == wire.Empty:
		a.Byte(uint8(text.Encoding))
	case text.Encoding == wire.Chars:
		units := text.AppendUTF16(nil)
		a.Byte(uint8(wire.Chars))
		a.Count(len(units))
		for _, u := range units {
			a.Short(u)
		}
	default:
		a.Byte(uint8(text.Encoding))
		a.Count(len(text.Bytes))
		a.Raw(text.Bytes)
	}
}
