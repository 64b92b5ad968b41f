package jvmmetrics

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// noStack is the setting of events whose stack traces are of no use here, and would
// cost the JVM the most.
const noStack = "stackTrace=false"

// seconds returns the length of time that a path leads to; false if it is not known.
func seconds(ev mmapjfr.Event, p *mmapjfr.FieldPath) (float64, bool) {
	d := ev.Timespan(p)
	return d.Seconds(), ev.Has(p) && d >= 0 && d != mmapjfr.Forever
}

// setSeconds sets a value to a length of time, if that is known.
func (s *sampled) setSeconds(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if v, ok := seconds(ev, p); ok {
		s.set(ev.StartNanos(), v, l)
	}
}

// setInt sets a value to a number or size, if there is such a field. A size without a
// limit is -1, as it is for Java.
func (s *sampled) setInt(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Has(p) {
		s.set(ev.StartNanos(), float64(ev.Int(p)), l)
	}
}

// setKnown is setInt for numbers that are negative where they are not known.
func (s *sampled) setKnown(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Int(p) >= 0 {
		s.setInt(ev, p, l)
	}
}

// setRatio sets a value to a fraction, as percentages are recorded.
func (s *sampled) setRatio(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Has(p) {
		s.set(ev.StartNanos(), ev.Float(p), l)
	}
}

// addInt adds a number or size.
func (s *summed) addInt(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if ev.Has(p) {
		s.add(float64(ev.Int(p)), l)
	}
}

// addSeconds adds a length of time, if it is known.
func (s *summed) addSeconds(ev mmapjfr.Event, p *mmapjfr.FieldPath, l labels) {
	if v, ok := seconds(ev, p); ok {
		s.add(v, l)
	}
}

var duration = mmapjfr.Path("duration")

// took counts how long an event lasted, as it was recorded.
func (s *spread) took(ev mmapjfr.Event, l labels) {
	if ev.Has(duration) {
		s.observe(ev.Timespan(duration), l)
	}
}

// inSeconds returns a time in seconds since 1970, as Prometheus has them.
func inSeconds(at time.Time) float64 { return float64(at.UnixNano()) / 1e9 }

// between returns how long it is from one point in time to another, both in
// nanoseconds since 1970.
func between(start, end int64) time.Duration { return time.Duration(end - start) }
