package wire

import "encoding/binary"

// HeaderLen is the size of a chunk header; events begin right after it.
const HeaderLen = 68

// Magic is how every chunk begins.
const Magic = "FLR\x00"

// File states.
const (
	// StateFinished says that the chunk is complete.
	StateFinished uint8 = 0
	// StateUpdating says that the header is being rewritten just now.
	StateUpdating uint8 = 255
)

// Header flags.
const (
	// FlagCompressed says that integers are varints.
	FlagCompressed uint8 = 1 << 0
	// FlagFinal says that the virtual machine wrote no chunk after this one.
	FlagFinal uint8 = 1 << 1
)

// Header is the head of a chunk (FORMAT.md, section 1).
type Header struct {
	// Size is the size of the chunk in bytes, the header included. While the
	// chunk is written it is the size up to the last flush.
	Size uint64
	// Checkpoint is the offset of the newest checkpoint from the start of the
	// chunk; 0 if the chunk has none yet.
	Checkpoint uint64
	// Metadata is the offset of the newest metadata event from the start of the
	// chunk; 0 if the chunk has none yet.
	Metadata uint64
	// StartNanos is when the chunk began, in nanoseconds since 1970, UTC.
	StartNanos int64
	// DurationNanos is how long the chunk lasted.
	DurationNanos int64
	// StartTicks is what the clock of the events showed at StartNanos.
	StartTicks int64
	// TicksPerSecond is how fast that clock runs.
	TicksPerSecond int64
	// Major and Minor are the version of the format.
	Major, Minor uint16
	// State is 0 for a complete chunk, 255 while the header is rewritten, and a
	// number that changes at every flush while the chunk grows.
	State uint8
	// Flags holds the features of the chunk, see FlagCompressed and FlagFinal.
	Flags uint8
}

// ReadHeader decodes the header at the head of b. It is false if b is shorter
// than a header or begins with something else than [Magic].
func ReadHeader(b []byte) (h Header, ok bool) {
	if len(b) < HeaderLen || string(b[:len(Magic)]) != Magic {
		return Header{}, false
	}
	b = b[:HeaderLen]
	return Header{
		Major:          binary.BigEndian.Uint16(b[4:]),
		Minor:          binary.BigEndian.Uint16(b[6:]),
		Size:           binary.BigEndian.Uint64(b[8:]),
		Checkpoint:     binary.BigEndian.Uint64(b[16:]),
		Metadata:       binary.BigEndian.Uint64(b[24:]),
		StartNanos:     int64(binary.BigEndian.Uint64(b[32:])),
		DurationNanos:  int64(binary.BigEndian.Uint64(b[40:])),
		StartTicks:     int64(binary.BigEndian.Uint64(b[48:])),
		TicksPerSecond: int64(binary.BigEndian.Uint64(b[56:])),
		State:          b[64],
		Flags:          b[67],
	}, true
}

// IntEncoding returns how the chunk writes its integers.
func (h Header) IntEncoding() IntEncoding {
	if h.Flags&FlagCompressed != 0 {
		return Compressed
	}
	return FixedWidth
}

// Readable reports whether the version of the format is one that is read here: 1.x or 2.x.
func (h Header) Readable() bool { return h.Major == 1 || h.Major == 2 }

// Bounds of a clock that can be right.
const (
	// slowest and fastest bound the ticks per second.
	slowest, fastest = 1000, 1 << 40
	// latestStart is the end of the 21st century, in nanoseconds since 1970.
	latestStart = 4_133_980_800_000_000_000
)

// UsualRate is the rate of clocks that count nanoseconds, as most do.
const UsualRate = 1e9

// SaneRate reports whether a clock can make as many ticks in a second.
func (h Header) SaneRate() bool { return h.TicksPerSecond >= slowest && h.TicksPerSecond <= fastest }

// SaneClock reports whether the clock can be right.
func (h Header) SaneClock() bool {
	return h.SaneRate() && h.StartNanos > 0 && h.StartNanos < latestStart && h.StartTicks > 0
}

// Plausible reports whether bytes that begin as a chunk header does are likely to be one: the
// version is readable, and the clock can be right.
func (h Header) Plausible() bool { return h.Readable() && h.SaneClock() }

// Finished reports whether the writer has completed the chunk.
func (h Header) Finished() bool { return h.State == StateFinished }

// Final reports whether the virtual machine wrote no chunk after this one. Only
// JDK 14 and later set that flag.
func (h Header) Final() bool { return h.Flags&FlagFinal != 0 }

// CheckpointHead is the beginning of a checkpoint, after its event header (FORMAT.md, section 6.1).
type CheckpointHead struct {
	// Start and Duration are in ticks.
	Start, Duration int64
	// Delta leads to the next older checkpoint, from the beginning of this one; 0 ends the chain.
	Delta int64
	// Mask says what the checkpoint is for.
	Mask uint8
	// Pools is the number of pools that follow.
	Pools int
}

// ReadCheckpointHead decodes the head of the checkpoint that the cursor is in. The cursor is not
// OK afterwards if the checkpoint ends too early.
func ReadCheckpointHead(c *Cursor) CheckpointHead {
	return CheckpointHead{Start: c.Long(), Duration: c.Long(), Delta: c.Long(), Mask: c.Byte(), Pools: c.Count()}
}
