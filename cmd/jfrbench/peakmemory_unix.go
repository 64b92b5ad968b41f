//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the most bytes of a process that were resident at one time.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	most := int64(usage.Maxrss) //nolint:unconvert // it is an int32 elsewhere
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return most
	}
	return most << 10 // others count in kilobytes
}

// resetPeakMemory forgets the peak of this process, which Linux counts for the processes
// that it starts.
func resetPeakMemory() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // other systems have no such file
}
