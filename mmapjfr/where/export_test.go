package where

import "github.com/mmapjfr/jfr/mmapjfr"

// Guarded tells what a comparison says of a value when compare is what compares.
func Guarded(ev mmapjfr.Event, v mmapjfr.Value, compare func(mmapjfr.Value) bool) bool {
	return new(comparison).guarded(ev.Chunk(), v, compare)
}
