package repair

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The bytes of padded varints: async-profiler pads sizes to five bytes. Nine is the most.
const (
	paddedSize = 5
	paddedLong = wire.MaxVarintLen
)

// encoder appends values as a chunk writes them (FORMAT.md, sections 2 and 3).
type encoder struct {
	form wire.IntEncoding
	b    []byte
}

func (e *encoder) byte(v uint8) { e.b = append(e.b, v) }

func (e *encoder) int(v uint32) { e.integer(uint64(v), wire.IntLen, 0) }

func (e *encoder) long(v int64) { e.integer(uint64(v), wire.LongLen, 0) }

// size appends the size of an event. Every size takes the same number of bytes, so that the bytes
// of the event can be counted before the size is known.
func (e *encoder) size(v uint32) { e.integer(uint64(v), wire.IntLen, paddedSize) }

// delta appends a long. Every delta takes the same number of bytes.
func (e *encoder) delta(v int64) { e.integer(uint64(v), wire.LongLen, paddedLong) }

// integer appends an integer: in fixed bytes, or as a varint of at least padded bytes.
func (e *encoder) integer(v uint64, fixed, padded int) {
	if e.form != wire.Compressed {
		for fixed > 0 {
			fixed--
			e.byte(uint8(v >> (8 * fixed)))
		}
		return
	}
	for n := 1; n < wire.MaxVarintLen; n++ {
		if v < 0x80 && n >= padded {
			break
		}
		e.byte(uint8(v) | 0x80)
		v >>= 7
	}
	e.byte(uint8(v)) // the ninth carries eight bits
}

// sizeLen returns how many bytes the size of an event takes.
func sizeLen(form wire.IntEncoding) int {
	if form == wire.Compressed {
		return paddedSize
	}
	return wire.IntLen
}

// text appends a string as UTF-8.
func (e *encoder) text(s string) {
	if s == "" {
		e.byte(uint8(wire.Empty))
		return
	}
	e.byte(uint8(wire.UTF8))
	e.int(uint32(len(s)))
	e.b = append(e.b, s...)
}

// headerBytes returns a chunk header (FORMAT.md, section 1).
func headerBytes(h wire.Header) []byte {
	b := make([]byte, 0, wire.HeaderLen)
	b = append(b, wire.Magic...)
	b = binary.BigEndian.AppendUint16(b, h.Major)
	b = binary.BigEndian.AppendUint16(b, h.Minor)
	for _, v := range []uint64{
		h.Size, h.Checkpoint, h.Metadata,
		uint64(h.StartNanos), uint64(h.DurationNanos), uint64(h.StartTicks), uint64(h.TicksPerSecond),
	} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	return append(b, h.State, 0, 0, h.Flags)
}

// readMetadata reads the string table where the cursor stands, and the tree after it.
// It returns nil if they do not fit, or if a text is null or a constant: the JDK cannot read that.
func readMetadata(cur wire.Cursor) *metatree.Element {
	refused := false
	root, wrong := metatree.Read(&cur, func(_, _ int, t wire.Text) {
		refused = refused || t.Encoding == wire.Null || t.Encoding == wire.Constant
	})
	if wrong != "" || refused {
		return nil
	}
	for region := range root.Named("region") {
		if _, ok := region.Get("dst"); !ok { // as older virtual machines write it
			region.Set("dst", "0")
		}
	}
	return root
}

// same reports whether two elements mean the same. The order of attributes has no meaning, nor has
// that of children with different names.
func same(a, b *metatree.Element) bool {
	return a.Name == b.Name && slices.Equal(sorted(a), sorted(b)) && slices.EqualFunc(grouped(a), grouped(b), same)
}

// layout returns the element of a type without settings and annotations, which do not change how
// values are written.
func layout(e *metatree.Element) *metatree.Element {
	l := &metatree.Element{Name: e.Name, Attrs: e.Attrs}
	for field := range e.Named("field") {
		l.Children = append(l.Children, layout(field))
	}
	return l
}

func grouped(e *metatree.Element) []*metatree.Element {
	return slices.SortedStableFunc(slices.Values(e.Children), func(a, b *metatree.Element) int { return strings.Compare(a.Name, b.Name) })
}

func sorted(e *metatree.Element) []metatree.Attribute {
	return slices.SortedFunc(slices.Values(e.Attrs), func(a, b metatree.Attribute) int {
		return strings.Compare(a.Name+"\x00"+a.Value, b.Name+"\x00"+b.Value)
	})
}

// tree appends the string table of a tree, and the tree.
func (enc *encoder) tree(root *metatree.Element) {
	numbers := make(map[string]uint32)
	var texts []string
	tree := encoder{form: enc.form}
	number := func(text string) {
		n, ok := numbers[text]
		if !ok {
			n = uint32(len(texts))
			numbers[text], texts = n, append(texts, text)
		}
		tree.int(n)
	}
	tree.element(root, number)
	enc.int(uint32(len(texts)))
	for _, text := range texts {
		enc.text(text)
	}
	enc.b = append(enc.b, tree.b...)
}

// element appends an element, with the numbers of its texts.
func (enc *encoder) element(e *metatree.Element, number func(text string)) {
	number(e.Name)
	enc.int(uint32(len(e.Attrs)))
	for _, a := range e.Attrs {
		number(a.Name)
		number(a.Value)
	}
	enc.int(uint32(len(e.Children)))
	for _, c := range e.Children {
		enc.element(c, number)
	}
}
