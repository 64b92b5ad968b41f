package profile

import (
	"context"
	"math"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// sampleEvent is the type of samples that weigh all that a thread has allocated since its last one.
const sampleEvent = "jdk.ObjectAllocationSample"

var pathWeight = mmapjfr.Path("weight")

// firstSamples are the first samples of allocations of each thread in a recording. Each weighs all
// that its thread allocated before: since the thread began, or since an earlier recording ended.
// That can be hours, and more than all other samples together.
type firstSamples struct {
	offsets map[uint64]bool // of the events
	// usual is what the other samples weigh, on average.
	usual int64
}

// newFirstSamples reads the samples of a recording. What cannot be read is left out; reading the
// profile returns the errors.
func newFirstSamples(ctx context.Context, rec *mmapjfr.Recording) firstSamples {
	type sample struct {
		at, weight int64
		offset     uint64
	}
	type thread struct{ java, os int64 }
	first := make(map[thread]sample)
	count, sum := int64(0), 0.0
	for ev, err := range rec.Select(mmapjfr.Types(sampleEvent)).Events() {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			continue
		}
		t := ev.Thread()
		key := thread{t.JavaThreadID(), t.OSThreadID()}
		s := sample{ev.StartNanos(), ev.Int(pathWeight), ev.Offset()}
		count, sum = count+1, sum+float64(s.weight)
		if before, ok := first[key]; !ok || s.at < before.at {
			first[key] = s
		}
	}
	f := firstSamples{offsets: make(map[uint64]bool, len(first)), usual: math.MaxInt64}
	for _, s := range first {
		f.offsets[s.offset] = true
		count, sum = count-1, sum-float64(s.weight)
	}
	if count > 0 {
		f.usual = int64(sum / float64(count))
	}
	return f
}

// weight returns what an event weighs: a first sample no more than others do.
func (f *firstSamples) weight(ev mmapjfr.Event, weight int64) int64 {
	if weight > f.usual && f.offsets[ev.Offset()] {
		return f.usual
	}
	return weight
}
