package wire_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/wire"
)

// TestAppenderIsTheReverseOfACursor appends values of all kinds and reads them.
func TestAppenderIsTheReverseOfACursor(t *testing.T) {
	longs := []int64{0, 1, 127, 128, 1 << 14, 1<<56 - 1, 1 << 56, math.MaxInt64, math.MinInt64, -1}
	texts := []string{"", "a", "grün", "名前 \x00", string(make([]byte, 300))}
	head := wire.CheckpointHead{Start: 5, Duration: 6, Delta: -70000, Mask: 3, Pools: 2}
	for _, encoding := range []wire.IntEncoding{wire.Compressed, wire.FixedWidth} {
		a := wire.Appender{Encoding: encoding}
		event := a.BeginEvent()
		for _, v := range longs {
			a.Long(v)
			a.Int(int32(v))
		}
		for _, s := range texts {
			a.Text(s)
		}
		a.Text("\xff!")
		a.CheckpointHead(head)
		a.Raw(make([]byte, head.Pools)) // as many bytes as it says that pools follow
		a.EndEvent(event)

		c := wire.NewCursor(a.Bytes, 0, encoding)
		assert.Equal(t, len(a.Bytes), int(c.Int()))
		for _, v := range longs {
			assert.Equal(t, v, c.Long())
			assert.Equal(t, int32(v), c.Int())
		}
		for _, s := range texts {
			assert.Equal(t, s, string(c.Text().Append(nil)))
		}
		assert.Equal(t, "\uFFFD!", string(c.Text().Append(nil)))
		assert.Equal(t, head, wire.ReadCheckpointHead(&c))
		assert.True(t, c.OK())
		assert.Equal(t, head.Pools, c.Len())
	}
	header := wire.Header{Size: 1 << 40, Checkpoint: 2, Metadata: 3, StartNanos: 4, DurationNanos: 5, StartTicks: 6, TicksPerSecond: 7, Major: 2, Minor: 1, State: 8, Flags: 3}
	var a wire.Appender
	a.Header(header)
	got, ok := wire.ReadHeader(a.Bytes)
	assert.True(t, ok)
	assert.Equal(t, header, got)
	assert.Len(t, a.Bytes, wire.HeaderLen)
}
