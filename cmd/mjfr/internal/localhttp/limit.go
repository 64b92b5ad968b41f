package localhttp

import "net/http"

// Limit passes at most that number of requests to h at the same time. As many as waiting says wait until one of these
// has ended or their client has gone. All others are refused.
func Limit(h http.Handler, most, waiting int) http.Handler {
	running, queue := make(chan struct{}, most), make(chan struct{}, most+waiting)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case queue <- struct{}{}:
			defer func() { <-queue }()
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too much is asked at the same time; try again soon", http.StatusServiceUnavailable)
			return
		}
		select {
		case running <- struct{}{}:
			defer func() { <-running }()
			h.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}
