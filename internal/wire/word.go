package wire

import "math/bits"

// WordLen is how many bytes [Word] needs.
const WordLen = 8

// VarintWord decodes the compressed integer in the lowest bytes of eight bytes
// of the file, as [Word] reads them, and returns it with its length; 0, 0 if it
// is longer than eight bytes. It has no loop and no branch but the one for that.
//
//gccheck:inline
func VarintWord(w uint64) (v uint64, n int) {
	stop := ^w & stopBits
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
	return bits.TrailingZeros64(^w&stopBits)>>3 + 1 // 64 zeros, if none stops, make 9
}

// ShortVarints counts the compressed integers that end in eight bytes of the
// file, as [Word] reads them. It is false if one of them, or the one that the
// last bytes begin, may be of the longest form, whose last byte looks like any
// other: then there are four bytes in a row, at 0 or at 4, that end none.
//
//gccheck:inline
func ShortVarints(w uint64) (n int, ok bool) {
	stop := ^w & stopBits
	return bits.OnesCount64(stop), uint32(stop) != 0 && stop>>32 != 0
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
	return w&stopBits == 0
}

// ShortEventHeaderLen is the length of the header that [ShortEventHeader] decodes.
const ShortEventHeaderLen = 3

// ShortEventHeader decodes the header of an event, its size and the number of its type, from
// the first eight bytes of the event, as [Word] reads them. It knows the form that nearly all
// events have: a size of one byte and a type of two. The size is 0 if the header has another
// form, or if it is all there is of the event; [EventHeader] knows more forms.
//
//gccheck:inline
func ShortEventHeader(w uint64) (size, typ uint32) {
	if w&0x808080 != 0x008000 || w&0x7c == 0 {
		return 0, 0
	}
	return uint32(w) & 0x7f, uint32(w>>8)&0x7f | uint32(w>>9)&0x3f80
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
