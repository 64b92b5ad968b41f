package writer

import (
	"fmt"
	"math"
	"time"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// encoder appends values, and collects the constants that they refer to.
type encoder struct {
	wire.Appender
	refs []*constant
}

// borrow returns an empty encoder. A constant is encoded while another value is, so there are as many
// as constants refer to one another.
func (w *Writer) borrow() *encoder {
	if w.borrowed == len(w.encoders) {
		w.encoders = append(w.encoders, &encoder{})
	}
	e := w.encoders[w.borrowed]
	w.borrowed++
	e.Bytes, e.refs, e.Encoding = e.Bytes[:0], e.refs[:0], w.out.Encoding
	return e
}

// giveBack ends the use of the encoder that was borrowed last.
func (w *Writer) giveBack() {
	w.borrowed--
	if e := w.encoders[w.borrowed]; cap(e.Bytes) > maxIdle {
		e.Bytes = nil
	}
}

const (
	// maxIdle is the greatest buffer that is used again.
	maxIdle = 1 << 20
	// maxText and maxEvent are the greatest sizes of a text and of an event, in bytes. Readers hold
	// sizes in 31 bits.
	maxText, maxEvent = 1 << 28, 1 << 29
	// maxNesting is how many values lie inside one another at most. Readers call themselves for each.
	maxNesting = 500
)

// misfit is the error of a value that is not of its field's type.
func (f *definedField) misfit(want string) error {
	return fmt.Errorf("field %q of %q: %s is needed", f.name, f.owner.name, want)
}

// appendFields appends the values of all fields of a type.
func (w *Writer) appendFields(e *encoder, typ *definedType, values []Value) error {
	if len(values) != len(typ.fields) {
		return fmt.Errorf("%q has %d fields; there are %d values", typ.name, len(typ.fields), len(values))
	}
	for i := range values {
		if err := w.appendField(e, &typ.fields[i], &values[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) appendField(e *encoder, f *definedField, v *Value) error {
	if !f.array {
		return w.appendElement(e, f, v)
	}
	if v.kind != listValue {
		return f.misfit("a List")
	}
	if len(v.list) > maxEvent {
		return f.misfit("a shorter List")
	}
	e.Count(len(v.list))
	for i := range v.list {
		if err := w.appendElement(e, f, &v.list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) appendElement(e *encoder, f *definedField, v *Value) error {
	switch {
	case f.constant:
		c, err := w.intern(f.typ, v)
		if err != nil {
			return fmt.Errorf("field %q of %q: %w", f.name, f.owner.name, err)
		}
		e.key(c)
		return nil
	case f.typ.kind == structKind:
		return w.appendValue(e, f.typ, v)
	case f.typ.kind == textKind:
		return w.appendText(e, f, v)
	case f.typ.kind == floatKind || f.typ.kind == doubleKind:
		return f.appendFloat(e, v)
	}
	n, err := w.number(f, v)
	if err != nil {
		return err
	}
	switch f.typ.kind {
	case boolKind, byteKind:
		e.Byte(uint8(n))
	case charKind, shortKind:
		e.Short(uint16(n))
	case intKind:
		e.Int(int32(n))
	default:
		e.Long(int64(n))
	}
	return nil
}

// key appends the key of a constant, 0 for nil.
func (e *encoder) key(c *constant) {
	if c == nil {
		e.Long(0)
		return
	}
	e.Long(c.key)
	e.refs = append(e.refs, c)
}

// appendValue appends a value of a type with fields, or a pooled text.
func (w *Writer) appendValue(e *encoder, typ *definedType, v *Value) error {
	if w.nesting == maxNesting {
		return fmt.Errorf("a value of type %q lies in %d others, or holds itself", typ.name, maxNesting)
	}
	w.nesting++
	defer func() { w.nesting-- }()
	switch {
	case typ.kind == textKind:
		e.Text(v.text)
		return nil
	case v.kind == listValue && !(len(typ.fields) == 1 && typ.fields[0].array):
		return w.appendFields(e, typ, v.list)
	case len(typ.fields) == 1:
		return w.appendField(e, &typ.fields[0], v)
	}
	return fmt.Errorf("a value of type %q is needed: a List with the values of its fields", typ.name)
}

func (w *Writer) appendText(e *encoder, f *definedField, v *Value) error {
	switch {
	case v.kind == nullValue:
		e.Byte(uint8(wire.Null))
		return nil
	case v.kind != textValue:
		return f.misfit("a Text")
	case len(v.text) > maxText:
		return f.misfit("a shorter Text")
	case f.pooled && v.text != "":
		c, err := w.intern(w.types.named[jdktypes.String], v)
		if err != nil {
			return err
		}
		e.Byte(uint8(wire.Constant))
		e.key(c)
	case v.text == "" && f.owner.name == jdktypes.Symbol:
		e.Byte(uint8(wire.UTF8)) // readers of symbols know no other encoding
		e.Count(0)
	default:
		e.Text(v.text)
	}
	return nil
}

func (f *definedField) appendFloat(e *encoder, v *Value) error {
	if v.kind != floatValue {
		return f.misfit("a Float")
	}
	if n := math.Float64frombits(v.number); f.typ.kind == floatKind {
		if math.IsInf(float64(float32(n)), 0) && !math.IsInf(n, 0) {
			return f.misfit("a Float that fits into float")
		}
		e.Float(float32(n))
	} else {
		e.Double(n)
	}
	return nil
}

// bits are the widths of integers.
var bits = [...]uint{byteKind: 8, charKind: 16, shortKind: 16, intKind: 32, longKind: 64}

// number returns the number that is written for a value.
func (w *Writer) number(f *definedField, v *Value) (uint64, error) {
	n, negative := v.number, int64(v.number) < 0 && v.kind != uintValue
	switch {
	case f.typ.kind == boolKind:
		if v.kind != boolValue {
			return 0, f.misfit("a Bool")
		}
		return n, nil
	case v.kind == timeValue:
		t, err := w.timestamp(f, v.time)
		if err != nil {
			return 0, err
		}
		n, negative = uint64(t), t < 0
	case v.kind == durationValue:
		d, err := f.timespan(time.Duration(v.number))
		if err != nil {
			return 0, err
		}
		n, negative = uint64(d), d < 0
	case v.kind != intValue && v.kind != uintValue:
		return 0, f.misfit("an Int or Uint")
	}
	width := bits[f.typ.kind]
	if f.typ.kind != charKind && (!f.unsigned || negative) {
		width-- // the sign takes a bit
	}
	switch {
	case negative && f.typ.kind != charKind && ^n>>width == 0: // also in fields without a sign: -1 stands for unknown
	case negative || width < 64 && n>>width != 0:
		return 0, f.misfit("a number that fits into " + f.typ.name)
	}
	return n, nil
}

// unknownTime is what is written for a time that is not known.
const unknownTime = math.MinInt64

// timestamp returns a time in the unit of a field.
func (w *Writer) timestamp(f *definedField, t time.Time) (int64, error) {
	switch {
	case f.unit != timestampTicks && f.unit != timestampMillis:
		return 0, f.misfit("no Time: it has no annotation Timestamp; another value")
	case t.IsZero():
		return unknownTime, nil
	case f.unit == timestampMillis:
		return t.UnixMilli(), nil
	}
	since := t.Sub(w.chunk.anchor)
	if since == math.MinInt64 || since > math.MaxInt64-time.Duration(w.chunk.anchorTicks) {
		return 0, f.misfit("a Time within 290 years of now")
	}
	return int64(since) + w.chunk.anchorTicks, nil
}

// timespan returns a length of time in the unit of a field.
func (f *definedField) timespan(d time.Duration) (int64, error) {
	if f.unit < timespanTicks {
		return 0, f.misfit("no Duration: it has no annotation Timespan; another value")
	}
	if d == math.MaxInt64 || d == math.MinInt64 {
		return int64(d), nil // without end, or not known, in each unit
	}
	switch f.unit {
	case timespanMicros:
		return d.Microseconds(), nil
	case timespanMillis:
		return d.Milliseconds(), nil
	case timespanSeconds:
		return int64(d / time.Second), nil
	}
	return int64(d), nil
}
