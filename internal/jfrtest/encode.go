package jfrtest

import (
	"fmt"
	"math"
	"reflect"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/wire"
)

// encoder appends values in the form of its chunk.
type encoder struct {
	buf        []byte
	compressed bool
	b          *Builder
	// header makes the copy of the chunk's header that some checkpoints carry.
	header func(headerCopy) []byte
	part   *encoder // the last one, whose room is used again
}

func (e *encoder) raw(v uint64, n int) {
	a := wire.Appender{Bytes: e.buf, Encoding: wire.FixedWidth}
	a.Integer(v, n, 0)
	e.buf = a.Bytes
}

// varint writes v in the given number of bytes, or in as few as possible if width is 0.
func (e *encoder) varint(v uint64, width int) {
	if width == 0 {
		width = varintLen(v)
	}
	if width < varintLen(v) || width > 9 {
		panic(fmt.Sprintf("jfrtest: %#x does not fit into a varint of %d bytes", v, width))
	}
	e.buf = wire.AppendVarint(e.buf, v, width)
}

func varintLen(v uint64) int {
	n := 1
	for n < 9 && v >= 0x80 {
		v >>= 7
		n++
	}
	return n
}

// integer writes an integer of a type with n bytes in either form.
func (e *encoder) integer(v uint64, n, width int) {
	if !e.compressed {
		e.raw(v, n)
		return
	}
	e.varint(v, width)
}

func (e *encoder) int(v int)    { e.integer(uint64(uint32(v)), 4, 0) }
func (e *encoder) long(v int64) { e.integer(uint64(v), 8, 0) }

// record frames a body with the size of the whole, in sizeWidth bytes or as few
// as possible. Force takes the place of the true size.
func (e *encoder) record(body []byte, sizeWidth int, force *int64) {
	size := func(field int) uint64 {
		if force != nil {
			return uint64(*force)
		}
		return uint64(field + len(body))
	}
	if !e.compressed {
		e.raw(size(4), 4)
	} else {
		w := max(sizeWidth, 1)
		for sizeWidth == 0 && varintLen(size(w)) > w {
			w++
		}
		e.varint(size(w), w)
	}
	e.buf = append(e.buf, body...)
}

// count writes how many things follow, or what a test forces upon it.
func (e *encoder) count(n int, force *int64) {
	if force != nil {
		e.integer(uint64(*force), 4, 0)
		return
	}
	e.int(n)
}

// width returns the width of a size for record: 0 is the normal one, -1 as short as possible.
func width(own, normal int) int {
	if own == 0 {
		return normal
	}
	return max(own, 0)
}

// sub returns an encoder for a part whose size has to be known before it is written. What
// it has written lasts until the next part.
func (e *encoder) sub() *encoder {
	if e.part == nil {
		e.part = &encoder{compressed: e.compressed, b: e.b, header: e.header}
	}
	e.part.buf = e.part.buf[:0]
	return e.part
}

// structure writes the fields of a class and returns where they lie in e.buf.
func (e *encoder) structure(class *Class, values []any) []Span {
	if len(values) != len(class.Fields) {
		panic(fmt.Sprintf("jfrtest: %d values for the %d fields of %s", len(values), len(class.Fields), class.Name))
	}
	spans := make([]Span, len(values))
	for i, f := range class.Fields {
		at := len(e.buf)
		e.field(class, f, values[i])
		spans[i] = Span{int64(at), int64(len(e.buf) - at)}
	}
	return spans
}

func (e *encoder) field(owner *Class, f Field, v any) {
	// With an error in the test, the field's name is what the reader needs most.
	bad := func(why string) {
		panic(fmt.Sprintf("jfrtest: %s.%s of class %s: %s: %T %v", owner.Name, f.Name, f.Class, why, v, v))
	}
	if raw, ok := v.(Raw); ok {
		e.buf = append(e.buf, raw...)
		return
	}
	if f.Dimension > 0 {
		e.array(owner, f, v, bad)
		return
	}
	if f.ConstantPool {
		e.number(v, 8, bad)
		return
	}
	e.value(e.b.classOf(f.Class, f.ClassID), v, bad)
}

func (e *encoder) array(owner *Class, f Field, v any, bad func(string)) {
	element := f
	element.Dimension = 0
	switch v := v.(type) {
	case nil:
		e.int(0)
		return
	case headerCopy:
		e.int(HeaderSize)
		e.buf = append(e.buf, e.header(v)...)
		return
	case Counted:
		e.count(0, &v.Count)
		for _, x := range v.Values {
			e.field(owner, element, x)
		}
		return
	}
	list := reflect.ValueOf(v)
	if list.Kind() != reflect.Slice {
		bad("an array needs a slice")
	}
	e.int(list.Len())
	for i := range list.Len() {
		e.field(owner, element, list.Index(i).Interface())
	}
}

// value writes a value of a class in place.
func (e *encoder) value(class *Class, v any, bad func(string)) {
	if raw, ok := v.(Raw); ok {
		e.buf = append(e.buf, raw...)
		return
	}
	if len(class.Fields) > 0 {
		if in, ok := v.(Inline); ok {
			e.structure(class, in)
		} else if len(class.Fields) == 1 {
			// So that simple types need no wrapping.
			e.structure(class, []any{v})
		} else {
			bad("a class with fields needs jfrtest.Inline")
		}
		return
	}
	switch class.Name {
	case "boolean", "byte":
		n, ok := bits(v)
		if !ok {
			bad("no integer")
		}
		e.raw(n, 1)
	case "char", "short":
		e.number(v, 2, bad)
	case "int":
		e.number(v, 4, bad)
	case "long":
		e.number(v, 8, bad)
	case "float":
		e.raw(uint64(math.Float32bits(float32(float(v, bad)))), 4)
	case "double":
		e.raw(math.Float64bits(float(v, bad)), 8)
	case StringClass:
		e.text(v, bad)
	default:
		bad("the class has no fields and is not primitive")
	}
}

func float(v any, bad func(string)) float64 {
	x := reflect.ValueOf(v)
	if x.CanFloat() {
		return x.Float()
	}
	n, ok := bits(v)
	if !ok {
		bad("no number")
	}
	return float64(int64(n))
}

// number writes an integer of n bytes. Like the JVM it writes a negative int as
// the 32 bits that it has, not as 64: only a [Wide] one is extended.
func (e *encoder) number(v any, n int, bad func(string)) {
	width := 0
	if p, ok := v.(Padded); ok {
		v, width = p.Value, p.Width
	}
	x, ok := bits(v)
	if !ok {
		bad("no integer")
	}
	if _, wide := v.(Wide); !wide {
		x &= math.MaxUint64 >> (64 - 8*n)
	}
	e.integer(x, n, width)
}

// bits returns any integer, key or truth value as 64 bits.
func bits(v any) (uint64, bool) {
	switch v := v.(type) {
	case nil, Null:
		return 0, true
	case Constant:
		return uint64(v.Key), true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	x := reflect.ValueOf(v)
	switch {
	case x.CanInt():
		return uint64(x.Int()), true
	case x.CanUint():
		return x.Uint(), true
	}
	return 0, false
}

func (e *encoder) text(v any, bad func(string)) {
	switch v := v.(type) {
	case nil, Null:
		e.raw(encNull, 1)
		return
	case string:
		if v == "" {
			e.raw(encEmpty, 1)
			return
		}
		e.text(textIn(v, e.b.StringEncoding), bad)
		return
	case Text:
		e.raw(uint64(v.encoding), 1)
		switch v.encoding {
		case encPool:
			e.number(v.key, 8, bad)
		case encUTF8, encLatin1:
			e.count(len(v.bytes), v.length)
			e.buf = append(e.buf, v.bytes...)
		case encUTF16:
			e.count(len(v.units), v.length)
			for _, u := range v.units {
				e.integer(uint64(u), 2, 0)
			}
		}
		return
	}
	bad("no string")
}

// textIn returns s in an encoding, or in that of char arrays if it is Latin-1
// and s has other characters.
func textIn(s string, encoding byte) Text {
	switch encoding {
	case encUTF8:
		return UTF8(s)
	case encUTF16:
		return UTF16(s)
	case encLatin1:
		for _, r := range s {
			if r > 0xff {
				return UTF16(s)
			}
		}
		return Latin1(s)
	}
	panic(fmt.Sprintf("jfrtest: a plain string cannot have the encoding %d", encoding))
}

// UTF16 returns a string as the array of its chars (encoding 4); characters above
// 0xffff become surrogate pairs.
func UTF16(s string) Text {
	return UTF16Units(utf16.Encode([]rune(s))...)
}
