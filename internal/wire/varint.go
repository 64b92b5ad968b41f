package wire

import (
	"encoding/binary"
	"math/bits"
)

// MaxVarintLen is the length of the longest compressed integer. The ninth byte
// carries eight bits and no stop bit, so that 64 bits fit; encoding/binary's
// varints, which take ten bytes of seven bits, are another format.
const MaxVarintLen = 9

// Varint decodes the compressed integer at the head of b (FORMAT.md, section
// 2.1) and returns it with its length, or 0, 0 if b ends inside it. Padded
// forms, whose last bytes are zero, are legal: writers reserve space with them.
func Varint(b []byte) (v uint64, n int) {
	Step()
	if len(b) >= MaxVarintLen {
		return varintWide(b)
	}
	var shift uint
	for i, c := range b {
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, i + 1
		}
		shift += 7
	}
	return 0, 0
}

// varintWide decodes a varint from a slice that is known to hold the longest
// form: one bounds check serves all nine bytes.
func varintWide(b []byte) (uint64, int) {
	b = b[:MaxVarintLen:MaxVarintLen]
	v := uint64(b[0])
	if v < 0x80 {
		return v, 1
	}
	v = v&0x7f | uint64(b[1])<<7
	if b[1] < 0x80 {
		return v, 2
	}
	v = v&(1<<14-1) | uint64(b[2])<<14
	if b[2] < 0x80 {
		return v, 3
	}
	v = v&(1<<21-1) | uint64(b[3])<<21
	if b[3] < 0x80 {
		return v, 4
	}
	v = v&(1<<28-1) | uint64(b[4])<<28
	if b[4] < 0x80 {
		return v, 5
	}
	v = v&(1<<35-1) | uint64(b[5])<<35
	if b[5] < 0x80 {
		return v, 6
	}
	v = v&(1<<42-1) | uint64(b[6])<<42
	if b[6] < 0x80 {
		return v, 7
	}
	v = v&(1<<49-1) | uint64(b[7])<<49
	if b[7] < 0x80 {
		return v, 8
	}
	return v&(1<<56-1) | uint64(b[8])<<56, 9
}

// VarintEnds are the bits that are clear in the last byte of a varint, in each of eight bytes.
const VarintEnds = 0x8080808080808080

// SkipVarint returns the length of the compressed integer at the head of b, or
// 0 if b ends inside it.
//
//gccheck:inline
func SkipVarint(b []byte) int {
	Step()
	if len(b) >= 8 {
		// The first byte without a stop bit, found in eight at a time.
		if x := ^binary.LittleEndian.Uint64(b) & VarintEnds; x != 0 {
			return bits.TrailingZeros64(x)>>3 + 1
		}
		if len(b) == 8 {
			return 0
		}
		return MaxVarintLen
	}
	for i, c := range b {
		if c < 0x80 {
			return i + 1
		}
	}
	return 0
}

// WordLen is how many bytes [Word] needs.
const WordLen = 8

// VarintWord decodes the compressed integer in the lowest bytes of eight bytes
// of the file, as [Word] reads them, and returns it with its length; 0, 0 if it
// is longer than eight bytes. It has no loop and no branch but the one for that.
//
//gccheck:inline
func VarintWord(w uint64) (v uint64, n int) {
	stop := ^w & VarintEnds
	if stop == 0 {
		return 0, 0
	}
	return groups(w & (stop ^ (stop - 1))), bits.TrailingZeros64(stop)>>3 + 1
}

// groups moves the lower seven bits of each byte together, two by two.
func groups(w uint64) uint64 {
	w = w&0x007f007f007f007f | w&0x7f007f007f007f00>>1
	w = w&0x00003fff00003fff | w&0x3fff00003fff0000>>2
	return w&0x000000000fffffff | w&0x0fffffff00000000>>4
}

// VarintWordLen returns the length of the compressed integer in the lowest
// bytes of eight bytes of the file, or 9 if it is longer than those.
//
//gccheck:inline
func VarintWordLen(w uint64) int {
	return bits.TrailingZeros64(^w&VarintEnds)>>3 + 1 // 64 zeros, if none stops, make 9
}

// ShortASCII reports whether the n bytes from pos on, at most two words, have all
// their highest bits clear. It looks at a word if there are less, which must be
// there. No bytes at all may be taken for others.
//
//gccheck:inline
func ShortASCII(b []byte, pos, n int) bool {
	w := Word(b, pos)
	if n <= WordLen {
		w <<= (8 * (WordLen - n)) & 63
	} else {
		w |= Word(b, pos+n-WordLen)
	}
	return w&VarintEnds == 0
}

// ShortEventHeader decodes the header of an event, its size and the number of its type, from the
// first eight bytes of the event, as [Word] reads them. It knows the forms that nearly all events
// have: a size of one byte and a type of one or two. Types of a JDK mostly have two, and some of
// those that have many events one, so both are decoded without a branch. head is the length of the
// header. The size is 0 if the header has another form, or if it is all there is of the event;
// [EventHeader] knows more forms.
//
//gccheck:inline
func ShortEventHeader(w uint64) (size, typ uint32, head int) {
	if (w&0x80|w&(w>>8)&0x8000) != 0 || w&0x7c == 0 {
		return 0, 0, 0
	}
	two := uint32(w>>15) & 1
	return uint32(w) & 0x7f, uint32(w>>8)&0x7f | uint32(w>>9)&0x3f80&-two, 2 + int(two)
}

// EventHeader decodes the header of an event in the forms that virtual machines write: a size of
// one byte or of four, and a type of one or two. head is the length of the header; 0 if it has
// another form.
func EventHeader(w uint64) (size, typ uint32, head int) {
	size = uint32(w) & 0x7f
	head = 2
	if w&0x80 != 0 {
		if w&0x80808080 != 0x00808080 {
			return 0, 0, 0
		}
		size |= uint32(w>>1)&(0x7f<<7) | uint32(w>>2)&(0x7f<<14) | uint32(w>>3)&(0x7f<<21)
		w >>= 24
		head = 5
	}
	typ = uint32(w>>8) & 0x7f
	if w&0x8000 != 0 {
		if w&0x800000 != 0 {
			return 0, 0, 0
		}
		typ |= uint32(w>>9) & (0x7f << 7)
		head++
	}
	return size, typ, head
}

// LongVarint decodes a compressed integer of the longest form from its first
// eight bytes, as [Word] reads them, and its last.
//
//gccheck:inline
func LongVarint(w uint64, last byte) uint64 {
	return groups(w) | uint64(last)<<56
}
