package jvmstats

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

// reading has the metrics of reading events.
type reading struct {
	events, errors, flush, delay *metric
	// newest is the greatest end time of events since the last flush, in nanoseconds since 1970; 0
	// without events.
	newest int64
}

// ownMetrics adds metrics of this process, and of events that the JVM lost.
func (v *Vitals) ownMetrics() {
	v.on("jdk.DataLoss", "metrics:",
		value{counter, "jfr_lost_bytes_total", "Bytes of events that the JVM had no room for", "amount", number, ""})
	v.reading = reading{
		events: v.metric("", counter, "mjfr_events_total", "Events read", "type"),
		errors: v.metric("", counter, "mjfr_errors_total", "Things that went wrong in reading"),
		flush: v.metric("", gauge, "mjfr_last_flush_timestamp_seconds",
			"When the last flush of the JVM had been read, in seconds since 1970"),
		delay: v.metric("", delays, "mjfr_event_delay_seconds",
			"How old the newest event of a flush was when it had been read"),
	}
	v.reading.events.most = maxTypes
	v.reading.errors.at(labels{}) // there are none
}

func (r *reading) flushedAt(at time.Time) {
	r.flush.put(at.UnixNano(), float64(at.UnixNano())/1e9, labels{})
	if r.newest != 0 {
		r.delay.put(0, time.Duration(at.UnixNano()-r.newest).Seconds(), labels{})
		r.newest = 0
	}
}

// maxScrapes is the number of scrapes that are answered at the same time.
const maxScrapes = 10

// Handler returns the handler of scrapes. It answers in the requested format: that of Prometheus or
// OpenMetrics, as text or packed.
func (v *Vitals) Handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(v)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		EnableOpenMetrics:   true,
		ErrorHandling:       promhttp.ContinueOnError, // some metrics are better than none
		MaxRequestsInFlight: maxScrapes,
	})
}

// port is the usual one of exporters of JVMs.
const port = 9404

// Listen begins to listen at an address. Scrapes wait until [localhttp.Server.Serve]. A port alone,
// as in ":9404", is a port of localhost: other machines can reach only an address such as
// "0.0.0.0:9404".
func (v *Vitals) Listen(ctx context.Context, addr string, access localhttp.Access) (*localhttp.Server, error) {
	access.HostOption = "--prometheus-host"
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", v.Handler())
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
