//go:build !jfrdebug

package stream

import "github.com/mmapjfr/jfr/mmapjfr"

// lend calls a handler with an event.
func (d *dispatcher) lend(h *Handler, ev mmapjfr.Event) error { return h.event(ev) }
