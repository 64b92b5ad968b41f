package jvmmetrics

import "net/http"

// Guarded returns what answers requests to a server that listens at a host.
func (m *Metrics) Guarded(access Access, host string) http.Handler {
	return access.guard(m.Handler(), host)
}
