package profile

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// rawFrame is a frame as its bytes, which are compressed integers: equal bytes of a chunk are the same
// frame, and need not be decoded. Frames that take more bytes have none.
type rawFrame struct{ low, high uint64 }

// recentFrame is a frame that was looked up, if it is there.
type recentFrame struct {
	raw   rawFrame
	id    FrameID
	there bool
}

// recentFrames is how many frames that were looked up are found faster.
const (
	recentFrames = 1 << recentBits
	recentBits   = 14
)

// rawBytes is how many bytes a rawFrame has at most.
const rawBytes = 16

// nextRaw returns the frame of some numbers that bytes begin with, and how many bytes it has; 0 if it
// has too many, or bytes end. It takes all numbers to end at the first byte below 0x80.
func nextRaw(b []byte, numbers int) (f rawFrame, size int) {
	if len(b) < rawBytes {
		return rawFrame{}, 0
	}
	const high = 0x8080_8080_8080_8080
	f = rawFrame{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
	ends := ^f.low & high
	last := ends
	for range numbers - 1 {
		last &= last - 1
	}
	if last != 0 {
		size = bits.TrailingZeros64(last)/8 + 1
		return rawFrame{low: f.low << (64 - 8*size) >> (64 - 8*size)}, size
	}
	last = ^f.high & high
	for range numbers - bits.OnesCount64(ends) - 1 {
		last &= last - 1
	}
	if last == 0 {
		return rawFrame{}, 0
	}
	size = bits.TrailingZeros64(last)/8 + 1
	f.high = f.high << (64 - 8*size) >> (64 - 8*size)
	return f, size + 8
}

// slot returns where a frame is that was looked up recently.
func (d *stacks) slot(f rawFrame) *recentFrame {
	const odd = 0x9e37_79b9_7f4a_7c15
	return &d.recent[(f.low^bits.RotateLeft64(f.high*odd, 32))*odd>>(64-recentBits)]
}

// appendRaw appends the frames of a stack trace, the outermost first. It is false if one has no bytes
// that it could be known by.
func (d *stacks) appendRaw(dst []FrameID, s mmapjfr.StackTrace) ([]FrameID, bool) {
	b, n, numbers := engine.ValueVarintElements(engine.StackTraceValue(s).Get(pathFrames))
	if numbers == 0 || n > len(b)/numbers {
		return dst, false
	}
	list := slices.Grow(dst, n)[:len(dst)+n]
	for i := range n {
		f, size := nextRaw(b, numbers)
		if size == 0 {
			return dst, false
		}
		at := d.slot(f)
		if at.raw != f || !at.there {
			id, ok := d.raw.find(f)
			if !ok {
				if hasWide(b[:size]) {
					return dst, false
				}
				if d.readKeys(s); i >= len(d.keys)/numbersOfFrame { // the file changes
					return dst, false
				}
				id = d.raw.id(f)
				d.rawIDs = append(d.rawIDs, d.frame(s, i))
			}
			*at = recentFrame{f, d.rawIDs[id], true}
		}
		list[len(list)-1-i] = at.id
		b = b[size:]
	}
	return list, true
}

// hasWide reports whether there may be a compressed integer of nine bytes, which ends at any byte.
func hasWide(b []byte) bool {
	run := 0
	for _, c := range b {
		if run++; c < 0x80 {
			run = 0
		}
		if run == 8 {
			return true
		}
	}
	return false
}
