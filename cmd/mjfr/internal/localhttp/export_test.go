package localhttp

import "net/http"

// Guarded returns what answers requests to a server that listens at a host.
func (a *Access) Guarded(h http.Handler, host string) http.Handler { return a.guard(h, host) }

// Handler returns what answers all requests.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// Break closes the listener, and nothing else.
func (s *Server) Break() error { return s.listener.Close() }
