package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// measurement is what a stage took.
type measurement struct {
	name string
	time time.Duration
	// mallocs and allocated are the objects and bytes allocated in the stage.
	mallocs, allocated uint64
	// heap is what is in use after the stage, garbage collected.
	heap uint64
	// anonymous is the memory of the process at the end of the stage, see anonymous.
	anonymous uint64
}

// measure runs a stage. The garbage of the stages before should have been
// collected, as measure does with its own.
func measure(name string, stage func() error) (measurement, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	err := guarded(stage)
	m := measurement{name: name, time: time.Since(start)}
	m.anonymous = anonymous()
	runtime.ReadMemStats(&after)
	m.mallocs = after.Mallocs - before.Mallocs
	m.allocated = after.TotalAlloc - before.TotalAlloc
	runtime.GC()
	runtime.ReadMemStats(&after)
	m.heap = after.HeapAlloc
	return m, err
}

// guarded turns the fault of reading a mapped file that somebody has cut into
// an error.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if _, ok := p.(interface{ Addr() uintptr }); !ok {
			panic(p)
		}
		err = fmt.Errorf("%w: the file was cut while it was read", mmapjfr.ErrTruncated)
	}()
	return f()
}

// bytesPerSecond is the rate at which a file of that size was read.
func (m *measurement) bytesPerSecond(size int64) float64 {
	return float64(size) / max(m.time, 1).Seconds()
}

// perEvent divides by the number of events; it is false if there are none.
func perEvent(n float64, events uint64) (float64, bool) {
	if events == 0 {
		return 0, false
	}
	return n / float64(events), true
}
