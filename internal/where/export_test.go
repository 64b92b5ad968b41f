package where

import "github.com/mmapjfr/jfr/mmapjfr"

// Protected returns what a term returns for a value that is compared by compare.
func Protected(ev mmapjfr.Event, v mmapjfr.Value, compare func(mmapjfr.Value) bool) bool {
	return new(term).protected(ev.Chunk(), v, compare)
}
