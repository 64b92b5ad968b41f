package jvmstats_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
)

// TestRing compares with numbers that are all kept.
func TestRing(t *testing.T) {
	const from = 1_700_000_000
	for _, steps := range [][]int64{
		{0, 1, 2, 3, 59, 60, 61, 62, 63, 64, 65, 127, 128, 200},
		{0, 0, 5, 3, 4, 5, 70, 69, 10, 6, 71, 1000, 999, 937, 936},
		{0, 63, 0, 64, 0, 1},
	} {
		var r jvmstats.Ring
		sums, peaks := map[int64]int64{}, map[int64]int64{}
		now := int64(0)
		for i, step := range steps {
			n := int64(i + 1)
			now = max(now, step)
			if step > now-64 {
				sums[step] += n
				peaks[step] = max(peaks[step], n)
			}
			r.Add(from+step, n)
			for _, seconds := range []int64{1, 10, jvmstats.Minute} {
				want := int64(0)
				for second, n := range sums {
					if second > now-seconds && second <= now {
						want += n
					}
				}
				assert.Equal(t, want, r.Sum(from+now, seconds), "%v after %d, %d s", steps, i, seconds)
			}
		}
		var p jvmstats.Ring
		now = 0
		for i, step := range steps {
			now = max(now, step)
			p.Raise(from+step, int64(i+1))
		}
		want := int64(0)
		for second, n := range peaks {
			if second > now-jvmstats.Minute {
				want = max(want, n)
			}
		}
		assert.Equal(t, want, p.Peak(from+now, jvmstats.Minute))
		assert.Zero(t, r.Sum(from+now+jvmstats.Minute, jvmstats.Minute), "a minute later")
	}
}

func TestClock(t *testing.T) {
	const second, day = int64(time.Second), int64(24 * time.Hour)
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano()
	first := base / second
	t.Run("goes with events", func(t *testing.T) {
		var c jvmstats.Clock
		assert.Equal(t, first, c.See(base))
		assert.Equal(t, first+2, c.See(base+2*second))
		assert.Equal(t, first+1, c.See(base+second), "out of order")
		assert.Equal(t, base+2*second, c.Now())
	})
	t.Run("does not believe a single event", func(t *testing.T) {
		var c jvmstats.Clock
		c.See(base)
		for _, wild := range []int64{base + 100*day, math.MaxInt64, 0, math.MinInt64} {
			assert.Equal(t, first, c.See(wild), wild)
			assert.Equal(t, first+1, c.See(base+second))
			c.Flush(time.Time{})
			assert.Equal(t, base+second, c.Now())
			c = jvmstats.Clock{}
			c.See(base)
		}
	})
	t.Run("goes on after a long silence", func(t *testing.T) {
		var c jvmstats.Clock
		c.See(base)
		assert.Equal(t, first, c.See(base+day), "it may be wrong")
		assert.Equal(t, first+24*3600+1, c.See(base+day+second))
		assert.Equal(t, base+day+second, c.Now())
	})
	t.Run("set back", func(t *testing.T) {
		var c jvmstats.Clock
		c.See(base + day)
		c.Flush(time.Time{})
		c.See(base)
		c.See(base + second)
		c.Flush(time.Time{})
		assert.Equal(t, base+second, c.Now(), "as the events have it")
		assert.Equal(t, first+24*3600+1, c.See(base+2*second), "seconds go on")
		assert.Equal(t, base+2*second, c.Now())
	})
	t.Run("one late event does not set it back", func(t *testing.T) {
		var c jvmstats.Clock
		c.See(base + day)
		c.Flush(time.Time{})
		c.See(base)
		c.See(base + day + second)
		c.Flush(time.Time{})
		assert.Equal(t, base+day+second, c.Now())
	})
	t.Run("wild at first", func(t *testing.T) {
		var c jvmstats.Clock
		c.See(base + 100*day)
		c.See(base)
		c.Flush(time.Time{})
		assert.Equal(t, base, c.Now())
	})
	t.Run("goes on without events", func(t *testing.T) {
		var c jvmstats.Clock
		wall := time.Unix(5_000_000, 0)
		c.See(base)
		c.Flush(wall)
		c.Flush(wall.Add(3 * time.Second))
		assert.Equal(t, base+3*second, c.Now())
		c.Flush(wall.Add(2 * time.Second))
		assert.Equal(t, base+3*second, c.Now(), "never back")
		c.See(base + 2*second)
		c.Flush(wall.Add(4 * time.Second))
		assert.Equal(t, base+3*second, c.Now())
		c.Flush(time.Time{})
		assert.Equal(t, base+3*second, c.Now(), "no time given")
	})
}
