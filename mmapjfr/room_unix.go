//go:build unix

package mmapjfr

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"

	"golang.org/x/sys/unix"
)

// arena is what Go takes from the system at a time. To have one whose address is a
// multiple of its size it asks for twice as much.
const arena = 4 << 20 << (4 * (bits.UintSize / 64))

// promised tells why the system would not give n bytes of memory: because there are no
// addresses for them, because of the program's limits, or, on Linux, because there is
// less memory than that. Limits of a container it does not see.
func promised(n int64) error {
	if free, ok := available(); ok && n > free {
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

// available returns how much memory Linux could give to programs without taking it from
// others. It is false for other systems.
func available() (n int64, ok bool) {
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

// noRoom tells whether an error says that there are no addresses left.
func noRoom(err error) bool { return errors.Is(err, unix.ENOMEM) }
