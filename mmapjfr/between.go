package mmapjfr

import (
	"errors"
	"math"
	"time"

	"github.com/mmapjfr/jfr/index/schema"
)

// interval is the time from one point, in nanoseconds since 1970, up to but
// without another. Points beyond what nanoseconds can tell are no bounds.
type interval struct {
	from, to       int64
	hasFrom, hasTo bool // that there is such a bound
	reversed       bool
}

// Between wants events that begin at from or later, and before to, as
// [Event.Start] tells. A zero time is no bound. Events whose type does not tell
// when they began are not wanted.
//
// The first such selection goes through all events of a chunk, and keeps in
// blocks of 64 KiB when the first and the last one began. From then on those
// blocks alone are looked at in which there can be such events.
func Between(from, to time.Time) Filter {
	f := interval{reversed: !from.IsZero() && !to.IsZero() && to.Before(from)}
	f.from, f.hasFrom = toNanos(from)
	f.to, f.hasTo = toNanos(to)
	if !from.IsZero() && !f.hasFrom && from.After(latest) || !to.IsZero() && !f.hasTo && to.Before(earliest) {
		f.from, f.to, f.hasFrom, f.hasTo = 0, 0, true, true // no event is there
	}
	return f
}

// The first and the last point in time that nanoseconds since 1970 can tell.
var earliest, latest = unixNano(math.MinInt64), unixNano(math.MaxInt64)

// toNanos returns the nanoseconds; false if that is no bound.
func toNanos(t time.Time) (ns int64, ok bool) {
	if t.IsZero() || t.Before(earliest) || t.After(latest) {
		return 0, false
	}
	return t.UnixNano(), true
}

func (f interval) check() error {
	if f.reversed {
		return errors.New("mmapjfr: a selection by time ends before it begins")
	}
	return nil
}

func (f interval) matchesType(class *schema.Type) bool { return class.StartTime() != nil }

func (f interval) compile(cf *chunkFilter) error {
	first, last := int64(math.MinInt64), int64(math.MaxInt64)
	if f.hasFrom {
		var ok bool
		if first, ok = cf.c.clock.since(f.from); !ok {
			cf.empty = true
			return nil
		}
	}
	if f.hasTo {
		if end, ok := cf.c.clock.since(f.to); ok {
			if end == math.MinInt64 {
				cf.empty = true
				return nil
			}
			last = end - 1
		}
	}
	cf.limitTicks(first, last)
	return nil
}
