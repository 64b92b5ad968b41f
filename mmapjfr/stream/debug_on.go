//go:build jfrdebug

package stream

import (
	"github.com/mmapjfr/jfr/internal/jfrdebug"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// lend calls a handler with an event that becomes invalid when the handler returns, unless events
// are kept.
func (d *dispatcher) lend(h *Handler, ev mmapjfr.Event) error {
	if d.settings.keepEvents {
		return h.event(ev)
	}
	lent, end := jfrdebug.LendEvent(ev)
	defer end()
	return h.event(lent.(mmapjfr.Event))
}
