//go:build jfrdebug && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage

import (
	"math/bits"
	"sync"
)

// A system knows no more than some ten thousand maps of a process, and 32 bits no more
// than some gigabytes: the addresses of what was closed longest ago can be used again.
const (
	maxGraves     = 4096
	maxGraveBytes = 1 << (16 + bits.UintSize/4) // 16 MB with 32 bits, 4 GB with 64
)

// graves are addresses that stay inaccessible for a while, the oldest first.
var graves struct {
	mu    sync.Mutex
	list  []grave
	bytes int
}

type grave struct {
	size int
	dig  func()
}

// bury keeps so many bytes of addresses inaccessible until dig is called, when there are
// too many others.
func bury(size int, dig func()) {
	for _, g := range buried(grave{size, dig}) {
		g.dig()
	}
}

// buried notes a grave, and returns those that are too many.
func buried(g grave) (over []grave) {
	graves.mu.Lock()
	defer graves.mu.Unlock()
	graves.list = append(graves.list, g)
	graves.bytes += g.size
	for len(graves.list) > maxGraves || graves.bytes > maxGraveBytes && len(graves.list) > 1 {
		oldest := graves.list[0]
		graves.list[0] = grave{}
		graves.list = graves.list[1:]
		graves.bytes -= oldest.size
		over = append(over, oldest)
	}
	return over
}
