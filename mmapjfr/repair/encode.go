package repair

import (
	"encoding/binary"

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
