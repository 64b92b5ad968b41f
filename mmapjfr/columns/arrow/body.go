package arrow

import (
	"encoding/binary"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// body is the columns of a batch, one after the other.
type body struct {
	bytes   []byte
	buffers []buffer
	nodes   []node
	valid   []bool  // memory of a column
	ints    []int64 // the same
}

// buffer is where a part of a column lies.
type buffer struct{ at, size int }

// node is how many values a column has.
type node struct{ length, nulls int }

func (b *body) reset() { b.bytes, b.buffers, b.nodes = b.bytes[:0], b.buffers[:0], b.nodes[:0] }

// add adds a buffer, which a function appends.
func (b *body) add(fill func(dst []byte) []byte) {
	at := len(b.bytes)
	b.bytes = fill(b.bytes)
	b.buffers = append(b.buffers, buffer{at, len(b.bytes) - at})
	for len(b.bytes)%8 != 0 {
		b.bytes = append(b.bytes, 0)
	}
}

// addNode adds a node, and the bits that say which values are not null; all are if valid is nil.
func (b *body) addNode(length int, valid []bool) {
	nulls := 0
	for _, ok := range valid {
		if !ok {
			nulls++
		}
	}
	b.nodes = append(b.nodes, node{length, nulls})
	b.add(func(dst []byte) []byte {
		if nulls == 0 {
			return dst
		}
		return appendBits(dst, length, func(i int) bool { return valid[i] })
	})
}

func appendBits(dst []byte, n int, is func(int) bool) []byte {
	from := len(dst)
	dst = append(dst, make([]byte, (n+7)/8)...)
	for i := range n {
		if is(i) {
			dst[from+i/8] |= 1 << (i % 8)
		}
	}
	return dst
}

// addNumbers adds a column of numbers.
func (b *body) addNumbers(k columns.Kind, ints []int64, valid []bool) {
	b.addNode(len(ints), valid)
	b.add(func(dst []byte) []byte {
		switch k {
		case columns.Bool:
			return appendBits(dst, len(ints), func(i int) bool { return ints[i] != 0 })
		case columns.Time:
			for _, n := range ints {
				dst = binary.LittleEndian.AppendUint64(dst, uint64(columns.Micros(n)))
			}
			return dst
		}
		for _, n := range ints {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
		}
		return dst
	})
}

// addColumn adds a column of numbers of a table.
func (b *body) addColumn(k columns.Kind, v *columns.View, rows int) {
	if v.Refs == nil {
		b.addNumbers(k, v.Ints, v.Valid)
		return
	}
	b.ints, b.valid = b.ints[:0], b.valid[:0]
	for row := range rows {
		n, _, _, ok := v.At(row)
		b.ints, b.valid = append(b.ints, n), append(b.valid, ok)
	}
	b.addNumbers(k, b.ints, b.valid)
}

// addIndex adds a column of positions in a dictionary; -1 is null.
func (b *body) addIndex(index []int32) {
	b.valid = b.valid[:0]
	for _, at := range index {
		b.valid = append(b.valid, at >= 0)
	}
	b.addNode(len(index), b.valid)
	b.add(func(dst []byte) []byte {
		for _, at := range index {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(max(at, 0)))
		}
		return dst
	})
}

// addTexts adds a column of texts.
func (b *body) addTexts(texts []string, valid []bool) {
	b.addNode(len(texts), valid)
	b.add(func(dst []byte) []byte {
		at := uint32(0)
		dst = binary.LittleEndian.AppendUint32(dst, at)
		for _, text := range texts {
			at += uint32(len(text))
			dst = binary.LittleEndian.AppendUint32(dst, at)
		}
		return dst
	})
	b.add(func(dst []byte) []byte {
		for _, text := range texts {
			dst = append(dst, text...)
		}
		return dst
	})
}

// addLists adds a column of lists.
func (b *body) addLists(c *columns.Column, v *columns.View, rows int) {
	var lists []*columns.Elements
	b.valid = b.valid[:0]
	for row := range rows {
		_, _, list, ok := v.At(row)
		if !ok || list == nil {
			list, ok = &columns.Elements{}, false
		}
		lists, b.valid = append(lists, list), append(b.valid, ok)
	}
	b.addNode(rows, b.valid)
	total := 0
	b.add(func(dst []byte) []byte {
		dst = binary.LittleEndian.AppendUint32(dst, 0)
		for _, list := range lists {
			total += list.N
			dst = binary.LittleEndian.AppendUint32(dst, uint32(total))
		}
		return dst
	})
	if c.Kind == columns.Frames {
		b.addNode(total, nil)
		for i := range frameFields {
			b.addFrames(i, lists)
		}
		return
	}
	var texts []string
	var ints []int64
	valid := make([]bool, 0, total)
	for _, list := range lists {
		texts, ints, valid = append(texts, list.Texts...), append(ints, list.Ints...), append(valid, list.Valid...)
	}
	if c.Element == columns.Text {
		b.addTexts(texts, valid)
	} else {
		b.addNumbers(c.Element, ints, valid)
	}
}

// addFrames adds a column of frames.
func (b *body) addFrames(field int, lists []*columns.Elements) {
	var texts []string
	var ints []int64
	var valid []bool
	for _, list := range lists {
		for i := range list.Frames {
			text, n, ok := list.Frames[i].Field(field)
			valid = append(valid, ok)
			if frameFields[field].Kind == columns.Text {
				texts = append(texts, text)
			} else {
				ints = append(ints, n)
			}
		}
	}
	if frameFields[field].Kind == columns.Text {
		b.addTexts(texts, valid)
	} else {
		b.addNumbers(columns.Int, ints, valid)
	}
}
