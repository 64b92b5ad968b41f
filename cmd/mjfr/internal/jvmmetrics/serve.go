package jvmmetrics

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

// maxScrapes is the number of scrapes that are answered at the same time.
const maxScrapes = 10

// Handler returns the handler of scrapes. It answers in the requested format: that of Prometheus or
// OpenMetrics, as text or packed. The answer has everything in the registry of the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		EnableOpenMetrics:   true,
		ErrorHandling:       promhttp.ContinueOnError, // some metrics are better than none
		MaxRequestsInFlight: maxScrapes,
	})
}

// Server listens for scrapes. It must be served or closed.
type Server = localhttp.Server

// Access decides which requests are answered.
type Access = localhttp.Access

// port is the usual one of exporters of JVMs.
const port = 9404

// Listen begins to listen at an address. Scrapes wait until [Server.Serve]. A port alone, as in
// ":9404", is a port of localhost: other machines can reach only an address such as "0.0.0.0:9404".
func (m *Metrics) Listen(ctx context.Context, addr string, access Access) (*Server, error) {
	access.HostOption = "--prometheus-host"
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, welcome)
	})
	return localhttp.Listen(ctx, addr, mux, localhttp.Options{
		Access: access, What: "metrics", Port: port, Patience: 30 * time.Second,
	})
}

const welcome = `<!DOCTYPE html>
<title>mjfr</title>
<p>The metrics of the JVM are at <a href="metrics">/metrics</a>, for Prometheus.</p>
`
