package wire_test

import (
	_ "embed"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/internal/wire/wirefuzz"
)

// The first 400 bytes of a recording of JDK 11, and what is known to be in them.
//
//go:embed testdata/jdk11-head.hex
var jdk11Head string

func TestJDK11Header(t *testing.T) {
	b := unhex(t, jdk11Head)
	require.Len(t, b, 400)
	h, ok := wire.ReadHeader(b)
	require.True(t, ok)
	assert.Equal(t, wire.Header{
		Major:          2,
		Minor:          0,
		Size:           1094018,
		Checkpoint:     983367,
		Metadata:       1019307,
		StartNanos:     0x162a092ecfe06f00,
		DurationNanos:  10017000192,
		StartTicks:     0x12890242ec3,
		TicksPerSecond: 2700000000,
		State:          wire.StateFinished,
		Flags:          wire.FlagCompressed,
	}, h)
	assert.Equal(t, uint64(0xf0147), h.Checkpoint)
	assert.Equal(t, uint64(0xf8dab), h.Metadata)
	assert.Equal(t, int64(0x2550f4b00), h.DurationNanos)
	assert.Equal(t, int64(0xa0eebb00), h.TicksPerSecond)
	assert.Equal(t, wire.Compressed, h.IntEncoding())
	assert.True(t, h.Finished())
	assert.False(t, h.Final(), "JDK 11 did not say so yet")
}

func TestJDK11FirstEvent(t *testing.T) {
	b := unhex(t, jdk11Head)
	size, n := wire.Compressed.Count(b[wire.HeaderLen:])
	assert.Equal(t, uint64(34), size)
	assert.Equal(t, 4, n, "padded")
	assert.Equal(t, unhex(t, "a2808000"), b[68:72])
	typ, n := wire.Compressed.Long(b[72:])
	assert.Equal(t, int64(2882), typ)
	assert.Equal(t, 2, n)
	start, n := wire.Compressed.Long(b[74:])
	assert.Equal(t, unhex(t, "968db4838925"), b[74:80])
	assert.Equal(t, 6, n)
	want, _ := wirefuzz.ReferenceVarint(unhex(t, "968db4838925"))
	assert.Equal(t, int64(want), start)
	assert.Equal(t, uint64(102), wire.HeaderLen+size)
	next, n := wire.Compressed.Count(b[102:])
	assert.Equal(t, uint64(36), next)
	assert.Equal(t, 4, n)
}

// All events of the sample are jdk.ActiveSetting: the thread, the stack, the type
// that is set, a name and a value.
func TestJDK11Settings(t *testing.T) {
	type setting struct {
		id          int64
		name, value string
	}
	b := unhex(t, jdk11Head)
	var got []setting
	for pos := wire.HeaderLen; ; {
		size, n := wire.Compressed.Count(b[pos:])
		end := pos + int(size)
		if end > len(b) {
			assert.Equal(t, 0x173, pos, "the last event is cut off")
			break
		}
		c := wire.NewCursor(b[:end], pos+n, wire.Compressed)
		require.Equal(t, int64(2882), c.Long())
		assert.Positive(t, c.Long(), "start")
		assert.Zero(t, c.Long(), "duration")
		assert.Equal(t, int64(50), c.Long(), "thread")
		assert.Zero(t, c.Long(), "stack")
		id, name, value := c.Long(), c.Text(), c.Text()
		require.True(t, c.OK())
		assert.Equal(t, end, c.Pos())
		assert.Equal(t, wire.Chars, name.Encoding)
		assert.Equal(t, wire.Chars, value.Encoding)
		nameText, ok := name.View()
		assert.True(t, ok)
		valueText, ok := value.View()
		assert.True(t, ok)
		got = append(got, setting{id, nameText, valueText})
		pos = end
	}
	assert.Equal(t, []setting{
		{2882, "threshold", "0 ns"},
		{2882, "stackTrace", "false"},
		{2882, "enabled", "true"},
		{2880, "threshold", "0 ns"},
		{2880, "stackTrace", "true"},
		{2880, "enabled", "true"},
		{2878, "period", "1000 ms"},
		{2878, "enabled", "true"},
		{2876, "threshold", "0 ns"},
	}, got)
}

func TestJDK11MetadataEvent(t *testing.T) {
	h, ok := wire.ReadHeader(unhex(t, jdk11Head))
	require.True(t, ok)
	c := wire.NewCursor(unhex(t, "d7c78400 00 b5e693a7e401 00 00 b00c"), 0, wire.Compressed)
	size := c.Long()
	assert.Equal(t, int64(74711), size)
	assert.Equal(t, int64(h.Size-h.Metadata), size, "it is the last of the chunk")
	assert.Equal(t, 4, c.Pos(), "padded")
	assert.Equal(t, int64(0), c.Long(), "type")
	assert.Equal(t, int64(61285397301), c.Long(), "start")
	assert.Equal(t, int64(0), c.Long(), "duration")
	assert.Equal(t, int64(0), c.Long(), "metadata id")
	assert.Equal(t, int32(1584), c.Int(), "strings")
	assert.True(t, c.OK())
	assert.Zero(t, c.Len())
}
