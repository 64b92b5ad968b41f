package mmapjfr

import (
	"math"
	"runtime/debug"
	"time"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/stringtable"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Kind is the kind of a [Value].
type Kind uint8

// The kinds. KindNone is the kind of a value that is not there: see
// [Value.IsAbsent], [Value.IsNull] and [Value.IsMissing].
const (
	KindNone Kind = iota
	KindBool
	KindByte
	KindChar
	KindShort
	KindInt
	KindLong
	KindFloat
	KindDouble
	KindString
	KindStruct
	KindArray

	// What KindNone is inside a Value: nothing that is null, or missing.
	kindNull
	kindMissing
	// Values that are computed: a number, which is the key, the name of the event type, and
	// the texts of a struct that lies in the file.
	kindNumber
	kindTypeName
	kindText
	kindRawText
)

var kinds = [...]Kind{
	schema.Struct: KindStruct,
	schema.Bool:   KindBool,
	schema.Byte:   KindByte,
	schema.Char:   KindChar,
	schema.Short:  KindShort,
	schema.Int:    KindInt,
	schema.Long:   KindLong,
	schema.Float:  KindFloat,
	schema.Double: KindDouble,
	schema.String: KindString,
}

// missing returns the kind of a constant that no pool holds: key 0 stands for null, unless
// a pool holds a constant with that key.
func missing(key int64) Kind {
	if key == 0 {
		return kindNull
	}
	return kindMissing
}

// Durations that are no number (index/FORMAT.md, section 5.4).
const (
	// Forever is a duration without an end.
	Forever = time.Duration(math.MaxInt64)
	// NoDuration is a duration that is not known.
	NoDuration = time.Duration(math.MinInt64)
)

// Value is the value of a field, an element of an array, or a constant. It is a
// view: it decodes when asked and is passed by value.
//
// Accessors for another kind than the value's own convert where that makes sense, and return
// zero elsewhere. They never fail. They allocate nothing but strings that are read for the
// first time. What has been cut from the file reads as zero, see [Recording.FileErr]; a number
// that could be read when its Value was made is kept.
type Value struct {
	// Go keeps no more than four fields of a struct in registers.
	c     *chunk
	field *schema.Field // where the value was found
	at    place
	key   int64 // of the constant; the number if it is decoded
}

// place is where a value lies in its chunk, and of what kind it is.
type place uint64

const posBits = 56

// decoded is set in the place of a number that has been decoded: it is the value's key.
const decoded place = 1 << 63

func placeOf(k Kind, pos int) place { return place(k)<<posBits | place(pos) }

func (p place) kind() Kind { return Kind(p &^ decoded >> posBits) }

func (p place) pos() int { return int(p & (1<<posBits - 1)) }

// valueAt returns a value without reading any bytes.
func (c *chunk) valueAt(f *schema.Field, k Kind, pos int, key int64) Value {
	return Value{c, f, placeOf(k, pos), key}
}

// typ returns the type of the value, or of an array's elements.
func (v Value) typ() *schema.Type {
	switch {
	case v.field == nil:
		return nil
	case v.at.kind() == KindArray:
		return v.field.Type
	}
	return v.field.Unwrapped()
}

// payload returns the value of the type that begins at pos and was found in field f. depth
// counts the wrappers and references that have been looked through.
func (c *chunk) payload(f *schema.Field, typ *schema.Type, pos int, key int64, depth int) Value {
	if typ.IsWrapper() && depth < maxHops {
		inner := &typ.Fields[0]
		if !inner.Array && !inner.Constant && inner.Type != nil && pos <= len(c.bytes()) {
			// The string may lie in the pool of strings: then it has a key of its own.
			return c.payload(f, inner.Type, pos, key, depth+1)
		}
		v := c.valueOf(inner, c.bytes(), pos, false, depth+1)
		if v.at.kind() != KindArray {
			v.field = f
		}
		if !inner.Constant {
			v.key = key
		}
		return v
	}
	if typ.Kind == schema.String {
		return c.stringValue(f, typ, pos, key, depth)
	}
	if key == 0 {
		return c.plainValue(f, typ, c.bytes(), pos, pos)
	}
	return c.valueAt(f, kinds[typ.Kind], pos, key)
}

// plainValue returns the value of a type that refers to nothing. It begins in b at off, and in
// the chunk at pos. A number is decoded here, while its bytes are at hand: accessors of the
// value then read no map and need no trap (see decoder.go). A number with the key of a constant
// is not decoded, because the value has room for one of the two.
func (c *chunk) plainValue(f *schema.Field, typ *schema.Type, b []byte, off, pos int) Value {
	k := kinds[typ.Kind]
	if k < KindBool || k > KindDouble {
		return c.valueAt(f, k, pos, 0)
	}
	return Value{c, f, decoded | placeOf(k, pos), c.number(k, b, off)}
}

// stringValue follows a string that lies in the pool of strings.
func (c *chunk) stringValue(f *schema.Field, typ *schema.Type, pos int, key int64, depth int) Value {
	b := c.bytes()
	for uint(pos) < uint(len(b)) {
		switch wire.Encoding(b[pos]) {
		case wire.Null:
			return c.valueAt(f, kindNull, pos, key)
		case wire.Constant:
			if depth++; depth > maxHops {
				// These strings refer to one another in a cycle.
				return c.valueAt(f, kindMissing, pos, key)
			}
			k, n := c.form.Long(b[pos+1:])
			if n == 0 {
				return c.valueAt(f, KindNone, pos, key)
			}
			at, ok := c.constant(typ, k)
			if !ok {
				return c.valueAt(f, missing(k), pos, k)
			}
			pos, key = at, k
		default:
			return c.valueAt(f, KindString, pos, key)
		}
	}
	return c.valueAt(f, KindNone, 0, key)
}

// valueOf returns the value of a field, or of an element of its array, that lies at
// pos.
func (c *chunk) valueOf(f *schema.Field, b []byte, pos int, elem bool, depth int) Value {
	typ := f.Type
	switch {
	case typ == nil || uint(pos) > uint(len(b)):
		return c.valueAt(f, KindNone, 0, 0)
	case f.Array && !elem:
		return c.valueAt(f, KindArray, pos, 0)
	case f.Constant:
		return c.constantAt(f, b, pos, depth)
	case typ.Kind == schema.String || typ.IsWrapper():
		return c.payload(f, typ, pos, 0, depth)
	}
	return c.plainValue(f, typ, b, pos, pos)
}

// constantAt returns the value of the constant whose key lies at pos.
func (c *chunk) constantAt(f *schema.Field, b []byte, pos, depth int) Value {
	key, n := c.form.Long(b[pos:])
	if n == 0 {
		return c.valueAt(f, KindNone, pos, 0)
	}
	return c.constantOf(f, key, pos, depth)
}

// constantOf returns the value of the constant with that key, which lies at pos.
func (c *chunk) constantOf(f *schema.Field, key int64, pos, depth int) Value {
	at, ok := c.constant(f.Type, key)
	if !ok {
		return c.valueAt(f, missing(key), pos, key)
	}
	return c.payload(f, f.Type, at, key, depth)
}

// Kind returns the kind of the value; KindNone if the value is not there.
func (v Value) Kind() Kind {
	switch k := v.at.kind(); {
	case k <= KindArray:
		return k
	case k == kindNumber:
		return kinds[v.field.Type.Kind]
	case k >= kindTypeName:
		return KindString
	}
	return KindNone
}

// IsNull reports whether the value is null: a null string, or a reference to
// nothing.
func (v Value) IsNull() bool { return v.at.kind() == kindNull }

// IsMissing reports whether the value is a constant that was not recorded, or
// whose checkpoint is damaged.
func (v Value) IsMissing() bool { return v.at.kind() == kindMissing }

// IsAbsent reports whether there is no such field, or the recording is closed.
func (v Value) IsAbsent() bool {
	return v.at.kind() == KindNone || v.c != nil && v.c.isGone()
}

// Type returns the type of the value; of the elements if it is an array.
func (v Value) Type() Type { return Type{v.typ()} }

// Field returns the field that the value was read from; false for constants that were not
// read from a field.
func (v Value) Field() (Field, bool) {
	if v.field == nil || v.field.IsValueField() {
		return Field{}, false
	}
	return Field{v.field}, true
}

// constantKey returns the key of the constant that the value is, or from which its text is computed,
// also of a missing constant; 0 for other values. Keys are valid within their chunk.
func (v Value) constantKey() int64 {
	if v.isDecoded() {
		return 0
	}
	return v.key
}

// isDecoded reports whether the key of the value is its number.
func (v Value) isDecoded() bool { return v.at&decoded != 0 }

// unit returns what the number counts.
func (v Value) unit() Unit {
	if v.field == nil {
		return NoUnit
	}
	return v.field.Unit
}

func (v Value) unsigned() bool { return v.field != nil && v.field.Unsigned }

// Bool returns a boolean; for numbers, whether they are not zero.
func (v Value) Bool() bool { return v.Int() != 0 }

// Int returns an integer, widened: with zeros if the field is unsigned, else
// with its sign. A boolean is 0 or 1, a character its UTF-16 code, a float or
// double is cut towards zero. An unsigned long above the greatest int64 is
// negative here; see [Value.Uint].
func (v Value) Int() int64 {
	if v.isDecoded() && !v.c.isGone() {
		return integerOf(v.at.kind(), v.key, v.unsigned())
	}
	return integerOf(v.at.kind(), v.trapped(), v.unsigned())
}

// trapped is number with a trap where it reads a map.
//
//go:noinline
func (v Value) trapped() (n int64) {
	if k := v.at.kind(); k >= KindBool && k <= KindDouble && !v.isDecoded() && v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return v.number()
}

// integer is Int without a trap: the caller recovers from faults. Other accessors have such a
// twin, too.
func (v Value) integer() int64 { return integerOf(v.at.kind(), v.number(), v.unsigned()) }

// number returns what [chunk.number] does of the value, 0 if it is not there.
func (v Value) number() int64 {
	b := v.bytes()
	switch {
	case b == nil:
		return 0
	case v.isDecoded():
		return v.key
	}
	return v.c.number(v.at.kind(), b, v.at.pos())
}

// bytes returns the bytes of the chunk if the value is a present one.
func (v Value) bytes() []byte {
	if v.Kind() == KindNone {
		return nil
	}
	return v.c.bytes()
}

// Uint returns an integer without a sign, for fields that are unsigned. For
// others, negative numbers wrap around.
func (v Value) Uint() uint64 { return uint64(v.Int()) }

// Float returns a float or double, or an integer as a double.
func (v Value) Float() float64 {
	if v.isDecoded() && !v.c.isGone() {
		return floatOf(v.at.kind(), v.key, v.unsigned())
	}
	return floatOf(v.at.kind(), v.trapped(), v.unsigned())
}

func (v Value) float() float64 { return floatOf(v.at.kind(), v.number(), v.unsigned()) }

// isUnset reports whether the number stands for "not known": the least int or long, NaN, or
// negative infinity.
func (v Value) isUnset() bool {
	switch v.at.kind() {
	case KindInt:
		return v.Int() == math.MinInt32
	case KindLong:
		return v.Int() == math.MinInt64
	case KindFloat, KindDouble:
		f := v.Float()
		return f != f || math.IsInf(f, -1)
	}
	return false
}

// Time returns a point in time, in UTC; the zero time if the field holds none,
// or if it is not known. It is what the JDK computes, with the clock of the event's own chunk.
func (v Value) Time() time.Time {
	n := v.Int()
	if v.bytes() == nil || n == math.MinInt64 || v.isFloat() && v.isUnset() {
		return time.Time{}
	}
	switch v.unit() {
	case TimestampTicks:
		return unixNano(v.c.clock.timestamp(n))
	case TimestampMillis:
		return time.UnixMilli(n).UTC()
	}
	return time.Time{}
}

// Duration returns a length of time; 0 if the field holds none. It is
// [NoDuration] if it is not known and [Forever] if it has no end. A length that a
// time.Duration cannot hold is Forever, or its negative. Floats and doubles keep their
// fractions, to the nanosecond; NaN and negative infinity are not known.
func (v Value) Duration() time.Duration {
	if v.bytes() == nil || !v.unit().IsTimespan() {
		return 0
	}
	if v.isFloat() {
		return v.floatDuration()
	}
	n := v.Int()
	switch n {
	case math.MinInt64:
		return NoDuration
	case math.MaxInt64:
		return Forever
	}
	switch v.unit() {
	case TimespanTicks:
		return time.Duration(v.c.clock.timespan(n))
	case TimespanSeconds:
		return times(n, time.Second)
	case TimespanMillis:
		return times(n, time.Millisecond)
	case TimespanMicros:
		return times(n, time.Microsecond)
	case TimespanNanos:
		return time.Duration(n)
	}
	return 0
}

func (v Value) isFloat() bool {
	k := v.at.kind()
	return k == KindFloat || k == KindDouble
}

// floatDuration is [Value.Duration] of floats and doubles.
func (v Value) floatDuration() time.Duration {
	if v.isUnset() {
		return NoDuration
	}
	f := v.Float()
	switch v.unit() {
	case TimespanTicks:
		f /= v.c.clock.ticksPerNano
	case TimespanSeconds:
		f *= float64(time.Second)
	case TimespanMillis:
		f *= float64(time.Millisecond)
	case TimespanMicros:
		f *= float64(time.Microsecond)
	}
	return max(time.Duration(javaLong(math.Round(f))), NoDuration+1)
}

// times multiplies, and stays at the greatest and the least known duration.
func times(n int64, unit time.Duration) time.Duration {
	limit := math.MaxInt64 / int64(unit)
	switch {
	case n > limit:
		return Forever
	case n < -limit:
		return NoDuration + 1
	}
	return time.Duration(n) * unit
}

// text returns the string as it lies in the file.
func (v Value) text() (wire.Text, bool) {
	b := v.bytes()
	if v.at.kind() != KindString || uint(v.at.pos()) >= uint(len(b)) {
		return wire.Text{}, false
	}
	t, n := wire.ReadText(b[v.at.pos():], v.c.form)
	return t, n > 0
}

// Str returns a string; "" for null and for other values. Some structs have a text, which it
// returns: the name of a thread, a thread group or a class loader, a class as in Java
// ("byte[]"), a method with its parameters, a frame with its line. The string stays valid, also
// after Close. The recording keeps each text once, see [StringTable], so that reading it again
// allocates nothing. Bytes that are no character become U+FFFD.
func (v Value) Str() (s string) {
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return v.str()
}

func (v Value) str() string {
	t, ok := v.text()
	if !ok {
		return v.computedStr()
	}
	return v.stringOf(t)
}

// stringOf returns the string of a value as it lies in the file. A long one is read once for all events that have it.
func (v Value) stringOf(t wire.Text) string {
	strings := v.c.rec.strings
	if len(t.Bytes) <= stringtable.MaxText || v.c.id == 0 || v.c.isGone() {
		return strings.Text(t)
	}
	key := stringtable.NewConstantKey(v.c.id, longText, 0, v.at.pos())
	if s := strings.Long(&key); s != "" {
		return s
	}
	s := strings.Text(t)
	if v.c.status.Load() == 0 {
		strings.AddLong(&key, s)
	}
	return s
}

// StrView returns the text of [Value.Str] as a view. Where the bytes of the file are the text,
// the view aliases them. It is valid until [Recording.Close], or until a growing chunk grows;
// reading it later can crash the program. Use it for a string that is read once and not kept,
// also not as the key of a map: assigning to a key that is there stores the new string. It
// costs less than Str for long texts and for many different ones.
func (v Value) StrView() (s string) {
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return v.strView()
}

func (v Value) strView() string {
	t, ok := v.text()
	if !ok {
		return v.computedStr()
	}
	if s, ok := t.View(); ok {
		return s
	}
	return v.stringOf(t)
}

// AppendStr appends a string to dst. It allocates nothing but room in dst.
func (v Value) AppendStr(dst []byte) (to []byte) {
	to = dst
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return v.appendStr(dst)
}

func (v Value) appendStr(dst []byte) []byte {
	if t, ok := v.text(); ok {
		return t.Append(dst)
	}
	return v.appendComputed(dst)
}

// appendUTF16 appends the UTF-16 code units of a string to dst. It keeps unpaired surrogates,
// which Str cannot express.
func (v Value) appendUTF16(dst []uint16) (to []uint16) {
	to = dst
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	if t, ok := v.text(); ok {
		return t.AppendUTF16(dst)
	}
	return append(dst, utf16.Encode([]rune(v.computedStr()))...)
}
