//go:build jfrdebug && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

import (
	"math/bits"
	"sync"
)

// A system allows a process some ten thousand maps, and 32 bits some gigabytes. So the
// addresses that were closed first are released when there are more than these.
const (
	maxHeld      = 4096
	maxHeldBytes = 1 << (16 + bits.UintSize/4) // 16 MB with 32 bits, 4 GB with 64
)

// held are addresses that stay inaccessible for a while, the oldest first.
var held struct {
	mu    sync.Mutex
	list  []addresses
	bytes int
}

type addresses struct {
	size    int
	release func()
}

// quarantine keeps addresses inaccessible until others have come, and calls release then.
func quarantine(size int, release func()) {
	for _, a := range hold(addresses{size, release}) {
		a.release()
	}
}

// hold adds addresses to those that are held, and returns those that are held no longer.
func hold(a addresses) (over []addresses) {
	held.mu.Lock()
	defer held.mu.Unlock()
	held.list = append(held.list, a)
	held.bytes += a.size
	for len(held.list) > maxHeld || held.bytes > maxHeldBytes && len(held.list) > 1 {
		oldest := held.list[0]
		held.list[0] = addresses{}
		held.list = held.list[1:]
		held.bytes -= oldest.size
		over = append(over, oldest)
	}
	return over
}
