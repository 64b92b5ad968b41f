package print

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// zoneOf returns the time zone in which times of a chunk are written: the one that
// was asked for or else that of the chunk's virtual machine.
func zoneOf(c mmapjfr.Chunk, asked *time.Location) *time.Location {
	if asked != nil {
		return asked
	}
	if _, zone, err := c.Region(); err == nil {
		return zone
	}
	return time.UTC
}
