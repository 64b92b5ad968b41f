package where

import "github.com/mmapjfr/jfr/mmapjfr"

// Protected returns what a comparison returns for a value that is compared by compare.
func Protected(ev mmapjfr.Event, v mmapjfr.Value, compare func(mmapjfr.Value) bool) bool {
	return new(comparison).protected(ev.Chunk(), v, compare)
}
