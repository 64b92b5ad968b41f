package query

import (
	"bytes"
	"cmp"
	le "encoding/binary"
	"hash/maphash"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Within the engine a value is a raw number: the bits of what [Kind.isNumeric], and otherwise its
// number among values. Null is nullRaw whatever the kind. These are the bits of a NaN, which is null, too; no value of another
// kind has them unless by chance, once in 2^64. Long.MIN_VALUE of Java is null as a time or a length of time, and else a number.
const nullRaw = 0x7ff8_6e75_6c6c_0001

// values numbers distinct values that have texts or elements. Of a stack trace they keep the numbers of its
// frames, whose texts are shared by all.
type values struct {
	list   []flatValue
	lists  [][]Value // of those that are lists
	slots  []uint64  // a hash table: half of the hash, and the number of the value plus 1
	key    []byte
	other  []byte
	frames frameTexts
	bytes  int  // that the values take, more or less
	byID   bool // classes are the same if their JVM says so, and not by name
	// long is the long text that was added last, and longRaw its number: hashing one for each event that has it would take too long.
	long    Value
	longRaw int64
}

// leastLong is how many bytes a long text has at least.
const leastLong = 4 << 10

// flatValue is a value without its elements.
type flatValue struct {
	num        uint64 // of a list its place among lists
	text       string // of a stack trace the numbers of its frames
	line, hash int32
	kind       Kind
}

var seed = maphash.MakeSeed()

// raw returns the raw number of a value.
func (vs *values) raw(v Value) int64 {
	switch {
	case v.kind == Null:
		return nullRaw
	case v.kind == Float && math.Float64frombits(v.num) == 0:
		return 0 // also of minus 0, which is the same number
	case v.kind == Float && math.IsNaN(math.Float64frombits(v.num)):
		return nullRaw
	case v.kind.isNumeric():
		return int64(v.num)
	}
	if v.kind == Text && len(v.text) >= leastLong {
		if v.text != vs.long.text || v.hash != vs.long.hash {
			vs.longRaw, _ = vs.add(v)
			vs.long = v
		}
		return vs.longRaw
	}
	n, _ := vs.add(v)
	return n
}

// add returns the number of a value, and reports whether it is new.
func (vs *values) add(v Value) (n int64, isNew bool) {
	if v.kind == Stack {
		v.text = vs.frames.pack(v.text, vs.byID)
	}
	if 4*len(vs.list) >= 3*len(vs.slots) {
		vs.rehash(slotsFor(len(vs.list)))
	}
	vs.key = v.appendKey(vs.key[:0], vs.byID)
	hash := maphash.Bytes(seed, vs.key)
	mask := uint64(len(vs.slots) - 1)
	slot := hash & mask
	for ; vs.slots[slot] != 0; slot = (slot + 1) & mask {
		if vs.slots[slot]>>32 != hash>>32 {
			continue
		}
		n := int64(uint32(vs.slots[slot])) - 1
		if vs.other = vs.packed(n).appendKey(vs.other[:0], vs.byID); bytes.Equal(vs.other, vs.key) {
			return n, false
		}
	}
	n = int64(len(vs.list))
	vs.slots[slot] = hash>>32<<32 | uint64(n+1)
	if !vs.byID && Text < v.kind && v.kind < Stack {
		if v.hash = hashString(v.text); v.kind != Thread {
			v.num = 0 // it is another one in each recording
		}
	}
	one := flatValue{v.num, strings.Clone(v.text), v.line, v.hash, v.kind}
	if v.kind == List {
		one.num = uint64(len(vs.lists))
		vs.lists = append(vs.lists, v.list)
	}
	vs.list = append(vs.list, one)
	vs.bytes += len(vs.key) + valueSize
	return n, true
}

func (vs *values) rehash(n int) {
	vs.slots = make([]uint64, n)
	mask := uint64(n - 1)
	for i := range vs.list {
		vs.other = vs.packed(int64(i)).appendKey(vs.other[:0], vs.byID)
		hash := maphash.Bytes(seed, vs.other)
		slot := hash & mask
		for vs.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		vs.slots[slot] = hash>>32<<32 | uint64(i+1)
	}
}

// packed returns the n-th value, a stack trace with the numbers of its frames.
func (vs *values) packed(n int64) Value {
	one := &vs.list[n]
	v := Value{kind: one.kind, line: one.line, hash: one.hash, num: one.num, text: one.text}
	if v.kind == List {
		v.num, v.list = 0, vs.lists[one.num]
	}
	return v
}

// value returns the value of a raw number of that kind.
func (vs *values) value(k Kind, raw int64) Value {
	switch {
	case raw == nullRaw:
		return Value{}
	case k.isNumeric():
		return Value{kind: k, num: uint64(raw)}
	}
	return vs.at(raw)
}

// at returns the n-th value.
func (vs *values) at(n int64) Value {
	v := vs.packed(n)
	if v.kind == Stack {
		v.text = vs.frames.unpack(v.text)
	}
	return v
}

// order returns how the values of two raw numbers of a kind are ordered, as [Value.order] does. It makes texts of stack
// traces only if frames do not tell.
func (vs *values) order(k Kind, x, y int64) int {
	if k == Stack && x != nullRaw && y != nullRaw {
		if n, ok := vs.frames.order(vs.list[x].text, vs.list[y].text); ok {
			return n
		}
	}
	return vs.value(k, x).order(vs.value(k, y))
}

// frameTexts numbers the texts of frames of stack traces.
type frameTexts struct {
	list  []string
	index map[string]uint64
	b     []byte
}

// pack returns the text of a stack trace as the numbers of its frames. Without lines these
// are 0: to the JDK's views stack traces of the same methods are the same.
func (ft *frameTexts) pack(text string, withoutLines bool) string {
	ft.b = ft.b[:0]
	for text != "" {
		var frame string
		frame, text, _ = strings.Cut(text, frameEnd)
		if name, line, _ := strings.Cut(frame, lineStart); withoutLines && line != "0" {
			frame = name + lineStart + "0"
		}
		n, ok := ft.index[frame]
		if !ok {
			if ft.index == nil {
				ft.index = make(map[string]uint64)
			}
			n = uint64(len(ft.list))
			frame = strings.Clone(frame)
			ft.index[frame] = n
			ft.list = append(ft.list, frame)
		}
		ft.b = le.AppendUvarint(ft.b, n)
	}
	return string(ft.b)
}

// order returns how the texts of two stack traces of numbers of frames are ordered, if one frame alone decides that.
func (ft *frameTexts) order(a, b string) (n int, ok bool) {
	x, y := []byte(a), []byte(b)
	for len(x) > 0 && len(y) > 0 {
		i, size := le.Uvarint(x)
		x = x[size:]
		j, size := le.Uvarint(y)
		y = y[size:]
		if i == j {
			continue
		}
		one, _, _ := strings.Cut(ft.list[i], lineStart)
		other, _, _ := strings.Cut(ft.list[j], lineStart)
		if one != other {
			n = javatext.Compare(one, other)
			return n, n != 0 && !strings.HasPrefix(one, other) && !strings.HasPrefix(other, one)
		}
	}
	return cmp.Compare(len(x), len(y)), true
}

// unpack returns the text of a stack trace of numbers of frames.
func (ft *frameTexts) unpack(packed string) string {
	b := []byte(packed)
	ft.b = ft.b[:0]
	for len(b) > 0 {
		n, size := le.Uvarint(b)
		ft.b = append(append(ft.b, ft.list[n]...), frameEnd...)
		b = b[size:]
	}
	return string(ft.b)
}

// appendKey appends what distinguishes the value from others of all kinds.
func (v Value) appendKey(dst []byte, byID bool) []byte {
	dst = append(dst, byte(v.kind))
	switch v.kind {
	case Thread:
		dst = le.LittleEndian.AppendUint64(dst, v.num)
	case Class, ClassLoader, Method:
		if byID {
			dst = le.LittleEndian.AppendUint64(dst, v.num)
		}
	case Frame:
		dst = le.LittleEndian.AppendUint32(dst, uint32(v.line))
		if byID {
			dst = le.LittleEndian.AppendUint64(dst, v.num)
		}
	case Stack:
		if byID {
			dst = le.LittleEndian.AppendUint32(dst, uint32(v.hash))
		}
	case List:
		for _, e := range v.list {
			dst = e.appendKey(dst, byID)
		}
	default:
		if v.kind.isNumeric() {
			return le.LittleEndian.AppendUint64(dst, v.num)
		}
	}
	dst = le.AppendUvarint(dst, uint64(len(v.text)))
	return append(dst, v.text...)
}

// as returns the value as one of another kind: a number as another number, and anything as text.
func (v Value) as(k Kind) Value {
	switch {
	case v.kind == Null || v.kind == k:
		return v
	case v.kind == Bool && (k == Int || k == Unsigned || k == Float):
		return Value{kind: Int, num: v.num}.as(k)
	case k == Float:
		return floatValue(v.Float())
	case k == Int && v.kind == Unsigned, k == Unsigned && v.kind == Int:
		return Value{kind: k, num: v.num}
	case k == Text:
		return textValue(v.String())
	}
	return Value{}
}

// String returns the value as text: times and numbers as Java writes them, and the text of what
// has one.
func (v Value) String() string {
	switch v.kind {
	case Bool:
		if v.num != 0 {
			return "true"
		}
		return "false"
	case Int:
		return strconv.FormatInt(int64(v.num), 10)
	case Unsigned:
		return strconv.FormatUint(v.num, 10)
	case Float:
		return string(javatext.AppendFloat(nil, v.Float(), 64))
	case Timespan:
		return v.Timespan().String()
	case Timestamp:
		return v.Time().Format("2006-01-02T15:04:05.000000000Z")
	case Stack, List:
		var b strings.Builder
		for i, e := range v.Elements() {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(e.String())
		}
		return b.String()
	}
	return v.text
}

// order returns how two values of one kind are ordered: numbers by size, texts by their UTF-16 code
// units as in Java. Null is before all others.
func (v Value) order(o Value) int {
	switch {
	case v.kind == Null || o.kind == Null:
		return btoi(v.kind != Null) - btoi(o.kind != Null)
	case v.kind == Int && o.kind == Int, v.kind == Timespan && o.kind == Timespan, v.kind == Timestamp && o.kind == Timestamp:
		return cmp.Compare(int64(v.num), int64(o.num))
	case v.kind == o.kind && (v.kind == Unsigned || v.kind == Bool):
		return cmp.Compare(v.num, o.num)
	case v.kind.isNumeric() && o.kind.isNumeric():
		return cmp.Compare(v.Float(), o.Float())
	}
	return cmp.Or(javatext.Compare(v.String(), o.String()), cmp.Compare(v.line, o.line))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// AppendNumber appends a number or a length of time as the JDK's views show it, in its unit. Lengths of
// time below a second have that number of digits after the point, in milliseconds; -1 for the usual
// ones. It appends nothing for other values, and for numbers that views show as missing.
func AppendNumber(dst []byte, v Value, unit mmapjfr.Unit, rate bool, digits int) []byte {
	f := v.Float()
	switch {
	case v.kind == Timespan:
		return appendTimespan(dst, v.Int(), digits)
	case v.kind == Float && (math.IsNaN(f) || math.IsInf(f, -1)), v.kind == Int && v.Int() == math.MinInt64,
		v.kind != Int && v.kind != Unsigned && v.kind != Float:
		return dst
	}
	switch unit {
	case mmapjfr.Percentage:
		return append(javatext.AppendFixed(dst, f*100, 2), '%')
	case mmapjfr.Bytes, mmapjfr.Bits:
		return javatext.AppendAmount(dst, v.whole(), unit == mmapjfr.Bits, rate)
	case mmapjfr.Address:
		return javatext.AppendAddress(dst, uint64(v.whole()))
	case mmapjfr.Hertz:
		if v.kind == Float {
			bits := 64
			if float64(float32(f)) == f {
				bits = 32 // a float of Java, most likely
			}
			return append(javatext.AppendFloat(dst, f, bits), " Hz"...)
		}
		return append(strconv.AppendInt(dst, v.Int(), 10), " Hz"...)
	}
	switch v.kind {
	case Float:
		return javatext.AppendDecimal(dst, f)
	case Unsigned:
		return javatext.AppendUnsigned(dst, v.num)
	}
	return javatext.AppendNumber(dst, v.Int())
}

func appendTimespan(dst []byte, n int64, digits int) []byte {
	switch n {
	case math.MinInt64:
		return dst
	case math.MaxInt64:
		return append(dst, "Indefinite"...)
	}
	return javatext.DurationOf(mmapjfr.TimespanNanos, n).AppendMillis(dst, digits)
}

// whole returns a number without what follows the point, as Java's longValue does.
func (v Value) whole() int64 {
	f := v.Float()
	switch {
	case v.kind != Float:
		return v.Int()
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// in returns a value of a field as one of an input, whose values are texts if the fields of event types
// differ: numbers in decimals, lengths of time in nanoseconds. The JDK's views have them as they show them.
func (v Value) in(k Kind, s shape, p *Plan) Value {
	switch {
	case k != Text || !v.kind.isNumeric() || v.kind == Bool:
		return v.as(k)
	case p.o.isJava() && v.kind == Timestamp:
		return textValue(v.Time().In(p.zone()).Format(time.TimeOnly))
	case p.o.isJava():
		if text := AppendNumber(nil, v, s.unit, s.rate, -1); len(text) > 0 {
			return textValue(string(text))
		}
		return Value{}
	case v.kind == Timespan:
		return textValue(strconv.FormatInt(v.Int(), 10))
	}
	return textValue(v.String())
}
