package jfrtest

import "math"

// fields decides on the values of a class's fields.
func (g *generator) fields(class *Class) []any {
	list := make([]any, 0, len(class.Fields))
	for _, f := range class.Fields {
		list = append(list, g.value(f))
	}
	return list
}

func (g *generator) value(f Field) any {
	g.values--
	if g.faulty {
		if f.Dimension > 1 || f.ClassID != 0 || g.values < 0 {
			return Raw{g.byte()}
		}
		if g.lie() {
			return g.wrong(f)
		}
	}
	if f.Dimension == 0 {
		return g.element(f)
	}
	n := g.upTo(4)
	if n == 3 {
		n = g.upTo(40)
	}
	if g.values < n {
		n = 0
	}
	list := make([]any, n)
	for i := range list {
		list[i] = g.element(f)
	}
	return list
}

// wrong is something that is no value of the field.
func (g *generator) wrong(f Field) any {
	switch {
	case f.Dimension > 0:
		return Counted{Count: g.integer()}
	case f.Class != StringClass || f.ConstantPool:
	case g.yes():
		return UTF8("text").Claiming(g.integer())
	default:
		return Encoding(g.byte())
	}
	return Raw{g.byte(), g.byte(), g.byte()}[:g.upTo(4)]
}

func (g *generator) element(f Field) any {
	g.values--
	if f.ConstantPool {
		if g.rarely(1) > 0 {
			return Padded{g.key(), 9}
		}
		return g.key()
	}
	class := g.b.classOf(f.Class, f.ClassID)
	if len(class.Fields) > 0 {
		if g.faulty && g.values < 0 {
			return Raw{}
		}
		return Inline(g.fields(class))
	}
	return g.primitive(class.Name)
}

var floats = []float64{0, 1.5, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64}

func (g *generator) primitive(class string) any {
	switch class {
	case StringClass:
		return g.text()
	case "float", "double":
		return floats[g.upTo(len(floats))]
	}
	v, how := g.integer(), g.rarely(2)
	switch {
	case class == "byte" || class == "boolean":
	case how == 1:
		return Wide(v)
	case how == 2:
		return Padded{v, 9}
	}
	return v
}

// pieces are what texts are made of, each with something that is not right everywhere.
var pieces = []string{
	"a", "text", "java/lang/String", "[Lx/Y;", "é", "ÿ", "日", "😀", "\x00", "\xff", "\xc3", "\xed\xa0\xbd", "\xed\xb8\x80", "\xf0\x9f",
	"a\u0301", "long enough that it is more than sixteen characters",
}

func (g *generator) piece() string { return pieces[g.upTo(len(pieces))] }

// text decides on a string, in any of the encodings.
func (g *generator) text() any {
	switch g.upTo(9) {
	case 0:
		return nil
	case 1:
		return Empty()
	case 2:
		return Pooled(g.key())
	case 3:
		return UTF8(g.piece() + g.piece())
	case 4:
		return UTF8("")
	case 5:
		units := make([]uint16, g.upTo(8))
		for i := range units {
			units[i] = []uint16{'a', 0xe9, 0x65e5, 0xd83d, 0xde00, 0, 0xffff}[g.upTo(7)]
		}
		return UTF16Units(units...)
	case 6:
		bytes := make([]byte, g.upTo(40))
		for i := range bytes {
			bytes[i] = g.byte()
		}
		return Text{encoding: encLatin1, bytes: bytes}
	case 7:
		return UTF16(pieces[g.upTo(8)])
	}
	return Latin1(pieces[g.upTo(6)])
}
