package rewrite

import (
	"math"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// nanoClock turns the ticks of a chunk into those of a clock that counts nanoseconds from a moment on.
type nanoClock struct {
	chunk mmapjfr.Chunk
	base  int64 // in nanoseconds since 1970
}

// timestamp returns the new ticks of a point in time. The ends of the range of ticks stand for no time, and stay.
func (k *nanoClock) timestamp(ticks int64) int64 {
	if ticks == math.MinInt64 || ticks == math.MaxInt64 {
		return ticks
	}
	return engine.ChunkTicksToTime(k.chunk, ticks).UnixNano() - k.base
}

// timespan returns the new ticks of a length of time.
func (k *nanoClock) timespan(ticks int64) int64 {
	if ticks == math.MinInt64 || ticks == math.MaxInt64 {
		return ticks
	}
	return int64(engine.ChunkTicksToDuration(k.chunk, ticks))
}

// header returns the header of a chunk with this clock.
func (k *nanoClock) header(h wire.Header) wire.Header {
	h.StartTicks, h.TicksPerSecond = h.StartNanos-k.base, 1e9
	return h
}

// shortened returns the header of a chunk of which only events from a time on and before another one stay. It begins at
// the first of these if the clock counts nanoseconds: other clocks would show other times, by a nanosecond, if they
// began elsewhere.
func shortened(h wire.Header, from, to time.Time) wire.Header {
	end := h.StartNanos + h.DurationNanos
	if !to.IsZero() {
		end = max(min(end, to.UnixNano()), h.StartNanos)
	}
	if late := from.UnixNano() - h.StartNanos; !from.IsZero() && late > 0 && h.TicksPerSecond == 1e9 && from.UnixNano() < end {
		h.StartNanos += late
		h.StartTicks += late
	}
	h.DurationNanos = end - h.StartNanos
	return h
}
