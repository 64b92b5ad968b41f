package main

import (
	"bufio"
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// boundMemory asks Go to keep to less memory than it would by itself for a
// recording of that size: all that an index keeps, and hardly more garbage. It
// leaves alone what the environment says.
func boundMemory(size int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(max(leastMemory, size/80))
	}
}

// leastMemory is the bound for all recordings of up to 4.5 GB. Beyond the bound
// there are pages of the program itself.
const leastMemory = 56 << 20

// anonymous returns how many bytes of memory the process has that are not pages
// of a file, as the operating system counts: the heap and stacks, and what it has
// for itself. It is 0 where that is not told.
func anonymous() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		value, ok := strings.CutPrefix(lines.Text(), "RssAnon:")
		if !ok {
			continue
		}
		if kilobytes, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64); err == nil {
			return kilobytes << 10
		}
	}
	return 0
}
