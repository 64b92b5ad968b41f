package schema_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// plainly lays out values byte by byte. It is at -1 from the first byte on that is not there.
type plainly struct {
	b    []byte
	raw  bool
	pos  int
	offs []uint32
}

func (p *plainly) skip(n uint64) {
	if p.pos < 0 || n > uint64(len(p.b)-p.pos) {
		p.pos = -1
		return
	}
	p.pos += int(n)
}

// integer reads one that takes that many bytes in raw form.
func (p *plainly) integer(rawLen int) (v uint64) {
	if p.raw {
		if p.skip(uint64(rawLen)); p.pos >= 0 {
			for _, c := range p.b[p.pos-rawLen : p.pos] {
				v = v<<8 | uint64(c)
			}
		}
		return v
	}
	for i := range 9 {
		if p.skip(1); p.pos < 0 {
			return 0
		}
		c := uint64(p.b[p.pos-1])
		if i == 8 {
			return v | c<<56
		}
		if v |= c & 0x7f << (7 * i); c < 0x80 {
			break
		}
	}
	return v
}

// count is an integer that must not be more than the bytes that are left.
func (p *plainly) count() uint64 {
	n := uint64(uint32(p.integer(4)))
	if p.pos >= 0 && n > uint64(len(p.b)-p.pos) {
		p.pos = -1
	}
	return n
}

func (p *plainly) text() {
	if p.skip(1); p.pos < 0 {
		return
	}
	switch p.b[p.pos-1] {
	case 0, 1:
	case 2:
		p.integer(8)
	case 3, 5:
		p.skip(p.count())
	case 4:
		for n := p.count(); n > 0 && p.pos >= 0; n-- {
			p.integer(2)
		}
	default:
		p.pos = -1
	}
}

// value lays out one of the class; its slots are noted unless it is an element.
func (p *plainly) value(class *schema.Type, element bool) {
	if class.Kind == schema.Struct {
		for i := range class.Fields {
			p.field(&class.Fields[i], element)
		}
		return
	}
	p.note(element)
	switch class.Kind {
	case schema.Bool, schema.Byte:
		p.skip(1)
	case schema.Char, schema.Short:
		p.integer(2)
	case schema.Int:
		p.integer(4)
	case schema.Long:
		p.integer(8)
	case schema.Float:
		p.skip(4)
	case schema.Double:
		p.skip(8)
	default:
		p.text()
	}
}

func (p *plainly) note(element bool) {
	if !element && p.pos >= 0 {
		p.offs = append(p.offs, uint32(p.pos))
	}
}

func (p *plainly) field(f *schema.Field, element bool) {
	switch {
	case f.Array:
		p.note(element)
		for n := p.count(); n > 0 && p.pos >= 0; n-- {
			if f.Constant {
				p.integer(8)
			} else {
				p.value(f.Type, true)
			}
		}
	case f.Constant:
		p.note(element)
		p.integer(8)
	default:
		p.value(f.Type, element)
	}
}

// checkLayout compares what a plan says of a value of the class, which has to end
// before end, with what is found byte by byte. From end on b holds other things.
func checkLayout(t testing.TB, class *schema.Type, b []byte, pos, end int, raw bool) (ok bool) {
	want := &plainly{b: b[:end], raw: raw, pos: pos}
	want.value(class, false)
	plan, err := class.Plan()
	require.NoError(t, err)
	offs := make([]uint32, plan.NumSlots())
	fail := func(what string, at int, ok bool) {
		require.Failf(t, what, "%d, %v, not %d; slots %v, not %v; % x in % x", at, ok, want.pos, offs, want.offs, b[pos:end], b)
	}
	if at, ok := plan.Layout(b, pos, end, offs); ok != (want.pos >= 0) || ok && (at != want.pos || !equal(offs, want.offs)) {
		fail("Layout", at, ok)
	}
	clear(offs)
	if at, ok := plan.Layout(b[:end], pos, end, offs); ok != (want.pos >= 0) || ok && (at != want.pos || !equal(offs, want.offs)) {
		fail("Layout", at, ok)
	}
	if at, ok := plan.Skip(b[:end], pos); ok != (want.pos >= 0) || ok && at != want.pos {
		fail("Skip", at, ok)
	}
	for i := range plan.NumSlots() {
		at, ok := plan.SlotOffset(b[:end], pos, i)
		if ok != (i < len(want.offs)) || ok && at != int(want.offs[i]) {
			fail(fmt.Sprint("Seek of slot ", i), at, ok)
		}
	}
	return want.pos >= 0
}

func equal(a, b []uint32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// layoutClasses are classes of all shapes.
func layoutClasses(t testing.TB, b *jfrtest.Builder, rng *rand.Rand, n int) []*schema.Type {
	t.Helper()
	kinds := []string{
		"boolean", "byte", "char", "short", "int", "int", "long", "long", "long", "float", "double",
		jfrtest.StringClass, jfrtest.StringClass,
	}
	names := []string{}
	for i := range n {
		var fields []jfrtest.Field
		for j := range rng.IntN(12) {
			f := jfrtest.Of(fmt.Sprint("f", j), kinds[rng.IntN(len(kinds))])
			switch rng.IntN(12) {
			case 0:
				f = f.Array()
			case 1:
				f = jfrtest.Const(f.Name, "jdk.types.Symbol")
			case 2:
				f = jfrtest.Const(f.Name, "jdk.types.Symbol").Array()
			case 3:
				if len(names) > 0 {
					f = jfrtest.Of(f.Name, names[rng.IntN(len(names))])
				}
			case 4:
				if len(names) > 0 {
					f = jfrtest.Of(f.Name, names[rng.IntN(len(names))]).Array()
				}
			case 5, 6, 7:
				f = jfrtest.Of(f.Name, "long")
			}
			fields = append(fields, f)
		}
		names = append(names, fmt.Sprint("test.Shape", i))
		b.Class(names[i], fields...)
	}
	types := typesOf(t, onlyChunk(t, b.Bytes()))
	var classes []*schema.Type
	for _, name := range names {
		classes = append(classes, types.Named(name))
	}
	return classes
}

// randomBytes are varints of all lengths, texts, small numbers and anything.
func randomBytes(rng *rand.Rand, n int) (b []byte) {
	for len(b) < n {
		switch rng.IntN(8) {
		case 0:
			for range rng.IntN(9) {
				b = append(b, byte(rng.Uint32())|0x80)
			}
			b = append(b, byte(rng.Uint32()))
		case 1:
			text := bytes.Repeat([]byte("x"), rng.IntN(20))
			if rng.IntN(3) == 0 && len(text) > 0 {
				text[rng.IntN(len(text))] = byte(rng.Uint32())
			}
			b = append(append(b, byte(3+rng.IntN(3)), byte(len(text))), text...)
		case 2:
			b = append(b, byte(rng.IntN(3)))
		case 3:
			b = append(b, byte(rng.Uint32()))
		case 4:
			b = binary.BigEndian.AppendUint32(b, uint32(rng.IntN(8)))
		default:
			for range rng.IntN(24) {
				b = append(b, byte(rng.IntN(0x80)))
			}
		}
	}
	return b[:n]
}

func TestLayoutAgainstBytes(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		rng := rand.New(rand.NewPCG(1, 2))
		raw := b.Header.Flags&jfrtest.FlagCompressed == 0
		classes := layoutClasses(t, b, rng, 60)
		rounds := 20_000
		if !longtest.Enabled() {
			rounds = 3000
		}
		good := 0
		for range rounds {
			class := classes[rng.IntN(len(classes))]
			data := randomBytes(rng, 20+rng.IntN(300))
			pos := rng.IntN(20)
			end := pos + rng.IntN(len(data)-pos+1)
			if checkLayout(t, class, data, pos, end, raw) {
				good++
			}
		}
		require.Greater(t, good, rounds/20)
	})
}

// Each length of a varint next to each other, ended at every place.
func TestLayoutOfEveryLength(t *testing.T) {
	b := jfrtest.NewChunk()
	long := func(i int) jfrtest.Field { return jfrtest.Of(fmt.Sprint("f", i), "long") }
	b.Class("test.Longs", long(0), long(1), long(2))
	b.Class("test.List", long(0).Array())
	types := typesOf(t, onlyChunk(t, b.Bytes()))
	var data []byte
	lengths := func(n int, last byte) []byte {
		v := bytes.Repeat([]byte{0x81}, n-1)
		return append(v, last)
	}
	for i := range 9 * 9 * 9 {
		x, y, z := 1+i%9, 1+i/9%9, 1+i/81
		data = append(data[:0], 0xff, 0xff)
		for _, n := range []int{x, y, z} {
			last := byte(1)
			if n == wire.MaxVarintLen {
				last = 0x80 | byte(x)
			}
			data = append(data, lengths(n, last)...)
		}
		whole := len(data)
		data = append(data, bytes.Repeat([]byte{0xff}, 9)...)
		data = append(data, bytes.Repeat([]byte{1}, 30)...)
		for end := 2; end <= whole; end++ {
			require.Equal(t, end == whole, checkLayout(t, types.Named("test.Longs"), data, 2, end, false))
		}
		for _, slack := range []int{0, 1, 7, 8, 9, 17, 18, 19} {
			require.True(t, checkLayout(t, types.Named("test.Longs"), data[:whole+slack], 2, whole, false))
		}
		// A list of all of them, many times over.
		list := append([]byte{3 * 5}, bytes.Repeat(data[2:whole], 5)...)
		checkLayout(t, types.Named("test.List"), list, 0, len(list), false)
		checkLayout(t, types.Named("test.List"), append(list, data...), 0, len(list), false)
		checkLayout(t, types.Named("test.List"), list, 0, len(list)-1, false)
	}
}

// Texts of every length up to where they are no longer short, with a character at
// every place that takes more bytes than one.
func TestLayoutOfTexts(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Text", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("after", "int"))
	class := typesOf(t, onlyChunk(t, b.Bytes())).Named("test.Text")
	for n := range 40 {
		for at := range n + 1 {
			for encoding := byte(0); encoding < 7; encoding++ {
				text := bytes.Repeat([]byte("t"), n)
				if at < n {
					text[at] = 0x80 | byte(at)
				}
				data := append(append([]byte{encoding, byte(n)}, text...), 0x85, 1, 2)
				end := len(data)
				data = append(data, bytes.Repeat([]byte{0x91}, 30)...)
				for ; end >= 0; end -= 1 + end/8 {
					checkLayout(t, class, data, 0, end, false)
				}
			}
		}
	}
	// Lengths that take more than a byte.
	for _, n := range []int{127, 128, 129, 300} {
		for encoding := byte(2); encoding < 6; encoding++ {
			data := append([]byte{encoding}, binary.AppendUvarint(nil, uint64(n))...)
			data = append(append(data, bytes.Repeat([]byte("t"), n)...), 5)
			require.True(t, checkLayout(t, class, data, 0, len(data), false))
			checkLayout(t, class, data, 0, len(data)-1, false)
		}
	}
}

// Long lists of varints, most of them short: those that end are counted, and
// among them are long ones at any place.
func TestLayoutOfLongLists(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Frame", jfrtest.Of("a", "long"), jfrtest.Of("b", "int"), jfrtest.Of("c", "int"), jfrtest.Of("d", "int"))
	b.Class("test.Frames", jfrtest.Of("truncated", "boolean"), jfrtest.Of("frames", "test.Frame").Array())
	types := typesOf(t, onlyChunk(t, b.Bytes()))
	class := types.Named("test.Frames")
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 4000 {
		n := rng.IntN(60)
		data := []byte{1, byte(n)}
		for range 4 * n {
			length := 1 + rng.IntN(3)
			if rng.IntN(20) == 0 {
				length = 1 + rng.IntN(9)
			}
			for range length - 1 {
				data = append(data, byte(0x80|rng.Uint32()))
			}
			last := byte(rng.IntN(0x80))
			if length == wire.MaxVarintLen {
				last = byte(rng.Uint32())
			}
			data = append(data, last)
		}
		end := len(data)
		data = append(data, randomBytes(rng, rng.IntN(40))...)
		require.True(t, checkLayout(t, class, data, 0, end, false), "%d", i)
		checkLayout(t, class, data, 0, rng.IntN(end), false)
		if n > 0 {
			require.False(t, checkLayout(t, class, data, 0, end-1, false))
		}
	}
}

func FuzzLayout(f *testing.F) {
	compressed, raw := jfrtest.NewChunk(), jfrtest.NewChunk().Uncompressed()
	classes := layoutClasses(f, compressed, rand.New(rand.NewPCG(5, 6)), 40)
	others := layoutClasses(f, raw, rand.New(rand.NewPCG(5, 6)), 40)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 20 {
		f.Add(randomBytes(rng, 100), uint8(i), uint8(i), uint8(80), i%4 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, class, pos, end uint8, raw bool) {
		if int(pos) > len(data) {
			return
		}
		list := classes
		if raw {
			list = others
		}
		last := min(max(int(pos), int(end)), len(data))
		checkLayout(t, list[int(class)%len(list)], data, int(pos), last, raw)
	})
}
