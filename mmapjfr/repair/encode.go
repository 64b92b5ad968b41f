package repair

import (
	"encoding/binary"

	"github.com/mmapjfr/jfr/internal/wire"
)

// How many bytes padded numbers take in the compressed form: sizes as async-profiler
// pads them, and longs at their longest.
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

func (e *encoder) int(v uint32) {
	if e.form != wire.Compressed {
		e.b = binary.BigEndian.AppendUint32(e.b, v)
		return
	}
	e.varint(uint64(v), 0)
}

func (e *encoder) long(v int64) {
	if e.form != wire.Compressed {
		e.b = binary.BigEndian.AppendUint64(e.b, uint64(v))
		return
	}
	e.varint(uint64(v), 0)
}

// size appends a number of bytes that is as long whatever it is, so that it can be
// known before what it counts.
func (e *encoder) size(v uint32) {
	if e.form != wire.Compressed {
		e.int(v)
		return
	}
	e.varint(uint64(v), paddedSize)
}

// delta appends a long that is as long whatever it is.
func (e *encoder) delta(v int64) {
	if e.form != wire.Compressed {
		e.long(v)
		return
	}
	e.varint(uint64(v), paddedLong)
}

// varint appends a compressed integer that takes at least that number of bytes.
func (e *encoder) varint(v uint64, least int) {
	for n := 1; n < wire.MaxVarintLen; n++ {
		if v < 0x80 && n >= least {
			e.byte(uint8(v))
			return
		}
		e.byte(uint8(v) | 0x80)
		v >>= 7
	}
	e.byte(uint8(v)) // the ninth carries eight bits
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
