package print

import (
	"context"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Shown is an event as it leaves a window, and those that enclose it.
type Shown struct {
	Event   mmapjfr.Event
	Context []mmapjfr.Event
}

// InWindow returns the events of a recording in the order in which a window of that
// size hands them on.
func InWindow(ctx context.Context, rec *mmapjfr.Recording, size int, o Options) (shown []Shown, err error) {
	err = o.inWindowOf(ctx, size, []*mmapjfr.Recording{rec}, true, func(it item) bool {
		shown = append(shown, Shown{it.event, it.context})
		return true
	})
	return shown, err
}
