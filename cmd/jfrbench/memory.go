package main

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
)

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
