//go:build unix

package mapfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"

	"golang.org/x/sys/unix"
)

// arena is how many bytes Go takes from the system at a time. Go asks for twice as much,
// to have an arena whose address is a multiple of its size.
const arena = 4 << 20 << (4 * (bits.UintSize / 64))

// askForMemory returns why the system would not give the program n bytes of memory: because there
// are no addresses, because of the program's limits, or, on Linux, because there is less
// memory than that. It does not see the limits of a container.
func askForMemory(n int64) error {
	if free, ok := availableMemory(); ok && n > free {
		return fmt.Errorf("%w: %d bytes are available", unix.ENOMEM, free)
	}
	if n > math.MaxInt-2*arena {
		return unix.ENOMEM
	}
	probe, err := unix.Mmap(-1, 0, int(n)+2*arena, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	return unix.Munmap(probe)
}

// availableMemory returns how many bytes Linux could give to programs without taking them from
// others; false on other systems.
func availableMemory() (n int64, ok bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, line, ok := bytes.Cut(text, []byte("\nMemAvailable:"))
	if !ok {
		return 0, false
	}
	if _, err := fmt.Sscanf(string(line[:min(len(line), 40)]), "%d kB", &n); err != nil {
		return 0, false
	}
	return n << 10, true
}

// isOutOfMemory reports whether an error says that there are no addresses left.
func isOutOfMemory(err error) bool { return errors.Is(err, unix.ENOMEM) }
