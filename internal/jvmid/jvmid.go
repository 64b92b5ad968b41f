// Package jvmid answers one question: can two chunks come from the same virtual machine?
//
// No chunk names its virtual machine. But the clock that stamps events starts with the
// machine, so two chunks of one machine agree about when that clock showed 0.
//
// All that compares chunks asks [Same]: salvage in package index before it borrows metadata, and
// the packages summary, repair and verify. [OfOne] is for what is of a machine although its clock
// says otherwise. Some of them ask for more: that the types of both chunks fit together (salvage,
// summary, repair), or that the first chunk is not marked as the last of its machine (summary;
// verify reports the contradiction).
package jvmid

import (
	"math"

	"github.com/mmapjfr/jfr/internal/wire"
)

// The tolerances of [Same]. Times are in nanoseconds.
const (
	// jitter is how far two readings of the clocks may differ however close they are: the
	// time of day is adjusted while the ticks go on.
	jitter = 50e6
	// drift is what may be added to jitter for each nanosecond between the two chunks: the
	// tick rate is measured once, or is what the processor is sold as.
	drift = 1e-3
	// pause is how soon after the end of a chunk the next chunk of the machine begins. Such
	// neighbours need not agree about the clock: some recorders write a wrong tick rate.
	pause = 5e6
)

// Same reports whether two chunks can come from the same virtual machine, by what their
// headers say. The order of the two does not matter. Chunks of one machine have the same
// version of the format, the same integer encoding and the same tick rate. Besides, either
// the ticks and the times at their starts advance alike, within 50 ms and 0.1 % of the time
// between them, or one chunk begins within 5 ms of the end of the other.
func Same(a, b wire.Header) bool {
	if !SameFormat(a, b) || a.TicksPerSecond != b.TicksPerSecond || a.TicksPerSecond <= 0 {
		return false
	}
	nanos := float64(b.StartNanos) - float64(a.StartNanos)
	ticks := (float64(b.StartTicks) - float64(a.StartTicks)) / (float64(a.TicksPerSecond) / 1e9)
	return math.Abs(nanos-ticks) <= jitter+drift*math.Abs(nanos) || follows(a, b) || follows(b, a)
}

// SameFormat reports whether two chunks have the same version of the format and the same
// integer encoding.
func SameFormat(a, b wire.Header) bool {
	return a.Major == b.Major && a.Minor == b.Minor && a.IntEncoding() == b.IntEncoding()
}

// follows reports whether b begins where a ends.
func follows(a, b wire.Header) bool {
	return math.Abs(float64(b.StartNanos)-float64(a.StartNanos)-float64(a.DurationNanos)) < pause
}
