package wire_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/wire"
)

// header returns 68 bytes of which no two fields are alike.
func header() []byte {
	b := []byte("FLR\x00")
	b = binary.BigEndian.AppendUint16(b, 2)
	b = binary.BigEndian.AppendUint16(b, 1)
	for i := range uint64(7) {
		b = binary.BigEndian.AppendUint64(b, (i+0x81)<<56|i)
	}
	return append(b, 7, 0xaa, 0xbb, 3)
}

func TestReadHeader(t *testing.T) {
	at := func(i uint64) uint64 { return (i+0x81)<<56 | i }
	want := wire.Header{
		Major:          2,
		Minor:          1,
		Size:           at(0),
		Checkpoint:     at(1),
		Metadata:       at(2),
		StartNanos:     int64(at(3)),
		DurationNanos:  int64(at(4)),
		StartTicks:     int64(at(5)),
		TicksPerSecond: int64(at(6)),
		State:          7,
		Flags:          3,
	}
	b := header()
	assert.Len(t, b, wire.HeaderLen)
	for name, more := range map[string]string{"exactly a header": "", "more bytes": "FLR\x00"} {
		t.Run(name, func(t *testing.T) {
			h, ok := wire.ReadHeader(cut(append(b[:wire.HeaderLen:wire.HeaderLen], more...)))
			assert.True(t, ok)
			assert.Equal(t, want, h)
		})
	}
}

func TestReadHeaderRejectsShortData(t *testing.T) {
	for n := range wire.HeaderLen {
		h, ok := wire.ReadHeader(cut(header()[:n]))
		assert.False(t, ok, "%d bytes", n)
		assert.Zero(t, h, "%d bytes", n)
	}
}

func TestReadHeaderRejectsOtherMagic(t *testing.T) {
	for i := range wire.Magic {
		b := header()
		b[i] ^= 0x20
		h, ok := wire.ReadHeader(b)
		assert.False(t, ok, "byte %d", i)
		assert.Zero(t, h, "byte %d", i)
	}
	_, ok := wire.ReadHeader([]byte(strings.Repeat("x", 100)))
	assert.False(t, ok)
}

func TestHeaderFlagsAndState(t *testing.T) {
	tests := []struct {
		name            string
		flags, state    uint8
		form            wire.IntEncoding
		final, finished bool
	}{
		{"nothing set", 0, 0, wire.FixedWidth, false, true},
		{"compressed", 1, 0, wire.Compressed, false, true},
		{"final", 2, 0, wire.FixedWidth, true, true},
		{"both", 3, 0, wire.Compressed, true, true},
		{"unknown flags", 0xfc, 0, wire.FixedWidth, false, true},
		{"flushed once", 1, 1, wire.Compressed, false, false},
		{"being rewritten", 1, wire.StateUpdating, wire.Compressed, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := wire.Header{Flags: tt.flags, State: tt.state}
			assert.Equal(t, tt.form, h.IntEncoding())
			assert.Equal(t, tt.final, h.Final())
			assert.Equal(t, tt.finished, h.Finished())
		})
	}
}
