package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
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

// guarded turns the fault of reading a mapped file that somebody has cut into an error.
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

// boundMemory asks Go to keep to less memory than it would by itself for a recording of that size:
// all that an index keeps, and hardly more garbage. It leaves alone what the environment says.
func boundMemory(size int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(max(leastMemory, size/80))
	}
}

// leastMemory is the bound for all recordings of up to 4.5 GB. Beyond the bound
// there are pages of the program itself.
const leastMemory = 56 << 20

var rssAnon = regexp.MustCompile(`(?m)^RssAnon:\s*(\d+) kB$`)

// anonymous returns how many bytes of memory the process has that are not pages
// of a file, as the operating system counts: the heap and stacks, and what it has
// for itself. It is 0 on systems other than Linux.
func anonymous() uint64 {
	status, _ := os.ReadFile("/proc/self/status") // without it nothing matches
	found := rssAnon.FindSubmatch(status)
	if found == nil {
		return 0
	}
	kilobytes, _ := strconv.ParseUint(string(found[1]), 10, 64) // these are digits
	return kilobytes << 10
}
