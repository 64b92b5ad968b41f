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

// stopBits are the bits that are clear in the last byte of a varint, in each of
// eight bytes.
const stopBits = 0x8080808080808080

// SkipVarint returns the length of the compressed integer at the head of b, or
// 0 if b ends inside it.
//
//gccheck:inline
func SkipVarint(b []byte) int {
	Step()
	if len(b) >= 8 {
		// The first byte without a stop bit, found in eight at a time.
		if x := ^binary.LittleEndian.Uint64(b) & stopBits; x != 0 {
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
