package jvmid

import "github.com/mmapjfr/jfr/internal/wire"

// Chunk is what is known of a chunk of a recording.
type Chunk struct {
	wire.Header
	// Process is the process that events of the chunk name, which is comparable; nil if none do.
	Process any
}

// OfOne reports which chunks of a recording are of the virtual machine that its events name; none
// are if they name several, or none. A chunk whose events name no machine is of this one if it has
// its clock, or overlaps the time in which there are chunks of it. Async-profiler writes such
// chunks beside those of the machine that it samples, by another clock.
func OfOne(chunks []Chunk) []bool {
	own := make([]bool, len(chunks))
	var process any
	for _, c := range chunks {
		if process != nil && c.Process != nil && c.Process != process {
			return own
		}
		if c.Process != nil {
			process = c.Process
		}
	}
	if process == nil {
		return own
	}
	var from, to int64
	var last *wire.Header
	add := func(i int) {
		h := &chunks[i].Header
		if last == nil {
			from, to = h.StartNanos, endOf(h)
		}
		from, to = min(from, h.StartNanos), max(to, endOf(h))
		own[i], last = true, h
	}
	for i := range chunks {
		if chunks[i].Process != nil {
			add(i)
		}
	}
	for i := range chunks {
		if !own[i] && Same(*last, chunks[i].Header) {
			add(i)
		}
	}
	for i := range chunks {
		own[i] = own[i] || chunks[i].StartNanos <= to && endOf(&chunks[i].Header) >= from
	}
	return own
}

// endOf returns when a chunk ends, in nanoseconds since 1970.
func endOf(h *wire.Header) int64 { return h.StartNanos + max(0, h.DurationNanos) }
